#include "rigor/solvers/problem.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"

namespace rigor {
namespace {

// the plain form has the solutions of the problem: solve it, go back, and let the checker judge
TEST(Problem, ThePlainFormHasTheSameSolutions) {
  const LcpProblem lcp = make_random_lcp(LcpClass::kP, 6, 4);
  BoxedLcpProblem box{
      lcp.M, lcp.q, Eigen::VectorXd::Constant(6, -0.2), Eigen::VectorXd::Constant(6, 0.3), {}};
  box.hi[2] = std::numeric_limits<double>::infinity();
  box.lo[3] = -std::numeric_limits<double>::infinity();
  const MlcpProblem mixed = embed_in_mlcp(lcp, 3, 1);
  const auto solve_plain = [](const Problem& problem) {
    const PlainForm plain = make_plain(problem);
    return Eigen::VectorXd(plain.to_original * solve(plain.lcp, LemkeOptions{}).z + plain.offset);
  };
  EXPECT_LE(check_solution(lcp, solve_plain(lcp)), 1e-12);
  EXPECT_LE(check_solution(box, solve_plain(box)), 1e-12);
  EXPECT_LE(check_solution(mixed, solve_plain(mixed)), 1e-12);
  EXPECT_EQ(size_of(make_cannonball(4, 0.2)), 88);
}

TEST(Problem, ASingularFreeBlockHasNoPlainForm) {
  const MlcpProblem mixed{1, Eigen::Matrix2d{{0, 1}, {1, 0}}.sparseView(), Eigen::Vector2d(-1, -1)};
  EXPECT_THROW((void)make_plain(mixed), InvalidInput);
}

// b < 0 asks for more separation than one body between two walls has: N v + b ≥ 0 is v ≥ 1 and −v ≥ 1
TEST(Problem, AContactProblemWithoutSolutionIsProvedInfeasible) {
  ContactLcpProblem squeeze;
  squeeze.mass = Eigen::MatrixXd::Identity(1, 1).sparseView();
  squeeze.N = Eigen::MatrixXd(Eigen::Vector2d(1, -1)).sparseView();
  squeeze.D.resize(0, 1);
  squeeze.b = Eigen::Vector2d(-1, -1);
  squeeze.mu = Eigen::Vector2d::Zero();
  squeeze.v_free = Eigen::VectorXd::Zero(1);
  const LcpResult result = solve(Problem(squeeze), AutoOptions{});
  ASSERT_EQ(result.status, Status::kInfeasible) << result.note;
  EXPECT_TRUE(check_infeasible(make_lcp(squeeze), result.proof->y).exact);
}

// N v_free is −1 m/s, and 0 where it is summed in doubles for the plain LCP: no method may call z = 0 an answer.
TEST(Problem, AContactProblemIsJudgedByItsOwnNumbers) {
  ContactLcpProblem lost;
  lost.mass = Eigen::MatrixXd::Identity(3, 3).sparseView();
  lost.N = Eigen::MatrixXd::Ones(1, 3).sparseView();
  lost.D.resize(0, 3);
  lost.b = lost.mu = Eigen::VectorXd::Zero(1);
  lost.v_free = Eigen::Vector3d(1e17, -1.0, -1e17);
  for (const char* method : {"auto", "lemke"})
    EXPECT_NE(solve(Problem(lost), make_method(method)).status, Status::kSolved) << method;
}

}  // namespace
}  // namespace rigor
