#include "rigor/stepping/runge_kutta4.hpp"

#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/overflow.hpp"

namespace rigor {

RungeKutta4Stepper::RungeKutta4Stepper(const Model& model)
    : model_(model), dynamics_(model), system_(model), projector_(system_), finder_(model) {}

// The rates of all stages; false where a motion meets no inertia.
bool RungeKutta4Stepper::compute_stages(const State& state, double h, StepReport& report) {
  static constexpr double kNode[4] = {0.0, 0.5, 0.5, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    q_ = state.q;
    v_ = state.v;
    if (stage > 0) {
      q_ += h * kNode[stage] * q_dot_[stage - 1];
      v_ += h * kNode[stage] * v_dot_[stage - 1];
    }
    // Γ is linear in the quaternion, and its flow keeps the quaternion's length. So it is smooth for other
    // lengths too, and the method keeps its order.
    compute_q_dot(model_, q_, v_, q_dot_[stage]);
    normalize(model_, q_);
    if (const int massless = dynamics_.compute(state.t + kNode[stage] * h, q_, v_); massless >= 0) {
      report.status = StepStatus::kMassless;
      report.message = describe_massless(model_, massless);
      return false;
    }
    v_dot_[stage] = dynamics_.acceleration();
    raise_worst(report.residual, dynamics_.residual());
    if (!is_bounded(v_dot_[stage]) || !std::isfinite(report.residual)) return refuse(state, h, report);
    if (stage > 0) continue;
    motor_forces_ = dynamics_.motor_forces();
    multipliers_ = dynamics_.multipliers();
    for (std::size_t i = 0; i < multipliers_.size(); ++i)
      report.redundant_rows += static_cast<int>(dynamics_.system().inertia(i).redundant());
  }
  return true;
}

// The new positions and speeds from the rates; false where they overflow.
bool RungeKutta4Stepper::combine_stages(const State& state, double h, StepReport& report) {
  static constexpr double kWeight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  q_ = state.q;
  v_ = state.v;
  for (int stage = 0; stage < 4; ++stage) {
    q_ += h * kWeight[stage] * q_dot_[stage];
    v_ += h * kWeight[stage] * v_dot_[stage];
  }
  normalize(model_, q_);
  return (is_bounded(q_) && is_bounded(v_)) || refuse(state, h, report);
}

bool RungeKutta4Stepper::refuse(const State& state, double h, StepReport& report) {
  report.status = StepStatus::kNotFinite;
  report.message =
      fmt::format("numbers overflow: {}. Take a shorter step, or run.method semi-implicit for stiff springs",
                  describe_overflow(dynamics_.system(), state.t, h, v_));
  return false;
}

// Back onto the constraints; false where they cannot be reached.
bool RungeKutta4Stepper::project(double t, StepReport& report) {
  projector_.set_prescribed(t, q_, v_);
  const ProjectionResult positions = projector_.project_positions(t, q_);
  const ProjectionResult velocities = projector_.project_velocities(t, q_, v_);
  report.projections = positions.iterations;
  report.constraint_error = positions.error;
  if (positions.ok && velocities.ok) return true;
  report.status = StepStatus::kInconsistent;
  const auto left = projector_.list_violations(1e-10);
  report.message = fmt::format("the state cannot be brought onto the constraints: {:.3g} left of {}",
                               positions.ok ? velocities.error : positions.error,
                               left.empty() ? "them" : left.front().row);
  return false;
}

StepReport RungeKutta4Stepper::step(State& state, double h) {
  require_step(model_, state, h);
  StepReport report;
  if (!compute_stages(state, h, report)) return report;
  if (!combine_stages(state, h, report)) return report;
  if (!project(state.t + h, report)) return report;
  if (std::string met = find_contact(h); !met.empty()) {
    report.status = StepStatus::kUnsolved;
    report.message = std::move(met) + "; runge-kutta-4 knows no contacts. Use run.method semi-implicit";
    return report;
  }
  state.t += h;
  state.q = q_;
  state.v = v_;
  return report;
}

// Names a one-sided row (contact, limit) that would act at the new positions; empty where none would.
std::string RungeKutta4Stepper::find_contact(double h) {
  constexpr double kOverlap = 1e-9;  // m or rad
  for (const ModelLimit& limit : model_.limits)
    if (q_[limit.q] < limit.lower - kOverlap || q_[limit.q] > limit.upper + kOverlap)
      return fmt::format(
          "joint \"{}\" is at the end of its range",
          model_.bodies[static_cast<std::size_t>(model_.speeds[static_cast<std::size_t>(limit.v)].body)]
              .joint_name);
  if (model_.shapes.empty()) return {};
  compute_positions(model_, q_, kin_);
  compute_velocities(model_, v_, kin_);
  finder_.find(kin_, h, found_);
  for (const Contact& contact : found_)
    if (contact.gap < -kOverlap)
      return fmt::format("\"{}\" and \"{}\" touch", model_.bodies[static_cast<std::size_t>(contact.a)].name,
                         model_.bodies[static_cast<std::size_t>(contact.b)].name);
  return {};
}

}  // namespace rigor
