#include "rigor/solvers/cone/cone_uniqueness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

ConeProblem make_planar(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, double mu) {
  ConeProblem problem{W, q, {}, false};
  for (int k = 0; k < q.size() / 2; ++k) problem.blocks.push_back({2 * k, 2, mu});
  return problem;
}

// In a plane Coulomb's law is an LCP in (c, β₊, β₋, λ) per contact: all its solutions can be listed.
std::vector<Eigen::VectorXd> list_velocities(const ConeProblem& problem) {
  const auto contacts = static_cast<Eigen::Index>(problem.blocks.size()), n = 2 * contacts;
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(3 * contacts, n);  // r = Tᵀ (c, β)
  LcpProblem lcp{Eigen::MatrixXd::Zero(4 * contacts, 4 * contacts), Eigen::VectorXd::Zero(4 * contacts)};
  for (Eigen::Index k = 0; k < contacts; ++k) {
    T(3 * k, 2 * k) = 1.0;
    T(3 * k + 1, 2 * k + 1) = 1.0;
    T(3 * k + 2, 2 * k + 1) = -1.0;
    lcp.M(3 * contacts + k, 3 * k) = problem.blocks[static_cast<std::size_t>(k)].mu;
    for (const Eigen::Index side : {3 * k + 1, 3 * k + 2}) {
      lcp.M(3 * contacts + k, side) = -1.0;
      lcp.M(side, 3 * contacts + k) = 1.0;
    }
  }
  lcp.M.topLeftCorner(3 * contacts, 3 * contacts) = T * problem.W * T.transpose();
  lcp.q.head(3 * contacts) = T * problem.q;
  std::vector<Eigen::VectorXd> velocities;
  for (const SolutionPiece& piece : enumerate_all(lcp, {}))
    velocities.push_back(problem.W * (T.transpose() * piece.z.head(3 * contacts)) + problem.q);
  return velocities;
}

// Where the verdict is `unique` no list has two velocities; and the lists have many where it is not.
TEST(ConeUniqueness, AProofIsNeverContradictedByTheListOfAllSolutions) {
  Random random(20);
  ConeUniqueness judge;
  int proved = 0, several = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int contacts = 1 + random.below(2), n = 2 * contacts;
    Eigen::MatrixXd Y(n + 1, n);
    for (double& y : Y.reshaped()) y = random.gaussian();
    Eigen::VectorXd q(n);
    for (double& q_k : q) q_k = random.gaussian();
    const ConeProblem problem = make_planar(Y.transpose() * Y, q, random.uniform(0.05, 1.5));
    ConeWorkspace workspace;
    ConeResult result;
    solve_cone(problem, {}, workspace, result);
    if (result.status != Status::kSolved) continue;
    judge.judge(problem, result.r, result.u, false);
    const auto velocities = list_velocities(problem);
    ASSERT_FALSE(velocities.empty());
    double spread = 0.0;
    for (const Eigen::VectorXd& u : velocities) spread = std::max(spread, (u - velocities[0]).norm());
    several += spread > 1e-6 ? 1 : 0;
    if (judge.velocity() != VelocityVerdict::kUnique) continue;
    ++proved;
    EXPECT_LT(spread, 1e-6) << trial;
  }
  EXPECT_GT(proved, 300);
  EXPECT_GT(several, 5);
}

TEST(ConeUniqueness, OneContactIsProvedBelowMuOne) {
  ConeUniqueness judge;
  for (const double mu : {0.3, 0.99, 1.01}) {
    ConeProblem problem{
        2.0 * Eigen::MatrixXd::Identity(3, 3), Eigen::Vector3d(-1.0, 0.1, 0.0), {{0, 3, mu}}, false};
    const Eigen::VectorXd r = -0.5 * problem.q;
    judge.judge(problem, r, Eigen::VectorXd::Zero(3), false);
    EXPECT_EQ(judge.velocity(), mu < 1.0 ? VelocityVerdict::kUnique : VelocityVerdict::kIsolated) << mu;
    EXPECT_EQ(judge.force_freedom(), 0);
    problem.associated = true;  // convex, whatever mu
    judge.judge(problem, r, Eigen::VectorXd::Zero(3), false);
    EXPECT_EQ(judge.velocity(), VelocityVerdict::kUnique);
  }
}

// At the critical mu = W_NN/W_NT any load c keeps u_N at zero, and the slip is 5 − 2.5 c.
TEST(ConeUniqueness, ACriticalSlidingContactHasAContinuum) {
  Eigen::Matrix2d W;
  W << 1.0, 2.0, 2.0, 9.0;
  const ConeProblem problem = make_planar(W, Eigen::Vector2d(0.0, 5.0), 0.5);
  const Eigen::VectorXd r = Eigen::Vector2d(1.0, -0.5), u = W * r + problem.q;
  ASSERT_LT(check_solution(problem, r), 1e-15);
  ConeUniqueness judge;
  judge.judge(problem, r, u, false);
  EXPECT_EQ(judge.velocity(), VelocityVerdict::kContinuum);
}

// Two contacts at one point: forces may be shared in any way, the velocity may not.
TEST(ConeUniqueness, RedundantContactsLeaveTheVelocityAlone) {
  Eigen::MatrixXd W(6, 6);
  W << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Identity(),
      Eigen::Matrix3d::Identity();
  Eigen::VectorXd q(6);
  q << -1.0, 0.1, 0.0, -1.0, 0.1, 0.0;
  const ConeProblem problem{W, q, {{0, 3, 0.5}, {3, 3, 0.5}}, false};
  ConeUniqueness judge;
  judge.judge(problem, -0.5 * q, Eigen::VectorXd::Zero(6), false);
  EXPECT_EQ(judge.force_freedom(), 3);
  EXPECT_EQ(judge.velocity(), VelocityVerdict::kIsolated);
  // a contact that touches and carries nothing could be either
  Eigen::VectorXd r = Eigen::VectorXd::Zero(6);
  r.head(3) = -q.head(3);
  judge.judge(problem, r, Eigen::VectorXd::Zero(6), false);
  EXPECT_EQ(judge.velocity(), VelocityVerdict::kUnknown);
  EXPECT_EQ(describe(judge.velocity()), "not known whether it is unique");
}

}  // namespace
}  // namespace rigor
