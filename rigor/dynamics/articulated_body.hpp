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

/// Keeps its room from call to call: after the first nothing is allocated.
class ArticulatedBody {
 public:
  /// Solves M a = τ − bias + Σ Jᵀ F for the free accelerations, gravity in the bias, where `a` holds the
  /// prescribed ones on entry. `wrenches`: forces on the bodies at their reference points, or null. Needs
  /// compute_velocities(). Returns the first body whose joint meets no inertia, or -1.
  [[nodiscard]] int solve(const Model& model, const Kinematics<double>& kin,
                          const std::vector<Vec6<double>>* wrenches, const Eigen::VectorXd& tau,
                          Eigen::VectorXd& a);

  /// Of the last solve: the forces along prescribed speeds, beyond τ, that their motions take; 0 along free
  /// ones.
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const { return motor_forces_; }

 private:
  struct Joint {
    ArticulatedInertia inertia;  // I_A
    Vec6<double> force;          // p_A
    int free{0};                 // number of free speeds
  };

  void start(const Model& model, const Kinematics<double>& kin, const std::vector<Vec6<double>>* wrenches);
  bool eliminate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                 const Eigen::VectorXd& a, std::size_t b);
  bool eliminate_several(const Kinematics<double>& kin, const ModelBody& body, int free,
                         ArticulatedInertia& inertia, Vec6<double>& handed);
  void accelerate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                  std::size_t b, Eigen::VectorXd& a);

  std::vector<Joint> joints_;
  std::vector<Vec6<double>> acceleration_;
  std::vector<int> order_;                              // each body's speeds, the free ones first
  Eigen::Matrix<double, 6, Eigen::Dynamic> U_;          // column k: I_A S of speed order_[k]
  Eigen::Matrix<double, 6, Eigen::Dynamic> D_inverse_;  // of a body with n free speeds: n x n at its columns
  Eigen::VectorXd u_, motor_forces_;
};

}  // namespace rigor
