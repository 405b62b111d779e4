// Tests dense_lu.cpp, rank_one.cpp and magnitude.cpp.
#include "rigor/math/dense_lu.hpp"

#include <gtest/gtest.h>

#include "rigor/math/magnitude.hpp"
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

template <class Scalar>
class RankOne : public testing::Test {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Matrix make(int rows, int columns) {
    Matrix m(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) m(i, j) = static_cast<Scalar>(random.gaussian());
    return m;
  }

  Random random{5};
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(RankOne, Scalars);

TYPED_TEST(RankOne, WideRegistersGiveTheBitsOfThePlainLoop) {
  for (const int n : {1, 7, 8, 9, 24, 40, 47}) {
    const auto x = this->make(1, n);
    auto y = this->make(1, n);
    auto plain = y;
    const auto a = static_cast<TypeParam>(0.3);
    for (int i = 0; i < n; ++i) plain(0, i) += a * x(0, i);
    add_scaled(a, x.data(), y.data(), n);
    EXPECT_EQ(plain, y);
  }
}

// A as it is and transposed; C is taken to whole tiles, of which only the wanted part is looked at
TYPED_TEST(RankOne, ProductsGiveTheBitsOfThePlainLoop) {
  constexpr int kHeight = 7, kWidth = 19, kDepth = 13, kRoom = 32;
  const auto A = this->make(kRoom, kRoom), B = this->make(kDepth, kRoom);
  const auto C = this->make(kRoom, kRoom);
  for (const bool transposed : {false, true}) {
    auto plain = C, wide = C;
    for (int k = 0; k < kDepth; ++k)
      for (int i = 0; i < kHeight; ++i)
        for (int j = 0; j < kWidth; ++j) plain(i, j) -= (transposed ? A(k, i) : A(i, k)) * B(k, j);
    const Factors<TypeParam> factors{A.data(), transposed ? 1 : kRoom, transposed ? kRoom : 1};
    subtract_product<TypeParam>(factors, B.data(), wide.data(), kHeight, kWidth, kDepth, kRoom);
    EXPECT_EQ(plain.topLeftCorner(kHeight, kWidth), wide.topLeftCorner(kHeight, kWidth));
  }
}

TEST(Magnitude, RaisesTopsAndRoundsOnTheWay) {
  Random random(6);
  for (const int n : {1, 3, 4, 11, 32}) {
    Eigen::VectorXd x(n), top(n);
    Eigen::VectorXf rounded(n);
    for (int i = 0; i < n; ++i) x[i] = random.gaussian(), top[i] = random.uniform();
    const Eigen::VectorXd expected = top.cwiseMax(x.cwiseAbs());
    EXPECT_EQ(raise_tops(x.data(), top.data(), rounded.data(), n), x.cwiseAbs().maxCoeff());
    EXPECT_EQ(top, expected);
    EXPECT_EQ(rounded, Eigen::VectorXf(x.cast<float>()));
    EXPECT_EQ(raise_tops(x.data(), top.data(), nullptr, n), x.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace rigor
