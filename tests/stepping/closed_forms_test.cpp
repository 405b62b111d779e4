// Motions with a formula, by both steppers: semi_implicit.cpp, runge_kutta4.cpp, stepper.cpp,
// step_report.cpp.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <numbers>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/stepping/runge_kutta4.hpp"
#include "rigor/stepping/semi_implicit.hpp"
#include "tests/support/random_forest.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using std::numbers::pi;
using test::kMinusY;
using test::make_body;
using test::make_constraint;
using test::make_joint;
using Method = RunSettings::Method;

// Steps from the assembled initial state to time T in n steps.
struct Trial {
  Trial(const Model& model, Method method, double T, int n)
      : stepper(make_stepper(model, {.method = method})) {
    state = assemble(model).state;
    for (int i = 0; i < n; ++i) {
      const StepReport report = stepper->step(state, T / n);
      EXPECT_EQ(report.status, StepStatus::kSolved) << report.message;
      if (report.status != StepStatus::kSolved) break;
      worst_error = std::max(worst_error, report.constraint_error);
      worst_residual = std::max(worst_residual, report.residual);
      worst_imbalance = std::max(worst_imbalance, report.energy.imbalance());
    }
  }
  std::unique_ptr<Stepper> stepper;
  State state;
  double worst_error{0.0}, worst_residual{0.0}, worst_imbalance{0.0};
};

// The order at which an error falls when the step is halved.
double fitted_order(const std::function<double(int)>& error, int n) {
  return std::log2(error(n) / error(2 * n));
}

int order_of(Method method) {
  return method == Method::kSemiImplicit ? 1 : 4;
}

constexpr Method kMethods[] = {Method::kSemiImplicit, Method::kRungeKutta4};

// The body "disc" rolls on the plane z = 0 on its rim of radius R, its axle along its y.
Constraint make_rolling_disc(double R) {
  RollingConstraint rolling;
  rolling.axis_a = Eigen::Vector3d::UnitY();
  rolling.radius = R;
  return make_constraint("roll", rolling, "disc");
}

Scene make_pendulum(double length, double angle) {
  Scene scene;
  scene.bodies.push_back(
      make_body("bob", 2.0, {0, 0, -length}, {0, 0, 0}, make_joint(JointType::kRevolute, kMinusY)));
  scene.bodies[0].joint.q = {angle};
  return scene;
}

