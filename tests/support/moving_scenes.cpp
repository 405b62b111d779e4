#include "tests/support/moving_scenes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rigor/math/random.hpp"

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

}  // namespace rigor::test
