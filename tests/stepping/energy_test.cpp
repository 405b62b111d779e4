// What a step may do to the energy: semi_implicit.cpp, step_report.cpp; and the forces after it: reactions.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/dynamics/energy.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/stepping/reactions.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_joint;

double kinetic_energy(const Simulation& simulation) {
  Kinematics<double> kin;
  compute_positions(simulation.model(), simulation.state().q, kin);
  compute_velocities(simulation.model(), simulation.state().v, kin);
  return compute_kinetic_energy(simulation.model(), kin, simulation.state().v);
}

// A box in free flight that once gained 300 % in 300 s, and at 100 rad/s 29 % in half a second.
TEST(Energy, ABoxThatSpinsKeepsItsEnergyAndItsMomentum) {
  for (const auto positions : {RunSettings::Positions::kAfter, RunSettings::Positions::kBefore})
    for (const double speed : {10.0, 100.0, 1000.0}) {
      Scene scene;
      scene.gravity.setZero();
      Body box = make_body("box", 1.0, {0.1, -0.2, 0.0}, {0.0166667, 0.0141667, 0.00416667});
      box.velocity.angular = {speed, 0.01 * speed, 0.0};
      scene.bodies.push_back(box);
      scene.run.positions = positions;
      scene.run.until = 3.0;
      Simulation simulation(scene);
      const double before = kinetic_energy(simulation);
      ASSERT_TRUE(simulation.run().is_taken());
      EXPECT_NEAR(kinetic_energy(simulation) / before, 1.0, 1e-11) << speed;
      EXPECT_LT(simulation.totals().worst_made, 1e-13);
      EXPECT_EQ(simulation.totals().rounding_steps + simulation.totals().unsolved_steps, 0);
    }
}

// ωh = 1, where c as a force overflowed in 16 steps that called themselves solved. Gravity's work is booked; nothing
// else brings energy.
TEST(Energy, ADoublePendulumMakesNoneHoweverLongTheStep) {
  for (const double dt : {0.001, 0.01, 0.1}) {
    Scene scene;
    Joint first = make_joint(JointType::kRevolute, {0, 1, 0});
    first.v = {10.0};
    scene.bodies.push_back(make_body("a", 1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, first));
    Joint second = make_joint(JointType::kRevolute, {0, 1, 0}, "a");
    second.pose.position = {0, 0, 0};
    Body b = make_body("b", 1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, second);
    b.pose.position = {0, 0, -1};
    scene.bodies.push_back(b);
    scene.run.dt = dt;
    scene.run.until = 10.0;
    Simulation simulation(scene);
    while (!simulation.is_finished()) {
      const StepReport report = simulation.step();
      ASSERT_TRUE(report.is_taken()) << report.message;
      EXPECT_LE(report.energy.numerical, 0.0);
      EXPECT_NEAR(report.energy.transport, 0.0, 1e-4 * (1.0 + report.energy.scale)) << dt;
    }
    EXPECT_LT(simulation.totals().worst_made, 1e-5) << dt;
  }
}

// Beside a tree whose c is taken as a force, because a link of it has no mass, tops are still followed, and once only.
TEST(Energy, ABodyOnABallJointKeepsItsBesideATreeWithoutInertia) {
  Scene scene;
  scene.gravity.setZero();
  Joint ball = make_joint(JointType::kBall);
  ball.v = {3.0, 40.0, 1.0};
  scene.bodies.push_back(make_body("top", 1.0, {0, 0, 0.1}, {0.0166667, 0.0141667, 0.00416667}, ball));
  scene.bodies.push_back(
      make_body("arm", 1.0, {0.1, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute)));
  scene.bodies.push_back(
      make_body("ghost", 0.0, {0, 0, 0}, {0, 0, 0}, make_joint(JointType::kRevolute, {0, 1, 0}, "arm")));
  scene.constraints.push_back(test::make_constraint("tie", WeldConstraint{}, "ghost", "arm"));
  Simulation simulation(scene);
  const double before = kinetic_energy(simulation);
  ASSERT_TRUE(simulation.run().is_taken());
  EXPECT_NEAR(kinetic_energy(simulation) / before, 1.0, 1e-11);
}

