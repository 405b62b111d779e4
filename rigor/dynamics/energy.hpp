#pragma once

#include "rigor/dynamics/kinematics.hpp"

namespace rigor {

/// Sums over all bodies that move; in axes of W.
struct Momenta {
  double mass{0.0};                                          // kg
  Eigen::Vector3d center{Eigen::Vector3d::Zero()};           // centre of mass, m
  Eigen::Vector3d center_velocity{Eigen::Vector3d::Zero()};  // m/s
  Eigen::Vector3d linear{Eigen::Vector3d::Zero()};           // Σ m v, kg m/s
  Eigen::Vector3d angular{Eigen::Vector3d::Zero()};          // about the origin of W, kg m²/s
  Eigen::Vector3d angular_about_center{Eigen::Vector3d::Zero()};
};
[[nodiscard]] Momenta compute_momenta(const Model& model, const Kinematics<double>& kin);

/// T = Σ ½ Vᵀ I V, with the rotors: ½ armature v², J.
[[nodiscard]] double compute_kinetic_energy(const Model& model, const Kinematics<double>& kin,
                                            const Eigen::VectorXd& v);

/// Potential energy by where it sits, J. Gravity is zero at the origin of W, springs where they are slack.
struct PotentialEnergy {
  double gravity{0.0};
  double springs{0.0};  // between points, and constraints and gears that give way
  double joint_springs{0.0};
  [[nodiscard]] double total() const { return gravity + springs + joint_springs; }
};
[[nodiscard]] PotentialEnergy compute_potential_energy(const Model& model, const Eigen::VectorXd& q, double t,
                                                       const Kinematics<double>& kin);

/// The force with which a joint's spring pulls at each of its speeds, −k (q − rest); rotations of ball and
/// free joints by their rotation vector. Adds to `tau`.
void add_joint_spring_forces(const Model& model, const Eigen::VectorXd& q, Eigen::VectorXd& tau);

}  // namespace rigor
