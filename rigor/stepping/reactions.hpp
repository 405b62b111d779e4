#pragma once

#include <vector>

#include "rigor/dynamics/forward_dynamics.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// The forces in a simulation after its last step: one source for all that reports them.
struct Reactions {
  /// The force that each body's joint exerts on it, (moment about the joint's origin, force), in axes of W, N m and N:
  /// from the accelerations that all forces cause at the state, those of the last step's contacts and ends of ranges
  /// among them. Empty where a motion meets no inertia, and like all others where steps were taken and those forces are
  /// not known (Simulation::has_forces): without contacts they would be wrong.
  std::vector<Vec6<double>> joints;
  /// Of every island's rows, and along prescribed speeds: those of the last step, or before the first step those at
  /// the state. N or N m.
  std::vector<Eigen::VectorXd> multipliers;
  Eigen::VectorXd motors;
  Islands islands;  // whose rows these are
};
[[nodiscard]] Reactions compute_reactions(const Simulation& simulation);

}  // namespace rigor
