#pragma once

#include "rigor/contact/contact_finder.hpp"
#include "rigor/dynamics/forward_dynamics.hpp"
#include "rigor/dynamics/projection.hpp"
#include "rigor/stepping/stepper.hpp"

namespace rigor {

/// The classical Runge-Kutta method of order four on q̇ = Γ(q) v, v̇ = a(t, q, v) with the accelerations of
/// ForwardDynamics; then quaternions are made unit again, prescribed coordinates set, and positions and
/// velocities projected onto the constraints, which keeps the order [HLW06]. For smooth motion: all forces
/// are explicit, so stiff springs need short steps or the semi-implicit method.
///
/// [HLW06] E. Hairer, C. Lubich, G. Wanner. Geometric Numerical Integration. 2nd ed., 2006, IV.4.
class RungeKutta4Stepper final : public Stepper {
 public:
  explicit RungeKutta4Stepper(const Model& model);

  [[nodiscard]] StepReport step(State& state, double h) override;
  /// At the beginning of the last step.
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const override { return motor_forces_; }
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const override {
    return multipliers_[island];
  }
  /// None: a step that runs into contact ends with kUnsolved.
  [[nodiscard]] const std::vector<ContactReport>& contacts() const override { return no_contacts_; }

 private:
  [[nodiscard]] bool compute_stages(const State& state, double h, StepReport& report);
  [[nodiscard]] bool combine_stages(const State& state, double h, StepReport& report);
  [[nodiscard]] bool project(double t, StepReport& report);
  bool refuse(const State& state, double h, StepReport& report);  // always false
  [[nodiscard]] std::string find_contact(double h);

  const Model& model_;
  ForwardDynamics dynamics_;
  ConstrainedSystem system_;  // for the projection
  Projector projector_;
  ContactFinder finder_;
  Kinematics<double> kin_;
  std::vector<Contact> found_;
  std::vector<ContactReport> no_contacts_;
  Eigen::VectorXd q_, v_, q_dot_[4], v_dot_[4];
  Eigen::VectorXd motor_forces_;
  std::vector<Eigen::VectorXd> multipliers_;
};

}  // namespace rigor
