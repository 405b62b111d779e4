#include "tools/rigor/analysis_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/io/recording.hpp"
#include "rigor/io/scene_writer.hpp"
#include "tools/rigor/page.hpp"

namespace rigor {
namespace {

constexpr int kFrames = 90;
constexpr double kSeconds = 3.0;  // there and back
constexpr double kSwing = 0.3;    // of the largest moving shape's radius

// How far to go along a motion, in its unit: the farthest point of any body goes kSwing of a shape's radius.
double find_swing(const Model& model, const State& state, const Eigen::VectorXd& motion) {
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, motion, kin);
  double speed = 0.0, size = 0.0;
  for (const ModelShape& shape : model.shapes) {
    if (shape.body == kWorldIndex || !(shape.radius < 1e12)) continue;
    const BodyKinematics<double>& body = kin.bodies[static_cast<std::size_t>(shape.body)];
    const double radius = shape.X_JS.position.norm() + shape.radius;
    size = std::max(size, radius);
    speed = std::max(speed, body.V.tail<3>().norm() + body.V.head<3>().norm() * radius);
  }
  return speed > 0.0 && size > 0.0 ? kSwing * size / speed : 1.0;
}

bool has_blocking_motion(const StickingAnswer& answer) {
  return answer.answer == Answer::kNo && answer.verdict.motion.size() > 0;
}

RecordedFrame make_frame(const SceneVerdict& verdict, double t) {
  RecordedFrame frame;
  frame.t = t;
  frame.q = verdict.state.q;
  frame.v = Eigen::VectorXd::Zero(verdict.model.nv);
  frame.motion_forces.assign(verdict.model.motions.size(), 0.0);
  return frame;
}

double& certificate_of(RecordedFrame& frame, std::string_view name) {
  const auto at = std::find(kCertificateFields.begin(), kCertificateFields.end(), name);
  return frame.certificate[static_cast<std::size_t>(at - kCertificateFields.begin())];
}

// The contacts with the forces of the answer; without where there are none.
void add_contacts(const SceneVerdict& verdict, RecordedFrame& frame) {
  const SceneProblem& problem = verdict.problem;
  const StickingAnswer& answer = verdict.answer();
  double& open = certificate_of(frame, "open");
  double& sticking = certificate_of(frame, "sticking");
  double& sliding = certificate_of(frame, "sliding");
  for (std::size_t i = 0; i < problem.places.size(); ++i) {
    const SceneProblem::Place& place = problem.places[i];
    if (!place.is_contact) continue;
    RecordedContact contact;
    contact.key = i + 1;
    ContactReport& report = contact.report;
    report.a = place.a;
    report.b = place.b;
    report.point = place.point;
    report.normal = place.frame.col(0);
    report.mu = problem.problem.contacts[i].mu;
    if (i < answer.forces.size() && answer.forces[i].size() > 0) {
      Eigen::Vector3d force = Eigen::Vector3d::Zero();
      force.head(answer.forces[i].size()) = answer.forces[i];
      force[2] *= place.mu_ratio;
      report.force = place.frame * force;
      report.mode = problem.problem.contacts[i].slides() ? ContactMode::kSliding : ContactMode::kSticking;
    }
    (report.mode == ContactMode::kSticking  ? sticking
     : report.mode == ContactMode::kSliding ? sliding
                                            : open) += 1.0;
    frame.contacts.push_back(std::move(contact));
  }
}

std::string describe_mu_briefly(const std::optional<LeastFriction>& least) {
  if (!least) return "none is needed";
  if (least->exists == Answer::kNo) return "none is enough";
  if (least->exists == Answer::kUndecided) return "undecided";
  return fmt::format("{}{:.6g}", least->attained ? "" : "above ", least->mu);
}

const char* title_of(const SceneVerdict& verdict) {
  const Answer answer = verdict.answer().answer;
  if (answer == Answer::kUndecided) return "Undecided: the margin is below 1e-9";
  if (verdict.is_at_rest) return answer == Answer::kYes ? "Can stay at rest" : "Cannot stay at rest";
  return answer == Answer::kYes ? "All contacts stick" : "Not all contacts can stick";
}

// What the answer rests on, by name.
std::vector<std::pair<const char*, std::string>> list_rows(const SceneVerdict& verdict) {
  const StickingAnswer& answer = verdict.answer();
  std::vector<std::pair<const char*, std::string>> rows;
  rows.emplace_back("least friction", describe_mu_briefly(verdict.mu_min()));
  if (answer.answer == Answer::kYes) {
    rows.emplace_back("margin", fmt::format("{:.6g} N{}", answer.verdict.margin,
                                            answer.verdict.is_capped ? " or more" : ""));
    rows.emplace_back("balance", fmt::format("to {:.1e} of the load", answer.verdict.residual));
  }
  if (has_blocking_motion(answer)) {
    const AccelerationProblem& own = verdict.problem.problem;
    const MotionCheck check =
        check_blocking_motion(verdict.is_at_rest ? make_still(own) : own, answer.verdict.motion);
    rows.emplace_back("proof", fmt::format("a motion that no contact prevents and the load drives{}",
                                           check.holds ? " (checked)" : ""));
  }
  if (answer.answer == Answer::kYes && !verdict.is_at_rest)
    rows.emplace_back("forces", verdict.analysis.forces_unique == Answer::kYes
                                    ? std::string("unique")
                                    : fmt::format("a set of dimension {}", verdict.analysis.force_dimension));
  return rows;
}

}  // namespace

