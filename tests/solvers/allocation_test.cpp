#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "tests/solvers/expect_solves.hpp"

// Counts every allocation through operator new and, by interposition, Eigen's aligned malloc: on Linux both
// end in malloc.
namespace {
std::size_t allocations = 0;
}

extern "C" void* __libc_malloc(std::size_t);  // NOLINT: glibc's own malloc, so that ours can count

#if defined(__GLIBC__) && !defined(RIGOR_SANITIZED)
#define RIGOR_COUNTS_MALLOC 1
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace rigor {
namespace {

TEST(Allocation, AWarmSolveOfTheSameSizeAllocatesNothing) {
#ifndef RIGOR_COUNTS_MALLOC
  GTEST_SKIP() << "malloc belongs to the sanitizer here";
#endif
  for (const std::string_view name : {"lemke", "murty", "principal-pivot", "block-pivot"}) {
    const LcpMethod method = make_method(name);
    LcpWorkspace workspace;
    LcpResult result;
    const LcpProblem first = make_random_lcp(LcpClass::kP, 40, 1),
                     second = make_random_lcp(LcpClass::kP, 40, 2);
    solve(first, method, workspace, result);
    const std::size_t before = allocations;
    solve(second, method, workspace, result);
    EXPECT_EQ(allocations, before) << name;
    EXPECT_EQ(result.status, Status::kSolved);
    ASSERT_GT(before, 0u);  // the counter works
  }
}

}  // namespace
}  // namespace rigor
