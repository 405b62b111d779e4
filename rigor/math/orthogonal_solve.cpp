#include "rigor/math/orthogonal_solve.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace rigor {

Eigen::VectorXd solve_least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.completeOrthogonalDecomposition().solve(b);
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A) {
  return A.completeOrthogonalDecomposition().pseudoInverse();
}

Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& A, Eigen::Index columns) {
  return A.householderQr().householderQ() * Eigen::MatrixXd::Identity(A.rows(), columns);
}

Eigen::VectorXd solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
  return A.ldlt().solve(b);
}

PivotedFactor::PivotedFactor(const Eigen::MatrixXd& A, double threshold) {
  if (A.size() == 0) return;
  qr_.setThreshold(threshold);
  qr_.compute(A);
  rank_ = qr_.rank();
}

Eigen::MatrixXd PivotedFactor::Q(Eigen::Index columns) const {
  return qr_.householderQ() * Eigen::MatrixXd::Identity(qr_.rows(), columns);
}

Eigen::VectorXd PivotedFactor::solve_transposed(const Eigen::VectorXd& b) const {
  const Eigen::MatrixXd R = qr_.matrixR().topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>();
  const Eigen::VectorXd permuted = qr_.colsPermutation().transpose() * b;
  return R.triangularView<Eigen::Upper>().transpose().solve(permuted.head(rank()));
}

Eigen::MatrixXd PivotedFactor::right_inverse() const {
  const Eigen::MatrixXd R = qr_.matrixR().topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>();
  Eigen::MatrixXd lift = Eigen::MatrixXd::Zero(qr_.cols(), rank());
  lift.topRows(rank()) = R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(rank(), rank()));
  return qr_.colsPermutation() * lift;
}

}  // namespace rigor