// A point mass on a massless rod: T = 4 √(L/g) K(sin(θ₀/2)), K by the arithmetic-geometric mean.
TEST(ClosedForms, PendulumPeriod) {
  const double L = 0.8, theta = 1.2, g = 9.81;
  double a = 1.0, b = std::cos(theta / 2);
  for (int i = 0; i < 8; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  const double period = 2 * pi * std::sqrt(L / g) / a;
  const Model model = make_model(make_pendulum(L, theta));
  for (const Method method : kMethods) {
    const auto error = [&](int n) {
      const Trial run(model, method, period / 4, n);  // at the bottom
      return std::abs(run.state.q[0]);
    };
    EXPECT_NEAR(fitted_order(error, 40), order_of(method), 0.1);
  }
  const Trial run(model, Method::kRungeKutta4, period, 2000);
  EXPECT_NEAR(run.state.q[0], theta, 1e-10);
}

// The same bob held by a distance constraint instead of a joint.
TEST(ClosedForms, PendulumByADistanceConstraintIsThePendulumByAJoint) {
  const double L = 0.8, theta = 1.2;
  Scene scene;
  scene.bodies.push_back(make_body("bob", 2.0, Eigen::Vector3d::Zero(), {1e-3, 1e-3, 1e-3}));
  scene.bodies[0].pose.position = {L * std::sin(theta), 0, -L * std::cos(theta)};
  scene.constraints.push_back(make_constraint("rod", DistanceConstraint{{0, 0, 0}, {0, 0, 0}, L}, "bob"));
  const Model free = make_model(scene);
  const Model jointed = make_model(make_pendulum(L, theta));
  const Trial a(free, Method::kRungeKutta4, 1.0, 2000), b(jointed, Method::kRungeKutta4, 1.0, 2000);
  EXPECT_NEAR(a.state.q[0], L * std::sin(b.state.q[0]), 1e-10);
  EXPECT_NEAR(a.state.q[2], -L * std::cos(b.state.q[0]), 1e-10);
  EXPECT_LE(a.worst_error, 1e-12);
}

// Free of torque, a symmetric top precesses: ω about the axis of symmetry stays, its part across turns at
// Ω = (I₃ − I₁)/I₁ ω₃ in the body, and in space the axis goes round the angular momentum at |L|/I₁.
TEST(ClosedForms, TorqueFreeTop) {
  Scene scene;
  scene.gravity.setZero();
  scene.bodies.push_back(make_body("top", 1.0, Eigen::Vector3d::Zero(), {0.02, 0.02, 0.03}));
  scene.bodies[0].velocity.angular = {0.5, 0.0, 20.0};
  const Model model = make_model(scene);
  const double T = 0.7;
  const Eigen::Vector3d L = Eigen::Vector3d(0.02 * 0.5, 0.0, 0.03 * 20.0);
  const Eigen::Vector3d axis =
      Eigen::AngleAxisd(L.norm() / 0.02 * T, L.normalized()) * Eigen::Vector3d::UnitZ();
  for (const Method method : kMethods) {
    const auto error = [&](int n) {
      const Trial run(model, method, T, n);
      const Eigen::Quaterniond R(run.state.q[3], run.state.q[4], run.state.q[5], run.state.q[6]);
      return (R * Eigen::Vector3d::UnitZ() - axis).norm();
    };
    if (method == Method::kSemiImplicit)
      EXPECT_LT(error(7), 1e-13);  // bodies alone turn exactly, by 2 rad a step too
    else
      EXPECT_NEAR(fitted_order(error, 400), order_of(method), 0.15);
  }
}

// Momenta of free bodies: exact per step, whatever the shape and spin.
TEST(ClosedForms, FreeBodiesKeepTheirMomenta) {
  for (int seed = 0; seed < 20; ++seed) {
    test::Random random(static_cast<std::uint64_t>(seed));
    Scene scene;
    scene.gravity.setZero();
    Body body = make_body("body", random.uniform(0.1, 10), random.vector(0.3), {0.2, 0.5, 0.6});
    body.pose = random.pose();
    body.velocity = {random.vector(3.0), random.vector(8.0)};
    scene.bodies.push_back(body);
    const Model model = make_model(scene);
    SemiImplicitStepper stepper(model);
    State state = make_state(model);
    Kinematics<double> kin;
    const auto momenta = [&] {
      compute_positions(model, state.q, kin);
      compute_velocities(model, state.v, kin);
      return compute_momenta(model, kin);
    };
    Momenta before = momenta();
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(stepper.step(state, 1e-3).status, StepStatus::kSolved);
      const Momenta after = momenta();
      EXPECT_LE((after.linear - before.linear).norm(), 1e-13 * before.linear.norm());
      EXPECT_LE((after.angular_about_center - before.angular_about_center).norm(),
                1e-13 * before.angular_about_center.norm());
      before = after;
    }
  }
}

// Floating trees: both steppers follow motion without forces to fourth order, and where nothing turns much the
// semi-implicit one to second.
TEST(ClosedForms, FloatingTreesKeepMomentumAndEnergyToFourthOrder) {
  Scene scene;
  scene.gravity.setZero();
  scene.bodies.push_back(make_body("base", 2.0, {0.1, 0, 0}, {0.3, 0.2, 0.4}));
  scene.bodies[0].velocity = {{0.3, -0.2, 0.1}, {0.5, 1.0, -0.7}};
  scene.bodies.push_back(make_body("arm", 1.0, {0.3, 0, 0.1}, {0.05, 0.08, 0.06},
                                   make_joint(JointType::kBall, {0, 0, 1}, "base")));
  scene.bodies[1].pose.position = {0.5, 0, 0};
  scene.bodies[1].joint.v = {1.0, -2.0, 0.5};
  scene.bodies.push_back(make_body("hand", 0.5, {0, 0.2, 0}, {0.02, 0.01, 0.02},
                                   make_joint(JointType::kUniversal, {0, 0, 1}, "arm")));
  scene.bodies[2].pose.position = {0.6, 0, 0};
  scene.bodies[2].joint.v = {-1.0, 2.0};
  const Model model = make_model(scene);
  const auto measure = [&](const State& state) {
    Kinematics<double> kin;
    compute_positions(model, state.q, kin);
    compute_velocities(model, state.v, kin);
    const Momenta momenta = compute_momenta(model, kin);
    Eigen::Matrix<double, 7, 1> all;
    all << momenta.linear, momenta.angular, compute_kinetic_energy(model, kin, state.v);
    return all;
  };
  const auto before = measure(make_state(model));
  for (const Method method : kMethods) {
    for (int part = 0; part < 2; ++part) {
      const auto error = [&](int n) {
        const auto after = measure(Trial(model, method, 1.0, n).state);
        return part == 0 ? (after - before).head<6>().norm() : std::abs((after - before)[6]);
      };
      EXPECT_GE(fitted_order(error, 100), 3.85) << part;
      EXPECT_LT(error(100), 1e-6) << part;
      EXPECT_LT(error(2000), 1e-6) << part;
    }
  }
}

