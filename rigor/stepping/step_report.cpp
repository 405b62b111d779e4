#include "rigor/stepping/step_report.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kNoEnergy = 1e-280;  // J: below, numbers lose their digits

}  // namespace

std::string_view to_string(StepStatus status) {
  constexpr std::string_view kNames[] = {"solved",       "rounding", "accepted",  "massless",
                                         "inconsistent", "unsolved", "not-finite"};
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
  potential_change += step.potential_change;
}

double EnergyLedger::imbalance() const {
  const double terms[] = {applied, motors,     bilateral, normal,    friction,
                          limits,  relaxation, numerical, transport, projection};
  double sum = -kinetic_change, largest = scale;
  for (const double term : terms) {
    sum += term;
    largest = std::max(largest, std::abs(term));
  }
  return largest > kNoEnergy ? std::abs(sum) / largest : 0.0;
}

}  // namespace rigor
