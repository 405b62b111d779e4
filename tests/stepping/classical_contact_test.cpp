// Covers semi_implicit.cpp by motions of rolling, sliding, toppling and falling bodies that have a formula or
// a differential equation (case H of the reference).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "rigor/model/body_mass.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

using std::numbers::pi;
using test::add_box;
using test::add_sphere;
using test::make_floor;

constexpr double kG = 9.81;
// y'' = f(y) by Runge-Kutta with steps far below those that are judged: (y, y') at T.
std::array<double, 2> integrate(double y, double rate, double T, const std::function<double(double)>& f) {
  const int n = 20000;
  const double h = T / n;
  for (int i = 0; i < n; ++i) {
    const double k1 = f(y), k2 = f(y + 0.5 * h * rate), k3 = f(y + 0.5 * h * rate + 0.25 * h * h * k1);
    const double k4 = f(y + h * rate + 0.5 * h * h * k2);
    y += h * rate + h * h / 6.0 * (k1 + k2 + k3);
    rate += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return {y, rate};
}

struct Classical {
  const char* name;
  std::function<Scene()> make;
  double T;                                          // s
  std::function<double(const Simulation&)> measure;  // at T
  double exact;
};

Scene make_rolling_ball(double v0, double w0, double mu) {
  Scene scene = make_floor(mu);
  Body& ball = add_sphere(scene, "ball", 0.1, 1.0, {0.0, 0.0, 0.1});
  ball.velocity.linear = {v0, 0.0, 0.0};
  ball.velocity.angular = {0.0, w0, 0.0};
  return scene;
}

Scene tilt(Scene scene, double angle) {
  scene.gravity = {kG * std::sin(angle), 0.0, -kG * std::cos(angle)};
  return scene;
}

Scene make_ramp(double mu) {
  return tilt(make_rolling_ball(0.0, 0.0, mu), pi / 6.0);
}

// A uniform rod of length L and 1 kg with a point at each end, its lower end at the origin, leaning to +x by
// `angle` from the vertical.
Body make_rod(double L, double angle) {
  Body rod;
  rod.name = "rod";
  rod.mass = 1.0;
  rod.inertia = {L * L / 12.0, L * L / 12.0, L * L / 12.0};
  rod.pose.position = {0.5 * L * std::sin(angle), 0.0, 0.5 * L * std::cos(angle)};
  for (const double side : {-0.5, 0.5}) {
    ShapeInstance end;
    end.geometry = Point{};
    end.pose.position = {side * L * std::sin(angle), 0.0, side * L * std::cos(angle)};
    end.material = "floor";
    rod.shapes.push_back(end);
  }
  return rod;
}

// 60° above the floor, its upper end on a wall without friction: it leaves the wall and slides on.
Scene make_ladder() {
  Scene scene = make_floor(0.0);
  scene.planar = Plane::kXZ;
  const double L = 2.0;
  Body rod = make_rod(L, -pi / 6.0);  // leans to −x
  rod.pose.position.x() += L * std::sin(pi / 6.0);
  scene.bodies.push_back(rod);
  ShapeInstance wall = scene.shapes[0];
  wall.pose.rotation = Eigen::AngleAxisd(0.5 * pi, Eigen::Vector3d::UnitY());  // its normal is +x
  scene.shapes.push_back(wall);
  return scene;
}

// Falls from 5° with the speed it would have from the vertical.
Scene make_pencil(double mu) {
  Scene scene = make_floor(mu);
  scene.planar = Plane::kXZ;
  const double angle = pi / 36.0, w = std::sqrt(3.0 * kG * (1.0 - std::cos(angle)));
  Body rod = make_rod(1.0, angle);
  rod.velocity.angular = {0.0, w, 0.0};
  rod.velocity.linear = Eigen::Vector3d(0.0, w, 0.0).cross(rod.pose.position);
  scene.bodies.push_back(rod);
  return scene;
}

// A spool of 2 kg, R = 0.2 m, pulled by 3 N at 30° from its drum of 0.1 m.
Scene make_spool() {
  Scene scene = make_floor(0.5);
  scene.planar = Plane::kXZ;
  Body& spool = add_sphere(scene, "spool", 0.2, 2.0, {0.0, 0.0, 0.2});
  spool.inertia = {0.04, 0.04, 0.04};
  Force pull;
  pull.name = "pull";
  pull.body = "spool";
  pull.force = {3.0 * std::cos(pi / 6.0), 0.0, 3.0 * std::sin(pi / 6.0)};
  pull.torque = {0.0, -0.3, 0.0};
  scene.forces.push_back(pull);
  return scene;
}

Scene make_block(double width, double height, double slope) {
  Scene scene = tilt(make_floor(0.5), slope);
  scene.planar = Plane::kXZ;
  add_box(scene, "block", {width, 0.3, height}, 1.0, {0.0, 0.0, 0.5 * height});
  return scene;
}

Scene make_spin() {
  Scene scene = test::make_spinning_cube(false);
  scene.bodies[0].velocity.linear.setZero();
  return scene;
}

std::vector<Classical> all_cases() {
  const auto x = [](const Simulation& s) { return s.state().q[0]; };
  const auto turned = [](const Simulation& s) { return s.state().q[2]; };
  const double t1 = 0.291247997670016, topple = 25.0 * pi / 180.0;
  // the block turns about its lower corner: I θ'' = m g d sin(θ + slope − atan(width/height))
  const double d = 0.5 * std::hypot(0.4, 1.0), I = (0.16 + 1.0) / 12.0 + d * d, corner = std::atan(0.4);
  const double toppled =
      integrate(0.0, 0.0, 0.8, [&](double y) { return kG * d / I * std::sin(y + topple - corner); })[0];
  const double fallen = integrate(pi / 36.0, std::sqrt(3.0 * kG * (1.0 - std::cos(pi / 36.0))), 0.3,
                                  [](double y) { return 1.5 * kG * std::sin(y); })[0];
  return {{"slide to roll", [] { return make_rolling_ball(3.0, 0.0, 0.3); }, 0.5, x,
           0.7489234225800412 + 2.142857142857143 * (0.5 - t1)},
          {"back spin", [] { return make_rolling_ball(2.0, -60.0, 0.2); }, 1.0, x, 2.0 - 0.5 * 0.2 * kG},
          {"ramp, rolling", [] { return make_ramp(0.2); }, 1.0, x, 1.7517857142857143},
          {"ramp, sliding", [] { return make_ramp(0.1); }, 1.0, x, 2.0277145394437324},
          {"ladder", make_ladder, 0.6, x,
           std::cos(0.615479708670387) + 1.1899376181916246 * (0.6 - 0.45966282637674816)},
          {"pencil", [] { return make_pencil(1.0); }, 0.3,
           [](const Simulation& s) { return pi / 36.0 - s.state().q[2]; }, fallen},
          {"spool", make_spool, 1.0, x, 0.5 * 0.3660254037844386},
          {"block slides", [] { return make_block(1.0, 0.5, pi / 6.0); }, 0.5, x,
           0.125 * kG * (0.5 - 0.5 * std::cos(pi / 6.0))},
          {"block topples", [=] { return make_block(0.4, 1.0, topple); }, 0.8,
           [=](const Simulation& s) { return -turned(s); }, toppled},
          {"spin", make_spin, 0.1,
           [](const Simulation& s) { return 2.0 * std::atan2(s.state().q[6], s.state().q[3]); },
           2.0 * pi * (0.1 - 0.005 / 0.15096442195577184)}};
}

double error_of(const Classical& example, double h) {
  Scene scene = example.make();
  scene.run.dt = h;
  scene.run.until = example.T;
  Simulation simulation(scene);
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << example.name << ": " << report.message;
    if (report.status != StepStatus::kSolved) break;
  }
  EXPECT_LT(simulation.totals().worst_imbalance, 1e-12) << example.name;
  EXPECT_LE(simulation.totals().energy.friction, 1e-15) << example.name;
  return std::abs(example.measure(simulation) / example.exact - 1.0);
}