// Four-bar driven at its crank: the rocker's angle by trigonometry (Freudenstein), at every step.
TEST(ClosedForms, DrivenFourBarFollowsItsTrigonometry) {
  const double g = 0.5, a = 0.1, b = 0.4, c = 0.3, speed = 6.0;
  Scene scene = test::make_four_bar(g, a, b, c, 0.3);
  scene.motions.push_back({"drive", "crank", 0, Expression::parse("0.3 + 6*t"), std::nullopt, std::nullopt});
  const Model model = make_model(scene);
  for (const Method method : kMethods) {
    const int n = 1000;
    const Trial run(model, method, 1.0, n);
    const Scene expected = test::make_four_bar(g, a, b, c, 0.3 + speed);
    EXPECT_NEAR(run.state.q[2], expected.bodies[2].joint.q[0], 1e-10);
    EXPECT_NEAR(run.state.q[1] - expected.bodies[1].joint.q[0],
                std::round((run.state.q[1] - expected.bodies[1].joint.q[0]) / (2 * pi)) * 2 * pi, 1e-10);
    EXPECT_LE(run.worst_error, 1e-12);
    if (method == Method::kRungeKutta4) {
      // speed of the rocker by the ratio of its angle's change
      const double e = 1e-6;
      const double rate = speed *
                          (test::make_four_bar(g, a, b, c, 0.3 + speed + e).bodies[2].joint.q[0] -
                           test::make_four_bar(g, a, b, c, 0.3 + speed - e).bodies[2].joint.q[0]) /
                          (2 * e);
      EXPECT_NEAR(run.state.v[2], rate, 1e-8);
    }
  }
}

// Slider-crank: x = r cos θ + √(l² − r² sin² θ).
TEST(ClosedForms, DrivenSliderCrankFollowsItsTrigonometry) {
  const double r = 0.1, l = 0.35;
  Scene scene;
  scene.bodies = {
      make_body("crank", 1.0, {r / 2, 0, 0}, {1e-5, 1e-3, 1e-3}, make_joint(JointType::kRevolute, kMinusY)),
      make_body("rod", 0.5, {l / 2, 0, 0}, {1e-5, 5e-3, 5e-3},
                make_joint(JointType::kRevolute, kMinusY, "crank")),
      make_body("slider", 2.0, {0, 0, 0}, {1e-3, 1e-3, 1e-3}, make_joint(JointType::kPrismatic, {1, 0, 0}))};
  scene.bodies[1].pose.position = {r, 0, 0};
  scene.bodies[2].joint.q = {r + l};
  scene.constraints.push_back(make_constraint("pin", BallConstraint{{l, 0, 0}, {0, 0, 0}}, "rod", "slider"));
  scene.motions.push_back(
      {"drive", "crank", 0, Expression::parse("10*t + sin(3*t)"), std::nullopt, std::nullopt});
  const Model model = make_model(scene);
  for (const Method method : kMethods) {
    const Trial run(model, method, 1.3, 1300);
    const double theta = 13.0 + std::sin(3.9);
    EXPECT_NEAR(run.state.q[2], r * std::cos(theta) + std::sqrt(l * l - r * r * std::pow(std::sin(theta), 2)),
                1e-10);
  }
}

// Case G of the reference: a bead on a rod that turns at Ω about the vertical, without friction: r̈ = Ω² r,
// and the drive's torque is 2 m Ω r ṙ.
TEST(ClosedForms, BeadOnARotatingRodTakesItsDriveTorque) {
  const double m = 0.7, omega = 3.0, r0 = 0.2, v0 = 1.0, T = 1.0;
  Scene scene;
  scene.bodies = {
      make_body("rod", 1.0, {0, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kRevolute)),
      make_body("bead", m, {0, 0, 0}, {0, 0, 0}, make_joint(JointType::kPrismatic, {1, 0, 0}, "rod"))};
  scene.bodies[1].joint.q = {r0};
  scene.bodies[1].joint.v = {v0};
  scene.motions.push_back({"drive", "rod", 0, std::nullopt, omega, std::nullopt});
  const Model model = make_model(scene);
  const double r = r0 * std::cosh(omega * T) + v0 / omega * std::sinh(omega * T);
  const double v = r0 * omega * std::sinh(omega * T) + v0 * std::cosh(omega * T);
  for (const Method method : kMethods) {
    const auto error = [&](int n) { return std::abs(Trial(model, method, T, n).state.q[1] - r); };
    EXPECT_NEAR(fitted_order(error, 100), 4.0, 0.1);
    Trial run(model, method, T, 4000);
    State state = run.state;
    ASSERT_EQ(run.stepper->step(state, T / 4000).status, StepStatus::kSolved);
    EXPECT_NEAR(run.stepper->motor_forces()[0], 2 * m * omega * r * v,
                method == Method::kSemiImplicit ? 0.02 * m * omega * r * v : 1e-8);
  }
}

