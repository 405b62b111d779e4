#include "rigor/solvers/lcp/sparse_block_pivot.hpp"

#include <gtest/gtest.h>

#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

// the obstacle problem has one solution: sparse and dense methods must meet
TEST(SparseBlockPivot, AgreesWithTheDenseMethodOnTheObstacleProblem) {
  const SparseLcpProblem problem = make_obstacle(16, 3);
  ASSERT_TRUE(is_worth_sparse(problem.M));
  const LcpResult dense = solve(LcpProblem{Eigen::MatrixXd(problem.M), problem.q}, LemkeOptions{});
  ASSERT_EQ(dense.status, Status::kSolved);
  for (const LcpMethod& method :
       {LcpMethod(BlockPivotOptions{}), LcpMethod(PgsOptions{}), LcpMethod(AutoOptions{})}) {
    const LcpResult sparse = solve(problem, method);
    ASSERT_EQ(sparse.status, Status::kSolved) << sparse.note;
    EXPECT_LT((sparse.z - dense.z).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LE(check_solution(MlcpProblem{0, problem.M, problem.q}, sparse.z), 1.0001e-10);
  }
}

// 40 000 unknowns: the dense matrix would take 13 GB
TEST(SparseBlockPivot, SolvesWhatWouldNotFitDense) {
  const SparseLcpProblem problem = make_obstacle(kSanitized ? 60 : 200, 1);
  const LcpResult result = solve(problem, AutoOptions{});
  ASSERT_EQ(result.status, Status::kSolved) << result.note;
  EXPECT_LE(check_solution(MlcpProblem{0, problem.M, problem.q}, result.z), 1.0001e-10);
}

TEST(SparseBlockPivot, SaysWhatIsTooLargeForADenseMethod) {
  try {
    (void)solve(make_obstacle(100, 1), LemkeOptions{});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "sparse LCP: 10000 unknowns, lemke works on the dense matrix and takes at most 6000. Use "
                 "block-pivot or pgs.");
  }
}

// mixed, with free velocities and redundant contacts: singular blocks, so that the finite method takes over
TEST(SparseBlockPivot, SolvesMixedProblemsOrHandsThemOver) {
  const MlcpProblem pile = make_mlcp(make_cannonball(8, 0.2));
  ASSERT_TRUE(is_worth_sparse(pile.K));
  const LcpResult result = solve(pile, BlockPivotOptions{});
  ASSERT_EQ(result.status, Status::kSolved) << result.note;
  EXPECT_LE(check_solution(pile, result.z), 1.0001e-10);
}

}  // namespace
}  // namespace rigor