TEST(ClassicalContact, FirstOrderToTheClosedForm) {
  for (const Classical& example : all_cases()) {
    const double h = 1e-3, coarse = error_of(example, h), fine = error_of(example, 0.5 * h);
    EXPECT_LE(coarse, 5.0 * h / example.T) << example.name;
    EXPECT_LE(fine, 2.5 * h / example.T) << example.name;
    EXPECT_NEAR(std::log2(coarse / fine), 1.0, 0.1) << example.name << ": " << coarse << " " << fine;
  }
}

// The foot of a falling pencil slips backward at 15.52° for mu = 0.2, forward at 51.98° for mu = 0.5.
TEST(ClassicalContact, APencilSlipsWhereTheForceLeavesTheCone) {
  for (const auto& [mu, angle, sign] :
       {std::tuple{0.2, 0.2708620856068016, -1.0}, {0.5, 0.9071847157544684, 1.0}}) {
    Scene scene = make_pencil(mu);
    scene.run.dt = 1e-4;
    Simulation simulation(scene);
    while (!simulation.is_finished()) {
      ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
      const ContactReport& foot = simulation.stepper().contacts().front();
      if (foot.mode != ContactMode::kSliding) continue;
      EXPECT_NEAR(pi / 36.0 - simulation.state().q[2], angle, 5e-3) << mu;
      EXPECT_GT(sign * foot.velocity.x(), 0.0) << mu;
      break;
    }
  }
}

