// Springs, dampers and constraints that give way: semi_implicit.cpp, island_rows.cpp.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/free_motion.hpp"
#include "rigor/stepping/semi_implicit.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/random_forest.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::make_body;
using test::make_constraint;
using test::make_joint;
using Method = RunSettings::Method;

Spring make_spring(const std::string& a, const std::string& b, double k, double damping, double rest = 0.0) {
  Spring spring;
  spring.name = a + "-" + b;
  spring.a = a;
  spring.b = b;
  spring.stiffness = k;
  spring.damping = damping;
  spring.rest_length = rest;
  return spring;
}

// The slides' linearly implicit step with explicit matrices: M̂ = M + Σ (h b + h² k) g gᵀ, M̂ v⁺ = M v + h (f −
// c − Σ k x g).
TEST(Springs, RelaxedRowsAreTheLinearlyImplicitStep) {
  const double h = 0.01;
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    const auto id = static_cast<std::uint64_t>(seed);
    Scene scene = test::make_random_forest(id, {.bodies = 3 + seed % 10});
    for (Body& body : scene.bodies)
      if (body.joint.type == JointType::kFree) {  // so that c is complete
        body.joint = make_joint(JointType::kRevolute);
        body.velocity = {};
      }
    test::Random random(id);
    for (int k = 0; k < 5; ++k) {
      const int a = random.index(static_cast<int>(scene.bodies.size()));
      Spring spring = make_spring(scene.bodies[static_cast<std::size_t>(a)].name, kWorld,
                                  random.uniform(10, 1e4), random.uniform(0, 100), 0.2);
      spring.name += std::to_string(k);
      spring.point_a = random.vector();
      spring.point_b = random.vector();
      scene.springs.push_back(spring);
    }
    for (Body& body : scene.bodies)
      if (joint_size(body.joint.type).v == 1 && body.joint.type != JointType::kFixed) {
        body.joint.stiffness = random.uniform(0, 100);
        body.joint.damping = random.uniform(0, 10);
      }
    const Model model = make_model(scene);
    if (model.nv == 0) continue;
    State state = make_state(model);

    ConstrainedSystem system(model);
    system.set_motion(state.q, state.v);
    system.compute_rows(0.0);
    system.compute_inertia(VectorXd::Zero(model.nv));
    MatrixXd M = system.M().to_dense();
    // gravity alone: c acts in the motion without forces that follows
    Kinematics<double> kin;
    compute_positions(model, state.q, kin);
    compute_velocities<double>(model, VectorXd::Zero(model.nv), kin);
    InverseDynamicsWorkspace workspace;
    VectorXd bias;
    compute_bias(model, kin, workspace, bias);
    VectorXd rhs = M * state.v - h * bias;
    add_joint_spring_forces(model, state.q, bias.setZero());
    rhs += h * bias;
    for (const ModelBody& body : model.bodies)
      for (int k = body.v0; k < body.v0 + body.nv; ++k) M(k, k) += h * body.damping + h * h * body.stiffness;
    for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
      const Island& island = system.islands().list[i];
      for (int r = 0; r < island.rows; ++r) {
        VectorXd g = VectorXd::Zero(model.nv);
        for (const TreeRange& tree : island.trees)
          g.segment(tree.begin, tree.end - tree.begin) =
              system.rows(i).Jt.col(r).segment(tree.offset, tree.end - tree.begin);
        const double k = system.rows(i).stiffness[r], b = system.rows(i).damping[r];
        M += (h * b + h * h * k) * g * g.transpose();
        rhs -= h * k * system.rows(i).error[r] * g;
      }
    }
    VectorXd expected = M.ldlt().solve(rhs), q = state.q;
    ASSERT_EQ(FreeMotion(model).move(kin, h, q, expected), -1);
    SemiImplicitStepper stepper(model);
    ASSERT_EQ(stepper.step(state, h).status, StepStatus::kSolved);
    EXPECT_LE((state.v - expected).norm(), 1e-11 * (1.0 + expected.norm()));
  }
}

