#include "rigor/model/scene_rules.hpp"

#include "rigor/math/portable.hpp"
#include "rigor/model/run_rules.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "rigor/model/body_mass.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor {
namespace {

const std::string& joint_name(const Body& body) {
  return body.joint.name.empty() ? body.name : body.joint.name;
}

// Not zero, and so small that what is divided by it leaves the range of numbers.
bool is_vanishing(double x) {
  return x > 0.0 && x < 1e-60;
}

class RuleChecker {
 public:
  RuleChecker(const Scene& scene, const SceneNames& names, SceneIssues& issues)
      : scene_(scene), names_(names), issues_(issues) {}

  void check_all() {
    check_groups();
    for (std::size_t i = 0; i < scene_.bodies.size() && !issues_.is_full(); ++i) check_body(i);
    check_shapes(scene_.shapes, {{.key = "shapes"}}, /*moves=*/false, scene_.planar.has_value());
    check_ancestors();
    check_materials();
    if (scene_.run.dt >= 1e-9 && scene_.run.until / scene_.run.dt > 1e10)
      issues_.add({{.key = "run"}, {.key = "until"}}, fmt::format("{} s", scene_.run.until),
                  fmt::format("takes {:.2g} steps of dt = {} s, the limit is 1e10",
                              scene_.run.until / scene_.run.dt, scene_.run.dt),
                  "Raise run.dt or lower run.until.");
  }

 private:
  [[nodiscard]] bool is_planar(std::size_t body) const {
    return scene_.planar.has_value() || group_of_.contains(static_cast<int>(body));
  }

  void check_groups() {
    for (std::size_t g = 0; g < scene_.groups.size(); ++g) {
      const Group& group = scene_.groups[g];
      for (std::size_t k = 0; k < group.bodies.size(); ++k) {
        const int body = names_.find_body(group.bodies[k]);
        if (body < 0) continue;  // already reported
        const auto [other, is_new] = group_of_.emplace(body, static_cast<int>(g));
        if (is_new) continue;
        ScenePath path = path_to("groups", g, group.name, "bodies");
        path.push_back({.index = static_cast<int>(k)});
        issues_.add(
            path, quote_for_message(group.bodies[k]),
            fmt::format("is in group {} already",
                        quote_for_message(scene_.groups[static_cast<std::size_t>(other->second)].name)),
            "A body moves in one plane.");
      }
    }
  }

  void check_body(std::size_t i) {
    const Body& body = scene_.bodies[i];
    const auto path = [&](auto... keys) { return path_to("bodies", i, body.name, keys...); };
    if (body.name == kWorld)
      issues_.add(path("name"), "\"world\"", "this name belongs to what does not move", "Take another name.");
    check_joint(i);
    check_shapes(body.shapes, path("shapes"), body.joint.type != JointType::kFixed, is_planar(i));

    const bool moves =
        body.velocity.linear != Eigen::Vector3d::Zero() || body.velocity.angular != Eigen::Vector3d::Zero();
    if (moves && body.joint.type != JointType::kFree)
      issues_.add(path("velocity"), "", "is for free bodies only", "Give the joint's speeds as joint.v.");
    check_mass(i);
  }

  void check_mass(std::size_t i) {
    const Body& body = scene_.bodies[i];
    const auto path = [&](auto... keys) { return path_to("bodies", i, body.name, keys...); };
    for (const double entry : {body.mass.value_or(0.0), body.density.value_or(0.0)})
      if (is_vanishing(entry))
        issues_.add(path(), fmt::format("{}", entry),
                    "a mass or density this small has an inverse that overflows",
                    "Give 0, or 1e-60 and more.");
    if (!body.inertia.empty()) {
      check_inertia(body, path("inertia"));
      if (!body.mass) issues_.add(path("inertia"), "", "is given without a mass", "Add \"mass\".");
      return;
    }
    if (body.center_of_mass != Eigen::Vector3d::Zero() && !body.shapes.empty())
      issues_.add(path("center_of_mass"), "",
                  "is given with shapes and without inertia, which follow from the shapes",
                  "Add \"inertia\", or leave it out.");
    // a body that has neither mass nor inertia gets both from its shapes
    const bool fixed_in_world = body.joint.type == JointType::kFixed;
    if (body.shapes.empty()) {
      if (!body.mass && !fixed_in_world)
        issues_.add(path(), "", "has no mass", "Give \"mass\" and \"inertia\", or shapes with \"density\".");
      return;
    }
    if (fixed_in_world && !body.mass && !body.density) return;  // its mass is never needed
    for (std::size_t k = 0; k < body.shapes.size(); ++k) check_shape_mass(i, k);
  }

