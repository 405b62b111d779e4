#pragma once

#include <vector>

#include "rigor/math/padded_square.hpp"

namespace rigor {

/// LU factors of a square matrix with row pivoting, P A = L U, in storage that is kept between calls.
///
/// Eigen's PartialPivLU allocates in every call; the pivoting methods factor matrices of ever changing size
/// and must not. Right-looking with panels [GVL13, ch. 3]; every entry is updated in the order of the
/// columns, whatever the width of the machine's registers, so the bits do not depend on the machine.
/// In float for factors that are refined afterwards: twice as many lanes.
///
/// [GVL13] Golub, Van Loan. Matrix Computations, 4th ed. Johns Hopkins, 2013.
template <class Scalar>
class BasicDenseLu {
 public:
  using RowMajor = typename PaddedSquare<Scalar>::RowMajor;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Makes room for sizes up to `size`, so that start() need not allocate.
  void reserve(Eigen::Index size);

  /// Makes room for size x size and hands out the matrix to fill in. Allocates only when it grows.
  [[nodiscard]] typename PaddedSquare<Scalar>::View start(Eigen::Index size);

  /// Factors what was filled in. False where a pivot is zero or not finite.
  [[nodiscard]] bool factor();

  /// Overwrites b with A⁻¹ b.
  void solve_in_place(Eigen::Ref<Vector> b);

  /// Overwrites b with A⁻ᵀ b.
  void solve_transposed_in_place(Eigen::Ref<Vector> b);

  /// Smallest over largest |pivot|: a cheap sign of near singularity (0 after a failed factor()).
  [[nodiscard]] Scalar pivot_ratio() const { return pivot_ratio_; }

 private:
  [[nodiscard]] bool factor_strip(Eigen::Index start, Eigen::Index end, Scalar& smallest, Scalar& largest);
  void update_right(Eigen::Index start, Eigen::Index end, Eigen::Index stop);

  Scalar pivot_ratio_{0};
  PaddedSquare<Scalar> storage_;
  Vector scratch_;
  std::vector<Eigen::Index> row_of_;  // row k of P A is row row_of_[k] of A
};

using DenseLu = BasicDenseLu<double>;

}  // namespace rigor
