#pragma once

#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

// The independent checker: it uses no solver and no residual function of the library, and every sum of
// products is exact (ExactSum), so that what it says about the given doubles holds without a tolerance.

/// The residual of z (DESIGN: ‖min(z, w)‖∞ / ‖q‖∞), every w_i correct to its last bit. Infinite where z is
/// not finite.
[[nodiscard]] double check_solution(const LcpProblem& problem, const Eigen::VectorXd& z);
[[nodiscard]] double check_solution(const MlcpProblem& problem, const Eigen::VectorXd& x);
[[nodiscard]] double check_solution(const BoxedLcpProblem& problem, const Eigen::VectorXd& z);

/// ‖r − P(r − û)‖₂ of a cone problem in its own units, with u = W r + q correct to its last bit.
[[nodiscard]] double check_solution(const ConeProblem& problem, const Eigen::VectorXd& r);

/// The same of dense and sparse cone problems over ‖q‖₂ (absolute where q = 0), and block by block: the part of each
/// block over the largest of (|W| |r| + |q|) in its rows, so that contacts of small numbers do not hide behind large
/// ones; parts below 8 (n + 2) ε of the largest do not count, and an r that should be 0 is compared with ‖r‖∞ too. Neither is below a
/// thousandth of the rounding of r, in which a velocity may disappear.
struct ConeCheck {
  double residual{0.0};
  double row_residual{0.0};
};
[[nodiscard]] ConeCheck check_cone(const ConeProblem& problem, const Eigen::VectorXd& r);
[[nodiscard]] ConeCheck check_cone(const SparseConeProblem& problem, const Eigen::VectorXd& r);

/// One contact, or one row without friction, in a step: where r comes from does not matter, and u is given.
struct BlockLaw {
  int size{3};  // rows: 1 without friction, 2 in the plane, 3 in space; the normal first
  double mu{0.0};
  bool associated{false};  // û = u: the law `convex`
  RowBounds bounds{};      // of a single row
};

/// The distance of r from what the law of the block asks for at u, both in one unit (impulses times an inverse mass):
///
///     ‖r − P(r − û)‖₂,     û = u + mu ‖u_T‖ e_N,     P the nearest point of the cone or of the row's interval.
///
/// Zero exactly where Signorini's and Coulomb's laws hold. Written for this checker alone.
[[nodiscard]] double check_law(const BlockLaw& law, const double* r, const double* u);

/// What y proves about an LCP or mixed LCP: equation (1) of InfeasibilityProof.
struct ProofCheck {
  bool holds{false};  // y is a proof: exact, or bound ≥ 1e8 · scale
  bool exact{false};  // (Mᵀy)₊ = 0 in rational arithmetic on the given doubles: no solution at all
  double bound{0.0};  // every solution has ‖z‖₁ ≥ bound (rounded down; infinite where exact)
  double scale{0.0};  // ‖q‖∞ / max|M_ij|: the size of z at which M z matters beside q
};

/// Checks y ≥ 0 (complementary rows) and qᵀy < 0, and evaluates the bound.
[[nodiscard]] ProofCheck check_infeasible(const LcpProblem& problem, const Eigen::VectorXd& y);
[[nodiscard]] ProofCheck check_infeasible(const MlcpProblem& problem, const Eigen::VectorXd& y);

/// The same of a cone problem: (1) of cone_infeasible.hpp. The bound is on Σ r_N of the contacts and Σ |r| of
/// the rows; square roots and products beyond the sums are rounded against the proof.
[[nodiscard]] ProofCheck check_infeasible(const ConeProblem& problem, const Eigen::VectorXd& y);

}  // namespace rigor
