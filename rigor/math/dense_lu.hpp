#pragma once

#include <Eigen/Core>
#include <vector>

namespace rigor {

/// LU factors of a square matrix with row pivoting, P A = L U, in storage that is kept between calls.
///
/// Eigen's PartialPivLU allocates in every call; the pivoting methods factor matrices of ever changing size
/// and must not. Right-looking with panels [GVL13, ch. 3]; every entry is updated in the order of the
/// columns, whatever the width of the machine's registers, so the bits do not depend on the machine.
///
/// [GVL13] Golub, Van Loan. Matrix Computations, 4th ed. Johns Hopkins, 2013.
class DenseLu {
 public:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Makes room for size x size and hands out the matrix to fill in. Allocates only when it grows.
  [[nodiscard]] Eigen::Block<RowMajor> start(Eigen::Index size);

  /// Factors what was filled in. False where a pivot is zero or not finite.
  [[nodiscard]] bool factor();

  /// Overwrites b with A⁻¹ b.
  void solve_in_place(Eigen::Ref<Eigen::VectorXd> b);

  /// Overwrites b with A⁻ᵀ b.
  void solve_transposed_in_place(Eigen::Ref<Eigen::VectorXd> b);

  /// Smallest over largest |pivot|: a cheap sign of near singularity (0 after a failed factor()).
  [[nodiscard]] double pivot_ratio() const { return pivot_ratio_; }

 private:
  Eigen::Index size_{0};
  double pivot_ratio_{0.0};
  RowMajor storage_;
  Eigen::VectorXd scratch_;
  std::vector<Eigen::Index> row_of_;  // row k of P A is row row_of_[k] of A
};

}  // namespace rigor