// What falls loses m g times its way, whichever moves first: positions that did had a change of 0 in the ledger.
TEST(Energy, TheChangeOfThePotentialIsThatOfThePositions) {
  for (const auto positions : {RunSettings::Positions::kAfter, RunSettings::Positions::kBefore}) {
    Scene scene = test::make_floor(0.5);
    test::add_box(scene, "box", {0.2, 0.1, 0.05}, 2.0, {0.0, 0.0, 0.5}).velocity.angular = {3.0, 8.0, 5.0};
    scene.run.dt = 5e-3;
    scene.run.until = 0.7;
    scene.run.positions = positions;
    Simulation simulation(scene);
    const double begin = simulation.state().q[2];
    while (!simulation.is_finished()) ASSERT_TRUE(simulation.step().is_taken());
    EXPECT_NEAR(simulation.totals().energy.potential_change, 2.0 * 9.81 * (simulation.state().q[2] - begin),
                1e-10);
  }
}

// A pendulum that turns by 0.15 rad a step: along its arc gravity does less work than the potential changes by. And a
// box that overlaps the floor by 1 mm is pushed out, which lifts it.
TEST(Energy, WhatLiftsAgainstGravityIsSaid) {
  Scene pendulum =
      parse_scene(R"({"rigor": 1, "bodies": [{"name": "p", "mass": 1, "inertia": [0.001, 0.001, 0.001],
    "center_of_mass": [0, 0, -0.3], "joint": {"type": "revolute", "axis": [0, 1, 0], "q": [1.5]}}],
    "run": {"dt": 0.03, "until": 3}})");
  Simulation swings(pendulum);
  double sum = 0.0;
  while (!swings.is_finished()) {
    const StepReport report = swings.step();
    ASSERT_TRUE(report.is_taken());
    const EnergyLedger& energy = report.energy;
    EXPECT_NEAR(energy.lifted, energy.potential_change + energy.applied, 1e-12);
    sum += energy.lifted;
  }
  EXPECT_NEAR(swings.totals().energy.lifted, sum, 1e-12);
  EXPECT_GT(std::abs(sum), 1e-4);

  Scene overlap = test::make_floor(0.5);
  test::add_box(overlap, "box", {0.2, 0.2, 0.2}, 2.0, {0.0, 0.0, 0.099});
  overlap.run.until = 0.01;
  Simulation pushed(overlap);
  while (!pushed.is_finished()) ASSERT_TRUE(pushed.step().is_taken());
  EXPECT_NEAR(pushed.totals().energy.lifted, 2.0 * 9.81 * 1e-3, 1e-6);
}

// A force that a user calls constant cannot be told from one that is: but c of a tree with a massless link is taken as
// a force, and makes energy where the step is too long for it. Such a step is refused and leaves the state as it was.
TEST(Energy, AStepThatMakesEnergyIsNotSolved) {
  Scene scene;
  scene.gravity.setZero();
  Joint first = make_joint(JointType::kRevolute, {0, 1, 0}),
        second = make_joint(JointType::kRevolute, {0, 1, 0}, "a");
  first.v = {100.0};
  second.v = {-260.0};
  Body b = make_body("b", 1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, second);
  b.pose.position = {0, 0, -1};
  scene.bodies.push_back(make_body("a", 1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, first));
  scene.bodies.push_back(b);
  // a link without mass, held by a stiff constraint
  Body ghost =
      make_body("ghost", 0.0, {0, 0, 0}, {0, 0, 0}, make_joint(JointType::kRevolute, {0, 1, 0}, "a"));
  scene.bodies.push_back(ghost);
  scene.constraints.push_back(test::make_constraint("tie", WeldConstraint{}, "ghost", "a"));
  scene.run.dt = 0.02;
  for (const auto on_unsolved :
       {RunSettings::OnUnsolved::kStop, RunSettings::OnUnsolved::kAccept, RunSettings::OnUnsolved::kHalve}) {
    scene.run.on_unsolved = on_unsolved;
    Simulation simulation(scene);
    StepReport report;
    State before = simulation.state();
    for (int k = 0; k < 20 && !simulation.is_finished(); ++k) {
      before = simulation.state();
      report = simulation.step();
      if (report.status != StepStatus::kSolved) break;
    }
    if (on_unsolved == RunSettings::OnUnsolved::kStop) {
      EXPECT_EQ(report.status, StepStatus::kEnergy);
      EXPECT_EQ(to_string(report.status), "energy");
      EXPECT_NE(report.message.find("J of energy from nothing"), std::string::npos) << report.message;
      EXPECT_EQ(simulation.state(), before);
    } else if (on_unsolved == RunSettings::OnUnsolved::kAccept) {
      EXPECT_EQ(report.status, StepStatus::kAccepted);
      EXPECT_GT(simulation.totals().worst_made, kMostEnergyMade);
    } else {
      EXPECT_TRUE(report.is_taken()) << report.message;
    }
  }
}

