#pragma once

#include <vector>

#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// Boxed LCP: w = M z + q with lo ≤ z ≤ hi, either bound infinite, and
///
///     z_i = lo_i ⇒ w_i ≥ 0,    lo_i < z_i < hi_i ⇒ w_i = 0,    z_i = hi_i ⇒ w_i ≤ 0.                 (1)
///
/// Where `scaled_by[i]` = k ≥ 0 the bounds of z_i are lo_i z_k and hi_i z_k, as friction needs: |z_i| ≤ µ z_k
/// is lo = −µ, hi = µ, k the normal. z_k must itself be bounded below by 0 and not be scaled.
struct BoxedLcpProblem {
  Eigen::MatrixXd M;
  Eigen::VectorXd q;
  Eigen::VectorXd lo;          // −∞ allowed
  Eigen::VectorXd hi;          // +∞ allowed, hi ≥ lo
  std::vector<int> scaled_by;  // −1: plain bounds; empty: all plain

  void validate() const;

  /// The bounds of z_i at the point z.
  [[nodiscard]] double lower(Eigen::Index i, const Eigen::VectorXd& z) const;
  [[nodiscard]] double upper(Eigen::Index i, const Eigen::VectorXd& z) const;
};

/// ‖z − P_[lo(z), hi(z)](z − w)‖∞ / ‖q‖∞ (absolute where q = 0): zero exactly at the solutions of (1).
[[nodiscard]] double natural_residual(const BoxedLcpProblem& problem, const Eigen::VectorXd& z);

/// The same problem as a mixed LCP in x. A variable with a finite bound is measured from it,
/// x_i = z_i − lo_i(z) ≥ 0 (or hi_i(z) − z_i). One with two finite bounds gets a slack s_i:
///
///     0 ≤ s_i ⊥ hi_i − lo_i − x_i ≥ 0,    w_i = w'_i − s_i
///
/// One without bounds is free. x holds the variables in their order, free ones first, then the slacks.
struct BoxReduction {
  MlcpProblem mlcp;
  SparseMatrix to_box;  // z = to_box · x + offset
  Eigen::VectorXd offset;
};
[[nodiscard]] BoxReduction reduce_to_mlcp(const BoxedLcpProblem& problem);

}  // namespace rigor
