#include "tools/rigor/comparison.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "rigor/base/require.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/io/recorder.hpp"
#include "tools/rigor/run_to_json.hpp"

namespace rigor {
namespace {

constexpr double kMoves = 1e-6;        // m/s or rad/s
constexpr long kLeadMatrixSteps = 20;  // of which the lead matrix is looked at: it costs singular values

std::vector<Pose> get_poses(const Simulation& simulation) {
  std::vector<Pose> poses;
  for (const BodyState& body : compute_body_states(simulation.model(), simulation.state()))
    poses.push_back(body.pose);
  return poses;
}

Pose interpolate(const Pose& from, const Pose& to, double s) {
  return {from.position + s * (to.position - from.position), from.rotation.slerp(s, to.rotation)};
}

// The body that is farthest from where it began.
void find_traveller(const Simulation& simulation, const std::vector<Pose>& first, ComparedRun& run) {
  const std::vector<BodyState> bodies = compute_body_states(simulation.model(), simulation.state());
  double farthest = -1.0;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double way = (bodies[b].pose.position - first[b].position).norm();
    if (way <= farthest) continue;
    farthest = way;
    run.body = bodies[b].name;
    run.place = bodies[b].pose.position;
  }
}

}  // namespace

void run_compared(const std::vector<double>& times, const std::function<bool()>& on_step, ComparedRun& run) {
  Simulation simulation(run.scene);
  const auto start = std::chrono::steady_clock::now();
  std::vector<Pose> before = get_poses(simulation), after = before;
  const std::vector<Pose> first = before;
  double seconds = 0.0;
  std::size_t next = 0;
  std::optional<Recorder> recorder;
  if (run.is_recorded) {
    run.recording.header = make_recording_header(run.scene, simulation, 0.0, 0.0);
    recorder.emplace(simulation, run.recording.header.every, 0.0);
    run.recording.frames.push_back(recorder->make_frame());
  }
  while (next < times.size() && times[next] <= 0.0) run.poses.push_back(before), ++next;
  while (!simulation.is_finished() && run.failure.empty()) {
    if (!on_step()) {
      run.failure = "interrupted";
      break;
    }
    const double from = simulation.state().t;
    simulation.want_lead_matrix(simulation.totals().steps < kLeadMatrixSteps);
    const auto begin = std::chrono::steady_clock::now();
    const StepReport report = simulation.step();
    if (simulation.totals().steps > kLeadMatrixSteps)
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!report.is_taken()) {
      run.failure = report.message;
      break;
    }
    if (recorder && recorder->note(report)) run.recording.frames.push_back(recorder->make_frame());
    const double to = simulation.state().t;
    const bool moves = simulation.state().v.cwiseAbs().maxCoeff() > kMoves;
    if (moves)
      run.stop = -1.0;
    else if (run.stop < 0.0)
      run.stop = to;
    const bool is_due = next < times.size() && times[next] <= to * (1.0 + 1e-12);
    if (!is_due && (next >= times.size() || times[next] > to + 2.0 * run.dt)) continue;
    after = get_poses(simulation);
    for (; next < times.size() && times[next] <= to * (1.0 + 1e-12); ++next) {
      const double s = to > from ? std::clamp((times[next] - from) / (to - from), 0.0, 1.0) : 1.0;
      auto& poses = run.poses.emplace_back();
      for (std::size_t b = 0; b < after.size(); ++b) poses.push_back(interpolate(before[b], after[b], s));
    }
    std::swap(before, after);
  }
  run.totals = simulation.totals();
  run.recording.is_finished = simulation.is_finished() && !simulation.has_failed();
  const long timed = simulation.totals().steps - kLeadMatrixSteps;
  run.seconds = timed > 0
                    ? seconds / static_cast<double>(timed) * static_cast<double>(simulation.totals().steps)
                    : std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.end = simulation.state().t;
  if (simulation.model().nv == 0) run.stop = 0.0;
  find_traveller(simulation, first, run);
}

void measure_errors(const ComparedRun& reference, ComparedRun& run) {
  const std::size_t count = std::min(reference.poses.size(), run.poses.size());
  for (std::size_t k = 0; k < count; ++k) {
    run.end_position_error = run.end_angle_error = 0.0;
    for (std::size_t b = 0; b < run.poses[k].size(); ++b) {
      const Pose &own = run.poses[k][b], &right = reference.poses[k][b];
      run.end_position_error = std::max(run.end_position_error, (own.position - right.position).norm());
      run.end_angle_error = std::max(run.end_angle_error, own.rotation.angularDistance(right.rotation));
    }
    run.position_error = std::max(run.position_error, run.end_position_error);
    run.angle_error = std::max(run.angle_error, run.end_angle_error);
  }
}

std::vector<std::string> split_sweep(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return {assignment};  // the reader says what is wrong with it
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : assignment.substr(equals + 1)) {
    if (c == '"') quoted = !quoted;
    if (!quoted) depth += c == '[' || c == '{' || c == '(' ? 1 : c == ']' || c == '}' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0 && !quoted)
      values.emplace_back();
    else
      values.back() += c;
  }
  for (std::string& value : values) {
    require(!value.empty(), "--set {}: an empty value between commas.", assignment);
    value = assignment.substr(0, equals + 1) + value;
  }
  return values;
}

}  // namespace rigor
