#include "rigor/solvers/lcp/auto.hpp"

#include <gmock/gmock.h>

#include "rigor/base/require.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Auto, SolvesEveryClass) {
  for (const LcpClass lcp_class : all_lcp_classes()) expect_solves_all(AutoOptions{}, lcp_class);
}

TEST(Auto, SaysWhatItDid) {
  EXPECT_EQ(solve(make_random_lcp(LcpClass::kP, 10, 1), AutoOptions{}).note, "lemke: solved");
  const LcpResult large = solve(make_random_lcp(LcpClass::kP, 80, 1), AutoOptions{});
  EXPECT_EQ(large.note, "definite, block-pivot: solved");
  EXPECT_EQ(large.solver, "block-pivot");
}

TEST(Auto, KnowsEveryMethodByName) {
  for (const std::string_view name : method_names()) {
    const LcpResult result = solve(make_random_lcp(LcpClass::kPSymmetric, 5, 2), make_method(name));
    EXPECT_EQ(result.status, Status::kSolved) << name;
    EXPECT_EQ(result.solver, name == "auto" ? "lemke" : name);
  }
  try {
    (void)make_method("lemko");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("solver \"lemko\" is unknown. Known: auto, lemke,"));
  }
}

// Stewart-Trinkle and Anitescu-Potra LCPs of random scenes, 4 and 8 directions, redundant contacts: 3000 of
// 3000
TEST(Auto, SolvesThreeThousandFrictionProblems) {
  LcpWorkspace workspace;
  LcpResult result;
  Random random(77);
  for (int k = 0; k < (kSanitized ? 300 : 3000); ++k) {
    SCOPED_TRACE(k);
    const LcpProblem problem = make_lcp(make_random_contacts(6 + random.below(75), random.next()));
    solve(problem, AutoOptions{}, workspace, result);
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
  }
}

// mixed infeasible: the Schur complement's proof, lifted to the equations, must pass the checker on the mixed
// problem
TEST(Auto, ProvesAMixedProblemInfeasible) {
  MlcpProblem problem;  // u = z_1, w_1 = u − z_1 − 1 = −1
  problem.free_count = 1;
  problem.K = Eigen::Matrix2d{{1, -1}, {1, -1}}.sparseView();
  problem.q = Eigen::Vector2d(0, -1);
  const LcpResult result = solve(problem, AutoOptions{});
  ASSERT_EQ(result.status, Status::kInfeasible) << result.note;
  EXPECT_TRUE(check_infeasible(problem, result.proof->y).exact);
}

}  // namespace
}  // namespace rigor
