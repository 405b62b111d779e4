#pragma once

#include "rigor/dynamics/projection.hpp"
#include "rigor/stepping/stepper.hpp"

namespace rigor {

/// The classical Runge-Kutta method of order four on q̇ = Γ(q) v, v̇ = a(t, q, v), where
///
///     M a − Jᵀ λ = f − c − k (q − rest) − b v − J_eᵀ F,      J a + bias = 0 for rigid rows,
///
/// all forces explicit, prescribed accelerations given; then quaternions are made unit again, prescribed
/// coordinates set, and positions and velocities projected onto the constraints, which keeps the order
/// [HLW06]. For smooth motion; stiff springs need short steps or the semi-implicit method.
///
/// [HLW06] E. Hairer, C. Lubich, G. Wanner. Geometric Numerical Integration. 2nd ed., 2006, IV.4.
class RungeKutta4Stepper final : public Stepper {
 public:
  explicit RungeKutta4Stepper(const Model& model);

  StepReport step(State& state, double h) override;
  /// At the beginning of the last step.
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const override { return motor_forces_at_start_; }
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const override {
    return forces_at_start_[island];
  }

  /// a(t, q, v) into `a`; false where the report says why not.
  bool compute_acceleration(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& a,
                            StepReport& report);

 private:
  void prescribe(double t, Eigen::VectorXd& a) const;

  const Model& model_;
  ConstrainedSystem system_;
  Projector projector_;
  AppliedForcesWorkspace applied_;
  InverseDynamicsWorkspace inverse_;
  Kinematics<double> kin_;
  Eigen::VectorXd force_, bias_, zero_, row_force_, product_;
  std::vector<Eigen::VectorXd> epsilon_, b_, elastic_, forces_, forces_at_start_;
  Eigen::VectorXd motor_forces_, motor_forces_at_start_;
  Eigen::VectorXd q_, v_, q_dot_[4], v_dot_[4];
};

}  // namespace rigor
