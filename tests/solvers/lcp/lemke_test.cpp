#include "rigor/solvers/lcp/lemke.hpp"

#include <gtest/gtest.h>

#include <map>

#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Lemke, SolvesTheTwoByTwoByHand) {
  const LcpProblem problem{(Eigen::Matrix2d() << 2, 1, 1, 2).finished(), Eigen::Vector2d(-5, -6)};
  const LcpResult result = solve(problem, LemkeOptions{});
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_NEAR(result.z[0], 4.0 / 3.0, 1e-15);
  EXPECT_NEAR(result.z[1], 7.0 / 3.0, 1e-15);
}

// M upper triangular with 1 on and 2 above the diagonal, q = −1: methods that follow a path may need 2ⁿ
// pivots. By hand z = (0, …, 0, 1), w_i = 2 − 1 = 1 for i < n. [Murty 1988, ch. 6]
TEST(Lemke, SolvesMurtysExponentialExample) {
  for (const int n : {2, 4, 6, 8, 10}) {
    const LcpResult result = solve(make_murty_example(n), LemkeOptions{});
    ASSERT_EQ(result.status, Status::kSolved);
    EXPECT_LT((result.z - Eigen::VectorXd::Unit(n, n - 1)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

// w = −z − 1 has no z ≥ 0 with w ≥ 0; M is not copositive, but the ray's proof holds exactly all the same
TEST(Lemke, ProvesThatNothingSolves) {
  const LcpProblem problem{-Eigen::MatrixXd::Identity(1, 1), -Eigen::VectorXd::Ones(1)};
  const LcpResult result = solve(problem, LemkeOptions{});
  EXPECT_EQ(result.status, Status::kInfeasible);
  ASSERT_TRUE(result.proof.has_value());
  EXPECT_TRUE(result.proof->exact);
  EXPECT_TRUE(check_infeasible(problem, result.proof->y).exact);
}

// Gaussian matrices are in no class for which a ray proves anything. A point with z ≥ 0, M z + q ≥ 0 is
// planted, so "infeasible" would be a lie; a ray must be called a ray.
TEST(Lemke, CallsARayARayWhereItProvesNothing) {
  Random random(17);
  int rays = 0;
  for (int k = 0; k < 500; ++k) {
    const int n = 2 + random.below(8);
    LcpProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
    Eigen::VectorXd z(n);
    for (int i = 0; i < n; ++i) {
      z[i] = random.uniform();
      for (int j = 0; j < n; ++j) problem.M(i, j) = random.gaussian();
    }
    problem.q = Eigen::VectorXd::Constant(n, 0.1) - problem.M * z;
    const LcpResult result = solve(problem, LemkeOptions{});
    EXPECT_NE(result.status, Status::kInfeasible);
    if (result.status == Status::kSolved) {
      EXPECT_LT(check_solution(problem, result.z), 1e-10);
    } else if (result.status == Status::kRay) {
      ++rays;
      EXPECT_EQ(result.ray.size(), n);
      EXPECT_GT(result.ray.maxCoeff(), 0.0);
    }
  }
  EXPECT_GT(rays, 10);
}

TEST(Lemke, FindsTheSameAnswerFromAnyStartBasis) {
  const LcpProblem problem = make_random_lcp(LcpClass::kP, 12, 5);  // P: one solution
  const LcpResult cold = solve(problem, LemkeOptions{});
  ASSERT_EQ(cold.status, Status::kSolved);
  for (int mask = 0; mask < 64; ++mask) {
    LemkeOptions warm;
    warm.basis.assign(12, 0);
    for (int i = 0; i < 12; ++i)
      warm.basis[static_cast<std::size_t>(i)] = static_cast<char>((mask * 37) >> (i % 8) & 1);
    const LcpResult result = solve(problem, warm);
    ASSERT_EQ(result.status, Status::kSolved) << mask;
    EXPECT_LT((result.z - cold.z).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Lemke, NeedsNoPivotFromTheBasisOfTheSolution) {
  const LcpProblem problem = make_random_lcp(LcpClass::kP, 20, 6);
  const LcpResult cold = solve(problem, LemkeOptions{});
  LemkeOptions warm;
  for (Eigen::Index i = 0; i < 20; ++i) warm.basis.push_back(cold.z[i] > 0.0 ? 1 : 0);
  const LcpResult result = solve(problem, warm);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.iterations, 0);
}

// Anitescu-Potra: the LCP with b ≥ 0 always has a solution and Lemke finds it; 8 rows need the anti-cycling
// rule (without it more than 20 000 pivots). Reference: largest velocity at mu = 0.2, where it is unique.
TEST(Lemke, SolvesCannonballPilesWithoutCycling) {
  const std::map<int, double> speeds = {{4, 0.184454}, {6, 0.235628}, {8, 0.280007}, {10, 0.321927}};
  for (const int rows : {4, 6, 8, 10, 20})
    for (const double mu : {0.0, 0.2, 0.8}) {
      if (rows == 20 && mu > 0.0) continue;  // out of reach of pivoting
      SCOPED_TRACE(testing::Message() << rows << " rows, mu " << mu);
      const ContactLcpProblem pile = make_cannonball(rows, mu);
      const LcpProblem problem = make_lcp(pile);
      for (const LcpMethod& method : {LcpMethod(LemkeOptions{}), LcpMethod(AutoOptions{})}) {
        const LcpResult result = solve(problem, method);
        ASSERT_EQ(result.status, Status::kSolved) << result.note;
        EXPECT_LT(check_solution(problem, result.z), 1e-10);
        if (mu == 0.2) {
          EXPECT_NEAR(compute_velocity(pile, result.z).cwiseAbs().maxCoeff(), speeds.at(rows), 1e-6);
        }
      }
    }
}

}  // namespace
}  // namespace rigor
