#include "rigor/math/orthogonal_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "tests/support/random_forest.hpp"

namespace rigor {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(test::Random& random, Index rows, Index cols) {
  MatrixXd A(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) A(i, j) = random.uniform(-1, 1);
  return A;
}

// Against Eigen's complete orthogonal decomposition, for matrices of every rank and shape.
TEST(OrthogonalFactor, AgreesWithAPseudoInverse) {
  test::Random random(1);
  OrthogonalFactor factor;
  for (int round = 0; round < 300; ++round) {
    const Index n = 1 + random.index(12), m = 1 + random.index(12);
    const Index rank = std::min({n, m, static_cast<Index>(random.index(12))});
    const MatrixXd K = random_matrix(random, n, rank) * random_matrix(random, rank, m);
    SCOPED_TRACE(testing::Message() << n << " x " << m << ", rank " << rank);
    factor.compute(K);
    ASSERT_EQ(factor.rank(), rank);
    const MatrixXd inverse = K.completeOrthogonalDecomposition().pseudoInverse();
    const double scale = 1.0 + inverse.norm() * inverse.norm();

    const VectorXd f = random_matrix(random, n, 1);
    VectorXd p, y;
    factor.solve(f, p);
    EXPECT_LE((p - inverse * f).norm(), 1e-10 * scale);

    const VectorXd c = K.transpose() * random_matrix(random, n, 1);  // one that fits
    factor.solve_transposed(c, y);
    EXPECT_LE((y - inverse.transpose() * c).norm(), 1e-10 * scale);
    factor.solve_gram(c, p);
    EXPECT_LE((p - inverse * (inverse.transpose() * c)).norm(), 1e-9 * scale);

    MatrixXd Z;
    factor.compute_null_basis(Z);
    ASSERT_EQ(Z.cols(), n - rank);
    EXPECT_LE((Z.transpose() * Z - MatrixXd::Identity(n - rank, n - rank)).norm(),
              1e-13 * static_cast<double>(n));
    EXPECT_LE((K.transpose() * Z).norm(), 1e-12 * (1.0 + K.norm()));
  }
}

// Millimetres or kilometres, grams or tons: what depends on what does not change.
TEST(OrthogonalFactor, RankDoesNotDependOnUnits) {
  test::Random random(2);
  OrthogonalFactor factor;
  for (int round = 0; round < 100; ++round) {
    MatrixXd K = random_matrix(random, 8, 5);
    K.col(4) = K.col(0) - 2.0 * K.col(2);
    for (Index j = 0; j < 5; ++j) K.col(j) *= std::pow(10.0, random.uniform(-8, 8));
    factor.compute(K);
    EXPECT_EQ(factor.rank(), 4);
  }
}

TEST(OrthogonalFactor, ZeroColumnsGetNoMultiplier) {
  MatrixXd K = MatrixXd::Zero(3, 3);
  K(0, 1) = 2.0;
  OrthogonalFactor factor;
  factor.compute(K);
  EXPECT_EQ(factor.rank(), 1);
  EXPECT_EQ(factor.pivots()[0], 1);
  VectorXd p;
  factor.solve_gram(VectorXd::Constant(3, 4.0), p);
  EXPECT_EQ(p, VectorXd::Unit(3, 1));
}

TEST(OrthogonalFactor, TakesEmptyMatrices) {
  OrthogonalFactor factor;
  VectorXd p;
  factor.compute(MatrixXd::Zero(4, 0));
  factor.solve_gram(VectorXd(0), p);
  EXPECT_EQ(p.size(), 0);
  MatrixXd Z;
  factor.compute_null_basis(Z);
  EXPECT_EQ(Z, MatrixXd::Identity(4, 4));
}

}  // namespace
}  // namespace rigor
