// What must hold over many steps, and without memory: simulation.cpp, semi_implicit.cpp, runge_kutta4.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_constraint;
using Method = RunSettings::Method;

// A spatial loop of three free bodies joined by balls and a hinge, one of them sprung: everything at once.
Scene make_loop() {
  Scene scene = test::make_four_bar(0.5, 0.2, 0.4, 0.3, 0.9);
  scene.bodies[0].joint.damping = 0.01;
  scene.bodies[0].joint.stiffness = 1.0;
  Body body = make_body("weight", 0.5, {0.02, 0, 0}, {0.01, 0.02, 0.02});
  body.pose.position = {0.5, 0, -0.4};
  body.velocity.angular = {0, 0, 3};
  scene.bodies.push_back(body);
  scene.constraints.push_back(
      make_constraint("rope", DistanceConstraint{{0, 0, 0}, {0, 0, 0}, 0.5}, "weight", "rocker"));
  Spring spring;
  spring.name = "spring";
  spring.a = "weight";
  spring.b = "crank";
  spring.stiffness = 20.0;
  spring.damping = 0.1;
  spring.rest_length = 0.4;
  scene.springs.push_back(spring);
  return scene;
}

TEST(LongRuns, ConstraintsHoldOverAHundredThousandSteps) {
  Scene scene = make_loop();
  scene.run.dt = 1e-3;
  scene.run.until = kSanitized ? 5.0 : 100.0;
  Simulation simulation(scene);
  while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  EXPECT_EQ(simulation.totals().steps, simulation.step_count());
  EXPECT_EQ(simulation.state().t, scene.run.until);
  EXPECT_LE(simulation.totals().worst_constraint_error, 1e-10);
  EXPECT_LE(simulation.totals().worst_imbalance, 1e-12);
}

TEST(LongRuns, NoMemoryIsTakenAfterTheFirstSteps) {
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    Scene scene = make_loop();
    scene.run.method = method;
    scene.motions.push_back({"drive", "crank", 0, std::nullopt, 1.0, std::nullopt});
    scene.forces.push_back(
        {"push", "weight", {0, 0, 0}, Force::Frame::kWorldAxes, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    Simulation simulation(scene);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    const test::AllocationCount count;
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(simulation.step().is_taken());
    EXPECT_EQ(count.since(), 0) << static_cast<int>(method);
  }
}

// A step that cannot be taken leaves the state bit for bit as it was.
TEST(LongRuns, AFailedStepChangesNothing) {
  Scene scene = test::make_four_bar(0.5, 0.2, 0.4, 0.3, 0.9);
  scene.constraints.push_back(make_constraint(
      "stop", SpeedConstraint{{0, 0, 0}, {1, 0, 0}, Expression::parse("step(t - 0.0005)")}, "crank"));
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    scene.run.method = method;
    Simulation simulation(scene);  // the crank's own hinge does not move along x, ever
    const State before = simulation.state();
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kInconsistent);
    EXPECT_NE(report.message.find("constraint \"stop\""), std::string::npos) << report.message;
    EXPECT_EQ(simulation.state(), before);
  }
}

// A force beyond all numbers: said as such, and the state kept.
TEST(LongRuns, AnOverflowIsNamedAndChangesNothing) {
  Scene scene = test::make_four_bar(0.5, 0.2, 0.4, 0.3, 0.9);
  scene.motors.push_back({"motor", "crank", 0, Expression::parse("exp(1e6*t)")});
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    scene.run.method = method;
    Simulation simulation(scene);
    State before = simulation.state();
    StepReport report =
        simulation.step();  // the semi-implicit step takes the force at its beginning: 1 N m yet
    if (report.status == StepStatus::kSolved) {
      before = simulation.state();
      report = simulation.step();
    }
    EXPECT_EQ(report.status, StepStatus::kNotFinite) << report.message;
    EXPECT_EQ(simulation.state(), before);
  }
}

