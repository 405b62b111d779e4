#include "tests/support/standing_scenes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "rigor/math/random.hpp"

namespace rigor::test {
namespace {

Scene make_ground(double mu) {
  Scene scene;
  Material material;
  material.name = "stone";
  material.mu = {mu, mu};
  scene.materials.push_back(material);
  ShapeInstance floor;
  floor.geometry = HalfSpace{};
  floor.material = "stone";
  scene.shapes.push_back(floor);
  scene.run.dt = 1e-2;
  scene.run.until = 1e6;
  return scene;
}

void add_side(Scene& scene, const Eigen::Vector3d& at, const Eigen::Vector3d& normal) {
  ShapeInstance side = scene.shapes.front();
  side.pose.position = at;
  side.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), normal);
  scene.shapes.push_back(side);
}

Body& add(Scene& scene, const Shape& shape, double mass, const Eigen::Vector3d& position,
          double turn_about_y = 0.0) {
  Body body;
  body.name = fmt::format("b{}", scene.bodies.size());
  body.mass = mass;
  body.pose.position = position;
  body.pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(turn_about_y, Eigen::Vector3d::UnitY()));
  ShapeInstance instance;
  instance.geometry = shape;
  instance.material = "stone";
  body.shapes.push_back(instance);
  return scene.bodies.emplace_back(body);
}

void add_box_walls(Scene& scene, double width) {
  add_side(scene, {0, 0, 0}, Eigen::Vector3d::UnitX());
  add_side(scene, {width, 0, 0}, -Eigen::Vector3d::UnitX());
  add_side(scene, {0, 0, 0}, Eigen::Vector3d::UnitY());
  add_side(scene, {0, width, 0}, -Eigen::Vector3d::UnitY());
}

}  // namespace

Scene make_tower(int boxes, double top_mass) {
  Scene scene = make_ground(0.5);
  for (int i = 0; i < boxes; ++i)
    add(scene, Box{{1.0, 1.0, 1.0}}, i + 1 == boxes ? top_mass : 1.0, {0.0, 0.0, i + 0.5});
  return scene;
}

Scene make_wall(int courses, int bricks) {
  Scene scene = make_ground(0.6);
  for (int row = 0; row < courses; ++row)
    for (int k = 0; k < bricks; ++k)
      add(scene, Box{{2.0, 1.0, 1.0}}, 2.0, {2.002 * k + row % 2, 0.0, row + 0.5});
  return scene;
}

Scene make_pyramid(int layers) {
  Scene scene = make_ground(0.5);
  for (int layer = 0; layer < layers; ++layer)
    for (int i = 0; i < layers - layer; ++i)
      for (int j = 0; j < layers - layer; ++j)
        // 1 cm between the boxes of a layer: each stands on those below alone
        add(scene, Box{{2.0, 2.0, 2.0}}, 8.0,
            {2.01 * i + 1.005 * layer, 2.01 * j + 1.005 * layer, 2.0 * layer + 1.0});
  return scene;
}

Scene make_kapla_tower(int floors) {
  Scene scene = make_ground(0.8);
  const Box beam{{0.05, 0.25, 0.1}}, wall{{0.2, 0.05, 0.1}};
  for (int i = 0; i < floors; ++i) {
    const double low = 0.2 * i + 0.05, high = 0.2 * i + 0.15;
    for (int j = 0; j < 8; ++j) add(scene, beam, 10.0, {0.2 * j, 0.0, low});
    for (int j = 0; j < 4; ++j) add(scene, wall, 10.0, {0.4 * j + 0.1, -0.1, high});
    for (int j = 0; j < 3; ++j) add(scene, wall, 10.0, {0.4 * j + 0.3, 0.1, high});
    for (const double x : {0.1, 1.3}) add(scene, wall, 10.0, {x, 0.1, high});
  }
  return scene;
}

Scene make_arch(int stones) {
  Scene scene = make_ground(0.8);
  const double inner = 4.0, outer = 5.0, half = 0.5 * std::numbers::pi / stones;
  // the stone at the top, around its centre of mass
  Hull stone;
  for (const double r : {inner, outer})
    for (const double side : {-1.0, 1.0})
      for (const double y : {-0.5, 0.5})
        stone.points.push_back({r * std::sin(side * half), y, r * std::cos(half)});
  const MassProperties unit = *compute_unit_mass(stone);
  for (Eigen::Vector3d& point : stone.points) point -= unit.center;
  for (int i = 0; i < stones; ++i) {
    const double angle = -0.5 * std::numbers::pi + (2 * i + 1) * half;
    add(scene, stone, 1000.0 * unit.mass,
        {unit.center.z() * std::sin(angle), 0.0, unit.center.z() * std::cos(angle)}, angle);
  }
  return scene;
}

