#include <fmt/format.h>

#include <filesystem>

#include "rigor/analysis/natural_coordinates.hpp"
#include "rigor/analysis/scene_problem.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/io/acceleration_json.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/analyse_details.hpp"
#include "tools/rigor/analyse_output.hpp"
#include "tools/rigor/commands.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMaxBytes = 256'000'000;

// A problem as plain matrices is told from a scene by its key "rigor_problem".
bool is_problem_file(const std::string& name) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) return false;
  return is_acceleration_json(read_text_file(name, kMaxBytes));
}

// The largest tilts of gravity towards ±x and ±y, where there is gravity along z alone.
std::vector<NamedTilt> find_tilts(const SceneProblem& scene) {
  std::vector<NamedTilt> tilts;
  const double g = scene.gravity.norm();
  if (!(g > 0.0) || std::abs(scene.gravity.z()) < g * (1.0 - 1e-12)) return tilts;
  const StickingSet set(scene.problem, FrictionKind::kCones);
  const Eigen::VectorXd down = scene.per_gravity * scene.gravity;
  for (const auto& [name, direction] : {std::pair{"+x", Eigen::Vector3d(g, 0.0, 0.0)},
                                        {"-x", Eigen::Vector3d(-g, 0.0, 0.0)},
                                        {"+y", Eigen::Vector3d(0.0, g, 0.0)},
                                        {"-y", Eigen::Vector3d(0.0, -g, 0.0)}}) {
    const Eigen::VectorXd side = scene.per_gravity * direction;
    if (side.isZero()) continue;
    tilts.push_back({name, find_tilt(set, scene.rest, down, side)});
  }
  return tilts;
}

// The forces that may be chosen, on the coordinates that the scene or the file has.
void add_free_directions(const AnalyseRequest& request, SceneProblem& scene) {
  std::vector<std::string> names = scene.coordinates;
  for (Eigen::Index i = 0; names.empty() && i < scene.problem.size(); ++i)
    for (Eigen::Index k = 0; k < scene.problem.size(); ++k) names.push_back(fmt::format("q[{}]", k));
  for (const std::string& text : request.free)
    scene.problem.actuators.push_back(parse_free_direction(text, names));
}

}  // namespace

int run_analyse(const AnalyseRequest& request) {
  SceneProblem scene;
  std::vector<NamedTilt> tilts;
  const bool is_problem = is_problem_file(request.scene.scene);
  if (is_problem) {
    require(request.scene.set.empty(), "--set changes scenes; {} is a problem as plain matrices.",
            request.scene.scene);
    scene.problem =
        parse_acceleration_json(read_text_file(request.scene.scene, kMaxBytes), request.scene.scene);
    require(request.coordinates == "joint",
            "--coordinates {} is for scenes; {} is a problem as plain matrices.", request.coordinates,
            request.scene.scene);
    add_free_directions(request, scene);
  } else {
    const Model model = make_model(request.scene.load());
    SceneProblemOptions options;
    options.names = request.contacts;
    const State state = assemble(model).state;
    scene = make_scene_problem(model, state, options);
    add_free_directions(request, scene);
    if (request.coordinates == "natural") scene = make_natural_problem(model, state, scene).scene;
  }
  if (!request.write_problem.empty()) write_text_file(request.write_problem, to_json(scene.problem));
  const Analysis analysis = analyse(scene.problem);
  if (!is_problem && request.tilt && analysis.closed.answer == Answer::kYes) tilts = find_tilts(scene);
  const AnalyseDetails details = find_details(scene.problem, {.margin = request.keep});
  if (request.scene.json) {
    JsonValue value = analysis_to_json(scene.problem, analysis, tilts);
    add_details(scene.problem, details, value);
    print_json(value);
  } else {
    fmt::print("{}{}", describe_analysis(scene.problem, analysis, tilts),
               describe_details(scene.problem, details));
  }
  return analysis.opening.answer == Answer::kUndecided ? kNotAnswered : kAnswered;
}

}  // namespace rigor
