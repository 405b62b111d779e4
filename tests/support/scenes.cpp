#include "tests/support/scenes.hpp"

#include <cmath>

namespace rigor::test {

Body make_body(const std::string& name, double mass, const Eigen::Vector3d& center,
               const Eigen::Vector3d& inertia, const Joint& joint) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.center_of_mass = center;
  body.inertia = {inertia.x(), inertia.y(), inertia.z()};
  body.joint = joint;
  return body;
}

Joint make_joint(JointType type, const Eigen::Vector3d& axis, const std::string& parent) {
  Joint joint;
  joint.type = type;
  joint.axis = axis;
  joint.parent = parent;
  return joint;
}

Constraint make_constraint(const std::string& name, const ConstraintGeometry& geometry, const std::string& a,
                           const std::string& b) {
  Constraint constraint;
  constraint.name = name;
  constraint.geometry = geometry;
  constraint.a = a;
  constraint.b = b;
  return constraint;
}

Scene make_four_bar(double ground, double crank, double coupler, double rocker, double angle) {
  const auto rod = [](const char* name, double length, const char* parent) {
    const double I = length * length * length / 12.0;
    return make_body(name, length, {length / 2.0, 0.0, 0.0}, {1e-6 * length, I, I},
                     make_joint(JointType::kRevolute, kMinusY, parent));
  };
  Scene scene;
  scene.bodies = {rod("crank", crank, kWorld), rod("coupler", coupler, "crank"),
                  rod("rocker", rocker, kWorld)};
  scene.bodies[1].pose.position = {crank, 0.0, 0.0};
  scene.bodies[2].pose.position = {ground, 0.0, 0.0};
  // the law of cosines twice: the diagonal from the crank's end to the rocker's foot
  const double dx = ground - crank * std::cos(angle), dz = -crank * std::sin(angle);
  const double d = std::hypot(dx, dz), direction = std::atan2(dz, dx);
  const double coupler_angle =
      direction + std::acos((coupler * coupler + d * d - rocker * rocker) / (2 * coupler * d));
  const double ex = crank * std::cos(angle) + coupler * std::cos(coupler_angle) - ground;
  const double ez = crank * std::sin(angle) + coupler * std::sin(coupler_angle);
  scene.bodies[0].joint.q = {angle};
  scene.bodies[1].joint.q = {coupler_angle - angle};
  scene.bodies[2].joint.q = {std::atan2(ez, ex)};
  scene.constraints.push_back(make_constraint(
      "pin", HingeConstraint{{coupler, 0, 0}, {rocker, 0, 0}, kMinusY, kMinusY}, "coupler", "rocker"));
  return scene;
}

}  // namespace rigor::test