  void check_shape_mass(std::size_t i, std::size_t k) {
    const Body& body = scene_.bodies[i];
    const ShapeInstance& shape = body.shapes[k];
    ScenePath path = path_to("bodies", i, body.name, "shapes");
    path.push_back({.index = static_cast<int>(k), .name = shape.name});
    const auto type = names_of(Kind<Shape>{})[shape.geometry.index()];
    const int material = names_.find_material(shape.material);
    const bool has_density = shape.density || body.density ||
                             (material >= 0 && scene_.materials[static_cast<std::size_t>(material)].density);
    if (std::holds_alternative<Point>(shape.geometry)) return;  // adds contact, not mass
    if (!compute_unit_mass(shape.geometry))
      issues_.add(path, "", fmt::format("a {} has no volume to compute the body's inertia from", type),
                  "Give the body's \"mass\" and \"inertia\".");
    else if (!has_density && !body.mass)
      issues_.add(path, "", "has neither density nor a body with mass",
                  "Give \"density\" here, in the body or in the material, or \"mass\" in the body.");
  }

  void check_inertia(const Body& body, const ScenePath& path) {
    if (body.inertia.size() != 3 && body.inertia.size() != 6) {
      if (body.inertia.size() < 6)
        issues_.add(path, "", fmt::format("has {} numbers, must have 3 or 6", body.inertia.size()),
                    "Write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz].");
      return;
    }
    if (std::any_of(body.inertia.begin(), body.inertia.begin() + 3, is_vanishing))
      issues_.add(path, fmt::format("[{}] kg m^2", fmt::join(body.inertia, ", ")),
                  "a moment this small has an inverse that overflows", "Give 0, or 1e-60 and more.");
    const Eigen::Matrix3d inertia = inertia_matrix(body.inertia);
    // the digits that a file rounds away must not make a flat body invalid
    constexpr double kRounding = 1e-6;
    if (!inertia.allFinite() || inertia_defect(inertia) <= kRounding) return;
    issues_.add(path, fmt::format("[{}] kg m^2", fmt::join(body.inertia, ", ")),
                "no body has this inertia: principal moments must be >= 0 and none larger than the sum of "
                "the other two",
                "Check units and signs.");
  }

