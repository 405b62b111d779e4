#pragma once

#include <Eigen/Core>
#include <Eigen/QR>

namespace rigor {

/// Answers of orthogonal factors of small dense matrices, as functions: compiled once, here.

/// x of least ‖x‖ among those of least ‖A x − b‖; A of any shape and rank.
[[nodiscard]] Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// A⁺: solve_least_norm() for all b.
[[nodiscard]] Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);

/// The first `columns` columns of Q, A = Q R: orthonormal, and those up to A's own number span what A's columns do where
/// these are independent.
[[nodiscard]] Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& A, Eigen::Index columns);

/// A⁻¹ b of a symmetric positive definite A.
[[nodiscard]] Eigen::VectorXd solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

/// A = Q R Pᵀ with columns pivoted, R cut to the rank: pivots below `threshold` times the largest count as zero.
class PivotedFactor {
 public:
  PivotedFactor(const Eigen::MatrixXd& A, double threshold);

  [[nodiscard]] Eigen::Index rank() const { return rank_; }
  /// The first columns of Q; those up to rank() span the columns of A.
  [[nodiscard]] Eigen::MatrixXd Q(Eigen::Index columns) const;
  /// y = R⁻ᵀ (Pᵀ b), rank() numbers: Aᵀ Q y = b where that has a solution.
  [[nodiscard]] Eigen::VectorXd solve_transposed(const Eigen::VectorXd& b) const;
  /// P [R⁻¹; 0]: A times it is Q's first rank() columns.
  [[nodiscard]] Eigen::MatrixXd right_inverse() const;

 private:
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
  Eigen::Index rank_{0};  // of an empty matrix too
};

}  // namespace rigor
