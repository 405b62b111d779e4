#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace rigor {

/// The pose of a frame B in a frame A: p_AB = position + rotation · p_BB. Quaternions are w x y z.
struct Pose {
  Eigen::Vector3d position{Eigen::Vector3d::Zero()};            // m
  Eigen::Quaterniond rotation{Eigen::Quaterniond::Identity()};  // of unit length

  bool operator==(const Pose& other) const {
    return position == other.position && rotation.coeffs() == other.rotation.coeffs();
  }
};

/// X_AC = X_AB · X_BC
[[nodiscard]] inline Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.position + X_AB.rotation * X_BC.position, X_AB.rotation * X_BC.rotation};
}

/// X_BA of X_AB
[[nodiscard]] inline Pose inverse(const Pose& X_AB) {
  const Eigen::Quaterniond R_BA = X_AB.rotation.conjugate();
  return {-(R_BA * X_AB.position), R_BA};
}

/// Rotation by `angle` [rad] about `axis` (of unit length), right-handed.
[[nodiscard]] Eigen::Quaterniond quaternion_from_axis_angle(const Eigen::Vector3d& axis, double angle);

/// Rotation by roll about x, then pitch about the fixed y, then yaw about the fixed z [rad]:
/// R = Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF and SDF.
[[nodiscard]] Eigen::Quaterniond quaternion_from_rpy(double roll, double pitch, double yaw);

/// q / ‖q‖, and q itself, bit for bit, where its length is 1 to rounding: normalising twice changes nothing.
[[nodiscard]] Eigen::Quaterniond normalized_once(const Eigen::Quaterniond& q);
[[nodiscard]] Eigen::Vector3d normalized_once(const Eigen::Vector3d& v);

}  // namespace rigor
