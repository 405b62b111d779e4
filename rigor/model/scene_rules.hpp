#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rigor/model/check_scene.hpp"
#include "rigor/model/field.hpp"

namespace rigor {

/// The names of a scene's objects, by kind. Making it reports names that are given twice.
class SceneNames {
 public:
  SceneNames(const Scene& scene, SceneIssues& issues);

  /// Indices into Scene::bodies (a joint has its body's index) and Scene::materials, or -1.
  [[nodiscard]] int find_body(std::string_view name) const { return find(bodies_, name); }
  [[nodiscard]] int find_joint(std::string_view name) const { return find(joints_, name); }
  [[nodiscard]] int find_material(std::string_view name) const { return find(materials_, name); }

  /// Why a reference with this role leads nowhere, or "".
  [[nodiscard]] std::string find_problem(const std::string& name, FieldRole role) const;
  [[nodiscard]] std::string find_similar_to(const std::string& name, FieldRole role) const;

 private:
  using Index = std::unordered_map<std::string_view, int>;
  static int find(const Index& index, std::string_view name);
  [[nodiscard]] const Index& index_for(FieldRole role) const;

  Index bodies_, joints_, materials_;
};

/// The path of element `index` of a list, and of fields below it.
template <class... Keys>
[[nodiscard]] ScenePath path_to(std::string_view list, std::size_t index, const std::string& name,
                                Keys... keys) {
  ScenePath path{{.key = list}, {.index = static_cast<int>(index), .name = name}};
  (path.push_back({.key = keys}), ...);
  return path;
}

/// The rule that a coordinate without has_position() breaks.
[[nodiscard]] std::string without_position_text(JointType type, std::size_t coordinate);

/// What fields have to do with each other: see find_issues().
void check_rules(const Scene& scene, const SceneNames& names, SceneIssues& issues);

/// The part of it that knows constraints, gears, springs, motors and motions.
void check_connection_rules(const Scene& scene, const SceneNames& names, SceneIssues& issues);

}  // namespace rigor
