#include "rigor/dynamics/jacobian.hpp"

namespace rigor {
namespace {

Eigen::Vector3d arm(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                    const Eigen::Vector3d& point_B) {
  const auto b = static_cast<std::size_t>(body);
  const Pose& X_JB = model.bodies[b].X_JB;
  return kin.bodies[b].R * (X_JB.position + X_JB.rotation * point_B);
}

}  // namespace

void compute_frame_jacobian(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                            const Eigen::Vector3d& point_B, Eigen::MatrixXd& J) {
  J.setZero(6, model.nv);
  // from the body to its root; r goes from the present body's reference point to the point
  Eigen::Vector3d r = arm(model, kin, body, point_B);
  for (; body != kWorldIndex; body = model.bodies[static_cast<std::size_t>(body)].parent) {
    const ModelBody& own = model.bodies[static_cast<std::size_t>(body)];
    for (int i = own.v0; i < own.v0 + own.nv; ++i) J.col(i) = shift_motion(Vec6<double>(kin.S.col(i)), r);
    r += kin.bodies[static_cast<std::size_t>(body)].r;
  }
}

Vec6<double> compute_frame_bias(const Model& model, const Kinematics<double>& kin, BodyIndex body,
                                const Eigen::Vector3d& point_B) {
  // what each joint on the way adds, shifted to the point
  Eigen::Vector3d r = arm(model, kin, body, point_B);
  const Eigen::Vector3d w = kin.bodies[static_cast<std::size_t>(body)].angular_velocity();
  Vec6<double> bias = Vec6<double>::Zero();
  bias.tail<3>() = w.cross(w.cross(r));
  for (; body != kWorldIndex; body = model.bodies[static_cast<std::size_t>(body)].parent) {
    const BodyKinematics<double>& own = kin.bodies[static_cast<std::size_t>(body)];
    bias += shift_motion(own.bias, r);
    r += own.r;
  }
  return bias;
}

}  // namespace rigor
