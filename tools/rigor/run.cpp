#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/io/check_snapshot.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/io/source_text.hpp"
#include "rigor/io/state_bytes.hpp"
#include "rigor/model/scene_words.hpp"
#include "rigor/stepping/acceleration_lcp.hpp"
#include "tools/rigor/analysis_page.hpp"
#include "tools/rigor/capture.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/run_output.hpp"
#include "tools/rigor/run_table.hpp"
#include "tools/rigor/run_to_json.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr std::size_t kShownLines = 20;

std::string list_bodies(const Simulation& simulation) {
  std::string text;
  const std::vector<BodyState> bodies = compute_body_states(simulation.model(), simulation.state());
  for (std::size_t i = 0; i < std::min(bodies.size(), kShownLines); ++i) {
    const BodyState& body = bodies[i];
    const Eigen::Vector3d& p = body.pose.position;
    const Eigen::Vector3d& v = body.velocity;
    text += fmt::format("  {:<20} {:>11.6g} {:>11.6g} {:>11.6g}   {:>11.6g} {:>11.6g} {:>11.6g}\n", body.name,
                        p.x(), p.y(), p.z(), v.x(), v.y(), v.z());
  }
  if (bodies.size() > kShownLines)
    text += fmt::format("  … and {} more: see --json\n", bodies.size() - kShownLines);
  return text;
}

std::string describe_velocities(const RunTotals& totals) {
  std::vector<std::string> parts;
  for (int verdict = 3; verdict >= 0; --verdict)
    if (totals.velocity_steps[verdict] > 0)
      parts.push_back(fmt::format("{} in {}", to_string(static_cast<VelocityVerdict>(verdict)),
                                  totals.velocity_steps[verdict]));
  return fmt::format("  velocity             {} steps\n", fmt::join(parts, ", "));
}

std::string describe_contacts(const Simulation& simulation) {
  const RunTotals& totals = simulation.totals();
  int counts[3] = {0, 0, 0};
  for (const ContactReport& contact : simulation.stepper().contacts())
    ++counts[static_cast<int>(contact.mode)];
  std::string text = fmt::format(
      "contacts, {}\n  at the end           {} sticking, {} sliding, {} open\n"
      "  penetration          {:.2g} m\n  outside the cone     {:.2g} m/s\n  sticking drift       {:.2g} m\n"
      "  rolling drift        {:.2g} m\n",
      names_of(Kind<Formulation>{})[static_cast<std::size_t>(simulation.settings().formulation)], counts[1],
      counts[2], counts[0], totals.worst_penetration, totals.worst_cone_violation, totals.sticking_drift,
      totals.rolling_drift);
  if (totals.non_unique_steps > 0)
    text += fmt::format(
        "  forces not unique    in {} of {} steps: those of equal compliance were taken, in large islands "
        "those next to the last step's\n",
        totals.non_unique_steps, totals.steps);
  text += describe_velocities(totals);
  if (totals.fallbacks > 0)
    text +=
        fmt::format("  fell back            {} of {} problems: '{}' gave up, another method solved them\n",
                    totals.fallbacks, totals.islands,
                    names_of(Kind<Solver>{})[static_cast<std::size_t>(simulation.settings().solver)]);
  if (totals.phantom_inertia > 0.0)
    text += fmt::format(
        "  phantom inertia      {:.2g} kg at its least; block methods ask for less than {:.2g} kg\n",
        totals.phantom_inertia, totals.phantom_limit);
  if (totals.lead.size > 0)
    text += fmt::format("  lead matrix          {} x {}, rank {}, condition {:.1e} at its worst\n",
                        totals.lead.size, totals.lead.size, totals.lead.rank, totals.lead.condition);
  if (totals.rounding_steps > 0)
    text += fmt::format("  at rounding          {} of {} steps: above the tolerance, no double is nearer\n",
                        totals.rounding_steps, totals.steps);
  if (totals.unsolved_steps > 0)
    text += fmt::format("  not solved           {} of {} steps, taken at their best residual\n",
                        totals.unsolved_steps, totals.steps);
  return text;
}

