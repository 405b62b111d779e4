#include "rigor/model/run_rules.hpp"

#include <fmt/format.h>

#include "rigor/model/scene_rules.hpp"
#include "rigor/model/scene_words.hpp"

namespace rigor {
namespace {

bool is_cone(const RunSettings& run) {
  return run.formulation == Formulation::kCone || run.formulation == Formulation::kConvex;
}

bool is_phantom(const RunSettings& run) {
  return run.formulation == Formulation::kPhantom;
}

bool has_directions(const RunSettings& run) {
  return run.formulation == Formulation::kAnitescuPotra || run.formulation == Formulation::kStewartTrinkle ||
         is_phantom(run);
}

bool is_solver_used(const RunSettings& run) {
  return !is_cone(run) && run.solver < Solver::kNsgs;
}

// visit(key, setting, its default, who uses it) for every setting that this run does not use.
template <class Run, class Visit>
void for_each_unused(Run& run, Visit visit) {
  const RunSettings usual;
  if (run.method == RunSettings::Method::kRungeKutta4) {
    constexpr const char* kUser = "method semi-implicit";
    visit("formulation", run.formulation, usual.formulation, kUser);
    visit("solver", run.solver, usual.solver, kUser);
    visit("positions", run.positions, usual.positions, kUser);
    visit("on_unsolved", run.on_unsolved, usual.on_unsolved, kUser);
    visit("tolerance", run.tolerance, usual.tolerance, kUser);
    visit("overlap", run.overlap, usual.overlap, kUser);
    visit("work", run.work, usual.work, kUser);
    visit("budget", run.budget, usual.budget, kUser);
    visit("threads", run.threads, usual.threads, kUser);
  } else if (!is_solver_used(run)) {
    visit("solver", run.solver, usual.solver,
          is_cone(run) ? "formulations that are LCPs; cone and convex choose their own solver"
                       : "`rigor solve` on cone problems");
  }
  if (!has_directions(run))
    visit("directions", run.directions, usual.directions,
          "formulations anitescu-potra, stewart-trinkle and phantom");
  if (!is_cone(run))
    visit("max_iterations", run.max_iterations, usual.max_iterations, "formulations cone and convex");
  if (!is_phantom(run)) {
    constexpr const char* kUser = "formulation phantom";
    visit("sliding", run.sliding, usual.sliding, kUser);
    visit("phantom_inertia", run.phantom_inertia, usual.phantom_inertia, kUser);
    visit("form", run.form, usual.form, kUser);
  }
}

template <class Setting>
std::string text_of(const Setting& setting) {
  if constexpr (std::is_enum_v<Setting>)
    return fmt::format("\"{}\"", names_of(Kind<Setting>{})[static_cast<std::size_t>(setting)]);
  else
    return fmt::format("{}", setting);
}

}  // namespace

void check_run_rules(const Scene& scene, SceneIssues& issues) {
  for_each_unused(scene.run,
                  [&](std::string_view key, const auto& setting, const auto& usual, const char* user) {
                    if (setting == usual) return;
                    issues.add({{.key = "run"}, {.key = key}}, text_of(setting),
                               fmt::format("would have no effect: it is for {}", user),
                               "Leave it out, or ask for what uses it.");
                  });
  for (std::size_t i = 0; i < scene.materials.size(); ++i)
    if (scene.materials[i].restitution > 0.0 &&
        scene.materials[i].restitution <= 1.0)  // else out of range anyway
      issues.add(path_to("materials", i, scene.materials[i].name, "restitution"),
                 fmt::format("{}", scene.materials[i].restitution),
                 "must be 0: impacts are inelastic, bounces are not computed yet", "Leave it out.");
}

void reset_unused(RunSettings& run) {
  for_each_unused(run,
                  [](std::string_view, auto& setting, const auto& usual, const char*) { setting = usual; });
}

}  // namespace rigor
