// Tests truth.cpp, and by it lcp_solve.cpp, result.cpp and generate_lcp.cpp as a whole: no claim is wrong.
#include <gtest/gtest.h>

#include "rigor/solvers/trials/truth.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

// 50 000 random problems, classes and shares of the test plan (R3), every fifth as a mixed LCP. The checker
// judges every claim; n ≤ 8 is compared with exact enumeration.
TEST(Truth, FiftyThousandRandomProblemsAndNoWrongClaim) {
  constexpr int kProblems = kSanitized ? 1500 : 50000;
  LcpWorkspace workspace;
  LcpResult result;
  TruthTally tally;
  for (int k = 0; k < kProblems; ++k) {
    const TruthVerdict verdict = judge_truth(1, static_cast<std::uint64_t>(k), workspace, result);
    tally.add(verdict);
    EXPECT_EQ(verdict.wrong, "") << "problem " << k << ", " << to_string(verdict.lcp_class);
    EXPECT_FALSE(verdict.claim == Claim::kUndecided && verdict.must_be_decided) << "problem " << k;
  }
  EXPECT_TRUE(tally.passes());
  EXPECT_GT(tally.enumerated, kProblems / 8);
  EXPECT_EQ(tally.mixed, kProblems / 5);
}

// the judge is not blind: a claim with a wrong z, or a proof that is none, is found
TEST(Truth, TheTallyCountsWhatIsWrong) {
  TruthTally tally;
  TruthVerdict verdict;
  verdict.claim = Claim::kSolved;
  for (int k = 0; k < 20000; ++k) tally.add(verdict);
  EXPECT_TRUE(tally.passes());
  TruthVerdict undecided;
  tally.add(undecided);
  EXPECT_TRUE(tally.passes());  // one in 20 001
  undecided.must_be_decided = true;
  TruthTally excused = tally;
  excused.add(undecided);
  EXPECT_FALSE(excused.passes());
  verdict.wrong = "solved, but the residual is 1";
  tally.add(verdict);
  EXPECT_FALSE(tally.passes());
}

// The one problem of a million whose ray (n = 13, PSD) carried too much rounding for a bound of 1e8:
// sharpened, it proves.
TEST(Truth, ARayThatLostItsDigitsIsSharpened) {
  const auto [lcp_class, problem] = make_truth_problem(1, 592518);
  ASSERT_EQ(lcp_class, LcpClass::kPsdInfeasible);
  const LcpResult result = solve(problem, LemkeOptions{});
  ASSERT_EQ(result.status, Status::kNoneBelow) << result.note;
  EXPECT_TRUE(check_infeasible(problem, result.proof->y).holds);
}

// w is unique for symmetric PSD M, whatever method found it
TEST(Truth, TwoMethodsNeverClaimDifferentTruths) {
  LcpWorkspace workspace;
  for (int k = 0; k < (kSanitized ? 400 : 4000); ++k) {
    const auto [lcp_class, problem] = make_truth_problem(2, static_cast<std::uint64_t>(k), 30);
    SCOPED_TRACE(testing::Message() << "problem " << k << ", " << to_string(lcp_class)
                                    << ", n = " << problem.q.size());
    LcpResult first, second;
    solve(problem, LemkeOptions{}, workspace, first);
    solve(problem, PrincipalPivotOptions{}, workspace, second);
    const bool contradict = (first.status == Status::kSolved && has_proof(second.status)) ||
                            (has_proof(first.status) && second.status == Status::kSolved);
    EXPECT_FALSE(contradict);
    const bool psd = lcp_class == LcpClass::kPsdFeasible || lcp_class == LcpClass::kRedundant;
    if (!psd || first.status != Status::kSolved || second.status != Status::kSolved) continue;
    if (!problem.M.isApprox(problem.M.transpose(), 1e-14)) continue;
    EXPECT_LE((first.w - second.w).cwiseAbs().maxCoeff(), 1e-8 * residual_scale(problem.q));
  }
}

}  // namespace
}  // namespace rigor