  void check_joint(std::size_t i) {
    const Body& body = scene_.bodies[i];
    const Joint& joint = body.joint;
    const JointType moving = moving_type(joint.type, is_planar(i));
    const JointSize size = joint_size(moving);
    const auto type = names_of(Kind<JointType>{})[static_cast<std::size_t>(moving)];
    const auto path = [&](auto... keys) { return path_to("bodies", i, body.name, "joint", keys...); };
    const auto check_length = [&](const char* key, std::size_t length, int expected) {
      if (length == 0 || length == static_cast<std::size_t>(expected)) return;
      issues_.add(
          path(key), "",
          fmt::format("has {}, a {} joint has {} of them", count_text(length, "element"), type, expected));
    };
    if (joint.type == JointType::kFree && !(joint.q.empty() && joint.v.empty()))
      issues_.add(path(joint.q.empty() ? "v" : "q"), "", "is not for free bodies",
                  "Give the body's pose and velocity.");
    else {
      check_length("q", joint.q.size(), size.q);
      check_length("v", joint.v.size(), size.v);
    }
    check_length("rest", joint.rest.size(), size.q);
    check_length("limits", joint.limits.size(), size.v);
    check_limits(joint, moving, path("limits"));

    if (joint.type == JointType::kBall && joint.q.size() == 4) {
      const double length = Eigen::Vector4d(joint.q.data()).norm();
      if (std::abs(length - 1.0) > 1e-3)
        issues_.add(path("q"), fmt::format("[{}]", fmt::join(joint.q, ", ")),
                    fmt::format("a quaternion must have length 1, this one has {:.6g}", length));
    }
    if (joint.pitch != 0.0 && joint.type != JointType::kScrew)
      issues_.add(path("pitch"), fmt::format("{} m/rad", joint.pitch),
                  fmt::format("a {} joint has none", type), "Use type \"screw\".");
    if (joint.type == JointType::kUniversal && joint.axis.cross(joint.axis2).norm() < 1e-6)
      issues_.add(path("axis2"), "", "must not be parallel to axis");
    if (joint.type == JointType::kFixed &&
        (joint.stiffness > 0.0 || joint.damping > 0.0 || joint.armature > 0.0))
      issues_.add(path(), "",
                  "a fixed joint has no coordinate that stiffness, damping or armature could act on");
  }

  void check_limits(const Joint& joint, JointType type, ScenePath path) {
    for (std::size_t k = 0; k < joint.limits.size(); ++k) {
      const auto [lower, upper] = joint.limits[k];
      const bool open = lower == -INFINITY && upper == INFINITY;
      if (open || has_position(type, static_cast<int>(k))) continue;
      path.push_back({.index = static_cast<int>(k)});
      issues_.add(path, fmt::format("[{}, {}]", lower, upper), without_position_text(type, k),
                  "Write [null, null].");
      path.pop_back();
    }
  }

  void check_shapes(const std::vector<ShapeInstance>& shapes, const ScenePath& path, bool moves,
                    bool planar) {
    std::set<std::string_view> seen;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const ShapeInstance& shape = shapes[k];
      ScenePath here = path;
      here.push_back({.index = static_cast<int>(k), .name = shape.name});
      const auto type = names_of(Kind<Shape>{})[shape.geometry.index()];
      const bool unbounded = std::holds_alternative<HalfSpace>(shape.geometry) ||
                             std::holds_alternative<TriangleMesh>(shape.geometry) ||
                             std::holds_alternative<HeightField>(shape.geometry);
      if (unbounded && moves)
        issues_.add(here, "", fmt::format("a {} cannot move", type),
                    "Put it into the scene's \"shapes\" or on a body with \"joint\": \"fixed\".");
      const bool flat =
          std::holds_alternative<Disk>(shape.geometry) || std::holds_alternative<Polygon>(shape.geometry);
      if (flat && !planar)
        issues_.add(here, "", fmt::format("a {} needs a plane to lie in", type),
                    "Give the scene or a group of bodies \"planar\": \"xz\".");
      check_geometry(shape.geometry, here);
      if (!shape.name.empty() && !seen.insert(shape.name).second)
        issues_.add(here, quote_for_message(shape.name), "this name is given twice here",
                    "Take another name.");
    }
  }

