#pragma once

#include <optional>

#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/result.hpp"
#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// Looks for a proof that a cone problem has no solution. Every solution has u_N ≥ 0 at contacts (u ∈ K* with
/// the associated law), u ≥ 0 at rows without upper bound and u ≤ 0 at rows without lower bound. Weights y of
/// these signs, y_N ≥ 0 and y_T = 0 at contacts (y ∈ K with the associated law), y = 0 at rows with two
/// bounds, therefore give, with g = Wᵀy,
///
///     0 ≤ yᵀu = qᵀy + rᵀg
///     rᵀg ≤ Σ_contacts r_N (g_N + mu ‖g_T‖) + Σ_rows sup { r g }                                     (1)
///
/// Where the right side is negative for every admissible r, there is no solution: the weighted contacts
/// close, whatever pushes. Such a y is a ray of a convex problem (Farkas' lemma), found by solve_conic() as
///
///     min qᵀy + Σ_rows sup { r g }    with    g_N + mu ‖g_T‖ ≤ 0,    ‖y‖ bounded.
///
/// First with g = 0, for which the equations are eliminated: for W = Wᵀ ≥ 0 there is no other y, since
/// yᵀW y = yᵀg ≤ 0. For another W then with all g. Only a y that check_infeasible() accepts is a proof. That
/// none is found proves nothing where W is unsymmetric or not positive semidefinite.
///
/// Dense factors: problems of more than kLargestInfeasible rows are not looked at.
inline constexpr Eigen::Index kLargestInfeasible = 900;

[[nodiscard]] std::optional<InfeasibilityProof> find_cone_proof(const ConeProblem& problem);

/// The rows in use, as a dense problem: y and r of it are those of drop_unused_rows().
[[nodiscard]] ConeProblem make_dense_cone(const SparseConeProblem& problem);

}  // namespace rigor