// A disc that rolls upright down a slope of angle α: a = (2/3) g sin α; its friction is a third of the
// weight's part.
TEST(ClosedForms, RollingDiscOnASlope) {
  const double m = 1.5, R = 0.2, alpha = 0.3, g = 9.81;
  Scene scene;
  scene.gravity = {g * std::sin(alpha), 0, -g * std::cos(alpha)};
  scene.bodies.push_back(make_body("disc", m, {0, 0, 0}, {m * R * R / 4, m * R * R / 2, m * R * R / 4}));
  scene.bodies[0].pose.position = {0, 0, R};
  scene.constraints.push_back(make_rolling_disc(R));
  const Model model = make_model(scene);
  for (const Method method : kMethods) {
    Trial run(model, method, 1.0, 500);
    const double tolerance = method == Method::kSemiImplicit ? 0.01 : 1e-9;
    EXPECT_NEAR(run.state.v[3], 2.0 / 3.0 * g * std::sin(alpha), tolerance);
    EXPECT_NEAR(run.state.q[0], 1.0 / 3.0 * g * std::sin(alpha), tolerance);
    EXPECT_NEAR(run.state.q[2], R, 1e-11);
    EXPECT_NEAR(run.stepper->multipliers(0)[0], m * g * std::cos(alpha), 1e-8);
    EXPECT_NEAR(std::abs(run.stepper->multipliers(0)[1]), m * g * std::sin(alpha) / 3.0, 1e-8);
  }
}

// A thin disc that leans by θ from the vertical and rolls in a circle, its plane turning at Ω about the
// vertical: with n = ω·axle, I₁ = m R²/4, I₃ = m R²/2 the lean stays where I₁ Ω² cos θ sin θ − (I₃ + m R²) n
// Ω cos θ = m g R sin θ.
TEST(ClosedForms, LeaningDiscKeepsItsCircle) {
  const double R = 0.3, theta = 0.4, omega = 2.5, g = 9.81;
  const double c = std::cos(theta), s = std::sin(theta);
  const double n = (0.25 * omega * omega * s * c - g * s / R) / (1.5 * omega * c);
  Scene scene;
  scene.gravity = {0, 0, -g};
  Body disc = make_body("disc", 1.0, {0, 0, 0}, {R * R / 4, R * R / 2, R * R / 4});
  disc.pose.rotation = quaternion_from_axis_angle(Eigen::Vector3d::UnitX(), theta);
  disc.pose.position = {0, 0, R * c};
  const Eigen::Vector3d axle(0, c, s), down(0, s, -c);  // y and −z of the disc, leaning
  // ω = Ω (vertical, its part across the axle) + n along the axle
  const Eigen::Vector3d vertical(0, 0, omega);
  const Eigen::Vector3d w = vertical - vertical.dot(axle) * axle + n * axle;
  disc.velocity.angular = w;
  disc.velocity.linear = -w.cross(R * down);
  scene.bodies.push_back(disc);
  scene.constraints.push_back(make_rolling_disc(R));
  const Model model = make_model(scene);
  const Trial run(model, Method::kRungeKutta4, 2 * pi / omega, 4000);
  EXPECT_NEAR(run.state.q[2], R * c, 1e-8);  // same lean after a whole turn
  EXPECT_NEAR(run.state.q[0], 0.0, 1e-7);    // and back at the start
  EXPECT_NEAR(run.state.q[1], 0.0, 1e-7);
}

