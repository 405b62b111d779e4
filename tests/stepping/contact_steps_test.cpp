// Covers contact_stage.cpp, simulation.cpp and, through them, the room contact: motions with a formula.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using test::add_box;
using test::make_floor;

constexpr Formulation kAll[] = {Formulation::kCone, Formulation::kConvex, Formulation::kAnitescuPotra,
                                Formulation::kStewartTrinkle};

// Runs to the end; every step must be solved.
void finish(Simulation& simulation) {
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    ASSERT_EQ(report.status, StepStatus::kSolved) << report.message << " at t = " << simulation.state().t;
  }
}

double yaw_of(const State& state) {
  return 2.0 * std::atan2(state.q[6], state.q[3]);
}

// Case A: the table of the exact cone with relaxed normals at two step sizes.
TEST(ContactSteps, TheSpinningCubeStopsWhereTheReferenceDoes) {
  struct Row {
    double h, x, y, yaw, stop;
  };
  for (const Row& row : {Row{1e-2, 0.437908, 1.556935, 1.924757, 0.66}, Row{1e-3, 0.440369, 1.581250, 1.950634, 0.661}}) {
    Scene scene = test::make_spinning_cube(true);
    scene.run.dt = row.h;
    scene.run.until = 0.8;
    Simulation simulation(scene);
    double stop = 0.0;
    while (!simulation.is_finished()) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << report.message;
      if (simulation.state().v.norm() > 1e-6) stop = simulation.state().t;
    }
    EXPECT_NEAR(simulation.state().q[0], row.x, 1e-4) << row.h;
    EXPECT_NEAR(simulation.state().q[1], row.y, 1e-4) << row.h;
    EXPECT_NEAR(yaw_of(simulation.state()), row.yaw, 1e-4) << row.h;
    EXPECT_NEAR(stop, row.stop, 2.0 * row.h);
    EXPECT_LT(simulation.totals().worst_imbalance, 1e-12);
    EXPECT_LE(simulation.totals().energy.friction, 0.0);
  }
}

// The same with rigid normals: forces are not unique, those of equal compliance are taken, and the report says so.
TEST(ContactSteps, RigidNormalsShareTheLoadAsEqualComplianceWould) {
  Scene scene = test::make_spinning_cube(false);
  scene.run.dt = 1e-3;
  scene.run.until = 0.8;
  Simulation simulation(scene);
  finish(simulation);
  EXPECT_NEAR(simulation.state().q[0], 0.440369, 2e-3);
  EXPECT_NEAR(simulation.state().q[1], 1.581250, 2e-3);
  EXPECT_NEAR(yaw_of(simulation.state()), 1.950634, 2e-3);
  EXPECT_GT(simulation.totals().non_unique_steps, 100);
}

TEST(ContactSteps, ABlockSticksBelowTheAngleOfFriction) {
  for (const Formulation formulation : kAll) {
    Scene scene = test::make_incline(0.49, 0.5);
    scene.run.formulation = formulation;
    scene.run.until = kSanitized ? 0.5 : 100.0;
    Simulation simulation(scene);
    finish(simulation);
    EXPECT_LT(simulation.totals().sticking_drift, 1e-12) << static_cast<int>(formulation);
    EXPECT_LT(std::abs(simulation.state().q[0]), 1e-12) << static_cast<int>(formulation);
    EXPECT_LT(simulation.totals().worst_residual, 1e-10);
  }
}

TEST(ContactSteps, ABlockSlidesAboveTheAngleOfFriction) {
  const double angle = std::atan(0.51), T = 2.0, h = 1e-3;
  const double a = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  for (const Formulation formulation : kAll) {
    Scene scene = test::make_incline(0.51, 0.5);
    scene.run.formulation = formulation;
    scene.run.until = T;
    Simulation simulation(scene);
    finish(simulation);
    // the step is exact for a constant force: v = a t, x = a t (t + h)/2
    EXPECT_NEAR(simulation.state().v[3], a * T, 1e-9) << static_cast<int>(formulation);
    EXPECT_NEAR(simulation.state().q[0], 0.5 * a * T * (T + h), 1e-8) << static_cast<int>(formulation);
  }
}

TEST(ContactSteps, ABoxInsideTheFloorComesOutWithoutSpeed) {
  for (const Formulation formulation : kAll) {
    Scene scene = make_floor(0.5);
    add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1 - 1e-3});
    scene.run.formulation = formulation;
    scene.run.until = 0.1;
    Simulation simulation(scene);
    while (!simulation.is_finished()) {
      ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
      EXPECT_LT(simulation.state().v.norm(), 1e-12);
    }
    EXPECT_NEAR(simulation.state().q[2], 0.1, 1e-9);
    EXPECT_LT(simulation.totals().worst_imbalance, 1e-12);
  }
}

TEST(ContactSteps, MechanismsThatTouchSomething) {
  for (const char* name : test::kMechanisms)
    for (const Formulation formulation : kAll) {
      Scene scene = test::make_mechanism(name);
      scene.run.formulation = formulation;
      scene.run.directions = 8;
      scene.run.dt = 2e-3;
      scene.run.until = kSanitized ? 0.1 : 1.0;
      Simulation simulation(scene);
      finish(simulation);
      SCOPED_TRACE(std::string(name) + " " + std::to_string(static_cast<int>(formulation)));
      const RunTotals& totals = simulation.totals();
      EXPECT_LT(totals.worst_residual, 1e-9);
      EXPECT_LT(totals.worst_constraint_error, 1e-9);
      EXPECT_LT(totals.worst_imbalance, 1e-12);
      EXPECT_LE(totals.energy.friction, 1e-12);
    }
}

}  // namespace
}  // namespace rigor
