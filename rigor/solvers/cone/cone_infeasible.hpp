#pragma once

#include <optional>

#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/result.hpp"
#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// Looks for a proof that a cone problem has no solution. All solutions have u_N ≥ 0 at contacts (u ∈ K* of
/// the associated law), u ≥ 0 at rows without upper bound and u ≤ 0 at rows without lower bound. So weights y
/// of these signs, y_N ≥ 0 and y_T = 0 at contacts (y ∈ K), y = 0 at rows with two bounds, give
///
///     0 ≤ yᵀu = qᵀy + rᵀg,    g = Wᵀy,    rᵀg ≤ Σ_contacts r_N (g_N + mu ‖g_T‖) + Σ_rows sup { r g }, (1)
///
/// and where the right side is negative for every admissible r there is none: the contacts close together
/// whatever pushes. Such a y is a ray of a convex feasibility problem (Farkas), found as
///
///     min qᵀy + Σ_rows sup { r g },    g_N + mu ‖g_T‖ ≤ 0,    ‖y‖ bounded,
///
/// by solve_conic(): first with g = 0, solved beforehand, since for W = Wᵀ ≥ 0 no other y exists
/// (yᵀW y = yᵀg ≤ 0); for another W with all g. A y that check_infeasible() does not accept is no
/// proof. That none is found proves nothing where W is unsymmetric or not positive semidefinite.
///
/// Dense factors: problems of more than kLargestInfeasible rows are not looked at.
inline constexpr Eigen::Index kLargestInfeasible = 900;

[[nodiscard]] std::optional<InfeasibilityProof> find_cone_proof(const ConeProblem& problem);

/// The rows in use, as a dense problem: y and r of it are those of drop_unused_rows().
[[nodiscard]] ConeProblem make_dense_cone(const SparseConeProblem& problem);

}  // namespace rigor
