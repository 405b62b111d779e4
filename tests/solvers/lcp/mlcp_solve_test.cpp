// Tests mlcp_solve.cpp: mixed, sparse and boxed problems find their way to every method.
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

// a contact problem before v is eliminated: plain and mixed forms have the same solutions
TEST(SolveMixed, FrictionProblemsAreSolvedWithTheirVelocities) {
  Random random(21);
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE(k);
    const ContactLcpProblem contacts = make_random_contacts(6 + random.below(40), random.next());
    const MlcpProblem problem = make_mlcp(contacts);
    const LcpResult result = solve(problem, AutoOptions{});
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
  }
}

TEST(SolveMixed, EveryNamedMethodSolvesAnEasyMixedProblem) {
  MlcpProblem problem;  // by hand in block_pivot_test: u = 2, z = 1
  problem.free_count = 1;
  problem.K = Eigen::Matrix2d{{1, 1}, {-1, 2}}.sparseView();
  problem.q = Eigen::Vector2d(-3, 0);
  for (const std::string_view name : method_names()) {
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kSolved) << name;
    EXPECT_NEAR(result.z[0], 2.0, 1e-9) << name;
    EXPECT_NEAR(result.z[1], 1.0, 1e-9) << name;
  }
}

// no complementary variable at all: two equations, u = (1, 2) by hand
TEST(SolveMixed, EquationsAloneAreSolvedToo) {
  MlcpProblem problem;
  problem.free_count = 2;
  problem.K = Eigen::Matrix2d{{2, 0}, {1, 1}}.sparseView();
  problem.q = Eigen::Vector2d(-2, -3);
  for (const std::string_view name : {"auto", "lemke", "block-pivot", "newton", "interior-point"}) {
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kSolved) << name;
    EXPECT_NEAR(result.z[0], 1.0, 1e-12) << name;
    EXPECT_NEAR(result.z[1], 2.0, 1e-12) << name;
  }
}

TEST(SolveMixed, SparseAndDenseAgree) {
  const LcpProblem dense = make_random_lcp(LcpClass::kP, 15, 4);
  const SparseLcpProblem sparse{dense.M.sparseView(), dense.q};
  EXPECT_EQ(solve(sparse, LemkeOptions{}).z, solve(dense, LemkeOptions{}).z);
}

// u = −z/3 leaves w = (d − 1/3) z − 1 with d the double next to 1/3. The y that makes both columns zero is (−1/3, 1), which
// no doubles are: a proof up to a bound, and said as such.
TEST(SolveMixed, NoSolutionBelowABoundIsNotCalledInfeasible) {
  MlcpProblem problem;
  problem.free_count = 1;
  problem.K = Eigen::Matrix2d{{3, 1}, {1, 1.0 / 3.0}}.sparseView();
  problem.q = Eigen::Vector2d(0, -1);
  for (const std::string_view name : {"auto", "lemke"}) {
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kNoneBelow) << name << ": " << result.note;
    const ProofCheck check = check_infeasible(problem, result.proof->y);
    EXPECT_TRUE(check.holds);
    EXPECT_FALSE(check.exact);
    EXPECT_EQ(check.bound, result.proof->bound);
    EXPECT_GT(check.bound, 1e8);
  }
}

}  // namespace
}  // namespace rigor
