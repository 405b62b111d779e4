// Constraints and forces written by a user, and the forces that nobody gave: elements.cpp, element_check.cpp,
// forward_dynamics.cpp, applied_forces.cpp.
#include "rigor/model/elements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/element_check.hpp"
#include "rigor/dynamics/forward_dynamics.hpp"
#include "rigor/model/model.hpp"
#include "tests/support/random_constraints.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_constraint;
using test::make_joint;

// A point of a body on the surface z = sin x, written as a user would.
class OnSine : public ConstraintElement {
 public:
  explicit OnSine(int body) : body_(body) {}
  [[nodiscard]] std::string name() const override { return "on_sine"; }
  [[nodiscard]] RowLevel level() const override { return RowLevel::kPosition; }
  [[nodiscard]] int row_count() const override { return 1; }
  [[nodiscard]] std::vector<int> bodies() const override { return {body_}; }
  void position_error(const MotionView& view, std::span<double> error) const override {
    const Eigen::Vector3d p = view.position(body_, kPoint);
    error[0] = p.z() - std::sin(p.x());
  }
  void velocity_error(const MotionView& view, std::span<double> error) const override {
    error[0] = normal(view).dot(view.velocity(body_, kPoint));
  }
  void acceleration_error(const MotionView& view, std::span<double> error) const override {
    const double vx = view.velocity(body_, kPoint).x();
    error[0] = normal(view).dot(view.acceleration(body_, kPoint)) +
               std::sin(view.position(body_, kPoint).x()) * vx * vx * curvature_;
  }
  void add_forces(const MotionView& view, std::span<const double> multipliers,
                  ForceSink& sink) const override {
    sink.add_force(view, body_, kPoint, multipliers[0] * normal(view));
  }
  double curvature_{1.0};  // another value is a mistake that the check must find

 private:
  [[nodiscard]] Eigen::Vector3d normal(const MotionView& view) const {
    return {-std::cos(view.position(body_, kPoint).x()), 0.0, 1.0};
  }
  static inline const Eigen::Vector3d kPoint{0.1, 0.0, -0.2};
  int body_;
};

// A spring along x between a body's origin and the world, F = 30 x + 4 x³ + 2 ẋ.
class Stopper : public ForceElement {
 public:
  explicit Stopper(int body, double stiffness = 30.0) : body_(body), stiffness_(stiffness) {}
  [[nodiscard]] std::string name() const override { return "stopper"; }
  [[nodiscard]] int row_count() const override { return 1; }
  [[nodiscard]] ElasticForce elastic_force(const MotionView& view, int) const override {
    const double x = view.position(body_, Eigen::Vector3d::Zero()).x(),
                 v = view.velocity(body_, Eigen::Vector3d::Zero()).x();
    return {30.0 * x + 4.0 * x * x * x + 2.0 * v, stiffness_ + 12.0 * x * x, 2.0};
  }
  void add_row_forces(const MotionView& view, int, double size, ForceSink& sink) const override {
    sink.add_force(view, body_, Eigen::Vector3d::Zero(), size * Eigen::Vector3d::UnitX());
  }

 private:
  int body_;
  double stiffness_;
};

// A wind that pushes along y, explicit.
class Wind : public ForceElement {
 public:
  [[nodiscard]] std::string name() const override { return "wind"; }
  void add_forces(const MotionView& view, ForceSink& sink) const override {
    sink.add_force(view, 1, Eigen::Vector3d::Zero(), {0, 3.0, 0});
  }
};

Scene one_body() {
  Scene scene;
  Body body = make_body("body", 2.0, {0, 0, 0}, {0.3, 0.4, 0.5});
  body.pose.position = {0.4, 0, 0.7};
  body.velocity = {{1, 0.5, 0}, {0.3, -0.2, 0.8}};
  scene.bodies = {body};
  return scene;
}

TEST(Elements, TheCheckPassesWhatIsRightAndFindsWhatIsNot) {
  const Model model = make_model(one_body());
  const State state = make_state(model);
  EXPECT_TRUE(find_derivative_errors(model, state, OnSine(1)).empty());
  OnSine wrong(1);
  wrong.curvature_ = 0.0;
  const auto errors = find_derivative_errors(model, state, wrong);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].what, "acceleration_error of row 1 is not the derivative of velocity_error");
  EXPECT_TRUE(find_derivative_errors(model, state, Stopper(1)).empty());
  EXPECT_EQ(find_derivative_errors(model, state, Stopper(1, 20.0)).at(0).what,
            "stiffness of row 1 is not the rate of its force");
}

