#pragma once

#include "rigor/dynamics/inverse_dynamics.hpp"

namespace rigor {

/// Forces that do not depend on the solution of a step: motors, the scene's forces, and users' forces without
/// rows. Joint springs and dampers, which a step may take implicitly, have functions of their own.
struct AppliedForcesWorkspace {
  ForceSink sink;
  std::vector<Vec6<double>> wrenches;
};

/// tau: their sum along the speeds. `workspace.sink` keeps the forces on the bodies.
void compute_applied_forces(const MotionView& view, AppliedForcesWorkspace& workspace, Eigen::VectorXd& tau);

}  // namespace rigor
