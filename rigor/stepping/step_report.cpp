#include "rigor/stepping/step_report.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kNoEnergy = 1e-280;  // J: below, numbers lose their digits

}  // namespace

std::string_view to_string(StepStatus status) {
  constexpr std::string_view kNames[] = {"solved",   "rounding",   "accepted", "massless",   "inconsistent",
                                         "unsolved", "not-finite", "energy",   "interrupted"};
  return kNames[static_cast<std::size_t>(status)];
}

void EnergyLedger::add(const EnergyLedger& step) {
  applied += step.applied;
  motors += step.motors;
  bilateral += step.bilateral;
  normal += step.normal;
  friction += step.friction;
  limits += step.limits;
  relaxation += step.relaxation;
  numerical += step.numerical;
  transport += step.transport;
  projection += step.projection;
  kinetic_change += step.kinetic_change;
  scale = std::max(scale, step.scale);
  reach = std::max(reach, step.reach);
  potential_change += step.potential_change;
  lifted += step.lifted;
}

void StepReport::add_earlier(const StepReport& first) {
  const auto raise = [](auto& worst, const auto& other) { worst = std::max(worst, other); };
  raise(status, first.status);  // of parts that were taken: solved, rounding, accepted
  raise(residual, first.residual);
  raise(constraint_error, first.constraint_error);
  raise(redundant_rows, first.redundant_rows);
  projections += first.projections;
  energy.add(first.energy);
  raise(contact.residual, first.contact.residual);
  raise(contact.relative_residual, first.contact.relative_residual);
  raise(contact.penetration, first.contact.penetration);
  raise(contact.cone_violation, first.contact.cone_violation);
  raise(contact.direction_violation, first.contact.direction_violation);
  raise(contact.lift_off, first.contact.lift_off);
  raise(contact.sticking_drift, first.contact.sticking_drift);
  raise(contact.rolling_drift, first.contact.rolling_drift);
  raise(contact.force_freedom, first.contact.force_freedom);
  contact.iterations += first.contact.iterations;
  contact.unsolved_islands += first.contact.unsolved_islands;
  contact.rounding_islands += first.contact.rounding_islands;
  times.collision += first.times.collision;
  times.assembly += first.times.assembly;
  times.solve += first.times.solve;
  times.rest += first.times.rest;
}

double EnergyLedger::relative_made() const {
  return made() > 0.0 && scale > kNoEnergy ? made() / scale : 0.0;
}

double EnergyLedger::imbalance() const {
  const double terms[] = {applied, motors,     bilateral, normal,    friction,
                          limits,  relaxation, numerical, transport, projection};
  double sum = -kinetic_change, largest = std::max(scale, reach);
  for (const double term : terms) {
    sum += term;
    largest = std::max(largest, std::abs(term));
  }
  return largest > kNoEnergy ? std::abs(sum) / largest : 0.0;
}

}  // namespace rigor
