// Covers semi_implicit.cpp, simulation.cpp and, through them, the room contact: motions with a formula.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/model/run_rules.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using test::add_box;
using test::make_floor;

constexpr Formulation kAll[] = {
    Formulation::kCone, Formulation::kConvex, Formulation::kAnitescuPotra, Formulation::kStewartTrinkle,
    Formulation::kBox,  Formulation::kHybrid, Formulation::kPhantom};

// Runs to the end; every step must be solved.
void finish(Simulation& simulation) {
  const StepReport report =
      simulation.run([](const StepReport& one) { return one.status == StepStatus::kSolved; });
  ASSERT_EQ(to_string(report.status), "solved") << report.message << " at t = " << simulation.state().t;
}

double yaw_of(const State& state) {
  return 2.0 * std::atan2(state.q[6], state.q[3]);
}

// Case A: the table of the exact cone with relaxed normals at two step sizes.
TEST(ContactSteps, TheSpinningCubeStopsWhereTheReferenceDoes) {
  struct Row {
    double h, x, y, yaw, stop;
  };
  for (const Row& row :
       {Row{1e-2, 0.437908, 1.556935, 1.924757, 0.66}, Row{1e-3, 0.440369, 1.581250, 1.950634, 0.661}}) {
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

// The same with rigid normals: forces are not unique, those of equal compliance are taken, and the report
// says so.
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
    // the step is exact for a constant force: v = a t, x = a t (t + h)/2; the convex law lifts off, and is of
    // first order only
    const double error = formulation == Formulation::kConvex ? h : 1e-9;
    EXPECT_NEAR(simulation.state().v[3], a * T, error * a * T) << static_cast<int>(formulation);
    EXPECT_NEAR(simulation.state().q[0], 0.5 * a * T * (T + h), error * a * T)
        << static_cast<int>(formulation);
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

// What can change a result is in the State: a run that goes on from a copy of it, in a new program, is the
// same.
TEST(ContactSteps, ARestartChangesNoBit) {
  for (const char* name : test::kMechanisms) {
    Scene scene = test::make_mechanism(name);
    scene.run.dt = 2e-3;
    scene.run.until = 0.4;
    Simulation whole(scene);
    State middle;
    while (!whole.is_finished()) {
      ASSERT_EQ(whole.step().status, StepStatus::kSolved);
      if (whole.totals().steps == 100) middle = whole.state();
    }
    Simulation second(scene);
    second.restart(middle, 100);
    finish(second);
    EXPECT_TRUE(second.state() == whole.state()) << name;
  }
}

TEST(ContactSteps, TwoScenesFarApartEqualEachAlone) {
  const auto make_pile = [](Scene& scene, double x, const std::string& name) {
    for (int k = 0; k < 3; ++k) {
      Body& box =
          add_box(scene, name + std::to_string(k), {0.5, 0.5, 0.5}, 1.0 + k, {x, 0.0, 0.25 + 0.5 * k});
      box.velocity.linear = {0.5 * k, 0.25, 0.0};
    }
  };
  const auto run = [](const Scene& scene) {
    Simulation simulation(scene);
    finish(simulation);
    return simulation.state();
  };
  Scene one = make_floor(0.4), both = make_floor(0.4), two = make_floor(0.4);
  make_pile(one, 0.0, "a");
  make_pile(two, 1024.0, "b");
  make_pile(both, 0.0, "a");
  make_pile(both, 1024.0, "b");
  for (Scene* scene : {&one, &two, &both}) scene->run.until = 0.3;
  const State alone = run(one), other = run(two), together = run(both);
  EXPECT_TRUE(together.q.head(21) == alone.q);
  EXPECT_TRUE(together.v.head(18) == alone.v);
  EXPECT_TRUE(together.q.tail(21) == other.q);
  EXPECT_TRUE(together.v.tail(18) == other.v);
}

// Balls at rest in a row, 1 mm apart, no gravity; the first flies in. By the speeds at the beginning only the
// first gap closes: the others are left aside and must be taken in, one after the other, within the one step.
TEST(ContactSteps, GapsThatOnlyAnImpulseClosesAreNotMissed) {
  Scene scene = test::make_floor(0.0);
  scene.shapes.clear();
  const double radius = 0.1, gap = 1e-3;
  const int balls = 5;
  for (int k = 0; k < balls; ++k)
    test::add_sphere(scene, "ball" + std::to_string(k), radius, 1.0, {k * (2.0 * radius + gap), 0.0, 0.0});
  scene.bodies[0].velocity.linear = {3.0, 0.0, 0.0};
  scene.run.dt = 1e-2;
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  ASSERT_EQ(report.status, StepStatus::kSolved) << report.message;
  EXPECT_EQ(report.contact.sticking + report.contact.sliding, balls - 1);
  double momentum = 0.0;
  for (int k = 0; k < balls; ++k) momentum += simulation.state().v[6 * k + 3];
  EXPECT_NEAR(momentum, 3.0, 1e-12);
  for (int k = 0; k + 1 < balls; ++k)
    EXPECT_NEAR(simulation.state().q[7 * (k + 1)] - simulation.state().q[7 * k], 2.0 * radius, 1e-12) << k;
}

// A ball that rose a little from the floor, and rises: its gap is kept, so that it is left aside, without an
// island; but not if the floor carried it in the last step. Where the ball goes is the same.
TEST(ContactSteps, AContactThatCarriedLoadIsNeverLeftAside) {
  Scene scene = make_floor(0.3);
  test::add_sphere(scene, "ball", 0.1, 1.0, {0.0, 0.0, 0.1});
  scene.run.dt = 1e-2;
  Simulation simulation(scene);
  ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  State risen = simulation.state();
  ASSERT_EQ(risen.contacts.size(), 1u);
  ASSERT_NEAR(risen.contacts[0].impulse[0], 9.81e-2, 1e-12);
  risen.q[2] += 1e-3;
  risen.v[5] = 0.2;
  State after[2];
  for (const bool was_loaded : {false, true}) {
    State start = risen;
    if (!was_loaded) start.contacts[0].impulse.setZero();
    simulation.restart(start, 1);
    const StepReport report = simulation.step();
    ASSERT_EQ(report.status, StepStatus::kSolved);
    EXPECT_EQ(report.contact.islands, was_loaded ? 1 : 0);
    EXPECT_EQ(report.contact.open, 1);
    after[was_loaded] = simulation.state();
  }
  EXPECT_EQ(after[0].q, after[1].q);
  EXPECT_EQ(after[0].v, after[1].v);
  EXPECT_NEAR(after[0].v[5], 0.2 - 9.81e-2, 1e-15);
}

TEST(ContactSteps, NoMemoryIsTakenAfterTheFirstSteps) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  for (const Formulation formulation : {Formulation::kCone, Formulation::kAnitescuPotra,
                                        Formulation::kStewartTrinkle, Formulation::kPhantom}) {
    Scene scene = make_floor(0.4);
    add_box(scene, "box", {0.5, 0.4, 0.5}, 1.0, {0.0, 0.0, 0.25}).velocity.linear = {1.0, 0.2, 0.0};
    scene.run.formulation = formulation;
    scene.run.until = 1.0;
    Simulation simulation(scene);
    for (int i = 0; i < 500; ++i) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    const test::AllocationCount count;
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(simulation.step().is_taken());
    EXPECT_EQ(count.since(), 0) << static_cast<int>(formulation);
  }
}

TEST(ContactSteps, NoMemoryIsTakenInAPile) {
  Scene scene = make_floor(0.4);
  for (int k = 0; k < 3; ++k)
    add_box(scene, "box" + std::to_string(k), {0.5, 0.5, 0.5}, 1.0, {0.1 * k, 0.0, 0.25 + 0.5 * k});
  scene.bodies[0].velocity.linear = {0.3, 0.0, 0.0};
  scene.run.until = 2.0;
  Simulation simulation(scene);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  const test::AllocationCount count;
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(simulation.step().is_taken());
  EXPECT_EQ(count.since(), 0);
}

Scene make_two_boxes(double ratio) {
  Scene scene = test::make_floor(0.5);
  test::add_box(scene, "lower", {1.0, 1.0, 1.0}, 1.0, {0.0, 0.0, 0.5});
  test::add_box(scene, "upper", {1.0, 1.0, 1.0}, ratio, {0.0, 0.0, 1.5});
  scene.run.dt = 1e-2;
  scene.run.until = 1.0;
  return scene;
}

// A step that is not solved leaves the state as it was, is taken all the same, or is halved: as asked for.
TEST(ContactSteps, UnsolvedSteps) {
  Scene scene = make_two_boxes(1e15);  // doubles know the lower one's velocity to 1 m/s
  scene.run.until = 0.1;
  Simulation stopped(scene);
  StepReport report;
  State before;
  while (!stopped.is_finished() && report.status == StepStatus::kSolved) {
    before = stopped.state();
    report = stopped.step();
  }
  ASSERT_EQ(report.status, StepStatus::kUnsolved);
  EXPECT_NE(report.message.find("lower"), std::string::npos) << report.message;
  EXPECT_TRUE(stopped.state() == before);
  const auto problem = stopped.get_unsolved();
  ASSERT_TRUE(problem.has_value());
  EXPECT_GT(std::get<ConeProblem>(*problem).q.size(), 0);

  scene.run.on_unsolved = RunSettings::OnUnsolved::kHalve;  // does not help here, and ends
  Simulation halved(scene);
  report = {};
  while (!halved.is_finished() && report.status == StepStatus::kSolved) report = halved.step();
  EXPECT_EQ(report.status, StepStatus::kUnsolved);

  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation accepted(scene);
  EXPECT_TRUE(accepted.run().is_taken());
  EXPECT_GT(accepted.totals().unsolved_steps, 0);
  EXPECT_LT(accepted.totals().worst_residual, 1.0);  // a few units in the last place of the impulses
}

// One box on another, 1 kg below, up to 1e10 kg above: for a second nothing sinks or creeps by 1e-6 m. A
// residual that is rounding and no more counts as solved.
TEST(ContactSteps, HeavyOnLight) {
  for (const double ratio : {1.0, 1e2, 1e4, 1e6, 1e8, 1e10}) {
    Simulation simulation(make_two_boxes(ratio));
    const State first = simulation.state();
    for (int k = 0; k < 100; ++k) ASSERT_EQ(simulation.step().status, StepStatus::kSolved) << ratio;
    EXPECT_LT((simulation.state().q - first.q).cwiseAbs().maxCoeff(), 1e-8) << ratio;
    EXPECT_LE(simulation.totals().worst_residual, std::max(1e-10, 1e-15 * ratio)) << ratio;
    // of the upper one alone every digit is known: it moves by what rounding of its own weight allows
    EXPECT_LT(std::abs(simulation.state().v[8 + 3]), 1e-10) << ratio;
  }
}

// Rows of a hinge are three numbers, those of a free body eighteen: wherever they stand in memory, the order
// of the bodies changes nothing.
TEST(ContactSteps, HingesBesideFreeBodiesInAnyOrder) {
  const auto run = [](bool hinge_first) {
    Scene scene = test::make_floor(0.5);
    const auto add_lever = [&] {
      Body& lever = test::add_box(scene, "lever", {1.0, 0.2, 0.2}, 2.0, {0.0, 3.0, 0.1});
      lever.joint.type = JointType::kRevolute;
      lever.joint.axis = Eigen::Vector3d::UnitY();
      lever.joint.pose.position = {-0.5, 0.0, 0.0};
    };
    if (hinge_first) add_lever();
    test::add_box(scene, "block", {1.0, 1.0, 1.0}, 3.0, {0.0, 0.0, 0.5});
    if (!hinge_first) add_lever();
    // on the block, and on the lever
    test::add_box(scene, "above", {1.0, 1.0, 1.0}, 1.0, {0.1, 0.0, 1.5});
    test::add_box(scene, "load", {0.4, 0.2, 0.2}, 1.0, {0.1, 3.0, 0.3});
    scene.run.dt = 5e-3;
    scene.run.until = 0.1;
    Simulation simulation(scene);
    State state = simulation.state();
    state.v.tail<3>() << 0.3, 0.1, 0.0;
    simulation.restart(state, 0);
    finish(simulation);
    EXPECT_EQ(simulation.totals().unsolved_steps, 0);
    return Eigen::VectorXd(simulation.state().q.tail<14>());  // above, load
  };
  EXPECT_LT((run(true) - run(false)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(ContactSteps, ReportsTheRelativeResidual) {
  Simulation simulation(make_two_boxes(3.0));
  for (int k = 0; k < 5; ++k) {
    State state = simulation.state();
    state.v[3] += 3.0;  // slides
    simulation.restart(state, k);
    const ContactCertificate contact = simulation.step().contact;
    const auto problems = simulation.make_contact_problems();
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_GT(contact.residual, 0.0);
    EXPECT_NEAR(contact.relative_residual * std::get<ConeProblem>(problems.front()).q.norm(),
                contact.residual, 1e-12 * contact.residual);
  }
}

TEST(ContactSteps, MechanismsThatTouchSomething) {
  for (const char* name : test::kMechanisms)
    for (const Formulation formulation : kAll) {
      Scene scene = test::make_mechanism(name);
      scene.run.formulation = formulation;
      scene.run.directions = 8;
      reset_unused(scene.run);
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
