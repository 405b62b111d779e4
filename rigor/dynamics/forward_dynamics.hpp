#pragma once

#include "rigor/dynamics/constrained_system.hpp"

namespace rigor {

/// The accelerations a of a constrained model, with all forces explicit. With k, b the springs and dampers of
/// joints, J_e and F the elastic rows (IslandRows), and prescribed accelerations given:
///
///     M a − Jᵀ λ = f − c − k (q − rest) − b v − J_eᵀ F
///     J a + bias = 0      for rigid rows                                                             (1)
///
/// From them every force that is not given follows: multipliers λ (of least norm where they are not unique),
/// forces of the prescribed motions, reactions in joints. This is the hybrid dynamics with constraints of
/// Simbody's design notes.
class ForwardDynamics {
 public:
  /// Forces that are known beforehand and that the model does not give: contacts, ends of ranges.
  struct KnownForces {
    std::vector<Vec6<double>> wrenches;  // on the bodies at their reference points, in axes of W; N m, N
    Eigen::VectorXd along;               // along the speeds, N or N m
  };

  /// The model must outlive it.
  explicit ForwardDynamics(const Model& model);

  /// Returns -1, or a speed that moves in a motion which meets neither inertia nor a constraint.
  int compute(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
              const KnownForces* known = nullptr);

  // Of the last compute():
  [[nodiscard]] const Eigen::VectorXd& acceleration() const { return a_; }
  /// λ of rigid rows and −F of elastic ones, N or N m.
  [[nodiscard]] const std::vector<Eigen::VectorXd>& multipliers() const { return forces_; }
  /// Along prescribed speeds, N or N m; 0 along the others.
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const { return motor_forces_; }
  /// Largest |J a + bias| left: rows that contradict each other.
  [[nodiscard]] double residual() const { return residual_; }
  [[nodiscard]] const ConstrainedSystem& system() const { return system_; }
  /// The system, factored at the last compute(), for those who add rows of their own.
  [[nodiscard]] ConstrainedSystem& system() { return system_; }

  /// The force that each body's joint exerts on it, (moment about the joint's origin, force), in axes of W;
  /// motors and springs in the joint are part of it, an armature's inertia is not.
  [[nodiscard]] const std::vector<Vec6<double>>& compute_joint_reactions();

 private:
  void prescribe(double t);
  void compute_forces(const KnownForces* known);
  void add_row_wrenches(const RowBlock& block, const Eigen::VectorXd& lambda);

  const Model& model_;
  ConstrainedSystem system_;
  AppliedForcesWorkspace applied_;
  InverseDynamicsWorkspace inverse_;
  Kinematics<double> kin_;
  double t_{0.0}, residual_{0.0};
  Eigen::VectorXd force_, bias_, zero_, row_force_, product_, a_, motor_forces_, tau_;
  std::vector<Eigen::VectorXd> epsilon_, b_, elastic_, forces_;
  std::vector<Vec6<double>> reactions_, known_wrenches_;
};

/// A force F at the point p (m, in W) as seen from a frame X_WC: (moment about C's origin, force), in axes of
/// C.
[[nodiscard]] Vec6<double> express_force(const Vec6<double>& F, const Eigen::Vector3d& p, const Pose& X_WC);

}  // namespace rigor
