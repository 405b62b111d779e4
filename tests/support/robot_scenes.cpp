#include "tests/support/robot_scenes.hpp"

#include <fmt/format.h>

#include <numbers>

#include "rigor/math/random.hpp"

namespace rigor::test {
namespace {

using Eigen::Vector3d;

constexpr double kDensity = 1000.0;                      // kg/m³
constexpr double kDegree = std::numbers::pi / 180.0;     // rad
constexpr double kTargetTime = 0.125, kTargetEnd = 4.0;  // s

// What holds a hinge at its target.
struct Drive {
  double stiffness;  // N m/rad
  double damping;    // N m s/rad
  double armature;   // kg m²
};

struct Range {
  double low, high;  // degrees
};

ShapeInstance make_capsule(const Vector3d& from, const Vector3d& to, double radius) {
  ShapeInstance shape;
  shape.geometry = Capsule{radius, (to - from).norm()};
  shape.pose.position = 0.5 * (from + to);
  shape.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), to - from);
  shape.material = "rubber";
  return shape;
}

ShapeInstance make_ball(const Vector3d& center, double radius) {
  ShapeInstance shape;
  shape.geometry = Sphere{radius};
  shape.pose.position = center;
  shape.material = "rubber";
  return shape;
}

class RobotBuilder {
 public:
  RobotBuilder(RobotMotion motion, std::uint64_t seed) : motion_(motion), random_(seed) {
    Material rubber;
    rubber.name = "rubber";
    rubber.mu = {0.8, 0.8};
    rubber.density = kDensity;
    scene.materials.push_back(rubber);
    ShapeInstance floor;
    floor.geometry = HalfSpace{};
    floor.material = "rubber";
    scene.shapes.push_back(floor);
    scene.run.dt = 0.005;
    scene.run.until = 1e6;
    scene.run.tolerance = 1e-8;
    scene.run.overlap = 1e-4;
  }

  Body& add_trunk(const Vector3d& position) {
    Body& trunk = scene.bodies.emplace_back();
    trunk.name = "trunk";
    trunk.pose.position = position;
    return trunk;
  }

  // A link on a hinge, turned about `axis` through `origin` in the frame of the parent. Without shapes it has no mass.
  std::string add_link(const std::string& parent, const Vector3d& origin, const Vector3d& axis, Range range,
                       const Drive& drive, double reference = 0.0, std::vector<ShapeInstance> shapes = {}) {
    Body& link = scene.bodies.emplace_back();
    link.name = fmt::format("link{}", scene.bodies.size() - 1);
    link.pose.position = origin;
    if (shapes.empty()) link.mass = 0.0;
    link.shapes = std::move(shapes);
    Joint& hinge = link.joint;
    hinge.type = JointType::kRevolute;
    hinge.parent = parent;
    hinge.axis = axis.normalized();
    const double low = kDegree * range.low, high = kDegree * range.high;
    hinge.limits = {{low, high}};
    hinge.q = {reference};
    hinge.rest = {reference};
    hinge.stiffness = drive.stiffness;
    hinge.damping = drive.damping;
    hinge.armature = drive.armature;
    add_motor(link.name, drive.stiffness, reference, low, high);
    return link.name;
  }

  Scene scene;

 private:
  void add_motor(const std::string& joint, double stiffness, double reference, double low, double high) {
    if (motion_ == RobotMotion::kHold) return;
    TableFunction effort;
    effort.interpolation = TableFunction::Interpolation::kStep;
    effort.beyond = TableFunction::Beyond::kRepeat;
    for (double t = 0.0; t < kTargetEnd; t += kTargetTime) {
      const double u = random_.uniform(-1.0, 1.0);
      const double away = motion_ == RobotMotion::kSway
                              ? 0.1 * u
                              : 0.5 * (0.5 * (low + high) - reference) + 0.25 * (high - low) * u;
      effort.times.push_back(t);
      effort.values.push_back(stiffness * away);
    }
    effort.times.push_back(kTargetEnd);
    effort.values.push_back(effort.values.front());
    Motor motor;
    motor.name = fmt::format("motor of {}", joint);
    motor.joint = joint;
    motor.effort = effort;
    scene.motors.push_back(motor);
  }