// An arm of 1 kg that a hinge and, at its far end, a frictionless floor carry, half each.
Scene make_carried_arm() {
  Scene scene;
  scene.gravity = {0, 0, -10};
  Joint hinge = make_joint(JointType::kRevolute, {0, 1, 0});
  Body arm = make_body("arm", 1.0, {0.5, 0, 0}, {0.01, 0.1, 0.1}, hinge);
  arm.pose.position = {0, 0, 0.1};
  ShapeInstance ball;
  ball.geometry = Sphere{.radius = 0.1};
  ball.pose.position = {1.0, 0, 0};
  arm.shapes.push_back(ball);
  scene.bodies.push_back(arm);
  ShapeInstance floor;
  floor.geometry = HalfSpace{};
  scene.shapes.push_back(floor);
  Material smooth;
  smooth.name = "smooth";
  smooth.mu.along = smooth.mu.across = 0.0;
  scene.materials.push_back(smooth);
  for (ShapeInstance* shape : {&scene.shapes[0], &scene.bodies[0].shapes[0]}) shape->material = "smooth";
  scene.run.until = 0.01;
  return scene;
}

TEST(Reactions, CountTheContacts) {
  const Scene scene = make_carried_arm();
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.run().is_taken());
  const Reactions reactions = compute_reactions(simulation);
  EXPECT_NEAR(reactions.joints[1][5], 5.0, 1e-9);
  EXPECT_NEAR(reactions.joints[1].head<3>().norm(), 0.0, 1e-9);
  // a run that goes on elsewhere does not know its contacts' forces before the next step
  Simulation resumed(scene);
  resumed.restart(simulation.state(), simulation.totals());
  EXPECT_FALSE(resumed.has_forces());
  EXPECT_TRUE(compute_reactions(resumed).joints.empty());
  EXPECT_EQ(compute_reactions(resumed).motors.size(), 0);
}

// A step that fails has contacts and multipliers, but of no motion that was taken: nothing is said of forces until the
// next one.
TEST(Reactions, AreNotKnownAfterAStepThatFailed) {
  Scene scene = make_carried_arm();
  scene.forces.push_back({"push", "arm", {0, 0, 0}, Force::Frame::kWorldAxes, {}, {}});
  scene.forces[0].force[2] = Expression::parse("-log(0.0035 - t)");  // no number from there on
  Simulation simulation(scene);
  const StepReport report = simulation.run();
  ASSERT_TRUE(simulation.has_failed());
  EXPECT_EQ(report.status, StepStatus::kNotFinite);
  EXPECT_EQ(simulation.totals().steps, 4);
  EXPECT_FALSE(simulation.has_forces());
  EXPECT_TRUE(compute_reactions(simulation).joints.empty());
  EXPECT_EQ(compute_reactions(simulation).motors.size(), 0);
  EXPECT_TRUE(compute_reactions(simulation).multipliers.empty());
}

// An arm held up by the end of its range: the hinge takes the weight, and the limit the moment.
TEST(Reactions, CountTheEndsOfRanges) {
  Scene scene;
  scene.gravity = {0, 0, -10};
  Joint hinge = make_joint(JointType::kRevolute, {0, 1, 0});
  hinge.limits = {{-1.0, 0.0}};
  scene.bodies.push_back(make_body("arm", 1.0, {0.5, 0, 0}, {0.01, 0.1, 0.1}, hinge));
  scene.run.until = 0.01;
  Simulation simulation(scene);
  ASSERT_TRUE(simulation.run().is_taken());
  const Reactions reactions = compute_reactions(simulation);
  EXPECT_NEAR(reactions.joints[1][5], 10.0, 1e-9);
  EXPECT_NEAR(std::abs(reactions.joints[1][1]), 5.0, 1e-9);
}

}  // namespace
}  // namespace rigor
