#pragma once

#include "rigor/solvers/cone/cone_system.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"

namespace rigor {

/// The pyramid with `directions` sides in place of the cone (2 in the plane, where it is exact) [AP97]: per
/// block
///
///     r = (p_N, D β),    u_N ≥ 0 ⟂ p_N ≥ 0,    λ e + Dᵀ u_T ≥ 0 ⟂ β ≥ 0,    mu p_N − eᵀβ ≥ 0 ⟂ λ ≥ 0.
///
/// and single rows with their bounds. Lemke's method solves it whatever the start, so that it gives a start
/// to the methods on the cone where theirs failed.
///
/// [AP97] Anitescu, Potra. Formulating dynamic multi-rigid-body contact problems with friction as solvable
/// linear
///        complementarity problems. Nonlinear Dynamics 14, 1997.
struct ConePolyhedral {
  BoxedLcpProblem problem;
  Eigen::MatrixXd to_impulse;  // r = to_impulse · z
};

/// `turn` [rad] turns the directions about the normals.
[[nodiscard]] ConePolyhedral make_polyhedral(const ConeSystem& system, int directions, double turn);

}  // namespace rigor
