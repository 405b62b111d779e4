// Tests principal_pivot.cpp and pivot_table.cpp.
#include "rigor/solvers/lcp/principal_pivot.hpp"

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(PrincipalPivot, SolvesEveryMatrixOfItsGuarantee) {
  for (const LcpClass lcp_class : {LcpClass::kP, LcpClass::kPSymmetric, LcpClass::kPsdFeasible,
                                   LcpClass::kDegenerate, LcpClass::kRedundant, LcpClass::kBadlyScaled})
    expect_solves_all(PrincipalPivotOptions{}, lcp_class);
}

TEST(PrincipalPivot, ProvesThatAnInfeasiblePsdProblemHasNoSolution) {
  expect_solves_all(PrincipalPivotOptions{}, LcpClass::kPsdInfeasible);
}

// skew M has a zero diagonal: only pairs of pivots can move. z = (1, 1): w = (z_2 − 1, 1 − z_1) = 0
TEST(PrincipalPivot, NeedsKellersPairsForASkewMatrix) {
  const LcpProblem problem{(Eigen::Matrix2d() << 0, 1, -1, 0).finished(), Eigen::Vector2d(-1, 1)};
  const LcpResult result = solve(problem, PrincipalPivotOptions{});
  ASSERT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(check_solution(problem, result.z), 0.0);
}

}  // namespace
}  // namespace rigor
