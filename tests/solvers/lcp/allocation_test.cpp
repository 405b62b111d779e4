#include <gtest/gtest.h>

#include "tests/solvers/lcp/expect_solves.hpp"
#include "tests/support/allocation_count.hpp"

namespace rigor {
namespace {

TEST(Allocation, AWarmSolveOfTheSameSizeAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  for (const std::string_view name : {"lemke", "murty", "principal-pivot", "block-pivot"}) {
    const LcpMethod method = make_method(name);
    LcpWorkspace workspace;
    LcpResult result;
    const LcpProblem first = make_random_lcp(LcpClass::kP, 40, 1),
                     second = make_random_lcp(LcpClass::kP, 40, 2);
    const test::AllocationCount from_start;
    solve(first, method, workspace, result);
    EXPECT_GT(from_start.since(), 0);  // the counter works
    const test::AllocationCount count;
    solve(second, method, workspace, result);
    EXPECT_EQ(count.since(), 0) << name;
    EXPECT_EQ(result.status, Status::kSolved);
  }
}

// block-pivot in single precision, with a factor, without one, and when the second problem falls back to
// double
TEST(Allocation, ABlockPivotOfTheSameSizeAllocatesNothingWhateverItsPrecision) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  LcpWorkspace workspace;
  LcpResult result;
  solve(make_random_lcp(LcpClass::kPSymmetric, 120, 1), BlockPivotOptions{}, workspace, result);
  LcpProblem stiff = make_random_lcp(LcpClass::kPSymmetric, 120, 2);
  stiff.M.array() += 1e9;  // a condition of about 1e11
  for (const LcpProblem& problem : {make_random_lcp(LcpClass::kPSymmetric, 120, 3),
                                    make_random_lcp(LcpClass::kDominant, 120, 4), stiff}) {
    const test::AllocationCount count;
    solve(problem, BlockPivotOptions{.fall_back = false}, workspace, result);
    EXPECT_EQ(count.since(), 0);
    EXPECT_EQ(result.status, Status::kSolved) << result.note;
  }
}

}  // namespace
}  // namespace rigor
