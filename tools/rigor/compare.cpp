#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "rigor/base/require.hpp"
#include "rigor/base/worker_pool.hpp"
#include "rigor/contact/anisotropy.hpp"
#include "rigor/io/source_text.hpp"
#include "rigor/model/scene_words.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/comparison.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/plot.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMostRuns = 10000;
constexpr double kMostTimes = 400;  // at which trajectories are compared

using Set = std::vector<std::string>;

// Every choice of one value from each assignment.
std::vector<Set> expand(const Set& assignments) {
  std::vector<Set> all(1);
  for (const std::string& assignment : assignments) {
    std::vector<Set> more;
    for (const Set& begun : all)
      for (const std::string& value : split_sweep(assignment)) {
        more.push_back(begun);
        more.back().push_back(value);
      }
    all = std::move(more);
    require(all.size() <= kMostRuns, "compare: more than {} runs.", kMostRuns);
  }
  return all;
}

// The runs that belong to one choice of parameters; the first is the reference, the finest `cone`.
struct Family {
  std::vector<double> times;
  std::vector<ComparedRun> runs;
};

bool is_page(const std::string& output) {
  return output.ends_with(".html");
}

ComparedRun make_run(const CompareRequest& request, const Set& set, const std::string& formulation,
                     const std::string& solver, double dt) {
  SceneRequest scene = request.scene;
  scene.set = set;
  scene.set.push_back("run.formulation=" + formulation);
  scene.set.push_back("run.solver=" + solver);
  scene.drops_unused_settings = true;  // what the scene sets for another formulation
  if (dt > 0.0) scene.set.push_back(fmt::format("run.dt={}", dt));
  ComparedRun run;
  run.scene = scene.load();
  run.formulation = formulation;
  run.solver = solver;
  run.dt = run.scene.run.dt;
  run.is_recorded = is_page(request.output);
  for (std::size_t i = 0; i < set.size(); ++i)
    if (split_sweep(request.scene.set[i]).size() > 1) run.set.push_back(set[i]);
  return run;
}

Family make_family(const CompareRequest& request, const Set& set) {
  const std::vector<double> steps = request.steps.empty() ? std::vector<double>{0.0} : request.steps;
  const double finest = *std::min_element(steps.begin(), steps.end());
  const double coarsest = *std::max_element(steps.begin(), steps.end());
  Family family;
  family.runs.push_back(make_run(request, set, "cone", "auto", finest));
  for (const double dt : steps)
    for (const std::string& formulation : request.formulations)
      for (const std::string& solver : request.solvers) {
        if (formulation == "cone" && solver == "auto" && dt == finest) continue;  // is there already
        family.runs.push_back(make_run(request, set, formulation, solver, dt));
      }
  const RunSettings& settings = family.runs.front().scene.run;
  const double until = settings.until, step = coarsest > 0.0 ? coarsest : settings.dt;
  const double every = step * std::max(1.0, std::ceil(until / step / kMostTimes));
  for (double k = 0.0; k * every < until * (1.0 - 1e-9); ++k) family.times.push_back(k * every);
  family.times.push_back(until);
  return family;
}

// All runs on all cores, with one bar for all steps.
void run_all(std::vector<Family>& families) {
  std::vector<std::pair<Family*, ComparedRun*>> list;
  std::size_t total = 0, done = 0;
  for (Family& family : families)
    for (ComparedRun& run : family.runs) {
      list.push_back({&family, &run});
      total += static_cast<std::size_t>(count_steps(run.scene.run));
    }
  ProgressLine progress(fmt::format("step, {} runs", list.size()));
  std::mutex guard;
  WorkerPool pool(0);
  pool.run(static_cast<int>(list.size()), [&](int item, int) {
    const auto& [family, run] = list[static_cast<std::size_t>(item)];
    run_compared(
        family->times,
        [&] {
          const std::lock_guard lock(guard);
          progress.show(++done, total);
          return !was_interrupted();
        },
        *run);
  });
  for (Family& family : families)
    for (ComparedRun& run : family.runs) measure_errors(family.runs.front(), run);
}

std::string describe_stop(const ComparedRun& run) {
  if (!run.failure.empty()) return fmt::format("ended {:.4g}", run.end);
  return run.stop < 0.0 ? "moves" : fmt::format("{:.5g}", run.stop);
}

