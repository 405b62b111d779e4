#include "tools/rigor/scene_answers_output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tools/rigor/analyse_output.hpp"
#include "tools/rigor/solve_output.hpp"

namespace rigor {
namespace {

const char* word(Answer answer) {
  return answer == Answer::kYes ? "yes" : answer == Answer::kNo ? "no" : "undecided";
}

JsonValue to_json(const SceneLoad& load) {
  JsonValue item{JsonValue::Object{}};
  item.add("body", load.body);
  item.add("force", vector_to_json(load.force));
  const bool exists = load.range.exists == Answer::kYes;
  item.add("min", exists ? JsonValue(load.range.factor.min) : JsonValue(nullptr));
  item.add("max", exists ? JsonValue(load.range.factor.max) : JsonValue(nullptr));
  item.add("holds", answer_to_json(load.range.exists));
  return item;
}

JsonValue to_json(const Grasp& grasp) {
  JsonValue item{JsonValue::Object{}};
  item.add("object", grasp.object);
  item.add("form", answer_to_json(grasp.closure.form));
  item.add("force", answer_to_json(grasp.closure.force));
  item.add("length", grasp.length);
  JsonValue::Array names;
  for (const std::string& name : grasp.coordinates) names.emplace_back(name);
  item.add("coordinates", std::move(names));
  const bool holds = grasp.closure.force == Answer::kYes;
  item.add("weakest", holds ? JsonValue(grasp.closure.weakest) : JsonValue(nullptr));
  item.add("wrench", holds ? vector_to_json(grasp.closure.weakest_wrench) : JsonValue(nullptr));
  item.add("escape",
           grasp.closure.force == Answer::kNo ? vector_to_json(grasp.closure.escape) : JsonValue(nullptr));
  return item;
}

JsonValue to_json(const FacetVerdict& verdict) {
  JsonValue item{JsonValue::Object{}};
  item.add("sticks", answer_to_json(verdict.answer));
  item.add("objective", verdict.objective);
  return item;
}

std::string describe(const SceneLoad& load) {
  const std::string what =
      fmt::format("({:.6g}, {:.6g}, {:.6g}) N on {}", load.force[0], load.force[1], load.force[2], load.body);
  if (load.range.exists != Answer::kYes)
    return fmt::format("Load {}: {}\n", what,
                       load.range.exists == Answer::kNo ? "no factor holds" : "undecided");
  const auto end = [](double factor) {
    return std::isinf(factor) ? std::string(factor > 0.0 ? "∞" : "-∞") : fmt::format("{:.6g}", factor);
  };
  return fmt::format("Load {}: holds with factors from {} to {}\n", what, end(load.range.factor.min),
                     end(load.range.factor.max));
}

std::string describe(const Grasp& grasp) {
  std::string text = fmt::format("Grasp of {}: form closure {}, force closure {}\n", grasp.object,
                                 word(grasp.closure.form), word(grasp.closure.force));
  if (grasp.closure.force == Answer::kNo)
    text += fmt::format("  it can escape along {}\n", describe_vector(grasp.closure.escape, 12));
  if (grasp.closure.force == Answer::kYes)
    text += fmt::format(
        "  weakest wrench {} (torques over {:.4g} m): {:.6g} N per newton of all normal "
        "forces together\n",
        describe_vector(grasp.closure.weakest_wrench, 12), grasp.length, grasp.closure.weakest);
  return text;
}

// Whether the motion that proves "no rest" stands up to the check that shares nothing with what found it.
std::optional<MotionCheck> check_rest(const AccelerationProblem& problem, const Rest& rest) {
  if (rest.answer.answer != Answer::kNo || rest.answer.verdict.motion.size() == 0) return {};
  return check_blocking_motion(make_still(problem), rest.answer.verdict.motion);
}

JsonValue to_json(const AccelerationProblem& problem, const Rest& rest) {
  JsonValue item{JsonValue::Object{}};
  item.add("possible", answer_to_json(rest.answer.answer));
  item.add("margin", rest.answer.verdict.margin);
  const bool has_mu = rest.mu_min && rest.mu_min->exists == Answer::kYes;
  item.add("mu_min", has_mu ? JsonValue(rest.mu_min->mu) : JsonValue(nullptr));
  item.add("attained", has_mu ? JsonValue(rest.mu_min->attained) : JsonValue(nullptr));
  const std::optional<MotionCheck> check = check_rest(problem, rest);
  if (!check) {
    item.add("proof", nullptr);
    return item;
  }
  JsonValue proof{JsonValue::Object{}};
  proof.add("motion", vector_to_json(rest.answer.verdict.motion));
  proof.add("power", check->power);
  proof.add("bound", check->bound);
  proof.add("checked", check->holds);
  item.add("proof", std::move(proof));
  return item;
}

std::string describe(const AccelerationProblem& problem, const Rest& rest) {
  std::string text;
  switch (rest.answer.answer) {
    case Answer::kYes:
      text =
          fmt::format("Everything can stay at rest, with {:.6g} N of normal force to spare at each contact",
                      rest.answer.verdict.margin);
      break;
    case Answer::kNo:
      text = "Not everything can stay at rest";
      break;
    case Answer::kUndecided:
      text = "Whether everything can stay at rest is undecided: the margin is below 1e-9";
      break;
  }
  if (const std::optional<MotionCheck> check = check_rest(problem, rest))
    text += fmt::format(": the load drives a motion that no contact prevents ({})",
                        check->holds ? "checked" : "not confirmed by the check");
  if (rest.mu_min && rest.mu_min->exists == Answer::kYes)
    text += fmt::format("; least friction for rest {:.9g}", rest.mu_min->mu);
  return text + ".\n";
}

}  // namespace

void add_answers(const AccelerationProblem& problem, const SceneAnswers& answers, JsonValue& value) {
  if (answers.rest) value.add("rest", to_json(problem, *answers.rest));
  if (!answers.tilts.empty()) {
    JsonValue tilt{JsonValue::Object{}};
    for (const SceneAnswers::NamedTilt& one : answers.tilts) {
      const Tilt& own = one.tilt.tilt;
      tilt.add(one.name, own.exists == Answer::kYes ? JsonValue(own.angle) : JsonValue(nullptr));
    }
    value.add("tilt", std::move(tilt));
  }
  if (!answers.loads.empty()) {
    JsonValue::Array loads;
    for (const SceneLoad& load : answers.loads) loads.push_back(to_json(load));
    value.add("loads", std::move(loads));
  }
  if (answers.grasp) value.add("closure", to_json(*answers.grasp));
  if (answers.facets == 0) return;
  JsonValue facets{JsonValue::Object{}};
  facets.add("sides", answers.facets);
  facets.add("inside", to_json(answers.inside));
  facets.add("outside", to_json(answers.outside));
  value.add("facets", std::move(facets));
}

std::string describe_answers(const AccelerationProblem& problem, const SceneAnswers& answers) {
  std::string text;
  if (answers.rest) text += describe(problem, *answers.rest);
  for (const SceneAnswers::NamedTilt& one : answers.tilts)
    if (one.tilt.tilt.exists == Answer::kYes)
      text += fmt::format("Largest tilt towards {}: {:.6g} degrees\n", one.name,
                          one.tilt.tilt.angle * 180.0 / std::numbers::pi);
  for (const SceneLoad& load : answers.loads) text += describe(load);
  if (answers.grasp) text += describe(*answers.grasp);
  if (answers.facets == 0) return text;
  const auto objective = [](const FacetVerdict& verdict) {
    return std::isnan(verdict.objective) ? std::string()
                                         : fmt::format(" (objective of (57): {:.6g})", verdict.objective);
  };
  return text + fmt::format("Cones as polygons of {} corners: inside {}{}, outside {}{}\n", answers.facets,
                            word(answers.inside.answer), objective(answers.inside),
                            word(answers.outside.answer), objective(answers.outside));
}

}  // namespace rigor
