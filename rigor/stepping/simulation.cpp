#include "rigor/stepping/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/dynamics/overflow.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

constexpr int kMaxHalvings = 10;
constexpr int kMaxAttempts = 30;    // steps and parts of steps that may fail until one step of the run does
constexpr double kSameStep = 1e-6;  // of dt: a step that differs by less is one of dt

}  // namespace

long count_steps(const RunSettings& settings) {
  return std::lround(std::ceil(settings.until / settings.dt - 1e-9));
}

Simulation::Simulation(const Scene& scene, const UserElements& user)
    : model_(make_model(scene, user)),
      settings_(scene.run),
      assembly_(assemble(model_)),
      state_(assembly_.state),
      stepper_(make_stepper(model_, settings_)),
      step_count_(count_steps(settings_)) {
  totals_.worst_constraint_error = assembly_.error;
  stepper_->share_work(&meter_);
}

StepReport Simulation::step() {
  const double end = std::min(static_cast<double>(totals_.steps + 1) * settings_.dt, settings_.until);
  // dt itself, but for a shorter last one: the difference of two late times has lost digits, and impulses
  // that hold a weight for one step would not hold it for the next
  const double left = end - state_.t;
  const double h = std::abs(left - settings_.dt) <= kSameStep * settings_.dt ? settings_.dt : left;
  // a stepper leaves the state as it is where it fails; of halves the first may succeed alone
  const bool may_halve = settings_.on_unsolved == RunSettings::OnUnsolved::kHalve;
  if (may_halve) next_ = state_;
  attempts_left_ = kMaxAttempts;
  meter_ = WorkMeter(settings_.work);
  const StepReport report = advance(may_halve ? next_ : state_, h, kMaxHalvings);
  failed_ = !report.is_taken();
  has_forces_ = !failed_;
  if (failed_) return report;
  if (may_halve) std::swap(state_, next_);
  state_.t = end;
  ++totals_.steps;
  totals_.add(report);
  return report;
}

StepReport Simulation::run(const std::function<bool(const StepReport&)>& after) {
  StepReport report;
  while (!is_finished()) {
    report = step();
    if (after && !after(report)) break;
  }
  return report;
}

std::optional<Problem> Simulation::get_unsolved() {
  return stepper_->get_unsolved();
}

std::vector<Problem> Simulation::make_contact_problems() {
  return stepper_->make_contact_problems();
}

std::optional<Problem> Simulation::get_hardest() {
  return stepper_->get_hardest();
}

// One step, or with on_unsolved "halve" two halves of it, and so on, up to kMaxAttempts that fail or
// until the work is spent.
StepReport Simulation::advance(State& state, double h, int halvings) {
  StepReport report = stepper_->step(state, h);
  const bool may_help = report.status == StepStatus::kUnsolved || report.status == StepStatus::kEnergy;
  if (!may_help || settings_.on_unsolved != RunSettings::OnUnsolved::kHalve || halvings == 0 ||
      --attempts_left_ <= 0 || meter_.is_spent())
    return report;
  report = advance(state, 0.5 * h, halvings - 1);
  if (!report.is_taken()) return report;
  StepReport second = advance(state, 0.5 * h, halvings - 1);
  if (second.is_taken()) second.add_earlier(report);
  return second;
}

void Simulation::restart(const State& state, long steps) {
  require(steps >= 0, "restart: {} steps were taken, must be >= 0.", steps);
  require_step(model_, state, settings_.dt);
  state_ = state;
  failed_ = has_forces_ = false;
  totals_ = {};
  totals_.steps = steps;
}

void Simulation::restart(const State& state, const RunTotals& totals) {
  restart(state, totals.steps);
  totals_ = totals;
}

void RunTotals::add(const StepReport& report) {
  raise_worst(worst_residual, report.residual);
  raise_worst(worst_constraint_error, report.constraint_error);
  raise_worst(worst_imbalance, report.energy.imbalance());
  raise_worst(worst_made, report.energy.relative_made());
  redundant_rows = std::max(redundant_rows, report.redundant_rows);
  energy.add(report.energy);
  const ContactCertificate& contact = report.contact;
  worst_penetration = std::max(worst_penetration, contact.penetration);
  worst_cone_violation = std::max(worst_cone_violation, contact.cone_violation);
  worst_direction_violation = std::max(worst_direction_violation, contact.direction_violation);
  worst_lift_off = std::max(worst_lift_off, contact.lift_off);
  sticking_drift = std::max(sticking_drift, contact.sticking_drift);
  rolling_drift = std::max(rolling_drift, contact.rolling_drift);
  worst_relative_residual = std::max(worst_relative_residual, contact.relative_residual);
  unsolved_steps += report.status == StepStatus::kAccepted ? 1 : 0;
  rounding_steps += report.status == StepStatus::kRounding ? 1 : 0;
  non_unique_steps += contact.force_freedom > 0 ? 1 : 0;
  if (contact.islands > 0) ++velocity_steps[static_cast<int>(contact.velocity)];
  iterations += contact.iterations;
  islands += contact.islands;
  fallbacks += contact.fallbacks;
  phantom_limit = std::min(phantom_limit, contact.phantom_limit);
  if (contact.phantom_inertia > 0.0)
    phantom_inertia =
        phantom_inertia > 0.0 ? std::min(phantom_inertia, contact.phantom_inertia) : contact.phantom_inertia;
  most_contacts = std::max(most_contacts, contact.open + contact.sticking + contact.sliding);
  if (contact.lead.size > 0 && (lead.size == 0 || contact.lead.condition > lead.condition))
    lead = contact.lead;
  times.collision += report.times.collision;
  times.assembly += report.times.assembly;
  times.solve += report.times.solve;
  times.rest += report.times.rest;
}

}  // namespace rigor
