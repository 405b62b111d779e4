// Tests dense_lu.cpp and rank_one.cpp.
#include "rigor/math/dense_lu.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

TEST(DenseLu, SolvesWhatItWasBuiltFrom) {
  Random random(3);
  DenseLu lu;
  for (const int n : {1, 2, 5, 31, 32, 33, 70, 129}) {
    SCOPED_TRACE(n);
    Eigen::MatrixXd A(n, n);
    Eigen::VectorXd x(n);
    for (int i = 0; i < n; ++i) {
      x[i] = random.gaussian();
      for (int j = 0; j < n; ++j) A(i, j) = random.gaussian();
    }
    lu.start(n) = A;
    ASSERT_TRUE(lu.factor());
    Eigen::VectorXd b = A * x;
    lu.solve_in_place(b);
    // backward stable: the residual is small whatever the condition of A
    EXPECT_LT((A * (b - x)).cwiseAbs().maxCoeff(), 1e-12 * n);
  }
}

TEST(DenseLu, SaysThatAZeroColumnIsSingular) {
  DenseLu lu;
  auto A = lu.start(3);
  A.setIdentity();
  A.col(1).setZero();
  EXPECT_FALSE(lu.factor());
  EXPECT_EQ(lu.pivot_ratio(), 0.0);
}

TEST(RankOne, WideRegistersGiveTheBitsOfThePlainLoop) {
  Random random(5);
  for (const int n : {1, 7, 8, 9, 40}) {
    Eigen::VectorXd x(n), y(n);
    for (int i = 0; i < n; ++i) x[i] = random.gaussian(), y[i] = random.gaussian();
    Eigen::VectorXd plain = y;
    for (int i = 0; i < n; ++i) plain[i] += 0.3 * x[i];
    add_scaled(0.3, x.data(), y.data(), n);
    EXPECT_EQ(plain, y);
  }
}

}  // namespace
}  // namespace rigor