  void check_geometry(const Shape& shape, ScenePath path) {
    if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) {
      path.push_back({.key = "triangles"});
      const auto count = static_cast<int>(mesh->vertices.size());
      for (std::size_t k = 0; k < mesh->triangles.size(); ++k) {
        const auto& [a, b, c] = mesh->triangles[k];
        path.push_back({.index = static_cast<int>(k)});
        if (std::max({a, b, c}) >= count)
          issues_.add(path, fmt::format("[{}, {}, {}]", a, b, c),
                      fmt::format("names a vertex that is not there; there are {}, counted from 0", count));
        else if (a == b || b == c || a == c)
          issues_.add(path, fmt::format("[{}, {}, {}]", a, b, c),
                      "a triangle needs three different vertices");
        path.pop_back();
      }
    } else if (const auto* field = std::get_if<HeightField>(&shape)) {
      path.push_back({.key = "heights"});
      const std::size_t columns = field->heights.empty() ? 0 : field->heights.front().size();
      for (const std::vector<double>& row : field->heights)
        if (row.size() != columns || columns < 2)
          return issues_.add(path, "", "must be rows of the same length, at least 2");
    } else if (const auto* polygon = std::get_if<Polygon>(&shape)) {
      path.push_back({.key = "points"});
      const std::size_t n = polygon->points.size();
      double turned = 0.0;
      for (std::size_t k = 0; n >= 3 && k < n; ++k) {
        const Eigen::Vector2d one = polygon->points[(k + 1) % n] - polygon->points[k];
        const Eigen::Vector2d two = polygon->points[(k + 2) % n] - polygon->points[(k + 1) % n];
        const double cross = one.x() * two.y() - one.y() * two.x();
        if (!(cross > 0.0))
          return issues_.add(path, "",
                             "must be a convex polygon, counter-clockwise, without corners on a line");
        turned += portable::atan2(cross, one.dot(two));
      }
      if (turned > 7.0)  // 2π once around; a star winds more often
        issues_.add(path, "", "must be a convex polygon, counter-clockwise, without corners on a line");
    }
  }

  // Follow the parents from every body; a body met twice on one way is its own ancestor.
  void check_ancestors() {
    enum class Mark : char { kNew, kOnTheWay, kDone };
    std::vector<Mark> marks(scene_.bodies.size(), Mark::kNew);
    for (std::size_t start = 0; start < scene_.bodies.size(); ++start) {
      std::vector<std::size_t> way;
      int at = static_cast<int>(start);
      while (at >= 0 && marks[static_cast<std::size_t>(at)] == Mark::kNew) {
        marks[static_cast<std::size_t>(at)] = Mark::kOnTheWay;
        way.push_back(static_cast<std::size_t>(at));
        at = find_parent(static_cast<std::size_t>(at));
      }
      if (at >= 0 && marks[static_cast<std::size_t>(at)] == Mark::kOnTheWay)
        report_cycle(way, static_cast<std::size_t>(at));
      for (const std::size_t body : way) marks[body] = Mark::kDone;
    }
  }

  [[nodiscard]] int find_parent(std::size_t body) const {
    const std::string& parent = scene_.bodies[body].joint.parent;
    return parent == kWorld ? -1 : names_.find_body(parent);
  }

  void report_cycle(const std::vector<std::size_t>& way, std::size_t first) {
    std::string names;
    const auto begin = std::find(way.begin(), way.end(), first);
    for (auto it = begin; it != way.end() && it - begin < 5; ++it) names += scene_.bodies[*it].name + " -> ";
    if (way.end() - begin > 5) names += "… -> ";
    names += scene_.bodies[first].name;
    issues_.add(path_to("bodies", first, scene_.bodies[first].name, "joint", "parent"),
                quote_for_message(scene_.bodies[first].joint.parent),
                fmt::format("makes the body its own ancestor ({})", quote_for_message(names, 120)),
                "Close loops by a constraint.");
  }

  void check_materials() {
    for (std::size_t i = 0; i < scene_.materials.size(); ++i) {
      const Material& material = scene_.materials[i];
      if (material.mu_static && *material.mu_static < material.mu.along)
        issues_.add(path_to("materials", i, material.name, "mu_static"),
                    fmt::format("{}", *material.mu_static),
                    fmt::format("must be >= mu = {}", material.mu.along));
      if (material.damping > 0.0 && !material.stiffness)
        issues_.add(path_to("materials", i, material.name, "damping"),
                    fmt::format("{} N s/m", material.damping), "must be 0 where there is no stiffness",
                    "Give the material a stiffness.");
      if (material.friction_damping > 0.0 && !material.friction_stiffness)
        issues_.add(path_to("materials", i, material.name, "friction_damping"),
                    fmt::format("{} N s/m", material.friction_damping),
                    "must be 0 where there is no friction_stiffness",
                    "Give the material a friction_stiffness.");
      if ((material.mu.along == 0.0) != (material.mu.across == 0.0))
        issues_.add(path_to("materials", i, material.name, "mu"),
                    fmt::format("[{}, {}]", material.mu.along, material.mu.across),
                    "must be both 0 or both > 0", "Take a small number for 0.");
    }
  }

  const Scene& scene_;
  const SceneNames& names_;
  SceneIssues& issues_;
  std::map<int, int> group_of_;  // body → group
};

}  // namespace

