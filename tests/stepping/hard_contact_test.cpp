// Hard contact problems as they come from scenes, each with what is reached today; contact_solver.cpp with the
// solvers behind it. A step counts only if its residual, recomputed from the matrices, is below the
// tolerance. That a hopeless problem ends by a count with its best residual:
// SparseConeSolve.AHopelessProblemEndsWithItsBestResidual and ContactSteps.UnsolvedSteps.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/random.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scenes.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

// One step after every speed got `noise` [m/s, rad/s] at random.
StepReport step_perturbed(Simulation& simulation, double noise, std::uint64_t seed) {
  State state = simulation.state();
  Random random(seed);
  for (double& v : state.v) v += noise * random.gaussian();
  simulation.restart(state, 0);
  return simulation.step();
}

void expect_solved(Scene scene, double tolerance, double noise, int seeds) {
  scene.run.tolerance = tolerance;
  for (int seed = 1; seed <= (kSanitized ? 1 : seeds); ++seed) {
    Simulation simulation(scene);
    const StepReport report = step_perturbed(simulation, noise, static_cast<std::uint64_t>(seed));
    EXPECT_EQ(report.status, StepStatus::kSolved) << "seed " << seed << ": " << report.message;
    EXPECT_LE(report.contact.residual, tolerance) << "seed " << seed;
    EXPECT_LE(report.contact.cone_violation, tolerance) << "seed " << seed;
  }
}

TEST(HardContact, HyperstaticWallsAtEightDigitsAfterAKnock) {
  expect_solved(test::make_wall(6, 6), 1e-8, 0.02, 3);
}

TEST(HardContact, AKaplaTowerAtEightDigitsAfterAKnock) {
  expect_solved(test::make_kapla_tower(6), 1e-8, 0.01, 2);
}

TEST(HardContact, ALatticeOf512BallsAfterAKnock) {
  expect_solved(test::make_lattice(8, 0.3), 1e-8, 0.01, 1);
}

TEST(HardContact, ThirtyRowsOfCannonballs) {
  expect_solved(test::make_cannonballs(kSanitized ? 6 : 30, 0.2), 1e-8, 0.0, 1);
}

// Without friction, and with so little that the cone is a needle: a tower stands all the same.
TEST(HardContact, NoFrictionAndNearlyNone) {
  for (const double mu : {0.0, 1e-12, 1e-6}) {
    SCOPED_TRACE(mu);
    Scene scene = test::make_tower(10, 1.0);
    scene.materials[0].mu = {mu, mu};
    Simulation simulation(scene);
    const State first = simulation.state();
    for (int k = 0; k < 20; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << report.message;
    }
    EXPECT_LE((simulation.state().q - first.q).cwiseAbs().maxCoeff(), 1e-12);
    expect_solved(scene, 1e-10, 0.02, 2);
  }
}

// The same knocked wall with lengths in units of `length` and masses of `mass`: all speeds come out in those
// units.
TEST(HardContact, UnitsChangeNothing) {
  const auto run = [](double length, double mass) {
    Scene scene = test::make_wall(3, 3);
    for (Body& body : scene.bodies) {
      body.pose.position *= length;
      body.mass = mass * *body.mass;
      for (ShapeInstance& shape : body.shapes)
        shape.geometry = Box{length * std::get<Box>(shape.geometry).size};
    }
    scene.gravity *= length;
    scene.run.tolerance = 1e-10 * std::max(1.0, length);
    Simulation simulation(scene);
    State state = simulation.state();
    Random random(3);
    for (Eigen::Index i = 0; i < state.v.size(); ++i)
      state.v[i] += 0.02 * random.gaussian() * (i % 6 < 3 ? 1.0 : length);
    simulation.restart(state, 0);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << report.message;
    Eigen::VectorXd v = simulation.state().v;
    for (Eigen::Index i = 0; i < v.size(); ++i)
      if (i % 6 >= 3) v[i] /= length;
    return v;
  };
  const Eigen::VectorXd metres = run(1.0, 1.0);
  EXPECT_LE((run(1.0, 1e-9) - metres).cwiseAbs().maxCoeff(), 1e-7) << "micrograms";
  EXPECT_LE((run(1.0, 1e9) - metres).cwiseAbs().maxCoeff(), 1e-7) << "megatons";
  EXPECT_LE((run(1e3, 1e3) - metres).cwiseAbs().maxCoeff(), 1e-7) << "millimetres and grams";
}

// Two balls that overlap are driven into each other, past the line through their centres: no impulse helps, however
// large. One of 1e15 N s makes the velocity disappear beside it in r − û, and was called solved.
TEST(HardContact, WhatMotorsPressTogetherIsNotSolved) {
  Scene scene = test::make_floor(0.5);
  scene.shapes.clear();
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0.0 ? "low" : "high";
    scene.bodies.push_back(test::make_body(name, 1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones(),
                                           test::make_joint(JointType::kPrismatic)));
    scene.bodies.back().pose.position = {0.1 * side, 0.0, 0.4 * side};
    scene.bodies.back().shapes.push_back(test::make_shape(Sphere{0.5}));
    scene.motions.push_back({"drive " + name, name, 0, std::nullopt, -side, std::nullopt});
  }
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, StepStatus::kUnsolved) << report.contact.residual;
  EXPECT_GT(report.contact.residual, 0.1);
}

}  // namespace
}  // namespace rigor
