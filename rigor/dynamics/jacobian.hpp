#pragma once

#include "rigor/dynamics/kinematics.hpp"

/// Jacobians of points and frames, and d/dt(J) v, called the bias: a = J v̇ + bias.
namespace rigor {

/// 6 x nv: (ω, velocity) of the body's point `point_B` (in its own frame B), in axes of W. Needs
/// compute_positions(). Rows 3-5 alone are the Jacobian of the point.
void compute_frame_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                            const Eigen::Vector3d& point_B, Eigen::MatrixXd& J);

/// (α, acceleration) of that point at v̇ = 0: d/dt(J) v. Needs compute_velocities().
[[nodiscard]] Vec6<double> compute_frame_bias(const Model& model, const Kinematics<double>& kin,
                                              BodyIndex body, const Eigen::Vector3d& point_B);

}  // namespace rigor
