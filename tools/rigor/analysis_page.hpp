#pragma once

#include <string>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/scene_answers.hpp"
#include "rigor/io/json.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// A scene at its initial state, analysed for a page: whether it can rest where nothing moves, whether all
/// contacts stick where something does.
struct SceneVerdict {
  Scene scene;
  Model model;
  State state;
  SceneProblem problem;
  Analysis analysis;
  bool is_at_rest{false};
  Rest rest;  // where it is

  /// The answer that the page shows.
  [[nodiscard]] const StickingAnswer& answer() const { return is_at_rest ? rest.answer : analysis.closed; }
  [[nodiscard]] const std::optional<LeastFriction>& mu_min() const {
    return is_at_rest ? rest.mu_min : analysis.mu_min;
  }
};

[[nodiscard]] SceneVerdict judge_scene(const Scene& scene, const SceneProblemOptions& options = {});

/// The verdict in a few lines for people.
[[nodiscard]] std::string describe_verdict(const SceneVerdict& verdict);

/// What the box on a page says: `holds` (null: undecided), `title`, and `rows` of name and value.
[[nodiscard]] JsonValue make_verdict(const SceneVerdict& verdict);

/// Writes a page: forces in their cones where it holds, else the blocking motion as an animation.
void write_analysis_page(const std::string& path, const SceneVerdict& verdict);

}  // namespace rigor
