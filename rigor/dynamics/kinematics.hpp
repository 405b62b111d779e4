#pragma once

#include "rigor/dynamics/joint_kinematics.hpp"
#include "rigor/model/body_kinematics.hpp"

/// From coordinates, speeds and accelerations to the poses and motions of all bodies, root to leaves.
///
///     r  = p_J − p_P                                               (from the parent's reference point)
///     V  = shift(V_P, r) + S v
///     A  = (α_P, a_P + α_P × r) + S v̇ + bias
///     bias = (ω_P × ω_rel + Ṡω v,  ω_P × (ω_P × r) + 2 ω_P × ṫ),   S v = (ω_rel, ṫ).
///
/// Templates on the scalar T; compiled once for double.
namespace rigor {

/// Poses, S and inertias in axes of W. Sizes `kin` on the first call and allocates nothing after.
template <class T>
void compute_positions(const Model& model, const Eigen::Matrix<T, Eigen::Dynamic, 1>& q, Kinematics<T>& kin) {
  kin.bodies.resize(model.bodies.size());
  kin.S.resize(6, model.nv);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const BodyKinematics<T>& parent = kin.bodies[static_cast<std::size_t>(body.parent)];
    BodyKinematics<T>& own = kin.bodies[b];
    const T* const own_q = q.data() + body.q0;

    if (is_plain(body)) {
      own.R = Eigen::Quaternion<T>(own_q[3], own_q[4], own_q[5], own_q[6]).toRotationMatrix();
      own.r = body.p_PF.cast<T>() + Vec3<T>(own_q[0], own_q[1], own_q[2]);
      own.p = own.r;
      Eigen::Map<Mat6<T>>(kin.S.data() + 6 * static_cast<std::ptrdiff_t>(body.v0)).setIdentity();
    } else if (body.type == JointType::kRevolute) {
      const Mat3<T> R_WF = product<T>(parent.R, body.R_PF.cast<T>());
      own.R = product(R_WF, rotation_about(body.axis, own_q[0]));
      own.r = times(parent.R, body.p_PF.cast<T>());
      own.p = parent.p + own.r;
      T* const S = kin.S.data() + 6 * static_cast<std::ptrdiff_t>(body.v0);
      Eigen::Map<Vec3<T>>{S} = times(R_WF, body.axis.cast<T>());
      S[3] = S[4] = S[5] = T(0);
    } else {
      const JointPose<T> X = compute_joint_pose(body, own_q);
      const Mat3<T> R_WF = product<T>(parent.R, body.R_PF.cast<T>());
      own.R = product(R_WF, X.R_FJ);
      own.r = times(parent.R, body.p_PF.cast<T>()) + times(R_WF, X.p_FJ);
      own.p = parent.p + own.r;
      compute_joint_motion(body, R_WF, own_q, kin.S.middleCols(body.v0, body.nv));
    }

    own.inertia.m = T(body.inertia_J.m);
    if (body.inertia_J.is_round()) {
      own.inertia.h.setZero();
      own.inertia.I = body.inertia_J.I.cast<T>();
      continue;
    }
    own.inertia.h = times(own.R, body.inertia_J.h.cast<T>());
    own.inertia.I = rotated<T>(own.R, body.inertia_J.I.cast<T>());
  }
}

/// V and bias; needs compute_positions().
template <class T>
void compute_velocities(const Model& model, const Eigen::Matrix<T, Eigen::Dynamic, 1>& v,
                        Kinematics<T>& kin) {
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const BodyKinematics<T>& parent = kin.bodies[static_cast<std::size_t>(body.parent)];
    BodyKinematics<T>& own = kin.bodies[b];
    const T* const own_v = v.data() + body.v0;
    if (is_plain(body)) {
      own.V = Eigen::Map<const Vec6<T>>(own_v);
      own.bias.setZero();
      continue;
    }
    Vec6<T> relative = Vec6<T>::Zero();
    for (int k = 0; k < body.nv; ++k) relative += column(kin.S, body.v0 + k) * own_v[k];
    const Vec3<T> w = parent.V.template head<3>();
    const Vec3<T> wr = w.cross(own.r);
    own.V = parent.V + relative;
    own.V.template tail<3>() += wr;
    own.bias.template head<3>() = w.cross(relative.template head<3>());
    own.bias.template tail<3>() = w.cross(wr + T(2) * relative.template tail<3>());
    if (body.type == JointType::kUniversal)
      own.bias.template head<3>() += (column(kin.S, body.v0).template head<3>() * own_v[0])
                                         .cross(column(kin.S, body.v0 + 1).template head<3>() * own_v[1]);
  }
}

/// V alone, of another v at the same positions.
void compute_body_velocities(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& v,
                             std::vector<Vec6<double>>& V);

/// A for given v̇ = a; needs compute_velocities(). `root` is the acceleration of the world: −gravity makes
/// the bodies heavy.
template <class T>
void compute_accelerations(const Model& model, const Eigen::Matrix<T, Eigen::Dynamic, 1>& a,
                           const Vec3<T>& root, Kinematics<T>& kin) {
  kin.bodies[0].A.template tail<3>() = root;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    const BodyKinematics<T>& parent = kin.bodies[static_cast<std::size_t>(body.parent)];
    BodyKinematics<T>& own = kin.bodies[b];
    const T* const own_a = a.data() + body.v0;
    if (is_plain(body)) {
      own.A = parent.A + Eigen::Map<const Vec6<T>>(own_a);
      continue;
    }
    own.A = parent.A + own.bias;
    own.A.template tail<3>() += parent.A.template head<3>().cross(own.r);
    for (int k = 0; k < body.nv; ++k) own.A += column(kin.S, body.v0 + k) * own_a[k];
  }
}

extern template void compute_positions<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
extern template void compute_velocities<double>(const Model&, const Eigen::VectorXd&, Kinematics<double>&);
extern template void compute_accelerations<double>(const Model&, const Eigen::VectorXd&, const Vec3<double>&,
                                                   Kinematics<double>&);

/// The pose of a body's own frame B in W; needs compute_positions().
[[nodiscard]] Pose get_body_pose(const Model& model, const Kinematics<double>& kin, BodyIndex body);

}  // namespace rigor
