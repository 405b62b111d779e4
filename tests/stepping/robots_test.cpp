// Robots: trees of hinges with motors, ends of ranges and contacts among their links (contact_search.cpp).
#include <gtest/gtest.h>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/robot_scenes.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/total_energy.hpp"

namespace rigor {
namespace {

using test::RobotMotion;
using test::total_energy;

constexpr auto kRobots = {test::make_humanoid, test::make_quadruped, test::make_hand};

// Takes steps until t [s]; all of them must be solved.
void run_until(double t, Simulation& simulation) {
  while (simulation.state().t < t - 1e-9) {
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.is_taken()) << report.message;
    ASSERT_LE(report.residual, simulation.settings().tolerance);
  }
}

TEST(Robots, MoveForSecondsWithEveryStepSolvedTightly) {
  for (const auto make : kRobots)
    for (const RobotMotion motion : {RobotMotion::kHold, RobotMotion::kSway, RobotMotion::kMove}) {
      Simulation simulation(make(motion, 1));
      run_until(3.0, simulation);
      const RunTotals& totals = simulation.totals();
      EXPECT_EQ(totals.unsolved_steps + totals.rounding_steps, 0) << simulation.model().nv;
      EXPECT_LE(totals.worst_imbalance, 1e-13);
      EXPECT_LE(totals.worst_made, 1e-6);
    }
}

// Motors that hold a pose are springs and dampers, steps implicit: nothing brings energy, whatever falls, rolls or hits.
// The positions of what sticks are brought together against the springs: micrometres, and a part of 1e-7 of the energy.
TEST(Robots, GainNoEnergyWhereTheirMotorsHoldThem) {
  for (const auto make : kRobots) {
    Simulation simulation(make(RobotMotion::kHold, 1));
    const double first = total_energy(simulation);
    for (double before = first, now = 0.0; simulation.state().t < 3.0; before = now) {
      ASSERT_TRUE(simulation.step().is_taken());
      now = total_energy(simulation);
      EXPECT_LE(now, before + 2e-7 * std::abs(first)) << simulation.model().nv << " " << simulation.state().t;
    }
  }
}

// What is known of uniqueness is told, and moves nothing.
TEST(Robots, MoveTheSameWhetherOrNotUniquenessIsAskedFor) {
  Simulation asked(test::make_humanoid(RobotMotion::kSway, 1)),
      other(test::make_humanoid(RobotMotion::kSway, 1));
  other.want_uniqueness(false);
  int told = 0;
  for (int k = 0; k < 200; ++k) {
    const StepReport report = asked.step(), bare = other.step();
    ASSERT_EQ(asked.state().q, other.state().q) << k;
    ASSERT_EQ(asked.state().v, other.state().v) << k;
    ASSERT_EQ(report.residual, bare.residual) << k;
    told += report.contact.force_freedom;
    EXPECT_EQ(bare.contact.force_freedom, 0);
  }
  EXPECT_GT(told, 0);
}

TEST(Robots, AQuadrupedStandsAndAHandHoldsItsBoxWithoutCreep) {
  for (const auto make : {test::make_quadruped, test::make_hand}) {
    Simulation simulation(make(RobotMotion::kHold, 1));
    run_until(30.0, simulation);
    const Eigen::VectorXd settled = simulation.state().q;
    run_until(60.0, simulation);
    EXPECT_LE((simulation.state().q - settled).cwiseAbs().maxCoeff(), 1e-11) << simulation.model().nv;
  }
}

// A slider that a ball hits while it is a millimetre from the end of its range, which its own speed does not reach: the
// step ends there, and the end takes what is left of the ball's momentum.
TEST(Robots, AnEndOfARangeThatOnlyAContactReachesIsKept) {
  constexpr double kWay = 1e-3, kLongStep = 0.01;
  Scene scene;
  scene.gravity.setZero();
  scene.run.dt = kLongStep;
  Joint joint = test::make_joint(JointType::kPrismatic);
  joint.limits = {{-1.0, kWay}};
  scene.bodies.push_back(test::make_body("slider", 1.0, {0, 0, 0}, {0.01, 0.01, 0.01}, joint));
  scene.bodies.push_back(test::make_body("ball", 1.0, {0, 0, 0}, {0.01, 0.01, 0.01}));
  scene.bodies[1].pose.position = {0, 0, -0.2};
  scene.bodies[1].velocity.linear = {0, 0, 10.0};
  for (Body& body : scene.bodies) body.shapes.emplace_back().geometry = Sphere{0.1};
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.step().is_taken());
  const double speed = kWay / kLongStep;
  EXPECT_NEAR(simulation.state().q[0], kWay, 1e-12);
  EXPECT_NEAR(simulation.state().v[0], speed, 1e-9);
  EXPECT_NEAR(simulation.stepper().limit_forces()[0], -(10.0 - 2.0 * speed) / kLongStep, 1e-6);
}

}  // namespace
}  // namespace rigor
