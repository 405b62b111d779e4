// Covers phantom_lcp.cpp and lcp_choice.cpp.
#include "rigor/contact/phantom_lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rigor/base/require.hpp"
#include "rigor/contact/lcp_choice.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

PhantomLcp::Directions spread(int k, double mu) {
  PhantomLcp::Directions directions{Eigen::Matrix2Xd(2, k), Eigen::VectorXd::Constant(k, mu)};
  for (int j = 0; j < k; ++j)
    directions.E.col(j) << std::cos(std::numbers::pi * j / k), std::sin(std::numbers::pi * j / k);
  return directions;
}

// Random contacts in space: W = YᵀY + ε.
struct RandomContacts {
  RandomContacts(std::uint64_t seed, int contacts, int k, double mu) {
    Random random(seed);
    const int n = 3 * contacts;
    Y.resize(n + 2, n);
    for (double& y : Y.reshaped()) y = 0.5 * random.gaussian();
    epsilon = Eigen::VectorXd::Constant(n, 1e-3);
    W = Y.transpose() * Y;
    W.diagonal() += epsilon;
    q.resize(n);
    for (double& q_k : q) q_k = random.gaussian();
    for (int c = 0; c < contacts; ++c) {
      q[3 * c] -= 1.0;
      blocks.push_back({3 * c, 3, mu});
      directions.push_back(spread(k, mu));
    }
  }
  Eigen::MatrixXd Y, W;
  Eigen::VectorXd epsilon, q;
  std::vector<ConeBlock> blocks;
  std::vector<PhantomLcp::Directions> directions;
};

// Never both slips of a direction at once, whatever ρ; and the same motion for all ρ.
TEST(PhantomLcp, InertiaChangesNothingAndSlipsAreOneSided) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const int k : {2, 4}) {
      const RandomContacts contacts(seed, 3, k, 0.3);
      Eigen::VectorXd first;
      for (const double rho : {1e-7, 1e-4, 1e-2, 0.1, 1.0}) {
        PhantomLcp phantom;
        ASSERT_TRUE(phantom.build(contacts.W, contacts.blocks, contacts.directions, rho));
        phantom.set_q(contacts.q);
        const LcpResult result = solve(phantom.lcp(), LemkeOptions{});
        ASSERT_EQ(result.status, Status::kSolved) << seed << " " << k << " " << rho << " " << result.note;
        Eigen::VectorXd r;
        phantom.read(result.z, r);
        const double residual = phantom.polish(contacts.W, Eigen::VectorXd::Zero(r.size()), contacts.q, r);
        EXPECT_LT(residual, 1e-12);
        const Eigen::Index n = phantom.normal_count(), d = phantom.direction_count();
        for (Eigen::Index j = 0; j < d; ++j)
          EXPECT_FALSE(result.z[n + j] > 1e-9 && result.z[n + d + j] > 1e-9) << seed << " " << rho;
        if (first.size() == 0) first = contacts.W * r;
        EXPECT_LT((contacts.W * r - first).norm(), 1e-8) << seed << " " << k << " " << rho;
      }
    }
}

TEST(PhantomLcp, IsRegularForPositiveInertiaAndSingularWithout) {
  const RandomContacts contacts(5, 2, 2, 0.5);
  const auto smallest = [&](double rho) {
    PhantomLcp phantom;
    EXPECT_TRUE(phantom.build(contacts.W, contacts.blocks, contacts.directions, rho));
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(phantom.lcp().M);
    return svd.singularValues().tail(1)[0] / svd.singularValues()[0];
  };
  PhantomLcp automatic;
  ASSERT_TRUE(automatic.build(contacts.W, contacts.blocks, contacts.directions, 0.0));
  EXPECT_GT(smallest(automatic.least_inertia()), 1e-4);
  EXPECT_LT(automatic.least_inertia(), automatic.limit());
  EXPECT_LT(smallest(1e-14), 1e-13);
}

// (35) with velocities and friction forces as unknowns is the same problem.
TEST(PhantomLcp, MixedAndReducedFormsAgree) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomContacts contacts(seed, 2, 3, 0.4);
    PhantomLcp phantom;
    ASSERT_TRUE(phantom.build(contacts.W, contacts.blocks, contacts.directions, 0.0));
    phantom.set_q(contacts.q);
    const LcpResult reduced = solve(phantom.lcp(), LemkeOptions{});
    const MlcpProblem mixed = phantom.make_mixed(contacts.Y, contacts.epsilon, contacts.q);
    EXPECT_EQ(mixed.free_count, contacts.Y.rows() + 4);
    const LcpResult whole = solve(mixed, AutoOptions{});
    ASSERT_EQ(reduced.status, Status::kSolved);
    ASSERT_EQ(whole.status, Status::kSolved);
    Eigen::VectorXd r, r_mixed;
    phantom.read(reduced.z, r);
    phantom.read_mixed(whole.z, r_mixed);
    EXPECT_LT(phantom.judge(contacts.W, contacts.q, r_mixed), 1e-8);
    EXPECT_LT((contacts.W * (r - r_mixed)).norm(), 1e-7) << seed;
  }
}

TEST(LcpChoice, FallsBackAndSaysSo) {
  // Lemke meets no solution for the skew problem that Gauss-Seidel cannot do
  LcpProblem lcp{Eigen::MatrixXd::Zero(2, 2), Eigen::Vector2d(-1.0, -1.0)};
  lcp.M << 0.0, 1.0, 1.0, 0.0;
  RunSettings settings;
  settings.solver = Solver::kPgs;
  LcpChoice choice(settings);
  ContactAnswer answer;
  const auto is_good = [](const LcpResult& result) { return result.status == Status::kSolved; };
  EXPECT_TRUE(choice.solve(lcp, 1e-10, answer, is_good));
  EXPECT_TRUE(answer.fell_back);
  EXPECT_NE(answer.method, "pgs");
  answer = {};
  lcp.M = Eigen::Matrix2d::Identity();
  EXPECT_TRUE(choice.solve(lcp, 1e-10, answer, is_good));
  EXPECT_FALSE(answer.fell_back);
  EXPECT_EQ(answer.method, "pgs");
  settings.solver = Solver::kNsgs;
  EXPECT_THROW(LcpChoice{settings}, InvalidInput);
}

}  // namespace
}  // namespace rigor
