#pragma once

#include "rigor/dynamics/projection.hpp"

namespace rigor {

/// The initial state of a model on its constraints, in position and velocity.
struct Assembly {
  State state;
  double moved{0.0};  // largest change of a coordinate that the scene gives, m or rad
  double error{0.0};  // largest |Θ| left, m or rad
};

/// Throws InvalidInput that names the constraints which contradict each other, with the error left of each,
/// or the motion that has no inertia.
[[nodiscard]] Assembly assemble(const Model& model);

/// "body "rod", coordinate 0 of its revolute joint, can move without moving any mass, and no constraint holds
/// it".
[[nodiscard]] std::string describe_massless(const Model& model, int speed);

}  // namespace rigor
