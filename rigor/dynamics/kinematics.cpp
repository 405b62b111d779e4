#include "rigor/dynamics/kinematics.hpp"

namespace rigor {

template void compute_positions<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
template void compute_velocities<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
template void compute_accelerations<double>(const Model&, const Eigen::VectorXd&, const Vec3<double>&,
                                            Kinematics<double>&);

Pose get_body_pose(const Model& model, const Kinematics<double>& kin, BodyIndex body) {
  const auto b = static_cast<std::size_t>(body);
  const Pose X_WJ{kin.bodies[b].p, Eigen::Quaterniond(kin.bodies[b].R)};
  return X_WJ * model.bodies[b].X_JB;
}

}  // namespace rigor