  RobotMotion motion_;
  Random random_;
};

// Mirrored for side = −1. The thigh's capsule begins where it is clear of the pelvis in all poses, and weighs what one
// from the hip would.
void add_leg(RobotBuilder& robot, const std::string& pelvis, double side) {
  const Drive hip{60, 6, .01}, thigh{150, 10, .01}, knee{120, 6, .01}, ankle{40, 2, .01}, foot{30, 2, .01};
  std::string link = robot.add_link(pelvis, {0, -.1 * side, -.14}, {side, 0, 0}, {-30, 10}, hip);
  link = robot.add_link(link, {0, 0, 0}, {0, 0, side}, {-60, 35}, hip);
  link = robot.add_link(link, {0, 0, 0}, {0, 1, 0}, {-150, 20}, thigh, 0.0,
                        {make_capsule({0, .004 * side, -.14}, {0, .01 * side, -.34}, .06)});
  constexpr double kRadius = .06, kLength = .34;  // m, of the whole thigh
  robot.scene.bodies.back().mass =
      kDensity * std::numbers::pi * kRadius * kRadius * (kLength + 4.0 / 3.0 * kRadius);
  link = robot.add_link(link, {0, .01 * side, -.38}, {0, -1, 0}, {-160, 2}, knee, 0.0,
                        {make_capsule({0, 0, -.02}, {0, 0, -.32}, .049)});
  link = robot.add_link(link, {0, 0, -.33}, {0, 1, 0}, {-50, 50}, ankle);
  robot.add_link(link, {0, 0, -.04}, {side, 0, .5 * side}, {-50, 50}, foot, 0.0,
                 {make_capsule({-.07, -.01, -.04}, {.14, -.03, -.04}, .027),
                  make_capsule({-.07, .01, -.04}, {.14, .03, -.04}, .027)});
}

void add_arm(RobotBuilder& robot, double side) {
  const Drive drive{25, 1, .01};
  std::string link = robot.add_link("trunk", {0, -.17 * side, .06}, {2 * side, 1, side}, {-85, 60}, drive);
  link = robot.add_link(link, {0, 0, 0}, {0, -1, side}, {-85, 60}, drive, 0.0,
                        {make_capsule({0, 0, 0}, {.16, -.16 * side, -.16}, .04)});
  robot.add_link(link, {.18, -.18 * side, -.18}, {0, -1, side}, {-100, 50}, drive, 0.0,
                 {make_capsule({.01, .01 * side, .01}, {.17, .17 * side, .17}, .031),
                  make_ball({.18, .18 * side, .18}, .04)});
}

// Along x from the knuckle, curled towards z, in the axes `turn` of the palm. It begins open, at `start` of `curled`.
void add_finger(RobotBuilder& robot, const std::string& palm, const Vector3d& knuckle,
                const Eigen::Quaterniond& turn, const std::array<double, 3>& curled, double start) {
  const Drive drive{1.0, .03, 1e-4};
  const Vector3d up(0, 0, 1), curl(0, -1, 0);
  std::string link = robot.add_link(palm, knuckle, up, {-15, 15}, drive);
  robot.scene.bodies.back().pose.rotation = turn;
  link = robot.add_link(link, {0, 0, 0}, curl, {-10, 100}, drive, curled[0],
                        {make_capsule({.012, 0, 0}, {.045, 0, 0}, .0085)});
  robot.scene.bodies.back().joint.q = {start * curled[0]};
  link = robot.add_link(link, {.045, 0, 0}, curl, {0, 100}, drive, curled[1],
                        {make_capsule({0, 0, 0}, {.028, 0, 0}, .0080)});
  robot.scene.bodies.back().joint.q = {start * curled[1]};
  robot.add_link(link, {.028, 0, 0}, curl, {0, 90}, drive, curled[2],
                 {make_capsule({0, 0, 0}, {.020, 0, 0}, .0075)});
  robot.scene.bodies.back().joint.q = {start * curled[2]};
}

}  // namespace

