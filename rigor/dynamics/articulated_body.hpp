#pragma once

#include "rigor/dynamics/kinematics.hpp"

/// Forward dynamics by articulated bodies: the accelerations that forces cause, in time proportional to the
/// number of bodies, with prescribed accelerations where a motion is given (hybrid dynamics).
///
/// Leaves to root, with the free speeds f and the prescribed ones p of each joint; I_a and p_a are then
/// shifted to the parent and added to its I_A and p_A:
///
///     U   = I_A S_f
///     D   = S_fᵀ U + armature
///     u   = τ_f − S_fᵀ (p_A + I_A S_p a_p)
///     I_a = I_A − U D⁻¹ Uᵀ
///     p_a = p_A + I_A S_p a_p + I_a bias + U D⁻¹ u
///
/// Root to leaves, the accelerations; then the force that a prescribed motion takes:
///
///     A'  = shift(A_parent) + bias
///     a_f = D⁻¹ u − (U D⁻¹)ᵀ A'
///     τ_p = S_pᵀ (I_A A + p_A)
///
/// [F08] R. Featherstone. Rigid Body Dynamics Algorithms. Springer, 2008, 7.3 and 9.2.
/// [JR93] A. Jain, G. Rodriguez. Recursive dynamics algorithm for multibody systems with prescribed motion.
///        J. Guidance, Control, and Dynamics 16(5), 1993.
/// Departure: axes of W throughout, so that inertias go from body to body by a shift and no rotation.
namespace rigor {

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
    Mat6<double> inertia;  // I_A
    Vec6<double> force;    // p_A
    int free{0};           // number of free speeds
  };

  void start(const Model& model, const Kinematics<double>& kin, const std::vector<Vec6<double>>* wrenches);
  bool eliminate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                 const Eigen::VectorXd& a, std::size_t b);
  template <int N>
  bool eliminate_speeds(const Kinematics<double>& kin, const Eigen::VectorXd& tau, const ModelBody& body,
                        bool is_carried, const Mat6<double>& inertia, Mat6<double>& left,
                        Vec6<double>& handed);
  void accelerate(const Model& model, const Kinematics<double>& kin, const Eigen::VectorXd& tau,
                  std::size_t b, Eigen::VectorXd& a);

  std::vector<Joint> joints_;
  std::vector<Vec6<double>> acceleration_;
  std::vector<int> order_;  // each body's speeds, the free ones first
  Columns6<double> UD_;     // U D⁻¹: column k is that of speed order_[k]
  Eigen::VectorXd Du_;      // D⁻¹ u, likewise
  Eigen::VectorXd motor_forces_;
};

}  // namespace rigor
