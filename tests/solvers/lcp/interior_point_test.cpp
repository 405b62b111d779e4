#include "rigor/solvers/lcp/interior_point.hpp"

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(InteriorPoint, SolvesMonotoneProblems) {
  for (const LcpClass lcp_class :
       {LcpClass::kP, LcpClass::kPSymmetric, LcpClass::kPsdFeasible, LcpClass::kRedundant})
    expect_solves_all(InteriorPointOptions{}, lcp_class);
}

TEST(InteriorPoint, NeverClaimsAnInfeasibleProblemSolved) {
  Random random(4);
  for (int k = 0; k < 50; ++k) {
    const LcpProblem problem = make_random_lcp(LcpClass::kPsdInfeasible, 2 + random.below(20), random.next());
    EXPECT_NE(solve(problem, InteriorPointOptions{}).status, Status::kSolved);
  }
}

}  // namespace
}  // namespace rigor
