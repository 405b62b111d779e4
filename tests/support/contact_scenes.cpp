#include "tests/support/contact_scenes.hpp"

#include <cmath>
#include <numbers>

#include "rigor/base/require.hpp"
#include "tests/support/scenes.hpp"

namespace rigor::test {
namespace {

// Five links of 0.5 m along x, 1 m above the floor, falling.
Scene make_chain() {
  Scene scene = make_floor(0.4);
  for (int i = 0; i < 5; ++i) {
    Body body;
    body.name = "link" + std::to_string(i);
    body.mass = 1.0;
    body.shapes.push_back(make_shape(Box{{0.4, 0.1, 0.1}}));
    if (i == 0) {
      body.pose.position = {0.0, 0.0, 0.3};
    } else {
      body.pose.position = {0.5, 0.0, 0.0};
      body.joint = make_joint(JointType::kBall, Eigen::Vector3d::UnitZ(), "link" + std::to_string(i - 1));
      body.joint.pose.position = {-0.25, 0.0, 0.0};
      body.joint.v = {0.0, 0.4 * i, 0.2};
    }
    scene.bodies.push_back(body);
  }
  return scene;
}

// The crank turns freely; the coupler carries a ball that strikes the floor below.
Scene make_striking_four_bar() {
  Scene scene = make_four_bar(1.0, 0.4, 1.0, 0.8, 1.0);
  const Scene floor = make_floor(0.3);
  scene.materials = floor.materials;
  scene.shapes = floor.shapes;
  scene.shapes[0].pose.position.z() = -0.35;
  for (Body& body : scene.bodies)
    if (body.joint.parent != kWorld) body.shapes = {make_shape(Sphere{0.05})};
  return scene;
}

Scene make_slider() {
  Scene scene;
  Body body = make_body("slider", 2.0, Eigen::Vector3d::Zero(), {0.1, 0.1, 0.1},
                        make_joint(JointType::kPrismatic, Eigen::Vector3d::UnitZ()));
  body.joint.q = {0.5};
  body.joint.limits = {{0.0, 0.6}};
  scene.bodies.push_back(body);
  return scene;
}

// A door on one hinge joint and two more hinges that say the same, swinging against a block.
Scene make_door() {
  Scene scene = make_floor(0.5);
  scene.shapes.clear();
  scene.shapes.push_back(make_shape(Box{{0.1, 0.1, 0.5}}, {0.8, 0.35, 1.0}));
  Body door;
  door.name = "door";
  door.mass = 20.0;
  door.joint = make_joint(JointType::kRevolute, Eigen::Vector3d::UnitZ());
  door.joint.v = {1.0};
  door.shapes.push_back(make_shape(Box{{0.9, 0.04, 2.0}}, {0.45, 0.0, 1.0}));
  scene.bodies.push_back(door);
  for (const double z : {0.2, 1.8}) {
    HingeConstraint hinge;
    hinge.point_a = hinge.point_b = {0.0, 0.0, z};
    scene.constraints.push_back(make_constraint("hinge" + std::to_string(z), hinge, "door"));
  }
  return scene;
}

// A cart on two feet and a wheel that a motion turns: it drives the cart over the floor.
Scene make_wheel() {
  Scene scene = make_floor(0.3);
  Body cart = make_body("cart", 3.0, Eigen::Vector3d::Zero(), {0.1, 0.1, 0.1});
  cart.pose.position = {0.0, 0.0, 0.25};
  cart.shapes.push_back(make_shape(Sphere{0.05}, {-0.5, 0.2, -0.2}));
  cart.shapes.push_back(make_shape(Sphere{0.05}, {-0.5, -0.2, -0.2}));
  scene.bodies.push_back(cart);
  Body wheel = make_body("wheel", 1.0, Eigen::Vector3d::Zero(), {0.02, 0.02, 0.02},
                         make_joint(JointType::kRevolute, Eigen::Vector3d::UnitY(), "cart"));
  wheel.pose.position = {0.3, 0.0, 0.0};
  wheel.shapes.push_back(make_shape(Sphere{0.25}));
  scene.bodies.push_back(wheel);
  Motion motion;
  motion.name = "motor";
  motion.joint = "wheel";
  motion.velocity = TimeFunction{6.0};
  scene.motions.push_back(motion);
  return scene;
}

Scene make_tumbling_box() {
  Scene scene = make_floor(0.5);
  Body& box = add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.35});
  box.velocity.linear = {1.0, 0.4, -0.5};
  box.velocity.angular = {1.0, 3.0, -2.0};
  return scene;
}

}  // namespace

ShapeInstance make_shape(const Shape& geometry, const Pose& pose) {
  ShapeInstance shape;
  shape.geometry = geometry;
  shape.pose = pose;
  shape.material = "floor";
  return shape;
}

ShapeInstance make_shape(const Shape& geometry, const Eigen::Vector3d& position) {
  return make_shape(geometry, Pose{position, Eigen::Quaterniond::Identity()});
}

Scene make_floor(double mu) {
  Scene scene;
  Material material;
  material.name = "floor";
  material.mu = {mu, mu};
  scene.materials.push_back(material);
  scene.shapes.push_back(make_shape(HalfSpace{}));
  return scene;
}

Scene make_soft_floor(double mu, double stiffness, double damping) {
  Scene scene = make_floor(mu);
  // the floor alone gives way: a body of the same material would halve the stiffness
  Material soft = scene.materials[0];
  soft.name = "soft";
  soft.stiffness = stiffness;
  soft.damping = damping;
  scene.materials.push_back(soft);
  scene.shapes[0].material = "soft";
  return scene;
}

Body& add_box(Scene& scene, const std::string& name, const Eigen::Vector3d& size, double mass,
              const Eigen::Vector3d& position) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.pose.position = position;
  body.shapes.push_back(make_shape(Box{size}));
  return scene.bodies.emplace_back(body);
}

Body& add_sphere(Scene& scene, const std::string& name, double radius, double mass,
                 const Eigen::Vector3d& position) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.pose.position = position;
  body.shapes.push_back(make_shape(Sphere{radius}));
  return scene.bodies.emplace_back(body);
}

Scene make_spinning_cube(bool soft) {
  Scene scene = soft ? make_soft_floor(1.0, 1e10, 1e8) : make_floor(1.0);
  Body& cube = add_box(scene, "cube", {1.0, 1.0, 1.0}, 1.0, {0.0, 0.0, 0.5});
  cube.velocity.linear = {0.0, 5.0, 0.0};
  cube.velocity.angular = {0.0, 0.0, 2.0 * std::numbers::pi};
  return scene;
}

Scene make_incline(double slope, double mu) {
  Scene scene = make_floor(mu);
  const double angle = std::atan(slope);
  scene.gravity = {9.81 * std::sin(angle), 0.0, -9.81 * std::cos(angle)};
  add_box(scene, "block", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
  return scene;
}

Scene make_mechanism(const std::string& name) {
  if (name == "free box") return make_tumbling_box();
  if (name == "chain") return make_chain();
  if (name == "four-bar") return make_striking_four_bar();
  if (name == "slider") return make_slider();
  if (name == "door") return make_door();
  require(name == "wheel", "make_mechanism: there is no \"{}\".", name);
  return make_wheel();
}

}  // namespace rigor::test
