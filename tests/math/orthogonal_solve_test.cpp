#include "rigor/math/orthogonal_solve.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"

namespace rigor {
namespace {

Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd A(rows, columns);
  for (double& x : A.reshaped()) x = random.gaussian();
  return A;
}

// Rank 3 of 5 x 6: the answer obeys Aᵀ(A x − b) = 0 and has no part in the null space, as A⁺ b says too.
TEST(OrthogonalSolve, LeastNormOfARankDeficientSystem) {
  Random random(5);
  const Eigen::MatrixXd A = random_matrix(random, 5, 3) * random_matrix(random, 3, 6);
  const Eigen::VectorXd b = random_matrix(random, 5, 1);
  const Eigen::VectorXd x = solve_least_norm(A, b);
  const Eigen::MatrixXd P = pseudo_inverse(A);
  EXPECT_LT((A.transpose() * (A * x - b)).norm(), 1e-12);
  EXPECT_LT((P * (A * x) - x).norm(), 1e-12);
  EXPECT_LT((P * b - x).norm(), 1e-12);
  EXPECT_LT((A * P * A - A).norm(), 1e-12);
}

TEST(OrthogonalSolve, OrthonormalColumnsSpanThoseGiven) {
  Random random(6);
  const Eigen::MatrixXd A = random_matrix(random, 6, 3), Q = orthonormal_columns(A, 3);
  EXPECT_LT((Q.transpose() * Q - Eigen::Matrix3d::Identity()).norm(), 1e-14);
  EXPECT_LT((Q * (Q.transpose() * A) - A).norm(), 1e-13);
  const Eigen::MatrixXd all = orthonormal_columns(A, 6);
  EXPECT_LT((all.rightCols(3).transpose() * A).norm(), 1e-13);
}

TEST(OrthogonalSolve, PositiveDefinite) {
  Random random(7);
  const Eigen::MatrixXd B = random_matrix(random, 4, 4), A = B * B.transpose() + Eigen::Matrix4d::Identity();
  const Eigen::VectorXd x = random_matrix(random, 4, 1);
  EXPECT_LT((solve_positive(A, A * x) - x).norm(), 1e-12);
}

TEST(OrthogonalSolve, PivotedFactorToItsRank) {
  Random random(8);
  const Eigen::MatrixXd A = random_matrix(random, 5, 2) * random_matrix(random, 2, 4);
  const PivotedFactor factor(A, 1e-12);
  ASSERT_EQ(factor.rank(), 2);
  const Eigen::MatrixXd Q = factor.Q(2);
  EXPECT_LT((A * factor.right_inverse() - Q).norm(), 1e-12);
  const Eigen::VectorXd b = A.transpose() * random_matrix(random, 5, 1);
  EXPECT_LT((A.transpose() * (Q * factor.solve_transposed(b)) - b).norm(), 1e-12);
  EXPECT_EQ(PivotedFactor(Eigen::MatrixXd(0, 3), 1e-12).rank(), 0);
  EXPECT_EQ(PivotedFactor(Eigen::MatrixXd::Zero(3, 3), 1e-12).rank(), 0);
}

}  // namespace
}  // namespace rigor