std::string describe_run(const Simulation& simulation, double seconds) {
  const RunTotals& totals = simulation.totals();
  const EnergyLedger& energy = totals.energy;
  std::string text = fmt::format("{:.6g} s in {} steps, {:.3g} s of computing\n", simulation.state().t,
                                 totals.steps, seconds);
  text += fmt::format("  {:<20} {:^35}   {:^35}\n", "body", "position, m", "velocity, m/s") +
          list_bodies(simulation);
  for (const ModelMotion& motion : simulation.model().motions)
    text +=
        fmt::format("  {:<20} takes {:.6g} {}\n", motion.name, simulation.stepper().motor_forces()[motion.v],
                    is_rotation(simulation.model(), motion.v) ? "N m" : "N");
  text += fmt::format(
      "certificate\n  constraint error     {:.2g} m or rad\n  residual             {:.2g} m/s, {:.2g} of the "
      "speeds\n",
      totals.worst_constraint_error, totals.worst_residual, totals.worst_relative_residual);
  if (totals.redundant_rows > 0)
    text += fmt::format(
        "  redundant equations  {}: their forces are those of least norm; 'rigor check' names them\n",
        totals.redundant_rows);
  if (totals.most_contacts > 0) text += describe_contacts(simulation);
  if (simulation.settings().method == RunSettings::Method::kSemiImplicit)
    text += fmt::format(
        "energy, J\n  kinetic {:+.6g} = applied {:+.6g}, motors {:+.6g}, constraints {:+.6g}, contact "
        "{:+.6g}, "
        "friction {:+.6g}, limits {:+.6g}, springs and dampers {:+.6g}, numerical {:+.6g}, transport "
        "{:+.6g}, "
        "projection {:+.6g}\n  closes to {:.1g} of its largest term in every step; a step makes at most "
        "{:.1g} of it from "
        "nothing\n  the potential of gravity rose by {:+.3g} beyond the work against it\n",
        energy.kinetic_change, energy.applied, energy.motors, energy.bilateral, energy.normal,
        energy.friction, energy.limits, energy.relaxation, energy.numerical, energy.transport,
        energy.projection, totals.worst_imbalance, totals.worst_made, energy.lifted);
  return text;
}

void write_unsolved(Simulation& simulation, const std::string& path) {
  const std::optional<Problem> problem = simulation.get_unsolved();
  if (!problem) return;
  write_text_file(path, to_file_text(*problem, path));
  complain("rigor: its contact problem is in {}; try 'rigor solve {}'.\n", path, path);
}

// The problems that were asked for; what was written is said unless a JSON document is printed.
void write_problems(Simulation& simulation, const RunRequest& request) {
  const auto write = [&](const Problem& problem, const std::string& path) {
    write_text_file(path, to_file_text(problem, path));
    if (!request.scene.json) say("wrote {} ({})\n", path, describe(problem));
  };
  if (!request.contact_problem.empty()) {
    const std::vector<Problem> problems = simulation.make_contact_problems();
    const auto largest = std::max_element(
        problems.begin(), problems.end(),
        [](const Problem& one, const Problem& other) { return size_of(one) < size_of(other); });
    require(largest != problems.end(), "--contact-problem: nothing touches in the last step.");
    write(*largest, request.contact_problem);
  }
  if (!request.acceleration_problem.empty()) {
    const AccelerationLcp problem =
        make_acceleration_lcp(simulation.model(), simulation.settings(), simulation.state());
    require(problem.mlcp.q.size() > 0, "--acceleration-problem: nothing touches at t = {} s.",
            simulation.state().t);
    write(problem.mlcp, request.acceleration_problem);
  }
}