// A plane written by a user, as in dynamics/elements_test.cpp, in place of the scene's own.
class UsersPlane : public ConstraintElement {
 public:
  [[nodiscard]] std::string name() const override { return "plane"; }
  [[nodiscard]] RowLevel level() const override { return RowLevel::kPosition; }
  [[nodiscard]] int row_count() const override { return 1; }
  void position_error(const MotionView& view, std::span<double> error) const override {
    error[0] = kNormal.dot(view.position(1, kPoint));
  }
  void velocity_error(const MotionView& view, std::span<double> error) const override {
    error[0] = kNormal.dot(view.velocity(1, kPoint));
  }
  void acceleration_error(const MotionView& view, std::span<double> error) const override {
    error[0] = kNormal.dot(view.acceleration(1, kPoint));
  }
  void add_forces(const MotionView& view, std::span<const double> multipliers,
                  ForceSink& sink) const override {
    sink.add_force(view, 1, kPoint, multipliers[0] * kNormal);
  }
  static inline const Eigen::Vector3d kPoint{0.1, 0.2, 0.3}, kNormal{0.6, 0.0, 0.8};
};

TEST(LongRuns, AUsersConstraintMovesAsTheScenesOwnInEveryStepper) {
  Scene scene;
  scene.bodies.push_back(make_body("body", 2.0, {0, 0, 0}, {0.3, 0.4, 0.5}));
  scene.bodies[0].velocity.angular = {1, 2, 3};
  scene.run.until = 0.5;
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    scene.run.method = method;
    scene.constraints.clear();
    Simulation user(scene, {.constraints = {std::make_shared<UsersPlane>()}, .forces = {}});
    scene.constraints.push_back(make_constraint(
        "plane", PointInPlaneConstraint{UsersPlane::kPoint, {0, 0, 0}, UsersPlane::kNormal}, "body"));
    Simulation own(scene);
    while (!own.is_finished()) {
      ASSERT_EQ(user.step().status, StepStatus::kSolved);
      ASSERT_EQ(own.step().status, StepStatus::kSolved);
    }
    EXPECT_LE((user.state().q - own.state().q).norm(), 1e-11);
    EXPECT_LE(user.totals().worst_constraint_error, 1e-12);
  }
}

// One level each: position 0.1 sin 2t, velocity 3 t², acceleration 2 + 6 t.
TEST(LongRuns, MotionsFollowTheirFunctionsAtEveryLevel) {
  Scene scene;
  for (const char* name : {"position", "velocity", "acceleration"})
    scene.bodies.push_back(
        make_body(name, 1.5, {0, 0, 0}, {1, 1, 1}, test::make_joint(JointType::kPrismatic)));
  scene.motions = {{"p", "position", 0, Expression::parse("0.1*sin(2*t)"), std::nullopt, std::nullopt},
                   {"v", "velocity", 0, std::nullopt, Expression::parse("3*t^2"), std::nullopt},
                   {"a", "acceleration", 0, std::nullopt, std::nullopt, Expression::parse("2 + 6*t")}};
  scene.run.until = 1.0;
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    scene.run.method = method;
    Simulation simulation(scene);
    while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    const double tolerance = method == Method::kSemiImplicit ? 5e-3 : 1e-10;
    const Eigen::VectorXd& q = simulation.state().q;
    EXPECT_NEAR(q[0], 0.1 * std::sin(2.0), 1e-12);
    EXPECT_NEAR(q[1], 1.0, tolerance);
    EXPECT_NEAR(q[2], 1.0 + 1.0, tolerance);
    EXPECT_NEAR(simulation.state().v[2], 2.0 + 3.0, 1e-12);
    // force: m (a + g), at the beginning of the last step
    EXPECT_NEAR(simulation.stepper().motor_forces()[2], 1.5 * (8.0 + 9.81), 0.02);
  }
}

TEST(LongRuns, TheSameRunGivesTheSameBits) {
  Scene scene = make_loop();
  scene.run.until = 0.5;
  Simulation one(scene), two(scene);
  ASSERT_TRUE(one.run().is_taken());
  ASSERT_TRUE(two.run().is_taken());
  EXPECT_EQ(one.state(), two.state());
}

TEST(LongRuns, AStepOfNoLengthIsAMistake) {
  const Model model = make_model(make_loop());
  State state = make_state(model);
  EXPECT_THROW((void)make_stepper(model, {.method = Method::kSemiImplicit})->step(state, 0.0), InvalidInput);
  EXPECT_THROW((void)make_stepper(model, {.method = Method::kRungeKutta4})->step(state, -1.0), InvalidInput);
}

}  // namespace
}  // namespace rigor
