// Tests enumerate.cpp and enumerate_exact.cpp.
#include "rigor/solvers/lcp/enumerate.hpp"

#include "rigor/base/require.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

// M = [1 1; 1 1], q = (−1, −1): z_1 + z_2 = 1, a segment. [CPS92, remark 4.1.14]
TEST(Enumerate, FindsTheSegmentOfCottlePangStone) {
  const LcpProblem problem{Eigen::Matrix2d::Ones(), -Eigen::Vector2d::Ones()};
  for (const auto& pieces : {enumerate_exact(problem), enumerate_all(problem, {})}) {
    int largest = 0;
    for (const SolutionPiece& piece : pieces) {
      EXPECT_NEAR(piece.z.sum(), 1.0, 1e-15);
      largest = std::max(largest, piece.dimension);
    }
    EXPECT_EQ(largest, 1);
  }
}

// [2 1; 1 2] is P: one solution, (4/3, 7/3); −I has 2ⁿ for q > 0: z_i = 0 or q_i
TEST(Enumerate, CountsSolutions) {
  const LcpProblem one{Eigen::Matrix2d{{2, 1}, {1, 2}}, Eigen::Vector2d(-5, -6)};
  ASSERT_EQ(enumerate_exact(one).size(), 1u);
  EXPECT_EQ(enumerate_exact(one)[0].z[0], 4.0 / 3.0);
  const LcpProblem many{-Eigen::MatrixXd::Identity(4, 4), Eigen::VectorXd::Ones(4)};
  EXPECT_EQ(enumerate_exact(many).size(), 16u);
  EXPECT_EQ(enumerate_all(many, {}).size(), 16u);
  const LcpProblem none{-Eigen::MatrixXd::Identity(2, 2), -Eigen::VectorXd::Ones(2)};
  EXPECT_TRUE(enumerate_exact(none).empty());
}

// the exact arithmetic sees what floating point cannot: 0.1 + 0.2 ≠ 0.3, so the row 0.1 z − 0.1·… has a tiny
// solution set
TEST(Enumerate, IsExactOnTheGivenDoubles) {
  // w = (0.1 + 0.2 − 0.3) z − 1 written as one double coefficient: 5.55e-17 z − 1 is solvable, with z
  // = 1.8e16
  const double coefficient = (0.1 + 0.2) - 0.3;
  ASSERT_GT(coefficient, 0.0);
  const LcpProblem problem{Eigen::MatrixXd::Constant(1, 1, coefficient), -Eigen::VectorXd::Ones(1)};
  const auto pieces = enumerate_exact(problem);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(pieces[0].z[0], 1.0 / coefficient);
}

// both ways through the tree: the fraction-free one and, below zero pivots, the rational one
TEST(Enumerate, ExactAndFloatingAgreeOnRandomProblems) {
  Random random(12);
  for (int k = 0; k < 200; ++k) {
    const int n = 1 + random.below(6);
    LcpProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
    for (int i = 0; i < n; ++i) {
      problem.q[i] = random.below(7) - 3;
      for (int j = 0; j < n; ++j) problem.M(i, j) = random.below(5) - 2;  // many zero and singular minors
    }
    const auto exact = enumerate_exact(problem);
    EXPECT_EQ(exact.empty(), enumerate_all(problem, {}).empty()) << k;
    for (const SolutionPiece& piece : exact) EXPECT_LT(check_solution(problem, piece.z), 1e-14);
    for (const SolutionPiece& piece : enumerate_all(problem, {}))
      EXPECT_LT(check_solution(problem, piece.z), 1e-10);
  }
}

TEST(Enumerate, RefusesWhatIsTooLarge) {
  EXPECT_THROW((void)enumerate_exact(make_random_lcp(LcpClass::kP, 13, 1)), InvalidInput);
  EXPECT_THROW((void)solve(make_random_lcp(LcpClass::kP, 21, 1), EnumerateOptions{}), InvalidInput);
}

}  // namespace
}  // namespace rigor
