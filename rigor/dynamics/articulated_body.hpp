#pragma once

#include "rigor/dynamics/kinematics.hpp"

/// Forward dynamics by articulated bodies: the accelerations that forces cause, in time proportional to the
/// number of bodies, with prescribed accelerations where a motion is given (hybrid dynamics).
///
/// Leaves to root, with the free speeds f and the prescribed ones p of each joint:
///
///     U = I_A S_f,   D = S_fᵀ U + armature,   u = τ_f − S_fᵀ (p_A + I_A S_p a_p)
///     I_a = I_A − U D⁻¹ Uᵀ,   p_a = p_A + I_A S_p a_p + I_a bias + U D⁻¹ u     (both shifted to the parent)
///
/// then root to leaves a_f = D⁻¹ (u − Uᵀ A'), A' = shift(A_parent) + bias; last, the force along a prescribed
/// speed that its motion takes: τ_p = S_pᵀ (I_A A + p_A).
///
/// [F08] R. Featherstone. Rigid Body Dynamics Algorithms. Springer, 2008, 7.3 and 9.2.
/// [JR93] A. Jain, G. Rodriguez. Recursive dynamics algorithm for multibody systems with prescribed motion.
/// J. Guidance, Control, and Dynamics 16(5), 1993.
/// Departure: axes of W throughout, so that inertias go from body to body by a shift and no rotation.
namespace rigor {

/// A symmetric 6 x 6 matrix in blocks: [A B; Bᵀ C].
struct ArticulatedInertia {
  Eigen::Matrix3d A, B, C;
};

class ArticulatedBodyWorkspace {
 private:
  friend int compute_forward_dynamics(const Model&, const Kinematics<double>&, const std::vector<Vec6<double>>*,
                                      const Eigen::VectorXd&, Eigen::VectorXd&, Eigen::VectorXd*,
                                      ArticulatedBodyWorkspace&);
  struct Joint {
    Vec6<double> force, pass;  // p_A, I_A S_p a_p
    ArticulatedInertia inertia;
  };
  std::vector<Joint> joints_;
  std::vector<Vec6<double>> acceleration_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> U_;  // column i: I_A S_i of a free speed
  Eigen::Matrix<double, 6, Eigen::Dynamic> D_inverse_;  // of a body with n free speeds, n x n, at its columns
  Eigen::VectorXd u_;
};

/// Solves M a = τ − bias + Σ Jᵀ F for the free accelerations, with gravity in the bias, where `a` holds the
/// prescribed ones on entry. `wrenches`: forces on the bodies at their reference points, or null. Puts into
/// `motor_forces`, unless null, the forces along prescribed speeds beyond τ (0 along free ones).
/// Needs compute_velocities(). Returns the first body whose joint meets no inertia, or -1.
[[nodiscard]] int compute_forward_dynamics(const Model& model, const Kinematics<double>& kin,
                                           const std::vector<Vec6<double>>* wrenches, const Eigen::VectorXd& tau,
                                           Eigen::VectorXd& a, Eigen::VectorXd* motor_forces,
                                           ArticulatedBodyWorkspace& workspace);

}  // namespace rigor