// A knife edge on a slope of angle α, spinning at ω, starts at rest along x, down the slope: it never leaves
// a strip.
//   x = g sin α/(2ω²) sin²(ωt),   y = g sin α/(2ω²) (ωt − ½ sin 2ωt).     [Neimark, Fufaev 1972, ch. 2]
TEST(ClosedForms, KnifeEdgeOnAnIncline) {
  const double alpha = 0.35, g = 9.81, omega = 1.7, T = 2.0;
  Scene scene;
  scene.gravity = {g * std::sin(alpha), 0, -g * std::cos(alpha)};
  scene.bodies.push_back(make_body("skate", 1.0, {0, 0, 0}, {0.1, 0.1, 0.1}, make_joint(JointType::kPlanar)));
  scene.bodies[0].joint.v = {0, 0, omega};
  scene.constraints.push_back(
      make_constraint("edge", KnifeEdgeConstraint{{0, 0, 0}, Eigen::Vector3d::UnitY()}, "skate"));
  const Model model = make_model(scene);
  const double k = g * std::sin(alpha) / (2 * omega * omega);
  const Eigen::Vector2d end(k * std::pow(std::sin(omega * T), 2),
                            k * (omega * T - 0.5 * std::sin(2 * omega * T)));
  for (const Method method : kMethods) {
    const auto error = [&](int n) { return (Trial(model, method, T, n).state.q.head<2>() - end).norm(); };
    EXPECT_NEAR(fitted_order(error, 400), order_of(method), 0.15);
  }
}

// A door on three hinges: 15 equations of which 5 are independent; it swings as on one, and each carries a
// third.
TEST(ClosedForms, DoorOnThreeRedundantHinges) {
  const double m = 30.0, width = 0.9, tilt = 0.1, g = 9.81;
  Scene scene;
  scene.gravity = {g * std::sin(tilt), 0, -g * std::cos(tilt)};
  Body door = make_body("door", m, {width / 2, 0, 1.0},
                        {m * 4.0 / 12, m * (4.0 + width * width) / 12, m * width * width / 12});
  door.pose.rotation = quaternion_from_axis_angle(Eigen::Vector3d::UnitZ(), 1.0);
  scene.bodies.push_back(door);
  for (const double z : {0.2, 1.0, 1.8})
    scene.constraints.push_back(make_constraint(
        fmt::format("hinge_{}", z), HingeConstraint{{0, 0, z}, {0, 0, z}, {0, 0, 1}, {0, 0, 1}}, "door"));
  Scene single;
  single.gravity = scene.gravity;
  door.joint = make_joint(JointType::kRevolute);
  single.bodies.push_back(door);
  const Model model = make_model(scene), jointed = make_model(single);
  for (const Method method : kMethods) {
    Trial run(model, method, 1.0, 1000);
    const Trial reference(jointed, Method::kRungeKutta4, 1.0, 1000);
    const Eigen::Quaterniond R(run.state.q[3], run.state.q[4], run.state.q[5], run.state.q[6]);
    const double yaw = 2 * std::atan2(R.z(), R.w());
    EXPECT_NEAR(yaw, 1.0 + reference.state.q[0], method == Method::kSemiImplicit ? 5e-3 : 1e-9);
    // the weight along the hinge line: a third each
    const Eigen::VectorXd& forces = run.stepper->multipliers(0);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(forces[5 * k + 2], m * g * std::cos(tilt) / 3.0, 1e-6);
    State state = run.state;
    EXPECT_EQ(run.stepper->step(state, 1e-3).redundant_rows, 10);
    EXPECT_LE(run.worst_error, 1e-11);
  }
}

// Energy's bookkeeping closes on every step of a scene with everything in it.
TEST(ClosedForms, EnergyLedgerCloses) {
  Scene scene = test::make_four_bar(0.5, 0.1, 0.4, 0.3, 0.3);
  scene.motions.push_back({"drive", "crank", 0, std::nullopt, Expression::parse("5 + sin(t)"), std::nullopt});
  scene.bodies[2].joint.damping = 0.3;
  scene.bodies[2].joint.stiffness = 4.0;
  Body free = make_body("free", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.25});
  free.velocity = {{1, 2, 3}, {4, -5, 6}};
  scene.bodies.push_back(free);
  Spring spring;
  spring.name = "spring";
  spring.a = "free";
  spring.b = "rocker";
  spring.stiffness = 50.0;
  spring.damping = 2.0;
  spring.rest_length = 0.3;
  scene.springs.push_back(spring);
  scene.forces.push_back(
      {"push", "free", {0, 0.1, 0}, Force::Frame::kBodyAxes, {1.0, 2.0, 3.0}, {0.1, 0.0, 0.2}});
  const Model model = make_model(scene);
  const Trial run(model, Method::kSemiImplicit, 1.0, 1000);
  EXPECT_LE(run.worst_imbalance, 1e-12);
}

}  // namespace
}  // namespace rigor