Scene make_humanoid(RobotMotion motion, std::uint64_t seed) {
  const Drive waist{60, 6, .01};
  RobotBuilder robot(motion, seed);
  robot.add_trunk({0, 0, 1.283}).shapes = {make_capsule({0, -.07, 0}, {0, .07, 0}, .07),
                                           make_capsule({-.01, -.06, -.12}, {-.01, .06, -.12}, .06),
                                           make_ball({0, 0, .19}, .09)};
  std::string link = robot.add_link("trunk", {-.01, 0, -.195}, {0, 0, 1}, {-45, 45}, waist);
  link = robot.add_link(link, {0, 0, 0}, {0, 1, 0}, {-75, 30}, waist, 0.0,
                        {make_capsule({0, -.06, -.065}, {0, .06, -.065}, .06)});
  const std::string pelvis = robot.add_link(link, {0, 0, -.13}, {1, 0, 0}, {-35, 35}, waist, 0.0,
                                            {make_capsule({-.02, -.07, -.1}, {-.02, .07, -.1}, .09)});
  for (const double side : {1.0, -1.0}) add_leg(robot, pelvis, side);
  for (const double side : {1.0, -1.0}) add_arm(robot, side);
  return robot.scene;
}

Scene make_quadruped(RobotMotion motion, std::uint64_t seed) {
  const Drive drive{40, 1, .01};
  RobotBuilder robot(motion, seed);
  robot.add_trunk({0, 0, 0.29}).shapes = {make_capsule({-.2, -.07, 0}, {.2, -.07, 0}, .06),
                                          make_capsule({-.2, .07, 0}, {.2, .07, 0}, .06)};
  for (const double x : {.19, -.19})
    for (const double side : {1.0, -1.0}) {
      std::string link = robot.add_link("trunk", {x, .12 * side, 0}, {1, 0, 0}, {-50, 50}, drive);
      link = robot.add_link(link, {0, .05 * side, 0}, {0, 1, 0}, {-60, 170}, drive, 0.9,
                            {make_capsule({0, 0, -.03}, {0, 0, -.2}, .025)});
      robot.add_link(link, {0, 0, -.213}, {0, 1, 0}, {-155, -45}, drive, -1.8,
                     {make_ball({0, 0, -.213}, .02)});
    }
  return robot.scene;
}

Scene make_hand(RobotMotion motion, std::uint64_t seed) {
  const Drive wrist{20, 1, .01};
  RobotBuilder robot(motion, seed);
  ShapeInstance plate;
  plate.geometry = Box{{.09, .085, .028}};
  plate.pose.position = {.05, 0, 0};
  plate.material = "rubber";
  const std::string forearm = robot.add_link(kWorld, {0, 0, .4}, {0, 1, 0}, {-30, 30}, wrist);
  const std::string palm = robot.add_link(forearm, {0, 0, 0}, {1, 0, 0}, {-20, 20}, wrist, 0.0, {plate});
  for (const double y : {-.033, -.011, .011, .033})
    add_finger(robot, palm, {.105, y, 0}, Eigen::Quaterniond::Identity(), {1.35, 0.9, 0.5}, 0.35);
  Eigen::Matrix3d axes;  // the thumb points up, and bends towards y
  axes << 0, 1, 0, 0, 0, 1, 1, 0, 0;
  add_finger(robot, palm, {.05, -.055, -.01}, Eigen::Quaterniond(axes), {0.4, 0.4, 0.3}, 0.0);

  Body& box = robot.scene.bodies.emplace_back();
  box.name = "box";
  box.mass = 0.2;
  box.pose.position = {.065, .0, .4 + .014 + .025};
  ShapeInstance shape;
  shape.geometry = Box{{.05, .06, .05}};
  shape.material = "rubber";
  box.shapes = {shape};
  return robot.scene;
}

}  // namespace rigor::test
