#pragma once

#include <Eigen/Core>

namespace rigor {

/// Cholesky factors of a symmetric positive definite matrix, A = Rᵀ R, in storage that is kept between calls:
/// half the work of DenseLu. Only the upper triangle of A is read, row after row; right-looking with panels
/// [GVL13, 4.2], every entry updated in the order of the rows, so the bits do not depend on the machine.
///
/// [GVL13] Golub, Van Loan. Matrix Computations, 4th ed. Johns Hopkins, 2013.
class DenseCholesky {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Makes room for size x size and hands out the matrix whose upper triangle is to be filled in. Allocates
  /// only when it grows.
  [[nodiscard]] Eigen::Block<RowMajor> start(Eigen::Index size);

  /// Factors what was filled in. False where a pivot is not positive: A is not positive definite.
  [[nodiscard]] bool factor();

  /// Overwrites b with A⁻¹ b.
  void solve_in_place(Eigen::Ref<Eigen::VectorXd> b) const;

  /// Smallest over largest pivot: a cheap sign of near singularity (0 after a failed factor()).
  [[nodiscard]] double pivot_ratio() const { return pivot_ratio_; }

 private:
  Eigen::Index size_{0};
  double pivot_ratio_{0.0};
  RowMajor storage_;
  RowMajor transposed_;  // of one panel of R, so that the update is a product of rows with rows
};

}  // namespace rigor
