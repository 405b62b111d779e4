#pragma once

#include <Eigen/Core>
#include <vector>

namespace rigor {

/// A complete orthogonal factor of a matrix K (n x m) whose columns may depend on each other:
///
///     K P = Q [R₁₁ R₁₂; 0 0],     [R₁₁ R₁₂]ᵀ = Y [T; 0],                                             (1)
///
/// by Householder reflections with column pivoting; R₁₁ is r x r, r the rank. A column counts as dependent
/// where less than `tolerance` of its own length sticks out of the span of the columns before it: the
/// decision does not change when rows or columns are measured in other units.
///
/// [GvL] G. Golub, C. Van Loan. Matrix Computations. 4th ed., 2013, 5.4-5.5.
/// Departure: columns are scaled to length 1 for the choice of pivots and back for (1), so that "minimum
/// norm" is that of the caller's unknowns. Nothing allocates when the size is that of the call before.
class OrthogonalFactor {
 public:
  static constexpr double kTolerance = 1e-10;

  void compute(const Eigen::MatrixXd& K, double tolerance = kTolerance);
  /// The same rank() and pivots(), and nothing that can be solved with.
  void compute_rank(const Eigen::MatrixXd& K, double tolerance = kTolerance);

  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  /// Column j of K is the pivots()[j]-th in (1): the first rank() are a basis of the others.
  [[nodiscard]] const std::vector<Eigen::Index>& pivots() const { return pivots_; }

  /// The p of least ‖p‖ with K p = f, where f is in the range of K; else with the least residual.
  void solve(const Eigen::VectorXd& f, Eigen::VectorXd& p);
  /// The p of least ‖p‖ with Kᵀ K p = c for the rows of a basis, and then for all where c fits.
  void solve_gram(const Eigen::VectorXd& c, Eigen::VectorXd& p);
  /// The y of least ‖y‖ with Kᵀ y = c for the rows of a basis, and then for all where c fits.
  void solve_transposed(const Eigen::VectorXd& c, Eigen::VectorXd& y);

  /// An orthonormal basis of what Kᵀ sends to zero: n x (n − r).
  void compute_null_basis(Eigen::MatrixXd& Z) const;
  /// x ← Qᵀ x: its last n − r entries are Zᵀ x for the basis Z of compute_null_basis().
  void apply_reflections_transposed(Eigen::Ref<Eigen::VectorXd> x) const;

 private:
  void factor(double tolerance);
  void factor_row_space();
  void apply_reflections(Eigen::Ref<Eigen::VectorXd> x) const;  // x ← Q x
  void finish(Eigen::VectorXd& p);  // from g in work_ (r): the least p with [R₁₁ R₁₂] Pᵀ p = g

  Eigen::MatrixXd qr_;  // reflections below the diagonal, R on and above
  Eigen::VectorXd beta_, norms_, remaining_, work_;
  Eigen::MatrixXd wide_;  // m x r: Y and T where columns depend on each other
  Eigen::VectorXd wide_beta_, permuted_;
  std::vector<Eigen::Index> pivots_;
  Eigen::Index rank_{0};
};

}  // namespace rigor
