#include "rigor/solvers/lcp/pgs.hpp"

#include "rigor/base/require.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Pgs, ConvergesForSymmetricDefiniteMatricesAtAnyRelaxation) {
  for (const double relaxation : {0.5, 1.0, 1.5}) {
    Random random(2);
    for (int k = 0; k < 20; ++k) {
      LcpProblem problem = make_random_lcp(LcpClass::kPSymmetric, 1 + random.below(12), random.next());
      problem.M.diagonal().array() += 0.2;  // condition below 30: a few hundred sweeps
      const LcpResult result = solve(problem, PgsOptions{.relaxation = relaxation});
      ASSERT_EQ(result.status, Status::kSolved);
      EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    }
  }
}

TEST(Pgs, RefusesAZeroDiagonalAndABadRelaxationWithAReason) {
  const LcpProblem problem{Eigen::MatrixXd::Zero(1, 1), -Eigen::VectorXd::Ones(1)};
  EXPECT_EQ(solve(problem, PgsOptions{}).note, "pgs: M(0, 0) = 0, needs a positive diagonal; use lemke");
  EXPECT_THROW((void)solve(problem, PgsOptions{.relaxation = 2.0}), InvalidInput);
}

}  // namespace
}  // namespace rigor
