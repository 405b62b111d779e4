#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/base/diagnostic.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// One step of a path into a scene: a key, or the index of a list's element (with its name, if it has one).
struct PathStep {
  std::string_view key{};
  int index{-1};
  std::string name{};
};

using ScenePath = std::vector<PathStep>;

/// "bodies.crate_7.mass", or "bodies[3].mass" where element 3 has no name that can stand in a path.
[[nodiscard]] std::string to_text(const ScenePath& path);

/// Whether a name can stand in a path: letters, digits, underscores, hyphens, not a number.
[[nodiscard]] bool is_plain_name(std::string_view name);

/// What is wrong with a scene at one place.
struct SceneIssue {
  ScenePath path;
  std::string value;
  std::string rule;
  std::string remedy;
};

/// The issues found, at most kMost of them.
class SceneIssues {
 public:
  static constexpr std::size_t kMost = 100;

  void add(const ScenePath& path, std::string value, std::string rule, std::string remedy = "");
  [[nodiscard]] const std::vector<SceneIssue>& list() const { return list_; }
  /// Whether the list is full: a search for more issues may stop.
  [[nodiscard]] bool is_full() const { return list_.size() >= kMost; }

 private:
  std::vector<SceneIssue> list_;
};

/// Everything that can be said of a scene without building a model from it:
///  - each field within the range that scene_fields.hpp gives it, and finite;
///  - names given once, references that lead somewhere, no body its own ancestor;
///  - masses and inertias that a body can have, from numbers or from shapes with density;
///  - lists as long as the joint has coordinates, limits in order, polygons convex, and so on.
/// Whether constraints contradict each other is a question of dynamics, not asked here.
[[nodiscard]] SceneIssues find_issues(const Scene& scene);

/// Throws InvalidDocument with all issues, if there are any. For scenes built in a program; the scene reader
/// does the same with file, line and column.
void check_scene(const Scene& scene);

}  // namespace rigor
