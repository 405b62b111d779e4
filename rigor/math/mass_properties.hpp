#pragma once

#include <Eigen/Core>

#include "rigor/math/pose.hpp"

namespace rigor {

/// Mass, centre of mass and rotational inertia of a rigid body, in a frame B fixed in it.
struct MassProperties {
  double mass{0.0};                                  // kg
  Eigen::Vector3d center{Eigen::Vector3d::Zero()};   // centre of mass in B, m
  Eigen::Matrix3d inertia{Eigen::Matrix3d::Zero()};  // about the centre of mass, in axes of B, kg m²
};

/// The same body seen from a frame A, where X_AB is the pose of B in A.
[[nodiscard]] MassProperties transform(const Pose& X_AB, const MassProperties& in_B);

/// Two parts made one rigid body (parallel-axis theorem); both in the same frame.
[[nodiscard]] MassProperties combine(const MassProperties& a, const MassProperties& b);

/// The same distribution with another mass [kg]; mass must not be 0 already.
[[nodiscard]] MassProperties scale_to_mass(const MassProperties& body, double mass);

/// How far a symmetric matrix is from being the inertia of some mass distribution: principal moments must
/// satisfy 0 ≤ I1, and I3 ≤ I1 + I2. Returns max(−I1, I3 − I1 − I2, 0) / trace, 0 for the zero matrix.
[[nodiscard]] double inertia_defect(const Eigen::Matrix3d& inertia);

}  // namespace rigor
