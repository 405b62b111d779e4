#include "rigor/stepping/simulation.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {

long count_steps(const RunSettings& settings) {
  return std::lround(std::ceil(settings.until / settings.dt - 1e-9));
}

Simulation::Simulation(const Scene& scene, const UserElements& user)
    : model_(make_model(scene, user)),
      settings_(scene.run),
      assembly_(assemble(model_)),
      state_(assembly_.state),
      stepper_(make_stepper(model_, settings_.method)),
      step_count_(count_steps(settings_)) {
  totals_.worst_constraint_error = assembly_.error;
}

StepReport Simulation::step() {
  const double end = std::min(static_cast<double>(totals_.steps + 1) * settings_.dt, settings_.until);
  const StepReport report = stepper_->step(state_, end - state_.t);
  if (report.status != StepStatus::kSolved) return report;
  state_.t = end;
  ++totals_.steps;
  totals_.worst_residual = std::max(totals_.worst_residual, report.residual);
  totals_.worst_constraint_error = std::max(totals_.worst_constraint_error, report.constraint_error);
  totals_.worst_imbalance = std::max(totals_.worst_imbalance, report.energy.imbalance());
  totals_.redundant_rows = std::max(totals_.redundant_rows, report.redundant_rows);
  totals_.energy.add(report.energy);
  return report;
}

}  // namespace rigor
