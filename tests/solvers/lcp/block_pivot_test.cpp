#include "rigor/solvers/lcp/block_pivot.hpp"

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(BlockPivot, SolvesEveryPMatrixWithoutItsFallBack) {
  const BlockPivotOptions alone{.fall_back = false};
  for (const LcpClass lcp_class :
       {LcpClass::kP, LcpClass::kPSymmetric, LcpClass::kDegenerate, LcpClass::kBadlyScaled})
    expect_solves_all(alone, lcp_class);
}

TEST(BlockPivot, EndsForEveryClassWithItsFallBack) {
  for (const LcpClass lcp_class : all_lcp_classes()) expect_solves_all(BlockPivotOptions{}, lcp_class);
}

TEST(BlockPivot, NeedsAFewFactorisationsWhateverTheSize) {
  for (const int n : {50, 200}) {
    const LcpResult result = solve(make_random_lcp(LcpClass::kPSymmetric, n, 3), BlockPivotOptions{});
    EXPECT_EQ(result.status, Status::kSolved);
    EXPECT_LE(result.factorisations, 15);
  }
}

// mixed: u = 3 − z by hand from u + z − 3 = 0, w = −u + 2 z = 3 z − 3 ⇒ z = 1, u = 2
TEST(BlockPivot, SolvesAMixedProblemByHand) {
  MlcpProblem problem;
  problem.free_count = 1;
  problem.K = Eigen::Matrix2d{{1, 1}, {-1, 2}}.sparseView();
  problem.q = Eigen::Vector2d(-3, 0);
  const LcpResult result = solve(problem, BlockPivotOptions{});
  ASSERT_EQ(result.status, Status::kSolved);
  EXPECT_NEAR(result.z[0], 2.0, 1e-15);
  EXPECT_NEAR(result.z[1], 1.0, 1e-15);
}

}  // namespace
}  // namespace rigor
