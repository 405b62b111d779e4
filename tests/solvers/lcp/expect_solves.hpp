#pragma once

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {

/// Every one of `count` random problems of the class must be solved (or proved infeasible, where that is the
/// class), judged by the checker.
inline void expect_solves_all(const LcpMethod& method, LcpClass lcp_class, int count = kSanitized ? 15 : 150,
                              int max_size = 30) {
  Random random(31);
  for (int k = 0; k < count; ++k) {
    const int size = 1 + random.below(max_size);
    const LcpProblem problem = make_random_lcp(lcp_class, size, random.next());
    SCOPED_TRACE(testing::Message() << to_string(lcp_class) << ", problem " << k
                                    << ", n = " << problem.q.size());
    const LcpResult result = solve(problem, method);
    if (lcp_class == LcpClass::kPsdInfeasible) {
      ASSERT_TRUE(has_proof(result.status)) << result.note;
      const ProofCheck check = check_infeasible(problem, result.proof->y);
      EXPECT_TRUE(check.holds);
      EXPECT_EQ(result.status, check.exact ? Status::kInfeasible : Status::kNoneBelow);
    } else {
      ASSERT_EQ(result.status, Status::kSolved) << result.note;
      EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    }
  }
}

/// Murty's triangular example: M has 1 on and 2 above the diagonal, q = −1. By hand z = (0, …, 0, 1). [Murty
/// 1988, ch. 6]
inline LcpProblem make_murty_example(int n) {
  LcpProblem problem{Eigen::MatrixXd::Identity(n, n), -Eigen::VectorXd::Ones(n)};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) problem.M(j, i) = 2.0;
  return problem;
}

}  // namespace rigor