// A block of its own material on a slope.
Scene make_sledge(const Material& material, double slope, const Eigen::Vector3d& velocity) {
  Scene scene = tilt(make_floor(0.9), slope);
  Material runner = material;
  runner.name = "runner";
  scene.materials.push_back(runner);
  Body& sledge = add_box(scene, "sledge", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
  sledge.shapes[0].material = "runner";
  sledge.velocity.linear = velocity;
  return scene;
}

// Friction on an ellipse is the one of most dissipation: −D² u/‖D u‖ times the load, D = diag(mu).
TEST(ClassicalContact, AnEllipticConeDissipatesMost) {
  Material ski;
  ski.mu = {0.1, 0.4};
  Scene scene = make_sledge(ski, 0.0, {2.0, 1.0, 0.0});
  Simulation simulation(scene);
  ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  for (const ContactReport& contact : simulation.stepper().contacts()) {
    const Eigen::Vector2d u = contact.velocity.head<2>(), scaled(0.1 * u.x(), 0.4 * u.y());
    const Eigen::Vector2d expected =
        -Eigen::Vector2d(0.01 * u.x(), 0.16 * u.y()) / scaled.norm() * contact.force.z();
    EXPECT_LT((contact.force.head<2>() - expected).norm(), 1e-9);
  }
}

TEST(ClassicalContact, StaticFrictionHoldsUntilItSlips) {
  Material dry;
  dry.mu = {0.3, 0.3};
  dry.mu_static = 0.5;
  const double slope = std::atan(0.4);
  Simulation holds(make_sledge(dry, slope, Eigen::Vector3d::Zero()));
  while (!holds.is_finished()) ASSERT_EQ(holds.step().status, StepStatus::kSolved);
  EXPECT_LT(std::abs(holds.state().q[0]), 1e-12);
  Simulation slips(make_sledge(dry, slope, {0.1, 0.0, 0.0}));
  while (!slips.is_finished()) ASSERT_EQ(slips.step().status, StepStatus::kSolved);
  EXPECT_NEAR(slips.state().v[3], 0.1 + kG * (std::sin(slope) - 0.3 * std::cos(slope)), 1e-9);
}

TEST(ClassicalContact, StribecksCurveIsFollowed) {
  Material brake;
  brake.mu = {0.3, 0.3};
  brake.mu_curve = Expression::parse("0.3 + 0.2*exp(-s/0.5)");
  double v = 3.0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {  // v' = −g μ(v) over 0.5 s, by the midpoint rule
    const auto rate = [](double s) { return -kG * (0.3 + 0.2 * std::exp(-s / 0.5)); };
    v += 0.5 / n * rate(v + 0.25 / n * rate(v));
  }
  Scene scene = make_sledge(brake, 0.0, {3.0, 0.0, 0.0});
  scene.run.until = 0.5;
  Simulation simulation(scene);
  while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  EXPECT_NEAR(simulation.state().v[3], v, 5.0 * scene.run.dt / 0.5 * v);
}

// The slides' algorithm: positions move with the velocity that the step begins with.
TEST(ClassicalContact, PositionsMayMoveFirst) {
  Scene scene = make_rolling_ball(3.0, 0.0, 0.3);
  scene.run.positions = RunSettings::Positions::kBefore;
  scene.run.dt = 1e-3;
  Simulation simulation(scene);
  for (int i = 0; i < 5; ++i) {
    const double x = simulation.state().q[0], v = simulation.state().v[3];
    ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    EXPECT_DOUBLE_EQ(simulation.state().q[0], x + 1e-3 * v);
    EXPECT_NEAR(simulation.state().v[3], v - 0.3 * kG * 1e-3, 1e-12);
  }
}

TEST(ClassicalContact, ABlockThatCanStandStands) {
  Scene scene = make_block(0.4, 1.0, pi / 12.0);
  scene.run.until = 5.0;
  Simulation simulation(scene);
  while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  EXPECT_LT(simulation.totals().sticking_drift, 1e-12);
}

// In every plane a square stands on its edge, and a disk thrown without spin ends rolling at 2/3 of its
// speed: its angular momentum about the contact, m r v + m r²/2 ω, stays.
TEST(ClassicalContact, FlatShapesInEveryPlane) {
  for (const Plane plane : {Plane::kXY, Plane::kXZ, Plane::kYZ}) {
    const Eigen::Matrix3d axes = plane_axes(plane);
    Scene scene = test::make_floor(0.4);
    scene.planar = plane;
    scene.gravity = -9.81 * axes.col(1);
    scene.shapes[0].pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), axes.col(1));
    Body square, disk;
    square.name = "square";
    square.mass = 1.0;
    square.pose.position = 0.5 * axes.col(1) - 3.0 * axes.col(0);
    square.shapes.emplace_back().geometry = Polygon{{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}};
    disk.name = "disk";
    disk.mass = 2.0;
    disk.pose.position = 0.25 * axes.col(1);
    disk.velocity.linear = 3.0 * axes.col(0);
    disk.shapes.emplace_back().geometry = Disk{0.25};
    scene.bodies = {square, disk};
    scene.run.dt = 1e-2;
    scene.run.until = 1.0;
    Simulation simulation(scene);
    const State first = simulation.state();
    while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    EXPECT_LT((simulation.state().q.head(3) - first.q.head(3)).norm(), 1e-12) << static_cast<int>(plane);
    EXPECT_NEAR(simulation.state().v.segment(3, 2).norm(), 2.0, 1e-9) << static_cast<int>(plane);
    EXPECT_NEAR(std::abs(simulation.state().v[5]), 8.0, 1e-8) << static_cast<int>(plane);
  }
}

}  // namespace
}  // namespace rigor
