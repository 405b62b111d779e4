#include "rigor/dynamics/kinematics.hpp"

namespace rigor {

template void compute_positions<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
template void compute_velocities<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
template void compute_accelerations<double>(const Model&, const Eigen::VectorXd&, const Vec3<double>&,
                                            Kinematics<double>&);

void compute_body_velocities(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& v,
                             std::vector<Vec6<double>>& V) {
  V.resize(model.bodies.size());
  V[0].setZero();
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const double* const own_v = v.data() + body.v0;
    if (is_plain(body)) {
      V[b] = Eigen::Map<const Vec6<double>>(own_v);
      continue;
    }
    Vec6<double> relative = Vec6<double>::Zero();
    for (int k = 0; k < body.nv; ++k) relative += column(kin.S, body.v0 + k) * own_v[k];
    V[b] = shift_motion<double>(V[static_cast<std::size_t>(body.parent)], kin.bodies[b].r) + relative;
  }
}

Pose get_body_pose(const Model& model, const Kinematics<double>& kin, BodyIndex body) {
  const auto b = static_cast<std::size_t>(body);
  const Pose X_WJ{kin.bodies[b].p, Eigen::Quaterniond(kin.bodies[b].R)};
  return X_WJ * model.bodies[b].X_JB;
}

}  // namespace rigor
