#include "rigor/solvers/problems/cone_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

ConeProblem make_point_mass(double mass, double mu, const Eigen::Vector3d& q) {
  ConeProblem problem;
  problem.W = Eigen::Matrix3d::Identity() / mass;
  problem.q = q;
  problem.blocks = {{0, 3, mu}};
  return problem;
}

// Moreau: x = P_K(x) − P_K*(−x), the two parts perpendicular; and nothing in K is nearer.
TEST(ConeProblem, ProjectsOntoTheNearestPoint) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const ConeBlock block{0, 1 + random.below(3), random.uniform(0.0, 1.5)};
    Eigen::Vector3d x(random.gaussian(), random.gaussian(), random.gaussian());
    Eigen::Vector3d p = x;
    if (block.size < 3) x.tail(3 - block.size).setZero();
    p = x;
    project_on_cone(block, p.data());
    EXPECT_LE(p.tail<2>().norm(), (block.size == 1 ? 0.0 : block.mu * p[0]) + 1e-15);
    const Eigen::Vector3d rest = p - x;  // in K*
    EXPECT_GE(rest[0] + 1e-14, block.size == 1 ? 0.0 : block.mu * rest.tail<2>().norm());
    EXPECT_NEAR(rest.dot(p), 0.0, 1e-14);
  }
}

// Block of mass m on a plane tilted by theta, one step h: it sticks iff tan(theta) ≤ mu, else slides with
// u_t = h g (sin − mu cos).
TEST(ConeProblem, TheResidualVanishesForTheBlockOnAnIncline) {
  const double m = 2.0, g = 9.81, h = 1e-3, mu = 0.5;
  for (const double tan_theta : {0.0, 0.3, 0.5, 0.7, 2.0}) {
    const double theta = std::atan(tan_theta);
    const double r_n = m * g * h * std::cos(theta), r_t = std::min(m * g * h * std::sin(theta), mu * r_n);
    const ConeProblem problem =
        make_point_mass(m, mu, {-g * h * std::cos(theta), g * h * std::sin(theta), 0.0});
    EXPECT_LT(relative_cone_residual(problem, Eigen::Vector3d(r_n, -r_t, 0.0)), 1e-15) << tan_theta;
    EXPECT_GT(relative_cone_residual(problem, Eigen::Vector3d(r_n, r_t + 1e-3, 0.0)), 1e-5) << tan_theta;
  }
}

TEST(ConeProblem, TheAssociatedLawLiftsOff) {
  // sliding along x at 1 m/s: u = (mu, 1, 0) is on the edge of K*, r on the opposite edge of K
  ConeProblem problem = make_point_mass(1.0, 0.5, {0.5 - 2.0, 1.0 + 1.0, 0.0});
  problem.associated = true;
  EXPECT_LT(cone_residual(problem, Eigen::Vector3d(2.0, -1.0, 0.0)), 1e-15);
  problem.associated = false;
  EXPECT_GT(cone_residual(problem, Eigen::Vector3d(2.0, -1.0, 0.0)), 1e-3);
}

TEST(ConeProblem, AnImpulseThatIsNotFiniteOrTooShortHasNoResidual) {
  const ConeProblem problem = make_point_mass(1.0, 0.5, {-1.0, 0.0, 0.0});
  EXPECT_EQ(cone_residual(problem, Eigen::VectorXd::Zero(2)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(cone_residual(problem, Eigen::Vector3d::Constant(NAN)), std::numeric_limits<double>::infinity());
}

TEST(ConeProblem, SaysWhatIsWrong) {
  struct Case {
    std::function<void(ConeProblem&)> spoil;
    const char* message;
  };
  const Case cases[] = {
      {[](ConeProblem& p) { p.W.resize(3, 2); }, "Cone problem: W is 3 x 2, must be square."},
      {[](ConeProblem& p) { p.q.resize(2); },
       "Cone problem: q has 2 entries and W has 3 rows, must be equal."},
      {[](ConeProblem& p) { p.blocks[0].mu = -0.5; },
       "Cone problem: block 0 has mu = -0.5, must be finite and >= 0."},
      {[](ConeProblem& p) { p.blocks[0].size = 4; }, "Cone problem: block 0 has size 4, must be 1, 2 or 3."},
      {[](ConeProblem& p) { p.blocks[0].first = 1; },
       "Cone problem: block 0 has rows 1 to 3, must lie within the 3 rows of W."},
      {[](ConeProblem& p) { p.blocks[0].size = 2; },
       "Cone problem: row 2 belongs to no block, must belong to one."},
      {[](ConeProblem& p) {
         p.blocks.push_back({1, 1, 0.0});
       },
       "Cone problem: row 1 belongs to blocks 0 and 1, must belong to one."},
      {[](ConeProblem& p) { p.W(1, 2) = NAN; }, "Cone problem: W(1, 2) = nan, must be finite."},
      {[](ConeProblem& p) { p.q[2] = HUGE_VAL; }, "Cone problem: q(2, 0) = inf, must be finite."},
  };
  for (const Case& each : cases) {
    ConeProblem problem = make_point_mass(1.0, 0.5, {-1.0, 0.0, 0.0});
    problem.validate();
    each.spoil(problem);
    try {
      problem.validate();
      ADD_FAILURE() << "accepted: " << each.message;
    } catch (const InvalidInput& error) {
      EXPECT_STREQ(error.what(), each.message);
    }
  }
}

}  // namespace
}  // namespace rigor
