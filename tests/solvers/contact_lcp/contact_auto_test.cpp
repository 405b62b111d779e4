// Tests contact_auto.cpp and its stages: contact_system.cpp, contact_interior_point.cpp, contact_pgs.cpp and
// contact_proximal.cpp.
#include "rigor/solvers/contact_lcp/contact_auto.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/contact_lcp/contact_interior_point.hpp"
#include "rigor/solvers/contact_lcp/contact_pgs.hpp"
#include "rigor/solvers/contact_lcp/contact_proximal.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

double largest_speed(const ContactLcpProblem& problem, const LcpResult& result) {
  return compute_velocity(problem, result.z).cwiseAbs().maxCoeff();
}

// Speeds from the reference page, case E, where the velocity is unique (mu = 0.2); at mu = 0.8 the pile can
// stand, and the relaxation must find that it does.
TEST(ContactAuto, SolvesCannonballPiles) {
  for (const auto& [rows, mu, speed] : {std::tuple{4, 0.2, 0.184454},
                                        {6, 0.2, 0.235628},
                                        {8, 0.2, 0.280007},
                                        {10, 0.2, 0.321927},
                                        {4, 0.8, 0.0},
                                        {10, 0.8, 0.0},
                                        {20, 0.8, 0.0}}) {
    SCOPED_TRACE(testing::Message() << rows << " rows, mu " << mu);
    const ContactLcpProblem pile = make_cannonball(rows, mu);
    const LcpResult result = solve(pile);
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_NEAR(largest_speed(pile, result), speed, 1e-6);
    EXPECT_LE(check_solution(make_lcp(pile), result.z), 1.0001e-10);
  }
}

// out of reach of pivoting (176 000 pivots and no end)
TEST(ContactAuto, SolvesTheSpreadingPileOfTwentyRows) {
  if (kSanitized) GTEST_SKIP() << "a minute under a sanitizer";
  const ContactLcpProblem pile = make_cannonball(20, 0.2);
  const LcpResult result = solve(pile);
  ASSERT_EQ(result.status, Status::kSolved) << result.note;
  EXPECT_LE(check_solution(make_lcp(pile), result.z), 1.0001e-10);
}

TEST(ContactAuto, SolvesRandomScenesInSpace) {
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const ContactLcpProblem scene = make_random_contacts(6 + random.below(60), random.next());
    const LcpResult result = solve(scene);
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_LE(check_solution(make_lcp(scene), result.z), 1.0001e-10);
  }
}

TEST(ContactAuto, IsTheSameEveryTime) {
  const ContactLcpProblem pile = make_cannonball(6, 0.2);
  EXPECT_EQ(solve(pile).z, solve(pile).z);
}

// Gauss-Seidel and the proximal method, each alone, on a pile whose answer is known
TEST(ContactStages, ReachTheReferenceAlone) {
  const ContactLcpProblem pile = make_cannonball(4, 0.2);
  const ContactSystem system(pile);
  Eigen::VectorXd p = Eigen::VectorXd::Zero(system.J().rows());
  ContactPgs(system).sweep(20000, p);
  EXPECT_LT(system.residual(p), 1e-8);
  EXPECT_NEAR(system.velocity(p).cwiseAbs().maxCoeff(), 0.184454, 1e-6);

  Eigen::VectorXd q = Eigen::VectorXd::Zero(system.J().rows());
  ContactProximal proximal(system);
  for (int k = 0; k < 60 && system.residual(q) > 1e-10; ++k) (void)proximal.step(1e-2, 20, q);
  EXPECT_LT(system.residual(q), 1e-10);
  EXPECT_NEAR(system.velocity(q).cwiseAbs().maxCoeff(), 0.184454, 1e-6);
}

// the projection is the nearest point: no random point of the set is nearer
TEST(ContactStages, ProjectsOnTheSimplex) {
  Random random(3);
  for (int k = 0; k < 300; ++k) {
    const double radius = random.chance(0.1) ? 0.0 : random.uniform();
    Eigen::Vector4d y, beta, other;
    double threshold = 0.0;
    for (int i = 0; i < 4; ++i) y[i] = random.gaussian();
    project_on_simplex(y.data(), 4, radius, beta.data(), threshold);
    EXPECT_GE(beta.minCoeff(), 0.0);
    EXPECT_LE(beta.sum(), radius + 1e-15);
    for (int trial = 0; trial < 20; ++trial) {
      for (int i = 0; i < 4; ++i) other[i] = random.uniform();
      other *= radius * random.uniform() / other.sum();
      EXPECT_LE((y - beta).norm(), (y - other).norm() + 1e-14);
    }
  }
}

}  // namespace
}  // namespace rigor