// γ → ∞: ∇φᵀ v⁺ = −φ/h.
TEST(Springs, InfiniteStiffnessIsAConstraintThatClosesItsGapInOneStep) {
  const double h = 0.01;
  Scene scene;
  scene.bodies.push_back(make_body("bob", 1.0, {0, 0, 0}, {0.1, 0.1, 0.1}));
  scene.bodies[0].pose.position = {0.3, 0.2, -0.5};
  scene.bodies[0].velocity.linear = {1.0, -2.0, 0.5};
  Constraint rod = make_constraint("rod", DistanceConstraint{{0, 0, 0}, {0, 0, 0}, 0.6}, "bob");
  rod.stiffness = 1e12;
  scene.constraints.push_back(rod);
  const Model model = make_model(scene);
  State state = assemble(model).state;
  const Eigen::Vector3d d(0.3, 0.2, -0.5);
  SemiImplicitStepper stepper(model);
  ASSERT_EQ(stepper.step(state, h).status, StepStatus::kSolved);
  EXPECT_NEAR(d.normalized().dot(state.v.tail<3>()), -(d.norm() - 0.6) / h, 1e-6);
}

// Case C of the reference without its friction: two carts and a damper, implicit: relative speed falls by
// 1/(1 + 2 δ h/m).
TEST(Springs, ImplicitDamperNeverOvershoots) {
  const double m = 1.0, h = 0.05;
  for (const double delta : {20.0, 100.0, 1e4, 1e8}) {
    Scene scene;
    scene.gravity.setZero();
    for (const char* name : {"one", "two"})
      scene.bodies.push_back(
          make_body(name, m, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
    scene.bodies[1].joint.q = {3.0};
    scene.bodies[1].joint.v = {1.0};
    scene.springs.push_back(make_spring("two", "one", 0.0, delta));
    const Model model = make_model(scene);
    State state = make_state(model);
    SemiImplicitStepper stepper(model);
    double expected = 1.0;
    for (int i = 0; i < 10; ++i) {
      ASSERT_EQ(stepper.step(state, h).status, StepStatus::kSolved);
      expected /= 1.0 + 2.0 * delta * h / m;
      EXPECT_NEAR(state.v[1] - state.v[0], expected, 1e-14);
    }
  }
}

// A rope holds only when taut: the bob falls free, then hangs.
TEST(Springs, ARopePullsAndNeverPushes) {
  Scene scene;
  scene.bodies.push_back(
      make_body("bob", 1.0, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {0, 0, 1})));
  Spring rope = make_spring("bob", kWorld, 1000.0, 50.0, 0.5);
  rope.side = Spring::Side::kTension;
  scene.springs.push_back(rope);
  scene.bodies[0].joint.q = {-0.1};
  const Model model = make_model(scene);
  for (const Method method : {Method::kSemiImplicit, Method::kRungeKutta4}) {
    const auto stepper = make_stepper(model, {.method = method});
    State state = make_state(model);
    for (int i = 0; i < 200; ++i) {  // 0.2 s of free fall: 0.2 m
      ASSERT_EQ(stepper->step(state, 1e-3).status, StepStatus::kSolved);
      EXPECT_EQ(stepper->multipliers(0)[0], 0.0);
    }
    EXPECT_NEAR(state.q[0], -0.1 - 0.5 * 9.81 * 0.04, 2e-3);
    for (int i = 0; i < 5000; ++i) {
      ASSERT_EQ(stepper->step(state, 1e-3).status, StepStatus::kSolved);
      EXPECT_LE(stepper->multipliers(0)[0], 0.0);
    }
    EXPECT_NEAR(state.q[0], -0.5 - 9.81 / 1000.0, 1e-6);
  }
}

// A bumper only pushes: a mass thrown at it comes back with its speed less the damper's work.
TEST(Springs, ABumperPushesAndNeverPulls) {
  Scene scene;
  scene.gravity.setZero();
  scene.bodies.push_back(
      make_body("cart", 1.0, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
  Spring bumper = make_spring("cart", kWorld, 400.0, 0.0, 0.3);
  bumper.side = Spring::Side::kCompression;
  scene.springs.push_back(bumper);
  scene.bodies[0].joint.q = {0.5};
  scene.bodies[0].joint.v = {-2.0};
  const Model model = make_model(scene);
  State state = make_state(model);
  SemiImplicitStepper stepper(model);
  for (int i = 0; i < 40000; ++i) ASSERT_EQ(stepper.step(state, 1e-5).status, StepStatus::kSolved);
  EXPECT_NEAR(state.v[0], 2.0, 0.02);  // implicit Euler takes a little
  EXPECT_GT(state.q[0], 0.3);
}

// Duffing's oscillator F = k x + c x³ as a law: its energy is kept at the order of the method.
TEST(Springs, ALawIsANonlinearSpring) {
  Scene scene;
  scene.gravity.setZero();
  scene.bodies.push_back(
      make_body("cart", 2.0, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
  Spring spring = make_spring("cart", kWorld, 0.0, 0.0, 1.0);
  spring.law = Expression::parse("50*x + 800*x^3");
  scene.springs.push_back(spring);
  scene.bodies[0].joint.q = {1.4};
  const Model model = make_model(scene);
  const double energy = 25 * 0.16 + 200 * std::pow(0.4, 4);
  const auto stepper = make_stepper(model, {.method = Method::kRungeKutta4});
  State state = make_state(model);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(stepper->step(state, 1e-3).status, StepStatus::kSolved);
  const double x = state.q[0] - 1.0;
  EXPECT_NEAR(state.v[0] * state.v[0] + 25 * x * x + 200 * std::pow(x, 4), energy, 1e-8);
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, state.v, kin);
  EXPECT_NEAR(compute_potential_energy(model, state.q, 0.0, kin).springs, 25 * x * x + 200 * std::pow(x, 4),
              1e-12);
}

// A speed that is held by a damper only: m v' = −b (v − 2), implicit in every step.
TEST(Springs, AConstraintOnVelocitiesGivesWayByDampingAlone) {
  const double m = 1.5, b = 6.0, h = 0.01;
  Scene scene;
  scene.gravity.setZero();
  scene.bodies.push_back(
      make_body("cart", m, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
  Constraint pull = make_constraint("pull", SpeedConstraint{{0, 0, 0}, {1, 0, 0}, 2.0}, "cart");
  pull.damping = b;
  scene.constraints.push_back(pull);
  const Model model = make_model(scene);
  State state = assemble(model).state;
  EXPECT_EQ(state.v[0], 0.0);
  SemiImplicitStepper stepper(model);
  double v = 0.0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(stepper.step(state, h).status, StepStatus::kSolved);
    v = (m * v + h * b * 2.0) / (m + h * b);
    EXPECT_NEAR(state.v[0], v, 1e-12);
  }
}

// A gear that gives way is a torsional spring between two joints; rigid, it keeps q_a = ratio q_b + offset.
TEST(Springs, GearsHoldAndGiveWay) {
  Scene scene;
  scene.gravity.setZero();
  for (const char* name : {"one", "two"})
    scene.bodies.push_back(make_body(name, 1.0, {0, 0, 0}, {1, 1, 0.5}, make_joint(JointType::kRevolute)));
  Gear gear;
  gear.name = "gear";
  gear.joint_a = "one";
  gear.joint_b = "two";
  gear.ratio = -2.0;
  gear.offset = 0.3;
  scene.gears.push_back(gear);
  scene.motors.push_back({"motor", "two", 0, 1.0});
  const Model rigid = make_model(scene);
  State state = assemble(rigid).state;
  SemiImplicitStepper stepper(rigid);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(stepper.step(state, 0.01).status, StepStatus::kSolved);
  EXPECT_NEAR(state.q[0], -2.0 * state.q[1] + 0.3, 1e-12);
  EXPECT_NEAR(state.v[1], 1.0 / (0.5 + 4 * 0.5), 1e-12);  // both inertias as seen from joint two

  scene.gears[0].stiffness = 100.0;
  scene.gears[0].damping = 20.0;
  scene.motors[0].effort = 0.0;
  scene.bodies[0].joint.q = {0.8};
  const Model soft = make_model(scene);
  state = assemble(soft).state;
  EXPECT_EQ(state.q[0], 0.8);  // not assembled: it gives way
  SemiImplicitStepper other(soft);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(other.step(state, 0.01).status, StepStatus::kSolved);
  EXPECT_NEAR(state.q[0], -2.0 * state.q[1] + 0.3, 1e-9);
  EXPECT_NEAR(2.0 * state.v[0] + state.v[1], 0.0, 1e-9);
}

// A damper between bodies at 1e8 m/s: the factor leaves 1e-9 m/s and more of its row, above the tolerance.
TEST(Springs, WhatAFactorLeavesAboveTheToleranceIsCalledRounding) {
  for (const double speed : {1.0, 1e8}) {
    Scene scene;
    scene.gravity.setZero();
    for (const char* name : {"a", "b"})
      scene.bodies.push_back(make_body(name, 1.0, Eigen::Vector3d::Ones(), Eigen::Vector3d::Zero(),
                                       make_joint(JointType::kPrismatic)));
    scene.bodies[0].joint.v = {speed};
    scene.bodies[1].joint.v = {speed / 3.0};
    scene.bodies[1].pose.position = {0.0, 0.0, 1.0};
    scene.springs.push_back(make_spring("a", "b", 0.0, 1e7));
    Simulation simulation(scene);
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.is_taken()) << report.message;
    EXPECT_EQ(report.status,
              report.residual > scene.run.tolerance ? StepStatus::kRounding : StepStatus::kSolved);
    EXPECT_EQ(report.residual > scene.run.tolerance, speed > 1.0) << report.residual;
  }
}

// A slider of 1 kg and one of `ratio` kg move along z as one; gravity pulls at both, and the light one may be held.
Scene make_tied_sliders(double ratio, double speed) {
  Scene scene;
  scene.gravity = {0.0, 0.0, -9.81};
  for (const char* name : {"light", "heavy"}) {
    Joint slide = make_joint(JointType::kPrismatic);
    slide.v = {speed};
    scene.bodies.push_back(make_body(name, 1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones(), slide));
  }
  scene.bodies[1].mass = ratio;
  Gear gear;
  gear.name = "tie";
  gear.joint_a = "light";
  gear.joint_b = "heavy";
  scene.gears.push_back(gear);
  return scene;
}

Constraint hold(const char* body, const char* speed) {
  return make_constraint(std::string("hold ") + body,
                         SpeedConstraint{{0, 0, 0}, {0, 0, 1}, Expression::parse(speed)}, body);
}

// The impulses that hold 1e10 kg cancel at a body of 1 kg: what they leave there is no contradiction.
TEST(Springs, RowsAreTakenAtAnyMassRatio) {
  for (const double ratio : {1.0, 1e5, 1e10})
    for (const double speed : {0.0, 10.0, 1e6}) {
      SCOPED_TRACE(testing::Message() << ratio << " kg, " << speed << " m/s");
      Simulation falls(make_tied_sliders(ratio, speed));
      ASSERT_TRUE(falls.step().is_taken());
      const double fallen = speed - 9.81 * falls.settings().dt;
      for (const double v : falls.state().v) EXPECT_NEAR(v, fallen, 1e-15 * (1.0 + speed) + 1e-12);

      Scene scene = make_tied_sliders(ratio, speed);
      scene.constraints = {hold("light", "0.0"), hold("heavy", "0.0")};
      Simulation held(scene);
      const StepReport report = held.step();
      ASSERT_TRUE(report.is_taken()) << report.message;
      EXPECT_EQ(report.redundant_rows, 1);
      for (const double v : held.state().v) EXPECT_NEAR(v, 0.0, 1e-15 * speed + 1e-12);
    }
}

// Two rows that begin to differ by 2e-9 m/s, where all else rests: more than any rounding of numbers as these.
TEST(Springs, ASmallContradictionIsNotCalledRounding) {
  for (const double ratio : {1.0, 1e5, 1e10}) {
    Scene scene = make_tied_sliders(ratio, 0.0);
    scene.gravity.setZero();
    scene.constraints = {hold("light", "0.0"), hold("heavy", "2e-9*step(t - 0.0005)")};
    Simulation simulation(scene);
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kInconsistent) << ratio << " kg";
    EXPECT_NE(report.message.find("the constraints contradict each other"), std::string::npos)
        << report.message;
  }
}

}  // namespace
}  // namespace rigor