std::string to_table(const std::vector<Family>& families) {
  std::string text = fmt::format(
      "{:<17} {:<15} {:>8} {:>10} {:>10} {:>9} {:>28} {:>8} {:>8} {:>8} {:>10} {:>8} {:>7} {:>7} {:>5}\n",
      "formulation", "solver", "dt, s", "error, m", "rad", "stops, s", "place, m", "overlap", "cone", "drift",
      "friction J", "rank", "us/step", "pivots", "fell");
  for (const Family& family : families) {
    if (!family.runs.front().set.empty())
      text += fmt::format("{}\n", fmt::join(family.runs.front().set, ", "));
    for (const ComparedRun& run : family.runs) {
      const RunTotals& totals = run.totals;
      const auto steps = static_cast<double>(std::max(1L, totals.steps));
      text += fmt::format(
          "{:<17} {:<15} {:>8.3g} {:>10.2e} {:>10.2e} {:>9} {:>8.4f} {:>9.4f} {:>9.4f} {:>8.1e} {:>8.1e} "
          "{:>8.1e} "
          "{:>10.4g} {:>8} {:>7.1f} {:>7.1f} {:>5}\n",
          run.formulation, run.solver, run.dt, run.position_error, run.angle_error, describe_stop(run),
          run.place.x(), run.place.y(), run.place.z(), totals.worst_penetration, totals.worst_cone_violation,
          totals.sticking_drift, totals.energy.friction,
          totals.lead.size > 0 ? fmt::format("{}/{}", totals.lead.rank, totals.lead.size) : "-",
          1e6 * run.seconds / steps,
          static_cast<double>(totals.iterations) / static_cast<double>(std::max(1L, totals.islands)),
          totals.fallbacks);
      if (!run.failure.empty()) text += fmt::format("  {}\n", run.failure);
    }
  }
  const ComparedRun& reference = families.front().runs.front();
  return text +
         fmt::format(
             "\nerror: largest distance of a body from where the finest cone run (dt = {} s) has it, over "
             "all "
             "times; place: of \"{}\", at the end;\noverlap in m, cone: friction beyond the exact cone in "
             "m/s, "
             "drift of sticking contacts in m; rank of the steps' matrices; pivots: iterations a problem;\n"
             "fell: problems that another method than the one asked for has solved\n",
             reference.dt, reference.body);
}

// What the measure of anisotropy depends on.
std::string law_of(const ComparedRun& run) {
  const RunSettings& settings = run.scene.run;
  const auto sliding = names_of(Kind<RunSettings::Sliding>{})[static_cast<std::size_t>(settings.sliding)];
  return run.formulation == "phantom"
             ? fmt::format("phantom, {} directions, {}", settings.directions, sliding)
         : run.formulation == "anitescu-potra" || run.formulation == "stewart-trinkle"
             ? fmt::format("{}, {} directions", run.formulation, settings.directions)
             : run.formulation;
}

using Anisotropies = std::map<std::string, Anisotropy>;

Anisotropies measure_laws(const std::vector<Family>& families) {
  Anisotropies laws;
  for (const Family& family : families)
    for (const ComparedRun& run : family.runs) {
      if (laws.count(law_of(run))) continue;
      RunSettings settings = run.scene.run;
      settings.solver = Solver::kAuto;
      laws[law_of(run)] = measure_anisotropy(settings);
    }
  return laws;
}

std::string to_table(const Anisotropies& laws) {
  std::string text = fmt::format("\n{:<36} {:>26} {:>26}\n", "anisotropy, 72 directions", "breakaway / mu N",
                                 "sliding / mu N");
  for (const auto& [law, found] : laws)
    text += fmt::format("{:<36} {:>12.9f} … {:.9f} {:>12.9f} … {:.9f}\n", law, found.breakaway_least,
                        found.breakaway_most, found.sliding_least, found.sliding_most);
  return text;
}

JsonValue to_json(const Anisotropy& found) {
  JsonValue value{JsonValue::Object{}};
  value.add("breakaway_least", found.breakaway_least);
  value.add("breakaway_most", found.breakaway_most);
  value.add("sliding_least", found.sliding_least);
  value.add("sliding_most", found.sliding_most);
  return value;
}

