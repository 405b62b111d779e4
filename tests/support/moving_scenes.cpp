#include "tests/support/moving_scenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/math/random.hpp"
#include "tests/support/robot_scenes.hpp"

namespace rigor::test {
namespace {

Scene make_floor() {
  Scene scene;
  Material material;
  material.name = "stone";
  material.mu = {0.5, 0.5};
  scene.materials.push_back(material);
  ShapeInstance floor;
  floor.geometry = HalfSpace{};
  floor.material = "stone";
  scene.shapes.push_back(floor);
  scene.run.dt = 1.0 / 240.0;
  scene.run.until = 1e6;
  return scene;
}

Body& put(Scene& scene, const Shape& shape, double mass, const Eigen::Vector3d& position) {
  Body body;
  body.name = fmt::format("b{}", scene.bodies.size());
  body.mass = mass;
  body.pose.position = position;
  ShapeInstance instance;
  instance.geometry = shape;
  instance.material = "stone";
  body.shapes.push_back(instance);
  return scene.bodies.emplace_back(body);
}

Eigen::Quaterniond turn_at_random(Random& random) {
  Eigen::Quaterniond q;
  for (double* const entry : {&q.w(), &q.x(), &q.y(), &q.z()}) *entry = random.gaussian();
  return q.normalized();
}

constexpr double kWater = 1000.0;  // kg/m³
constexpr double kBin = 1.5;       // m, along x and y

// A floor with four walls about the middle.
Scene make_bin() {
  Scene scene = make_floor();
  for (const Eigen::Vector3d& normal : {Eigen::Vector3d{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}) {
    ShapeInstance side = scene.shapes.front();
    side.pose.position = -0.5 * kBin * normal;
    side.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), normal);
    scene.shapes.push_back(side);
  }
  return scene;
}

// Twelve points on a sphere.
Hull make_stone(Random& random) {
  Hull stone;
  const double radius = random.uniform(0.07, 0.095);
  for (int k = 0; k < 12; ++k) {
    Eigen::Vector3d point;
    for (double& x : point) x = random.gaussian();
    stone.points.emplace_back(radius * point.normalized());
  }
  return stone;
}

// Spheres, boxes, capsules and stones by turns.
Shape make_mixed_shape(int k, Random& random) {
  if (k % 4 == 0) return Sphere{random.uniform(0.05, 0.09)};
  if (k % 4 == 1) {
    Eigen::Vector3d size;
    for (double& length : size) length = random.uniform(0.08, 0.12);
    return Box{size};
  }
  if (k % 4 == 2) {
    const double radius = random.uniform(0.03, 0.045);
    return Capsule{radius, random.uniform(0.06, 0.11)};
  }
  return make_stone(random);
}

struct Links {
  double radius;   // m, of a capsule
  double slack;    // m, between the capsules of neighbours
  double damping;  // N m s/rad, of a joint
};

// Capsules on ball joints from point to point, the first one free; names as put() gives them.
void add_chain(Scene& scene, const std::vector<Eigen::Vector3d>& points, const Links& links) {
  Pose before;  // of the link before
  double half_before = 0.0;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Eigen::Vector3d along = points[k + 1] - points[k];
    const double half = 0.5 * along.norm();
    Pose pose;
    pose.position = 0.5 * (points[k] + points[k + 1]);
    pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), along);
    const double length = 2.0 * (half - links.radius) - links.slack;
    Body& link = put(scene, Capsule{links.radius, length}, 0.0, pose.position);
    link.mass.reset();
    link.density = kWater;
    link.pose = pose;
    if (k > 0) {
      link.joint.type = JointType::kBall;
      link.joint.parent = scene.bodies[scene.bodies.size() - 2].name;
      link.joint.pose.position = {0.0, 0.0, -half};
      link.joint.damping = links.damping;
      const Eigen::Quaterniond turn = before.rotation.conjugate() * pose.rotation;
      link.pose.rotation = turn;
      link.pose.position = Eigen::Vector3d(0.0, 0.0, half_before) + turn * Eigen::Vector3d(0.0, 0.0, half);
    }
    before = pose;
    half_before = half;
  }
}

}  // namespace

Scene make_wall_and_ball(int courses) {
  Scene scene = make_floor();
  const Eigen::Vector3d size(0.4, 0.2, 0.2);
  for (int row = 0; row < courses; ++row)
    for (int k = 0; k < courses; ++k)
      put(scene, Box{size}, 16.0,
          {(k - 0.5 * (courses - 1) + (row % 2 == 0 ? -0.25 : 0.25)) * (size.x() + 1e-3), 0.0,
           size.z() * (row + 0.5)});
  put(scene, Sphere{0.3}, 150.0, {0.05, -1.0, 0.1 * courses}).velocity.linear.y() = 10.0;
  return scene;
}

Scene make_kicked_tower(int cubes) {
  Scene scene = make_floor();
  for (int k = 0; k < cubes; ++k) {
    Body& cube = put(scene, Box{{0.5, 0.5, 0.5}}, 1.0, {0.0, 0.0, 0.25 + 0.5 * k});
    if (k == 5) cube.velocity.linear = {6.0, 1.0, 0.0};
  }
  return scene;
}