// Steps to the end, or as far as it goes, and says what came out.
int run_to_end(Simulation& simulation, const RunRequest& request, RunOutput& output) {
  HardSteps hard(static_cast<std::size_t>(request.capture_count));
  RunTable table(simulation, request.every);
  ProgressLine progress("step");
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  StepReport report;
  if (!request.csv.empty()) table.add_row(report);
  while (!was_interrupted() && !simulation.is_finished() && report.is_taken()) {
    report = simulation.step();
    if (!request.capture.empty()) hard.consider(simulation, report);
    if (report.is_taken()) {
      output.note(report);
      if (!request.csv.empty()) table.add_row_if_due(report);
    }
    progress.show(static_cast<std::size_t>(simulation.totals().steps),
                  static_cast<std::size_t>(simulation.step_count()));
  }
  progress.clear();
  if (request.scene.json) {
    JsonValue value = run_to_json(simulation, seconds(), report);
    if (!output.verdict().is_null()) value.add("verdict", output.verdict());
    print_json(std::move(value));
  } else {
    say("{}", describe_run(simulation, seconds()));
  }
  if (!request.csv.empty()) write_text_file(request.csv, table.text());
  const std::string written = output.finish();
  if (!request.scene.json) say("{}", written);
  if (!request.capture.empty()) {
    const std::vector<std::string> files = hard.write(request.capture);
    complain("rigor: the problems of the {} hardest steps are in {}; try 'rigor solve --compare' on one.\n",
             files.size(), request.capture);
  }
  const bool is_interrupted = report.status == StepStatus::kInterrupted;
  if (!report.is_taken() && !is_interrupted) {
    complain("rigor: step {}, t = {:.9g} s: {}. The state before it is shown.\n",
             simulation.totals().steps + 1, simulation.state().t, report.message);
    if (report.status == StepStatus::kUnsolved) write_unsolved(simulation, request.unsolved);
    return kNotAnswered;
  }
  if (is_interrupted || !simulation.is_finished()) {
    complain("rigor: interrupted at t = {:.6g} s of {:.6g} s.\n", simulation.state().t,
             simulation.settings().until);
    return kNotAnswered;
  }
  if (!request.csv.empty() && !request.scene.json)
    say("wrote {} ({} rows)\n", request.csv, table.row_count());
  write_problems(simulation, request);
  return kAnswered;
}

// The state that the file holds, once it is known to be one of this run.
Snapshot load_snapshot(std::string_view bytes, const Simulation& simulation, const std::string& file) {
  try {
    Snapshot snapshot = read_snapshot(bytes);
    check_snapshot(snapshot, simulation);
    return snapshot;
  } catch (const InvalidInput& error) {
    std::string rule = error.what();
    if (rule.ends_with('.')) rule.pop_back();
    throw InvalidDocument({{.file = file, .rule = rule, .remedy = "Run the scene again."}});
  }
}

}  // namespace

int simulate_and_report(const Scene& scene, const RunRequest& request) {
  RunOutput::Request wanted{request.output, request.every, request.checkpoint, request.lead_matrix};
  RunOutput::check(wanted);
  if (request.analyse) {
    const SceneVerdict verdict = judge_scene(scene);
    wanted.verdict = make_verdict(verdict);
    if (!request.scene.json) say("{}", describe_verdict(verdict));
  }
  Simulation simulation(scene);
  simulation.want_lead_matrix(request.lead_matrix);
  RunOutput output(scene, simulation, wanted);
  return run_to_end(simulation, request, output);
}

int run_resume(const std::string& recording, bool json) {
  const ResumePoint point = find_resume_point(recording);
  if (point.is_finished && !json) {
    say("{}: the run has reached its end; there is nothing to resume.\n", recording);
    return kAnswered;
  }
  Simulation simulation(parse_scene(point.header.scene, fmt::format("(scene of {})", recording)));
  simulation.want_lead_matrix(point.header.lead_matrix);
  if (!point.snapshot.empty()) {
    const Snapshot snapshot = load_snapshot(point.snapshot, simulation, recording);
    simulation.restart(snapshot.state, snapshot.totals);
  }
  if (!json) say("{}: goes on at t = {:.6g} s\n", recording, simulation.state().t);
  RunRequest request;
  request.scene.json = json;
  RunOutput output(recording, simulation, point);
  return run_to_end(simulation, request, output);
}

int run_run(const RunRequest& request) {
  RunRequest changed = request;
  if (!request.on_unsolved.empty()) changed.scene.set.push_back("run.on_unsolved=" + request.on_unsolved);
  if (request.threads >= 0) changed.scene.set.push_back(fmt::format("run.threads={}", request.threads));
  return simulate_and_report(changed.scene.load(), changed);
}

}  // namespace rigor
