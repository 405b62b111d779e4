#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace rigor {

/// The bounds on the impulse of a single row. One-sided rows (joint limits) only push: [0, ∞). Bilateral rows
/// (joints) have no bounds. Boxed rows (motors, dry friction of a joint) have two, or one that is not 0.
struct RowBounds {
  double lower{0.0};  // N s; −∞ allowed
  double upper{std::numeric_limits<double>::infinity()};

  [[nodiscard]] static RowBounds bilateral() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  [[nodiscard]] bool has_lower() const { return lower > -std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool has_upper() const { return upper < std::numeric_limits<double>::infinity(); }
  [[nodiscard]] bool is_one_sided() const { return lower == 0.0 && !has_upper(); }
  [[nodiscard]] bool is_bilateral() const { return !has_lower() && !has_upper(); }
  [[nodiscard]] double clamp(double r) const { return r < lower ? lower : r > upper ? upper : r; }
  [[nodiscard]] RowBounds times(double factor) const { return {factor * lower, factor * upper}; }
};

/// The rows first … first + size − 1 of one contact, or one row without friction. The normal comes first.
struct ConeBlock {
  int first{0};
  int size{3};     // 1: r within bounds;  2: |r_T| ≤ mu r_N in the plane;  3: ‖r_T‖ ≤ mu r_N in space
  double mu{0.0};  // ≥ 0; of no effect for size 1
  RowBounds bounds{};  // of a block of size 1; contacts have those of a one-sided row
};

/// Contacts with Coulomb friction, all coupled: find r with
///
///     u = W r + q,    û = u + mu ‖u_T‖ e_N,    K* ∋ û ⟂ r ∈ K,                                       (1)
///
/// block by block, K = { r : ‖r_T‖ ≤ mu r_N } and K* = { u : u_N ≥ mu ‖u_T‖ } its dual [DSF98]. (1) says: no
/// pull, no penetration, no impulse where the contact opens, stick inside the cone, friction mu r_N against
/// the slip at its edge. With `associated` û = u: the convex law of [AT10], in which a contact that slips
/// lifts off by mu ‖u_T‖.
///
/// A block of one row has an interval in place of K, lower ≤ r ≤ upper, and
///
///     r = lower: u ≥ 0,    r = upper: u ≤ 0,    between: u = 0,                                      (2)
///
/// so that a one-sided row is 0 ≤ u ⟂ r ≥ 0, a bilateral one u = 0 with r free. Both (1) and (2) say
/// r = P(r − û) with the projection P on the block's set.
///
/// W = J M⁻¹ Jᵀ is symmetric and may be singular; other models make it unsymmetric, and nothing here
/// symmetrises it.
///
/// [DSF98] de Saxcé, Feng. The bipotential method. Math. Comput. Modelling 28 (4-8), 1998.
/// [AT10]  Anitescu, Tasora. An iterative approach for cone complementarity problems for nonsmooth dynamics.
///         Comput. Optim. Appl. 47, 2010.
struct ConeProblem {
  Eigen::MatrixXd W;  // n x n; impulse N s to velocity m/s
  Eigen::VectorXd q;  // n; m/s, the velocity without contact
  std::vector<ConeBlock> blocks;
  bool associated{false};

  /// Throws InvalidInput saying what is wrong. Called once, at the boundary.
  void validate() const;
};

/// ‖r − P(r − û)‖₂ with u = W r + q recomputed: zero exactly at the solutions of (1) and (2), infinite for an
/// r that is not finite or too short. Mixes N s and m/s: scale first where that matters.
[[nodiscard]] double cone_residual(const ConeProblem& problem, const Eigen::VectorXd& r);

/// The same over ‖q‖₂ (absolute where q = 0), as the literature compares solvers.
[[nodiscard]] double relative_cone_residual(const ConeProblem& problem, const Eigen::VectorXd& r);

/// The part of one block: ‖r − P(r − û)‖₂², r and u pointing at its first row.
[[nodiscard]] double squared_block_residual(const ConeBlock& block, bool associated, const double* r,
                                            const double* u);

/// Replaces x (block.size entries) by the nearest point of K, or of the row's interval.
void project_on_cone(const ConeBlock& block, double* x);

/// The residual that rounding of W r + q alone may leave, m/s:
///
///     4 ε √squares,   squares = Σ (mean r)² + q² over the rows of loaded contacts, (m/s)²,
///
/// and no more than a thousandth of `speeds` = ‖q‖₂: a motion that is not known to three digits is not an answer.
/// An estimate, not a bound: the errors of n products grow like √n. With a mass of 1e8 kg on 1 kg no double is
/// nearer than this; a step whose residual lies between the tolerance and this is reported as `rounding`.
[[nodiscard]] double cone_rounding(double squares, double speeds);
/// The same of a problem, with impulses that are scaled by `mean` to velocities.
[[nodiscard]] double cone_rounding(const std::vector<ConeBlock>& blocks, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& r, double mean);

}  // namespace rigor
