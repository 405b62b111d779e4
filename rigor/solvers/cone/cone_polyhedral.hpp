#pragma once

#include "rigor/solvers/cone/cone_system.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"

namespace rigor {

/// The friction cone replaced by a pyramid with `directions` sides (2 in the plane, where it is exact)
/// [AP97], as a boxed LCP. Per block, D having the directions as columns:
///
///     r = (p_N, D β)
///     0 ≤ p_N ⟂ u_N ≥ 0
///     0 ≤ β   ⟂ λ e + Dᵀ u_T ≥ 0
///     0 ≤ λ   ⟂ mu p_N − eᵀβ ≥ 0
///
/// Single rows keep their bounds. Lemke's method solves it from any start, so that its answer is a start for
/// the methods on the cone where theirs failed.
///
/// [AP97] Anitescu, Potra. Formulating dynamic multi-rigid-body contact problems with friction as solvable
///        linear complementarity problems. Nonlinear Dynamics 14, 1997.
struct ConePolyhedral {
  BoxedLcpProblem problem;
  Eigen::MatrixXd to_impulse;  // r = to_impulse · z
};

/// `turn` [rad] rotates the directions about the normals.
[[nodiscard]] ConePolyhedral make_polyhedral(const ConeSystem& system, int directions, double turn);

}  // namespace rigor
