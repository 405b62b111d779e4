#pragma once

#include "rigor/model/model.hpp"

/// What each type of joint does: the pose of J in F from the joint's coordinates q, and the motion of J per
/// unit of each speed. Templates on the scalar; no allocation.
///
///     type         X_FJ(q)                                   columns of S_F (angular; linear), at J's origin
///     revolute     turn q₁ about a                           (a; 0)
///     prismatic    advance q₁ along a                        (0; a)
///     screw        turn q₁, advance pitch q₁                 (a; pitch a)
///     cylindrical  turn q₁, advance q₂                       (a; 0), (0; a)
///     universal    turn q₁ about a, then q₂ about b in J     (a; 0), (R(a, q₁) b; 0)
///     planar       advance q₁ t₁ + q₂ t₂, turn q₃ about n    (0; t₁), (0; t₂), (n; 0)
///     ball         the quaternion q                          (1; 0)
///     free         position q₁₋₃, quaternion q₄₋₇            (1; 0), (0; 1)
///
/// Only the universal joint's S_F changes with q: Ṡ_F v = (v₁ a × b(q₁) v₂; 0).
namespace rigor {

/// A free body whose speeds are along the axes of W: its S is the unit matrix, V = v and bias = 0.
[[nodiscard]] inline bool is_plain(const ModelBody& body) {
  if (body.type != JointType::kFree || body.parent != kWorldIndex) return false;
  const double* const R = body.R_PF.data();
  bool is_identity = true;
  for (int k = 0; k < 9; ++k) is_identity &= R[k] == (k % 4 == 0 ? 1.0 : 0.0);
  return is_identity;
}

template <class T>
struct JointPose {
  Mat3<T> R_FJ{Mat3<T>::Identity()};
  Vec3<T> p_FJ{Vec3<T>::Zero()};
};

/// `q` points at the joint's own coordinates.
template <class T>
[[nodiscard]] JointPose<T> compute_joint_pose(const ModelBody& body, const T* q) {
  JointPose<T> X;
  switch (body.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      X.R_FJ = rotation_about(body.axis, q[0]);
      break;
    case JointType::kPrismatic:
      X.p_FJ = body.axis.cast<T>() * q[0];
      break;
    case JointType::kScrew:
      X.R_FJ = rotation_about(body.axis, q[0]);
      X.p_FJ = body.axis.cast<T>() * (body.pitch * q[0]);
      break;
    case JointType::kCylindrical:
      X.R_FJ = rotation_about(body.axis, q[0]);
      X.p_FJ = body.axis.cast<T>() * q[1];
      break;
    case JointType::kUniversal:
      X.R_FJ = rotation_about(body.axis, q[0]) * rotation_about(body.axis2, q[1]);
      break;
    case JointType::kPlanar:
      X.R_FJ = rotation_about(body.axis, q[2]);
      X.p_FJ = body.axis2.cast<T>() * q[0] + body.axis3.cast<T>() * q[1];
      break;
    case JointType::kBall:
      X.R_FJ = Eigen::Quaternion<T>(q[0], q[1], q[2], q[3]).toRotationMatrix();
      break;
    case JointType::kFree:
      X.R_FJ = Eigen::Quaternion<T>(q[3], q[4], q[5], q[6]).toRotationMatrix();
      X.p_FJ = Vec3<T>(q[0], q[1], q[2]);
      break;
  }
  return X;
}

/// The columns of S in axes of W, where R_WF is the orientation of F.
template <class T, class Columns>
void compute_joint_motion(const ModelBody& body, const Mat3<T>& R_WF, const T* q, Columns&& S) {
  S.setZero();
  const auto angular = [&](int column) { return S.col(column).template head<3>(); };
  const auto linear = [&](int column) { return S.col(column).template tail<3>(); };
  switch (body.type) {
    case JointType::kFixed:
      break;
    case JointType::kRevolute:
      angular(0) = times(R_WF, body.axis.cast<T>());
      break;
    case JointType::kPrismatic:
      linear(0) = times(R_WF, body.axis.cast<T>());
      break;
    case JointType::kScrew:
      angular(0) = times(R_WF, body.axis.cast<T>());
      linear(0) = angular(0) * body.pitch;
      break;
    case JointType::kCylindrical:
      angular(0) = times(R_WF, body.axis.cast<T>());
      linear(1) = angular(0);
      break;
    case JointType::kUniversal:
      angular(0) = times(R_WF, body.axis.cast<T>());
      angular(1) = times(R_WF, times(rotation_about(body.axis, q[0]), body.axis2.cast<T>()));
      break;
    case JointType::kPlanar:
      linear(0) = times(R_WF, body.axis2.cast<T>());
      linear(1) = times(R_WF, body.axis3.cast<T>());
      angular(2) = times(R_WF, body.axis.cast<T>());
      break;
    case JointType::kBall:
      S.template topRows<3>() = R_WF;
      break;
    case JointType::kFree:
      S.template topLeftCorner<3, 3>() = R_WF;
      S.template bottomRightCorner<3, 3>() = R_WF;
      break;
  }
}

}  // namespace rigor
