#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/scene_answers.hpp"
#include "rigor/io/json.hpp"

namespace rigor {

/// What was asked of a scene besides its verdicts, answered.
struct SceneAnswers {
  struct NamedTilt {
    std::string name;  // as it was asked for
    SceneTilt tilt;
  };
  std::optional<Rest> rest;  // of a scene at rest
  std::vector<NamedTilt> tilts;
  std::vector<SceneLoad> loads;
  std::optional<Grasp> grasp;
  int facets{0};  // sides; 0: not asked
  FacetVerdict inside, outside;
};

/// Adds the keys rest, tilt, loads, closure and facets of what was asked.
void add_answers(const AccelerationProblem& problem, const SceneAnswers& answers, JsonValue& value);
[[nodiscard]] std::string describe_answers(const AccelerationProblem& problem, const SceneAnswers& answers);

}  // namespace rigor