// The user's constraint holds in position, velocity and acceleration, and its force does no work.
TEST(Elements, AUsersConstraintIsHeld) {
  const Model model = make_model(one_body(), {.constraints = {std::make_shared<OnSine>(1)}, .forces = {}});
  const State state = assemble(model).state;
  ForwardDynamics dynamics(model);
  ASSERT_EQ(dynamics.compute(0.0, state.q, state.v), -1);
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, state.v, kin);
  compute_accelerations<double>(model, dynamics.acceleration(), Eigen::Vector3d::Zero(), kin);
  const MotionView view{model, 0.0, state.q, state.v, dynamics.acceleration(), kin};
  double error = 1.0;
  const OnSine element(1);
  element.position_error(view, {&error, 1});
  EXPECT_NEAR(error, 0.0, 1e-12);
  element.velocity_error(view, {&error, 1});
  EXPECT_NEAR(error, 0.0, 1e-12);
  element.acceleration_error(view, {&error, 1});
  EXPECT_NEAR(error, 0.0, 1e-11);
}

TEST(Elements, UsersForcesAct) {
  Scene scene = one_body();
  scene.gravity.setZero();
  scene.bodies[0].velocity = {};
  const Model model = make_model(
      scene, {.constraints = {}, .forces = {std::make_shared<Stopper>(1), std::make_shared<Wind>()}});
  const State state = make_state(model);
  ForwardDynamics dynamics(model);
  ASSERT_EQ(dynamics.compute(0.0, state.q, state.v), -1);
  EXPECT_NEAR(dynamics.acceleration()[3], -(30 * 0.4 + 4 * 0.064) / 2.0, 1e-12);
  EXPECT_NEAR(dynamics.acceleration()[4], 1.5, 1e-12);
}

// Newton and Euler, body by body: what the joints, gravity and constraints exert is what moves each body.
TEST(Elements, ReactionsBalanceEveryBody) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const auto id = static_cast<std::uint64_t>(seed);
    Scene scene = test::make_random_forest(id, {.bodies = 2 + seed % 10, .armature = false});
    test::add_random_constraints(scene, id);
    scene.constraints.resize(1);
    const Model model = make_model(scene);
    const State state = make_state(model);
    ForwardDynamics dynamics(model);
    ASSERT_EQ(dynamics.compute(0.0, state.q, state.v), -1);
    const std::vector<Vec6<double>> reactions = dynamics.compute_joint_reactions();
    // along a joint's free speeds nothing but its own forces acts: here none
    for (std::size_t b = 1; b < model.bodies.size(); ++b)
      for (int k = model.bodies[b].v0; k < model.bodies[b].v0 + model.bodies[b].nv; ++k)
        EXPECT_NEAR(dynamics.system().kinematics().S.col(k).dot(reactions[b]), 0.0,
                    1e-8 * (1.0 + reactions[b].norm()));
  }
}

// A hanging chain of two: each joint carries what hangs below it; seen from a frame turned by 90° and 1 m
// aside.
TEST(Elements, ReactionsInAnyFrame) {
  Scene scene;
  scene.bodies = {
      make_body("upper", 1.0, {0, 0, -0.5}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute, {0, 1, 0})),
      make_body("lower", 2.0, {0, 0, -0.5}, {0.1, 0.1, 0.1},
                make_joint(JointType::kRevolute, {0, 1, 0}, "upper"))};
  scene.bodies[1].pose.position = {0, 0, -1};
  const Model model = make_model(scene);
  const State state = make_state(model);
  ForwardDynamics dynamics(model);
  ASSERT_EQ(dynamics.compute(0.0, state.q, state.v), -1);
  const auto& reactions = dynamics.compute_joint_reactions();
  EXPECT_NEAR(reactions[1][5], 3.0 * 9.81, 1e-12);
  EXPECT_NEAR(reactions[2][5], 2.0 * 9.81, 1e-12);
  const Pose X_WC{{1, 0, 0}, quaternion_from_axis_angle(Eigen::Vector3d::UnitX(), 1.5707963267948966)};
  const Vec6<double> seen = express_force(reactions[1], Eigen::Vector3d::Zero(), X_WC);
  EXPECT_NEAR(seen[4], 3.0 * 9.81, 1e-12);                // z of W is y of C
  EXPECT_NEAR(seen.head<3>().norm(), 3.0 * 9.81, 1e-12);  // the arm of 1 m
}

}  // namespace
}  // namespace rigor