Scene make_heap(int boxes) {
  constexpr double kDensity = 1000.0, kApart = 0.34;  // kg/m³, m
  Scene scene = make_floor();
  Random random(static_cast<std::uint64_t>(boxes));
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(0.5 * boxes))));
  for (int i = 0; i < boxes; ++i) {
    const Eigen::Vector3d place(i % side, i / side % side, i / (side * side));
    Eigen::Vector3d size, off;
    for (double& length : size) length = random.uniform(0.12, 0.24);
    for (double& x : off) x = random.uniform(-0.02, 0.02);
    put(scene, Box{size}, kDensity * size.prod(), kApart * place + off + Eigen::Vector3d(0.0, 0.0, 0.25))
        .pose.rotation = turn_at_random(random);
  }
  return scene;
}

Scene make_dominoes(int stones) {
  constexpr double kRadius = 0.9, kApart = 0.08,
                   kRate = 2.5;  // m, m, rad/s of the first about its lower edge
  Scene scene = make_floor();
  const Eigen::Vector3d size(0.02, 0.1, 0.2);
  for (int i = 0; i < stones; ++i) {
    const double angle = kApart * i / kRadius;
    Body& stone = put(scene, Box{size}, 1000.0 * size.prod(),
                      {kRadius * std::sin(angle), kRadius * (1.0 - std::cos(angle)), 0.5 * size.z()});
    stone.pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()));
    if (i > 0) continue;
    stone.velocity.linear = {kRate * 0.5 * size.z(), 0.0, kRate * 0.5 * size.x()};
    stone.velocity.angular = {0.0, kRate, 0.0};
  }
  return scene;
}

Scene make_mixed_bin(int bodies) {
  constexpr int kSide = 6;
  constexpr double kApart = 0.235;  // m
  Scene scene = make_bin();
  Random random(7);
  for (int i = 0; i < bodies; ++i) {
    const Eigen::Vector3d place(i % kSide - 0.5 * (kSide - 1), i / kSide % kSide - 0.5 * (kSide - 1),
                                i / (kSide * kSide));
    Eigen::Vector3d off;
    for (double& x : off) x = random.uniform(-0.015, 0.015);
    const Eigen::Quaterniond turn = turn_at_random(random);
    Body& body =
        put(scene, make_mixed_shape(i, random), 0.0, kApart * place + off + Eigen::Vector3d(0, 0, 0.2));
    body.mass.reset();
    body.density = kWater;
    body.pose.rotation = turn;
  }
  return scene;
}

Scene make_poured_spheres(int count) {
  constexpr double kRadius = 0.05, kApart = 0.11;  // m
  Scene scene = make_bin();
  Random random(3);
  const double mass = kWater * 4.0 / 3.0 * std::numbers::pi * kRadius * kRadius * kRadius;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d place(i % 4 - 1.5, i / 4 % 4 - 1.5, i / 16);
    Eigen::Vector3d off;
    for (double& x : off) x = random.uniform(-0.004, 0.004);
    put(scene, Sphere{kRadius}, mass, kApart * place + off + Eigen::Vector3d(0, 0, 0.3)).velocity.linear.z() =
        -2.0;
  }
  return scene;
}

Scene make_chain_with_loop(int tail, int ring) {
  constexpr double kLength = 0.2, kHeight = 1.2;  // m
  Scene scene = make_floor();
  std::vector<Eigen::Vector3d> points{{0.0, 0.0, kHeight}};
  for (int i = 0; i < tail; ++i) {
    const double angle = 0.35 * std::sin(1.3 * i), climb = i % 2 == 1 ? 0.3 : -0.3;
    points.emplace_back(points.back() + kLength * Eigen::Vector3d(std::cos(angle) * std::cos(climb),
                                                                  std::sin(angle) * std::cos(climb),
                                                                  std::sin(climb)));
  }
  const Eigen::Vector3d base = points.back();
  const double radius = 0.5 * kLength / std::sin(std::numbers::pi / ring);
  for (int i = 1; i <= ring; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / ring;
    points.emplace_back(
        base + radius * Eigen::Vector3d(1.0 - std::cos(angle), 0.8 * std::sin(angle), 0.6 * std::sin(angle)));
  }
  points.back() = base;
  add_chain(scene, points, {.radius = 0.03, .slack = 0.04, .damping = 0.0});
  const auto half = [&](std::size_t k) { return 0.5 * (points[k + 1] - points[k]).norm(); };
  const auto first = static_cast<std::size_t>(tail), last = points.size() - 2;
  Constraint closed;
  closed.name = "loop";
  closed.a = scene.bodies[first].name;
  closed.b = scene.bodies[last].name;
  closed.geometry = BallConstraint{{0.0, 0.0, -half(first)}, {0.0, 0.0, half(last)}};
  scene.constraints.push_back(closed);
  return scene;
}

Scene make_rope(int links) {
  constexpr double kLength = 0.06, kRadius = 0.012, kHeight = 1.0;  // m
  Scene scene = make_floor();
  ShapeInstance bar = scene.shapes.front();
  bar.geometry = Capsule{0.05, 1.0};
  bar.pose.position = {0.0, 0.0, kHeight};
  bar.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitY());
  scene.shapes.push_back(bar);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i <= links; ++i)
    points.emplace_back(kLength * (i - 0.4 * links), 0.02 * std::sin(0.7 * i), kHeight + 0.09);
  add_chain(scene, points, {.radius = kRadius, .slack = 0.0, .damping = 1e-4});
  return scene;
}

Scene make_stumbling_robot() {
  Scene scene = make_humanoid(RobotMotion::kHold);
  ShapeInstance sill = scene.shapes.front();
  sill.geometry = Box{{0.1, 2.0, 0.08}};
  sill.pose.position = {0.3, 0.0, 0.04};
  scene.shapes.push_back(sill);
  scene.bodies.front().velocity.linear.x() = 1.5;
  return scene;
}

}  // namespace rigor::test
