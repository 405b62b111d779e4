#pragma once

#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor::test {

/// Kinetic and potential energy of the present state, J.
inline double total_energy(const Simulation& simulation) {
  const State& state = simulation.state();
  Kinematics<double> kin;
  compute_positions(simulation.model(), state.q, kin);
  compute_velocities(simulation.model(), state.v, kin);
  return compute_kinetic_energy(simulation.model(), kin, state.v) +
         compute_potential_energy(simulation.model(), state.q, state.t, kin).total();
}

}  // namespace rigor::test