SceneNames::SceneNames(const Scene& scene, SceneIssues& issues) {
  const auto collect = [&](const char* list, const auto& items, Index& index, auto name_of) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string& name = name_of(items[i]);
      if (name.empty()) continue;
      if (!index.emplace(name, static_cast<int>(i)).second)
        issues.add(path_to(list, i, items[i].name, "name"), quote_for_message(name),
                   fmt::format("this name is given twice among the {}", list), "Take another name.");
    }
  };
  const auto own_name = [](const auto& item) -> const std::string& { return item.name; };
  collect("bodies", scene.bodies, bodies_, own_name);
  collect("materials", scene.materials, materials_, own_name);
  const auto collect_unreferenced = [&](const char* list, const auto& items) {
    Index index;
    collect(list, items, index, own_name);
  };
  collect_unreferenced("groups", scene.groups);
  collect_unreferenced("constraints", scene.constraints);
  collect_unreferenced("gears", scene.gears);
  collect_unreferenced("springs", scene.springs);
  collect_unreferenced("motors", scene.motors);
  collect_unreferenced("motions", scene.motions);
  collect_unreferenced("forces", scene.forces);
  collect_unreferenced("shapes", scene.shapes);

  // joints take their body's name unless they have one; clashes of the former are reported above
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& body = scene.bodies[i];
    if (!joints_.emplace(joint_name(body), static_cast<int>(i)).second && !body.joint.name.empty())
      issues.add(path_to("bodies", i, body.name, "joint", "name"), quote_for_message(body.joint.name),
                 "this name is given twice among the joints", "Take another name.");
  }
}

int SceneNames::find(const Index& index, std::string_view name) {
  const auto it = index.find(name);
  return it == index.end() ? -1 : it->second;
}

const SceneNames::Index& SceneNames::index_for(FieldRole role) const {
  if (role == FieldRole::kJoint) return joints_;
  return role == FieldRole::kMaterial ? materials_ : bodies_;
}

std::string SceneNames::find_problem(const std::string& name, FieldRole role) const {
  if (role == FieldRole::kDirection) return "";
  if (name == kWorld && role == FieldRole::kBody) return "";
  if (name == kWorld && role == FieldRole::kMovingBody) return "the world does not move";
  if (find(index_for(role), name) >= 0) return "";
  if (role == FieldRole::kJoint) return "there is no joint of this name";
  if (role == FieldRole::kMaterial) return "there is no material of this name";
  return "there is no body of this name";
}

std::string SceneNames::find_similar_to(const std::string& name, FieldRole role) const {
  std::vector<std::string> known;
  for (const auto& [candidate, index] : index_for(role)) {
    if (known.size() == 2000) break;  // enough to find a misspelt name
    known.emplace_back(candidate);
  }
  if (role == FieldRole::kBody) known.emplace_back(kWorld);
  std::sort(known.begin(), known.end());
  return find_similar(name, known);
}

std::string without_position_text(JointType type, std::size_t coordinate) {
  return fmt::format("coordinate {} of a {} joint is a rotation, which has a speed but no angle", coordinate,
                     names_of(Kind<JointType>{})[static_cast<std::size_t>(type)]);
}

void check_rules(const Scene& scene, const SceneNames& names, SceneIssues& issues) {
  RuleChecker(scene, names, issues).check_all();
  check_connection_rules(scene, names, issues);
  check_run_rules(scene, issues);
}

}  // namespace rigor
