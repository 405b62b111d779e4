#include "rigor/solvers/lcp/newton.hpp"

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Newton, SolvesPMatricesWithBothMaps) {
  for (const auto map : {ComplementarityMap::kFischerBurmeister, ComplementarityMap::kMinimum}) {
    expect_solves_all(NewtonOptions{.map = map}, LcpClass::kP);
    expect_solves_all(NewtonOptions{.map = map}, LcpClass::kPSymmetric);
  }
}

TEST(Newton, SolvesBadlyScaledProblems) {
  expect_solves_all(NewtonOptions{}, LcpClass::kBadlyScaled);
}

// 0 = z − 1 with a free u that no equation determines: K_uu = 0 is singular, elimination is impossible,
// Newton is not
TEST(Newton, SolvesAMixedProblemWhoseFreeBlockIsSingular) {
  MlcpProblem problem;
  problem.free_count = 1;
  problem.K = Eigen::Matrix2d{{0, 1}, {-1, 1}}.sparseView();  // w = −u + z + 0.5
  problem.q = Eigen::Vector2d(-1, 0.5);
  EXPECT_EQ(solve(problem, LemkeOptions{}).status, Status::kNumericalTrouble);
  for (const LcpMethod& method : {LcpMethod(NewtonOptions{}), LcpMethod(AutoOptions{})}) {
    const LcpResult result = solve(problem, method);
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    EXPECT_NEAR(result.z[1], 1.0, 1e-9);
    EXPECT_NEAR(result.z[0], 1.5, 1e-9);
  }
}

}  // namespace
}  // namespace rigor