SceneVerdict judge_scene(const Scene& scene, const SceneProblemOptions& options) {
  SceneVerdict verdict;
  verdict.scene = scene;
  verdict.model = make_model(scene);
  verdict.state = assemble(verdict.model).state;
  verdict.problem = make_scene_problem(verdict.model, verdict.state, options);
  verdict.analysis = analyse(verdict.problem.problem);
  verdict.is_at_rest = verdict.state.v.isZero(0.0);
  if (verdict.is_at_rest) verdict.rest = find_rest(verdict.problem.problem, &verdict.analysis);
  return verdict;
}

std::string describe_verdict(const SceneVerdict& verdict) {
  std::string text = fmt::format("at the beginning: {}\n", title_of(verdict));
  for (const auto& [name, value] : list_rows(verdict)) text += fmt::format("  {:<20} {}\n", name, value);
  return text;
}

JsonValue make_verdict(const SceneVerdict& verdict) {
  const Answer answer = verdict.answer().answer;
  JsonValue value{JsonValue::Object{}};
  value.add("holds", answer == Answer::kUndecided ? JsonValue(nullptr) : JsonValue(answer == Answer::kYes));
  value.add("title", std::string(title_of(verdict)));
  JsonValue::Array rows;
  for (auto& [name, text] : list_rows(verdict)) rows.push_back(JsonValue::Array{std::string(name), text});
  value.add("rows", std::move(rows));
  return value;
}

void write_analysis_page(const std::string& path, const SceneVerdict& verdict) {
  Recording recording;
  recording.header.program = RIGOR_VERSION;
  recording.header.scene = write_scene(verdict.scene);
  recording.header.every = kSeconds / kFrames;
  recording.is_finished = true;
  recording.frames.push_back(make_frame(verdict, 0.0));
  add_contacts(verdict, recording.frames.back());

  // there and back along the motion that proves "no"
  const StickingAnswer& answer = verdict.answer();
  if (has_blocking_motion(answer)) {
    const Eigen::VectorXd& motion = answer.verdict.motion;
    const double swing = find_swing(verdict.model, verdict.state, motion);
    for (int f = 1; f <= kFrames; ++f) {
      RecordedFrame frame = make_frame(verdict, kSeconds * f / kFrames);
      const double way = 0.5 * swing * (1.0 - std::cos(2.0 * std::numbers::pi * f / kFrames));
      move(verdict.model, way * motion, frame.q);
      add_contacts(verdict, frame);
      recording.frames.push_back(std::move(frame));
    }
  }
  JsonValue box = make_verdict(verdict);
  box.add("without_run", true);
  write_page(path, {{&recording, "analysis", std::move(box)}});
}

}  // namespace rigor
