#include <map>
#include <unordered_set>

#include "rigor/model/scene_rules.hpp"
#include "rigor/model/scene_words.hpp"

namespace rigor {
namespace {

// Whether a constraint holds velocities only: it has no position error that a spring could reduce.
bool is_on_velocities(const ConstraintGeometry& geometry) {
  return std::holds_alternative<RollingConstraint>(geometry) ||
         std::holds_alternative<KnifeEdgeConstraint>(geometry) ||
         std::holds_alternative<SpeedConstraint>(geometry) ||
         std::holds_alternative<SpinConstraint>(geometry);
}

class ConnectionChecker {
 public:
  ConnectionChecker(const Scene& scene, const SceneNames& names, SceneIssues& issues)
      : scene_(scene), names_(names), issues_(issues) {
    for (const Group& group : scene.groups) in_plane_.insert(group.bodies.begin(), group.bodies.end());
  }

  void check_all() {
    for (std::size_t i = 0; i < scene_.constraints.size(); ++i) check_constraint(i);
    for (std::size_t i = 0; i < scene_.springs.size(); ++i) check_spring(i);
    for (std::size_t i = 0; i < scene_.gears.size(); ++i) check_gear(i);
    for (std::size_t i = 0; i < scene_.motors.size(); ++i)
      check_coordinate(scene_.motors[i].joint, scene_.motors[i].coordinate,
                       path_to("motors", i, scene_.motors[i].name, "coordinate"));
    for (std::size_t i = 0; i < scene_.motions.size(); ++i) check_motion(i);
  }

 private:
  void check_pair(const char* list, std::size_t i, const auto& item) {
    if (item.a == item.b && !item.a.empty())
      issues_.add(path_to(list, i, item.name, "b"), quote_for_message(item.b), "must differ from a");
  }

  void check_relaxation(const char* list, std::size_t i, const auto& item) {
    if (item.damping > 0.0 && !item.stiffness)
      issues_.add(path_to(list, i, item.name, "damping"), "", fmt::format("is for relaxed {} only", list),
                  "Add \"stiffness\".");
  }

  void check_constraint(std::size_t i) {
    const Constraint& constraint = scene_.constraints[i];
    check_pair("constraints", i, constraint);
    if (!is_on_velocities(constraint.geometry))
      check_relaxation("constraints", i, constraint);
    else if (constraint.stiffness)
      issues_.add(path_to("constraints", i, constraint.name, "stiffness"), "",
                  fmt::format("a {} constraint is on velocities, which no spring restores",
                              names_of(Kind<ConstraintGeometry>{})[constraint.geometry.index()]),
                  "Give \"damping\" alone.");
  }

  void check_spring(std::size_t i) {
    const Spring& spring = scene_.springs[i];
    check_pair("springs", i, spring);
    if (spring.law && spring.stiffness != 0.0)
      issues_.add(path_to("springs", i, spring.name, "law"), "", "is given with stiffness",
                  "Keep one of them: the law holds the whole force of the spring.");
    if (!spring.law && spring.stiffness == 0.0 && spring.damping == 0.0)
      issues_.add(path_to("springs", i, spring.name), "", "has no stiffness, no law and no damping",
                  "Give at least one of them.");
  }

  void check_gear(std::size_t i) {
    const Gear& gear = scene_.gears[i];
    const auto check_end = [&](const std::string& joint, int coordinate, const ScenePath& path) {
      if (const auto type = check_coordinate(joint, coordinate, path);
          type && !has_position(*type, coordinate))
        issues_.add(path, fmt::format("{}", coordinate),
                    without_position_text(*type, static_cast<std::size_t>(coordinate)),
                    "A gear couples angles and advances: use revolute or universal joints there.");
    };
    check_end(gear.joint_a, gear.coordinate_a, path_to("gears", i, gear.name, "coordinate_a"));
    check_end(gear.joint_b, gear.coordinate_b, path_to("gears", i, gear.name, "coordinate_b"));
    check_relaxation("gears", i, gear);
    if (gear.joint_a == gear.joint_b && gear.coordinate_a == gear.coordinate_b && !gear.joint_a.empty())
      issues_.add(path_to("gears", i, gear.name, "joint_b"), quote_for_message(gear.joint_b),
                  "couples a coordinate with itself");
  }

  void check_motion(std::size_t i) {
    const Motion& motion = scene_.motions[i];
    const auto path = [&](auto... keys) { return path_to("motions", i, motion.name, keys...); };
    const auto type = check_coordinate(motion.joint, motion.coordinate, path("coordinate"));
    if (motion.position && type && !has_position(*type, motion.coordinate))
      issues_.add(path("position"), "",
                  without_position_text(*type, static_cast<std::size_t>(motion.coordinate)),
                  "Give \"velocity\" or \"acceleration\".");
    const int levels = int{motion.position.has_value()} + int{motion.velocity.has_value()} +
                       int{motion.acceleration.has_value()};
    if (levels != 1)
      issues_.add(path(), "", fmt::format("gives {} of position, velocity and acceleration", levels),
                  "Give exactly one of them.");
    const auto [other, is_new] = driven_.try_emplace({motion.joint, motion.coordinate}, motion.name);
    if (!is_new)
      issues_.add(path("joint"), quote_for_message(motion.joint),
                  fmt::format("coordinate {} already follows motion {}", motion.coordinate,
                              quote_for_message(std::string(other->second))),
                  "Keep one of them.");
  }

  // The type of a joint that has this coordinate; one that is not there is reported.
  std::optional<JointType> check_coordinate(const std::string& joint, int coordinate, const ScenePath& path) {
    const int body = names_.find_joint(joint);
    if (body < 0 || coordinate < 0) return std::nullopt;  // already reported
    const Body& carried = scene_.bodies[static_cast<std::size_t>(body)];
    const bool is_planar = scene_.planar.has_value() || in_plane_.contains(carried.name);
    const JointType type = moving_type(carried.joint.type, is_planar);
    const auto count = static_cast<std::size_t>(joint_size(type).v);
    if (static_cast<std::size_t>(coordinate) < count) return type;
    const auto name = names_of(Kind<JointType>{})[static_cast<std::size_t>(type)];
    issues_.add(
        path, fmt::format("{}", coordinate),
        count == 0 ? fmt::format("a {} joint has no coordinates", name)
                   : fmt::format("a {} joint has {}, counted from 0", name, count_text(count, "coordinate")));
    return std::nullopt;
  }

  const Scene& scene_;
  const SceneNames& names_;
  SceneIssues& issues_;
  std::unordered_set<std::string_view> in_plane_;
  std::map<std::pair<std::string_view, int>, std::string_view> driven_;  // joint and coordinate → motion
};

}  // namespace

void check_connection_rules(const Scene& scene, const SceneNames& names, SceneIssues& issues) {
  ConnectionChecker(scene, names, issues).check_all();
}

}  // namespace rigor
