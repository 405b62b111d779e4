// Tests the checker of contact laws in check.cpp: closed forms of each mode, and the residual that solvers stop on
// as a second opinion.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/random.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

double check(double mu, const Eigen::Vector3d& r, const Eigen::Vector3d& u, bool associated = false) {
  return check_law({.size = 3, .mu = mu, .associated = associated}, r.data(), u.data());
}

TEST(CheckLaw, AcceptsTheThreeModesOfCoulomb) {
  EXPECT_EQ(check(0.5, {0, 0, 0}, {0.1, 3.0, -4.0}), 0.0);         // open
  EXPECT_EQ(check(0.5, {2.0, 0.6, -0.8}, {0, 0, 0}), 0.0);         // sticks, on the edge of its cone
  EXPECT_LT(check(0.5, {2.0, -0.6, 0.8}, {0, 3.0, -4.0}), 1e-15);  // slides, friction against the slip
}

// r = 0 and u_N = −a: the law asks for a push that leaves u_N = 0, and r is a away from r − û
TEST(CheckLaw, MeasuresEachViolationInItsOwnUnit) {
  EXPECT_DOUBLE_EQ(check(0.5, {0, 0, 0}, {-0.3, 0, 0}), 0.3);       // sinks
  EXPECT_DOUBLE_EQ(check(0.5, {-0.3, 0, 0}, {0, 0, 0}), 0.3);       // pulls
  EXPECT_DOUBLE_EQ(check(0.5, {1.0, 0, 0}, {0.3, 0, 0}), 0.3);      // load where it opens
  EXPECT_DOUBLE_EQ(check(0.0, {1.0, 0.2, 0}, {0, 0, 0}), 0.2);      // friction without mu
  EXPECT_GT(check(0.5, {2.0, 1.0, 0.0}, {0, 0.1, 0}), 0.09);        // friction along the slip
  EXPECT_GT(check(0.5, {2.0, 1.1, 0.0}, {0, 0, 0}), 0.08);          // outside the cone
  EXPECT_GT(check(0.5, {2.0, -1.0, 0.0}, {0.05, 0.1, 0.0}), 0.04);  // Coulomb's slip does not lift off …
  EXPECT_LT(check(0.5, {2.0, -1.0, 0.0}, {0.05, 0.1, 0.0}, true),
            1e-15);  // … the convex law's does, by mu u_T
}

// Beside a load of 1e16 a velocity has no digits left in r − û. The distance grows with the load, whatever it is.
TEST(CheckLaw, ALargeLoadDoesNotSwallowTheVelocity) {
  const Eigen::Vector3d edge(2.0, -1.0, 0.0), sinks(-0.2, 3.0, 0.0), lifts(0.2, 3.0, 0.0),
      turns(0.0, 0.0, 3.0);
  for (const Eigen::Vector3d& u : {sinks, lifts, turns}) {
    double last = 0.0;
    for (const double load : {1e2, 1e6, 1e10, 1e12, 1e16, 1e20}) {
      const double distance = check(0.5, load * edge, u);
      EXPECT_GE(distance, last * (1.0 - 2e-3)) << load;  // a bound that is near to one in 1e3
      last = distance;
    }
    EXPECT_GT(last, 0.08);
  }
  // what slides as the law asks for is off by the rounding of its load alone
  for (const double load : {1e2, 1e6, 1e12, 1e16})
    EXPECT_LT(check(0.5, load * edge, {0, 3.0, 0}), 1e-15 * load) << load;
}

TEST(CheckLaw, RowsWithinTheirBounds) {
  const auto row = [](RowBounds bounds, double r, double u) {
    return check_law({.size = 1, .bounds = bounds}, &r, &u);
  };
  EXPECT_EQ(row({}, 2.0, 0.0), 0.0);
  EXPECT_EQ(row({}, 0.0, 2.0), 0.0);
  EXPECT_EQ(row({}, 0.0, -2.0), 2.0);
  EXPECT_EQ(row({-1.0, 1.0}, 1.0, -3.0), 0.0);
  EXPECT_EQ(row({-1.0, 1.0}, -1.0, 3.0), 0.0);
  EXPECT_EQ(row({-1.0, 1.0}, 0.5, 0.25), 0.25);
  EXPECT_EQ(row(RowBounds::bilateral(), 1e9, 1e-9), 1e-9);  // a large r does not swallow u
}

// Two codes for one definition, also where r and u are of very unlike size, and in the plane.
TEST(CheckLaw, AgreesWithTheResidualThatSolversStopOn) {
  Random random(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const int size = 2 + random.below(2);
    const double mu = random.chance(0.1) ? 0.0 : random.uniform(0.0, 2.0);
    const bool associated = random.chance(0.5);
    const double scale = std::pow(10.0, random.below(9) - 4);
    Eigen::Vector3d r(random.gaussian(), random.gaussian(), random.gaussian()), u;
    for (double& x : u) x = scale * random.gaussian();
    const double checked = check_law({.size = size, .mu = mu, .associated = associated}, r.data(), u.data());
    const double other = std::sqrt(squared_block_residual({0, size, mu}, associated, r.data(), u.data()));
    EXPECT_NEAR(checked, other, 1e-14 * (1.0 + scale)) << trial;
  }
}

// u = W r + q without rounding: with q = −W r of integers the sum is zero, whatever plain sums make of it
TEST(CheckLaw, ConeProblemsBySumsWithoutRounding) {
  ConeProblem problem;
  problem.W = (Eigen::Matrix3d() << 1e16, 1.0, 1.0, 1.0, 1e16, 0.0, 1.0, 0.0, 1e16).finished();
  const Eigen::Vector3d r(1.0, 0.25, 0.25);
  problem.q = Eigen::Vector3d(-1e16, -0.25e16, -0.25e16);  // and the rest, 0.5, 1, 1, is lost in doubles
  problem.blocks = {{0, 3, 1.0}};
  EXPECT_GT(check_solution(problem, r), 0.5);
}

}  // namespace
}  // namespace rigor
