#pragma once

#include "rigor/analysis/least_friction.hpp"

namespace rigor::test {

/// The least coefficient of all contacts with friction, within their cones.
inline LeastFriction least_friction_of(const AccelerationProblem& problem) {
  return find_least_friction(StickingSet(problem, FrictionKind::kCones), list_friction_contacts(problem));
}

}  // namespace rigor::test