Scene make_card_house(int levels) {
  Scene scene = make_ground(0.6);
  const double length = 0.088, width = 0.057, thick = 1e-3, mass = 5e-3;
  const double lean = 20.0 * std::numbers::pi / 180.0, c = std::cos(lean), s = std::sin(lean);
  // of a leaning card around its centre: highest and lowest corner, and the one that touches its partner
  const double half_height = 0.5 * (length * c + thick * s), half_width = 0.5 * (length * s + thick * c);
  const double pitch = 4.0 * half_width + 0.004, level_height = 2.0 * half_height + thick;
  for (int level = 0; level < levels; ++level) {
    const double floor = level * level_height, first = 0.5 * pitch * level;
    for (int k = 0; k < levels - level; ++k) {
      const double x = first + pitch * k;
      add(scene, Box{{thick, width, length}}, mass, {x - half_width, 0.0, floor + half_height}, lean);
      add(scene, Box{{thick, width, length}}, mass, {x + half_width, 0.0, floor + half_height}, -lean);
    }
    for (int k = 0; k + 1 < levels - level; ++k)
      add(scene, Box{{pitch - 1e-3, width, thick}}, mass,
          {first + pitch * (k + 0.5), 0.0, floor + 2.0 * half_height + 0.5 * thick});
  }
  return scene;
}

Scene make_lying_chain(int links) {
  Scene scene = make_ground(0.5);
  for (int i = 0; i < links; ++i) {
    Body& link = add(scene, Box{{0.36, 0.08, 0.08}}, 1.0, {0.4, 0.0, 0.0});
    if (i == 0) {
      link.pose.position = {0.0, 0.0, 0.04};
      link.velocity.linear = {0.5, 1.0, 0.0};
      link.velocity.angular = {0.0, 0.0, 2.0};
      continue;
    }
    link.joint.type = JointType::kBall;
    link.joint.parent = scene.bodies[scene.bodies.size() - 2].name;
    link.joint.pose.position = {-0.2, 0.0, 0.0};
  }
  return scene;
}

Scene make_cannonballs(int rows, double mu) {
  Scene scene = make_ground(mu);
  scene.planar = Plane::kXZ;
  add_side(scene, {0, 0, 0}, Eigen::Vector3d::UnitX());
  add_side(scene, {static_cast<double>(rows), 0, 0}, -Eigen::Vector3d::UnitX());
  for (int k = 0; k < rows; ++k)
    for (int i = 0; i < rows - k; ++i)
      add(scene, Disk{0.5}, 1.0, {i + 0.5 + 0.5 * k, 0.0, 0.5 + k * std::sqrt(0.75)});
  return scene;
}

Scene make_lattice(int side, double mu) {
  Scene scene = make_ground(mu);
  add_box_walls(scene, 0.2 * side);
  for (int k = 0; k < side * side * side; ++k)
    add(scene, Sphere{0.1}, 1.0,
        {0.1 + 0.2 * (k % side), 0.1 + 0.2 * (k / side % side), 0.1 + 0.2 * (k / side / side)});
  return scene;
}

Scene make_falling_spheres(int count, double mu) {
  Scene scene = make_ground(mu);
  const int side = static_cast<int>(std::lround(std::cbrt(count)));
  add_box_walls(scene, 0.21 * side);
  Random random(3);
  const auto noise = [&] { return 0.004 * (random.uniform() - 0.5); };
  for (int k = 0; k < count; ++k)
    add(scene, Sphere{0.1}, 1.0,
        {0.105 + 0.21 * (k % side) + noise(), 0.105 + 0.21 * (k / side % side) + noise(),
         0.105 + 0.21 * (k / side / side)});
  return scene;
}

Scene make_rolling(const Eigen::Vector2d& force) {
  constexpr double kOverlap = 2e-5;  // m
  Scene scene = make_ground(0.4);
  Material rubber = scene.materials.front();
  rubber.name = "rubber";
  rubber.mu = {0.8, 0.8};
  scene.materials.push_back(rubber);
  add(scene, Box{{20.0, 20.0, 1.0}}, 10.0, {0.0, 0.0, 0.5 - kOverlap});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j)
      add(scene, Sphere{0.5}, 1.0, {2.0 * i - 4.0, 2.0 * j - 4.0, 1.5 - 3.0 * kOverlap});
  for (Body& body : scene.bodies) body.shapes.front().material = "rubber";
  Force pull;
  pull.name = "pull";
  pull.body = scene.bodies.front().name;
  pull.force = {force.x(), force.y(), 0.0};
  scene.forces.push_back(pull);
  scene.run.dt = 1e-3;
  scene.run.until = 4.0;
  return scene;
}

}  // namespace rigor::test
