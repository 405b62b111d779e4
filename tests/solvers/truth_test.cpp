#include <gtest/gtest.h>

#include <array>
#include <string>

#include "rigor/solvers/check.hpp"
#include "rigor/solvers/generate.hpp"
#include "rigor/solvers/solve.hpp"

namespace rigor {
namespace {

// 50 000 random problems, classes and shares of the test plan (R3). The checker judges every claim.
TEST(Truth, FiftyThousandRandomProblemsAndNoWrongClaim) {
  constexpr int kProblems = 50000;
  LcpWorkspace workspace;
  LcpResult result;
  int undecided = 0;
  for (int k = 0; k < kProblems; ++k) {
    const auto [lcp_class, problem] = make_truth_problem(1, static_cast<std::uint64_t>(k));
    SCOPED_TRACE(testing::Message() << "problem " << k << ", " << to_string(lcp_class)
                                    << ", n = " << problem.q.size());
    solve(problem, LemkeOptions{}, workspace, result);
    if (result.status == Status::kSolved) {
      EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    } else if (result.status == Status::kInfeasible) {
      EXPECT_TRUE(check_infeasible(problem, result.proof->y).holds);
      EXPECT_EQ(lcp_class, LcpClass::kPsdInfeasible);
    } else {
      ++undecided;
    }
  }
  EXPECT_LE(undecided, kProblems / 10000);
}

}  // namespace
}  // namespace rigor
