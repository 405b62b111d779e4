#include "tests/support/random_constraints.hpp"

#include <fmt/format.h>

namespace rigor::test {

void add_random_constraints(Scene& scene, std::uint64_t seed) {
  Random random(seed);
  const auto body = [&] {
    return scene.bodies[static_cast<std::size_t>(random.index(static_cast<int>(scene.bodies.size())))].name;
  };
  const auto point = [&] { return random.vector(0.5); };
  const TimeFunction speed = Expression::parse("0.3*sin(2*t) + 0.1*t");
  const ConstraintGeometry kinds[] = {
      BallConstraint{point(), point()},
      WeldConstraint{random.pose(), random.pose()},
      HingeConstraint{point(), point(), random.direction(), random.direction()},
      DistanceConstraint{point(), point(), 0.7},
      PointOnLineConstraint{point(), point(), random.direction()},
      PointInPlaneConstraint{point(), point(), random.direction()},
      ParallelAxesConstraint{random.direction(), random.direction()},
      RollingConstraint{.point_a = point(),
                        .point_b = point(),
                        .axis_a = std::nullopt,
                        .radius = 0.3,
                        .axis_b = random.direction()},
      RollingConstraint{.point_a = point(),
                        .point_b = point(),
                        .axis_a = random.direction(),
                        .radius = 0.4,
                        .axis_b = random.direction()},
      KnifeEdgeConstraint{point(), random.direction()},
      SpeedConstraint{point(), random.direction(), speed},
      SpinConstraint{random.direction(), speed}};
  for (const ConstraintGeometry& geometry : kinds) {
    Constraint constraint;
    constraint.name = fmt::format("constraint_{}", scene.constraints.size());
    constraint.geometry = geometry;
    constraint.a = body();
    constraint.b = random.uniform(0, 1) < 0.3 ? kWorld : body();
    if (constraint.a == constraint.b) constraint.b = kWorld;
    scene.constraints.push_back(constraint);
  }
}

void add_massless_bodies(Scene& scene, int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> joints;  // that have a coordinate
  for (const Body& body : scene.bodies)
    if (joint_size(body.joint.type).v > 0 && has_position(body.joint.type, 0)) joints.push_back(body.name);
  if (joints.empty()) return;
  for (int k = 0; k < count; ++k) {
    Body body;
    body.name = fmt::format("massless_{}", k);
    body.mass = 0.0;
    body.pose = random.pose();
    body.joint.type = random.index(2) == 0 ? JointType::kRevolute : JointType::kPrismatic;
    body.joint.axis = random.direction();
    const int parent = random.index(static_cast<int>(scene.bodies.size()) + 1) - 1;
    if (parent >= 0) body.joint.parent = scene.bodies[static_cast<std::size_t>(parent)].name;
    scene.bodies.push_back(body);
    Gear gear;
    gear.name = fmt::format("gear_{}", k);
    gear.joint_a = body.name;
    gear.joint_b = joints[static_cast<std::size_t>(random.index(static_cast<int>(joints.size())))];
    gear.ratio = random.uniform(-2, 2);
    scene.gears.push_back(gear);
  }
}

}  // namespace rigor::test