JsonValue to_json(const ComparedRun& run, const Anisotropies& laws) {
  const RunTotals& totals = run.totals;
  JsonValue value{JsonValue::Object{}};
  value.add("formulation", run.formulation);
  value.add("solver", run.solver);
  value.add("dt", run.dt);
  JsonValue::Array set;
  for (const std::string& assignment : run.set) set.emplace_back(assignment);
  value.add("set", std::move(set));
  value.add("position_error", run.position_error);
  value.add("angle_error", run.angle_error);
  value.add("end_position_error", run.end_position_error);
  value.add("end_angle_error", run.end_angle_error);
  value.add("time", run.end);
  value.add("failure", run.failure);
  value.add("stop_time", run.stop < 0.0 ? JsonValue{} : JsonValue(run.stop));
  value.add("body", run.body);
  value.add("position", JsonValue::Array{run.place.x(), run.place.y(), run.place.z()});
  value.add("steps", static_cast<double>(totals.steps));
  value.add("seconds", run.seconds);
  value.add("worst_residual", totals.worst_residual);
  value.add("worst_penetration", totals.worst_penetration);
  value.add("worst_cone_violation", totals.worst_cone_violation);
  value.add("sticking_drift", totals.sticking_drift);
  value.add("rolling_drift", totals.rolling_drift);
  value.add("worst_lift_off", totals.worst_lift_off);
  value.add("worst_energy_imbalance", totals.worst_imbalance);
  value.add("worst_energy_made", totals.worst_made);
  value.add("friction_work", totals.energy.friction);
  value.add("normal_work", totals.energy.normal);
  value.add("relaxation_work", totals.energy.relaxation);
  value.add("kinetic_change", totals.energy.kinetic_change);
  if (totals.lead.size > 0) {
    value.add("lead_size", totals.lead.size);
    value.add("lead_rank", totals.lead.rank);
    value.add("lead_condition", totals.lead.condition);
  }
  value.add("problems", static_cast<double>(totals.islands));
  value.add("iterations", static_cast<double>(totals.iterations));
  value.add("fallbacks", static_cast<double>(totals.fallbacks));
  value.add("unsolved_steps", static_cast<double>(totals.unsolved_steps));
  value.add("anisotropy", to_json(laws.at(law_of(run))));
  return value;
}

std::string run_name(const ComparedRun& run) {
  return fmt::format("{}{}, {} s{}{}", run.formulation, run.solver == "auto" ? "" : " " + run.solver, run.dt,
                     run.set.empty() ? "" : ", ", fmt::join(run.set, ", "));
}

// The way of the body that went farthest, in the two axes along which it went farthest.
Plot make_plot(const std::vector<Family>& families) {
  constexpr const char* kAxes[] = {"x, m", "y, m", "z, m"};
  const ComparedRun& reference = families.front().runs.front();
  std::size_t body = 0;
  Eigen::Vector3d range = Eigen::Vector3d::Zero();
  for (std::size_t b = 0; b < reference.poses.front().size(); ++b) {
    Eigen::Vector3d low = reference.poses.front()[b].position, high = low;
    for (const auto& poses : reference.poses) {
      low = low.cwiseMin(poses[b].position);
      high = high.cwiseMax(poses[b].position);
    }
    if ((high - low).norm() <= range.norm()) continue;
    range = high - low;
    body = b;
  }
  Eigen::Index left_out = 0;
  range.minCoeff(&left_out);
  const Eigen::Index x = left_out == 0 ? 1 : 0, y = left_out == 2 ? 1 : 2;
  Plot plot{fmt::format("Path of {}", reference.body), kAxes[x], kAxes[y], {}, true, false, false};
  for (const Family& family : families)
    for (const ComparedRun& run : family.runs) {
      PlotCurve curve{run_name(run), {}, {}, &run == &reference};
      for (const auto& poses : run.poses) {
        curve.x.push_back(poses[body].position[x]);
        curve.y.push_back(poses[body].position[y]);
      }
      plot.curves.push_back(std::move(curve));
    }
  return plot;
}

// All runs on one page with one clock, or their paths.
void write_output(const std::vector<Family>& families, const std::string& path) {
  if (!is_page(path)) return write_text_file(path, to_svg(make_plot(families)));
  std::vector<LabelledRecording> runs;
  for (const Family& family : families)
    for (const ComparedRun& run : family.runs) runs.push_back({&run.recording, run_name(run)});
  write_page(path, runs);
}

}  // namespace

int run_compare(const CompareRequest& request) {
  CompareRequest own = request;
  if (own.formulations.empty())
    for (const std::string_view name : names_of(Kind<Formulation>{})) own.formulations.emplace_back(name);
  if (own.solvers.empty()) own.solvers = {"auto"};
  require(own.output.empty() || own.output.ends_with(".svg") || is_page(own.output),
          "-o {}: must end in .svg, the paths, or .html, the runs side by side.", own.output);
  if (is_page(own.output)) require_page();
  std::vector<Family> families;
  std::size_t count = 0;
  for (const Set& set : expand(own.scene.set)) {
    families.push_back(make_family(own, set));
    count += families.back().runs.size();
    require(count <= kMostRuns, "compare: more than {} runs.", kMostRuns);
  }
  run_all(families);
  const Anisotropies laws = measure_laws(families);

  if (request.scene.json) {
    JsonValue::Array list;
    for (const Family& family : families)
      for (const ComparedRun& run : family.runs) list.push_back(to_json(run, laws));
    print_json(std::move(list));
  } else {
    say("{}{}", to_table(families), to_table(laws));
  }
  if (!request.output.empty()) {
    write_output(families, request.output);
    if (!request.scene.json) say("wrote {}\n", request.output);
  }
  const bool all_references = std::all_of(families.begin(), families.end(), [](const Family& family) {
    return family.runs.front().failure.empty();
  });
  return all_references && !was_interrupted() ? kAnswered : kNotAnswered;
}

}  // namespace rigor
