#include "rigor/dynamics/free_motion.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/forward_dynamics.hpp"
#include "tests/support/random_forest.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_joint;

struct Moved {
  Eigen::VectorXd q, v;
};

Moved move_freely(const Model& model, const State& from, double T, int n) {
  FreeMotion motion(model);
  Moved out{from.q, from.v};
  Kinematics<double> kin;
  for (int i = 0; i < n; ++i) {
    compute_positions(model, out.q, kin);
    EXPECT_EQ(motion.move(kin, T / n, out.q, out.v), -1);
  }
  return out;
}

double kinetic(const Model& model, const Moved& at) {
  Kinematics<double> kin;
  compute_positions(model, at.q, kin);
  compute_velocities(model, at.v, kin);
  return compute_kinetic_energy(model, kin, at.v);
}

// Runge-Kutta by mass matrix and bias, another way than articulated bodies, in many short steps.
Moved reference(const Model& model, const State& from, double T, int n) {
  ForwardDynamics dynamics(model);
  Moved out{from.q, from.v};
  const double h = T / n, node[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int i = 0; i < n; ++i) {
    Moved rate[4], sum = out;
    for (int k = 0; k < 4; ++k) {
      Moved at = out;
      if (k > 0) at.q += h * node[k] * rate[k - 1].q, at.v += h * node[k] * rate[k - 1].v;
      compute_q_dot(model, at.q, at.v, rate[k].q);
      normalize(model, at.q);
      EXPECT_EQ(dynamics.compute(0.0, at.q, at.v), -1);
      rate[k].v = dynamics.acceleration();
      sum.q += h * weight[k] * rate[k].q;
      sum.v += h * weight[k] * rate[k].v;
    }
    normalize(model, sum.q);
    out = sum;
  }
  return out;
}

Scene weightless_forest(std::uint64_t seed, int bodies) {
  Scene scene = test::make_random_forest(seed, {.bodies = bodies});
  scene.gravity.setZero();
  for (Body& body : scene.bodies) body.joint.damping = body.joint.stiffness = 0.0;
  return scene;
}

TEST(FreeMotion, FollowsTheEquationsOfMotionOfRandomForests) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model model = make_model(weightless_forest(seed, 8));
    const State from = make_state(model);
    const Moved ours = move_freely(model, from, 0.05, 5), exact = reference(model, from, 0.05, 400);
    EXPECT_LT((ours.v - exact.v).norm(), 2e-5 * (1.0 + exact.v.norm())) << seed;
    EXPECT_LT((ours.q - exact.q).norm(), 2e-6 * (1.0 + exact.q.norm())) << seed;
  }
}

// Parts keep the error of a long step small: energy is kept however long it is.
TEST(FreeMotion, KeepsTheEnergyOfTreesThatTurnFast) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Scene scene = weightless_forest(seed, 6);
    const Model model = make_model(scene);
    State from = make_state(model);
    from.v *= 10.0;
    const double before = kinetic(model, {from.q, from.v});
    for (const double h : {1e-4, 1e-3})
      EXPECT_NEAR(kinetic(model, move_freely(model, from, 10 * h, 10)) / before, 1.0, 2e-4)
          << seed << ", " << h;
    // links that turn by several rad in a step lose some energy, and make none
    const double after = kinetic(model, move_freely(model, from, 0.1, 10)) / before;
    EXPECT_GT(after, 0.9) << seed;
    EXPECT_LT(after, 1.0 + 1e-3) << seed;
  }
}

// A bead on a rod that turns at ω: r = r₀ cosh ωt, and the motor takes 2 m ω r ṙ.
TEST(FreeMotion, HoldsPrescribedSpeedsAndTellsWhatThatTakes) {
  const double m = 0.3, omega = 2.0, r0 = 0.5, h = 0.01;
  Scene scene;
  scene.bodies.push_back(make_body("rod", 1.0, {0, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute)));
  scene.bodies.push_back(make_body("bead", m, {0, 0, 0}, {1e-4, 1e-4, 1e-4},
                                   make_joint(JointType::kPrismatic, {1, 0, 0}, "rod")));
  Motion drive;
  drive.name = "drive";
  drive.joint = "rod";
  drive.velocity = omega;
  scene.motions.push_back(drive);
  const Model model = make_model(scene);
  FreeMotion motion(model);
  Eigen::VectorXd q = Eigen::Vector2d(0.0, r0), v = Eigen::Vector2d(omega, 0.0);
  Kinematics<double> kin;
  for (int i = 1; i <= 50; ++i) {
    compute_positions(model, q, kin);
    ASSERT_EQ(motion.move(kin, h, q, v), -1);
    const double middle = omega * (i - 0.5) * h;
    EXPECT_EQ(v[0], omega);
    EXPECT_NEAR(q[1], r0 * std::cosh(omega * i * h), 1e-8);
    EXPECT_NEAR(motion.motor_forces()[0],
                2.0 * m * omega * r0 * r0 * omega * std::cosh(middle) * std::sinh(middle), 1e-3);
    EXPECT_EQ(motion.motor_forces()[1], 0.0);
  }
}

// To the last bit: nothing turns, or M does not change.
TEST(FreeMotion, MovesEvenlyWhereNothingTurns) {
  Scene scene;
  scene.bodies.push_back(
      make_body("hinge", 1.0, {0.1, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute)));
  scene.bodies.push_back(make_body("ball", 1.0, {0, 0, 0}, {0.1, 0.1, 0.1}));
  scene.bodies.push_back(
      make_body("slide", 1.0, {0.2, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
  scene.bodies.push_back(make_body("slide2", 1.0, {0.2, 0, 0}, {0.1, 0.2, 0.1},
                                   make_joint(JointType::kPrismatic, {0, 1, 0}, "slide")));
  const Model model = make_model(scene);
  State state = make_state(model);
  for (Eigen::Index i = 0; i < state.v.size(); ++i) state.v[i] = 0.1 * static_cast<double>(i + 1);
  const Moved ours = move_freely(model, state, 0.01, 1);
  rigor::move(model, 0.01 * state.v, state.q);
  EXPECT_EQ(ours.q, state.q);
  EXPECT_EQ(ours.v, state.v);
}

TEST(FreeMotion, LeavesOutTreesWithoutInertiaAndSaysSo) {
  Scene scene;
  scene.bodies.push_back(
      make_body("arm", 1.0, {0.1, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute)));
  EXPECT_FALSE(FreeMotion(make_model(scene)).leaves_out_trees());
  scene.bodies.push_back(
      make_body("ghost", 0.0, {0, 0, 0}, {0, 0, 0}, make_joint(JointType::kRevolute, {0, 1, 0}, "arm")));
  EXPECT_TRUE(FreeMotion(make_model(scene)).leaves_out_trees());
}

TEST(FreeMotion, RefusesWhatNoStepCanFollow) {
  Scene scene;
  scene.bodies.push_back(make_body("a", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kRevolute)));
  scene.bodies.push_back(
      make_body("b", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kRevolute, {0, 1, 0}, "a")));
  const Model model = make_model(scene);
  State state = make_state(model);
  state.v << 1.0, 1e9;
  const State before = state;
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  FreeMotion motion(model);
  EXPECT_EQ(motion.move(kin, 0.01, state.q, state.v), 2);
  EXPECT_EQ(state, before);
}

}  // namespace
}  // namespace rigor
