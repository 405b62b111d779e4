#pragma once

#include "rigor/math/padded_square.hpp"

namespace rigor {

/// Cholesky factors of a symmetric positive definite matrix, A = Rᵀ R, in storage that is kept between calls:
/// half the work of DenseLu. Only the upper triangle of A is read, row after row; right-looking with panels
/// [GVL13, 4.2], every entry updated in the order of the rows, so the bits do not depend on the machine.
/// In float for factors that are refined afterwards: twice as many lanes.
///
/// [GVL13] Golub, Van Loan. Matrix Computations, 4th ed. Johns Hopkins, 2013.
template <class Scalar>
class BasicDenseCholesky {
 public:
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Makes room for sizes up to `size`, so that start() need not allocate.
  void reserve(Eigen::Index size);

  /// Makes room for size x size and hands out the matrix whose upper triangle is to be filled in. Allocates
  /// only when it grows.
  [[nodiscard]] typename PaddedSquare<Scalar>::View start(Eigen::Index size);

  /// Factors what was filled in. False where a pivot is not positive: A is not positive definite.
  [[nodiscard]] bool factor();

  /// Overwrites b with A⁻¹ b.
  void solve_in_place(Eigen::Ref<Vector> b) const;

  /// Smallest over largest pivot: a cheap sign of near singularity (0 after a failed factor()).
  [[nodiscard]] Scalar pivot_ratio() const { return pivot_ratio_; }

 private:
  Scalar pivot_ratio_{0};
  PaddedSquare<Scalar> storage_;
};

using DenseCholesky = BasicDenseCholesky<double>;

}  // namespace rigor
