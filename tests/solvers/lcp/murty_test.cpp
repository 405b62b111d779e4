#include "rigor/solvers/lcp/murty.hpp"

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Murty, SolvesEveryPMatrix) {
  expect_solves_all(MurtyOptions{}, LcpClass::kP);
  expect_solves_all(MurtyOptions{}, LcpClass::kDegenerate);
  expect_solves_all(MurtyOptions{}, LcpClass::kBadlyScaled);
}

// 2ⁿ − 1 pivots: the example on which the least-index rule visits every basis
TEST(Murty, VisitsEveryBasisOfHisOwnExample) {
  for (const int n : {2, 4, 6, 8}) {
    const LcpResult result = solve(make_murty_example(n), MurtyOptions{.equilibrate = false});
    EXPECT_EQ(result.status, Status::kSolved);
    EXPECT_LT((result.z - Eigen::VectorXd::Unit(n, n - 1)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_EQ(result.iterations, (1 << n) - 1);
  }
}

TEST(Murty, SaysThatAZeroDiagonalIsNotItsBusiness) {
  const LcpProblem problem{(Eigen::Matrix2d() << 0, 1, -1, 0).finished(), Eigen::Vector2d(-1, 1)};
  const LcpResult result = solve(problem, MurtyOptions{});
  EXPECT_EQ(result.status, Status::kNumericalTrouble);
  EXPECT_EQ(result.note, "murty: zero pivot, M is not a P-matrix");
}

}  // namespace
}  // namespace rigor
