#include "rigor/math/dense_cholesky.hpp"

#include <gtest/gtest.h>

#include "rigor/math/dense_lu.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

Eigen::MatrixXd make_gaussian(Random& random, int n) {
  Eigen::MatrixXd A(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A(i, j) = random.gaussian();
  return A;
}

TEST(DenseCholesky, SolvesWhatItWasBuiltFrom) {
  Random random(3);
  DenseCholesky cholesky;
  for (const int n : {1, 2, 31, 32, 33, 70, 129, 200}) {
    SCOPED_TRACE(n);
    const Eigen::MatrixXd B = make_gaussian(random, n),
                          A = B * B.transpose() / n + Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd x = make_gaussian(random, n).col(0);
    cholesky.start(n) = A;
    ASSERT_TRUE(cholesky.factor());
    Eigen::VectorXd b = A * x;
    cholesky.solve_in_place(b);
    EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-13 * n);
  }
}

TEST(DenseCholesky, SaysThatAMatrixIsNotDefinite) {
  DenseCholesky cholesky;
  cholesky.start(2) = Eigen::Matrix2d{{1, 2}, {2, 1}};
  EXPECT_FALSE(cholesky.factor());
  EXPECT_EQ(cholesky.pivot_ratio(), 0.0);
}

// single precision: right to its rounding, and the rows around the matrix do not matter
TEST(DenseCholesky, SolvesInSinglePrecisionToo) {
  Random random(4);
  BasicDenseCholesky<float> cholesky;
  BasicDenseLu<float> lu;
  for (const int n : {1, 3, 15, 16, 17, 64, 150}) {
    SCOPED_TRACE(n);
    const Eigen::MatrixXd B = make_gaussian(random, n),
                          A = B * B.transpose() / n + Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXf x = make_gaussian(random, n).col(0).cast<float>();
    cholesky.start(n) = A.cast<float>();
    lu.start(n) = A.cast<float>();
    ASSERT_TRUE(cholesky.factor());
    ASSERT_TRUE(lu.factor());
    Eigen::VectorXf b = A.cast<float>() * x, c = b;
    cholesky.solve_in_place(b);
    lu.solve_in_place(c);
    EXPECT_LT((b - x).cwiseAbs().maxCoeff(), 1e-5f * static_cast<float>(n));
    EXPECT_LT((c - x).cwiseAbs().maxCoeff(), 1e-5f * static_cast<float>(n));
  }
}

TEST(DenseLu, SolvesWithTheTransposeToo) {
  Random random(8);
  DenseLu lu;
  for (const int n : {1, 5, 33, 90}) {
    const Eigen::MatrixXd A = make_gaussian(random, n) + 3.0 * Eigen::MatrixXd::Identity(n, n);
    const Eigen::VectorXd x = make_gaussian(random, n).col(0);
    lu.start(n) = A;
    ASSERT_TRUE(lu.factor());
    Eigen::VectorXd b = A.transpose() * x;
    lu.solve_transposed_in_place(b);
    EXPECT_LT((A.transpose() * (b - x)).cwiseAbs().maxCoeff(), 1e-11 * n);
  }
}

}  // namespace
}  // namespace rigor
