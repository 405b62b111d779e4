#pragma once

#include "rigor/dynamics/projection.hpp"
#include "rigor/stepping/contact_stage.hpp"
#include "rigor/stepping/stepper.hpp"

namespace rigor {

/// The semi-implicit step at the velocity level, of order one. For v⁺, the impulses p of the bilateral rows J
/// and r of the one-sided rows H (contacts, limits, one-sided springs):
///
///     M̂ v⁺ − Jᵀ p − Hᵀ r = M v + h (f − c − k (q − rest)),    M̂ = M + h b + h² k
///     rigid rows        J v⁺ = target
///     elastic rows      J v⁺ + ε p = −ε h (F − h k target − b J v),    ε = 1/(k h² + b h)            (1)
///     one-sided rows    H v⁺ and r obey the contact formulation: see ContactStage
///     positions         q⁺ = q ⊕ h v⁺, then out of overlap and onto Θ = 0
///
/// In the first line k and b are stiffness and damping of the joints. All matrices are taken at q, forces at
/// t, targets at t + h. An elastic row is the linearly implicit spring F + k h u⁺ + b (u⁺ − u) [AP02],
/// divided by its stiffness, so that infinite stiffness (ε = 0) is a case like any other. Prescribed speeds
/// have v⁺ given: (g(t+h) − q)/h, g(t+h), or v + h g(t + h/2), where g prescribes a position, a velocity, an
/// acceleration. With `positions: before` q moves by h v first, and M, J, H are taken there: the algorithm of
/// Anitescu and Potra.
///
/// c leaves out ω × I ω of a free body that hangs on the world and carries no other body. Instead, after the
/// positions have moved, ω := I(R⁺)⁻¹ I(R) ω⁺ keeps its angular momentum exactly.
///
/// Where nothing in the model depends on time, a step is a function of q, v, the contacts' memory and h
/// alone. Where it maps a state to itself, as for a wall at rest, the next step would be the same: its report
/// is given again, and only t moves on.
///
/// [AP02] M. Anitescu, F. Potra. A time-stepping method for stiff multibody dynamics with contact and
///        friction. Int. J. Numer. Meth. Engng 55, 2002.
class SemiImplicitStepper final : public Stepper {
 public:
  explicit SemiImplicitStepper(const Model& model, const RunSettings& settings = {});

  StepReport step(State& state, double h) override;
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const override { return motor_forces_; }
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const override {
    return forces_[island];
  }
  [[nodiscard]] const std::vector<ContactReport>& contacts() const override { return contacts_.reports(); }
  void want_lead_matrix(bool wanted) override {
    contacts_.want_lead_matrix(wanted);
    is_fixed_point_ = false;
  }
  void set_reuse(bool reuses) override {
    reuses_ = reuses;
    contacts_.set_reuse(reuses);
  }
  [[nodiscard]] std::optional<Problem> get_unsolved() override {
    return contacts_.make_problem(contacts_.unsolved());
  }
  [[nodiscard]] std::vector<Problem> make_contact_problems() override;
  [[nodiscard]] std::optional<Problem> get_hardest() override {
    if (contacts_.island_count() == 0) return {};
    return contacts_.make_problem(contacts_.hardest());
  }

 private:
  [[nodiscard]] bool repeats(const State& state, double h) const;
  void compute_forces(double t);
  void prescribe(const State& state, double h);
  void make_row_equations(double h);
  void make_one_sided_rows(const State& state, double h);
  bool solve(const State& state, double h, StepReport& report);
  bool solve_contacts(const Eigen::VectorXd& v, double h, StepReport& report);
  bool solve_bilateral(const Eigen::VectorXd& v, const Eigen::VectorXd& change, StepReport& report);
  [[nodiscard]] double row_speed(std::size_t island, Eigen::Index r) const;
  bool finish_positions(const State& state, double h, StepReport& report);
  double carry_angular_momentum();
  void fill_ledger(const State& state, double h, StepReport& report);
  void report_forces(double h);

  const Model& model_;
  ConstrainedSystem system_;
  Projector projector_;
  RunSettings settings_;
  ContactStage contacts_;
  AppliedForcesWorkspace applied_;
  InverseDynamicsWorkspace inverse_;
  std::vector<std::size_t> free_bodies_;  // those whose angular momentum is kept as above
  std::vector<std::size_t> tumbling_;     // those of them whose inertia in W changes as they turn
  bool are_all_free_{false};              // there are no others, and nothing but gravity acts
  bool has_joint_springs_{false};         // or dampers in joints
  Kinematics<double> kin_;                // of the new state

  Eigen::VectorXd applied_force_, bias_, gravity_, joint_spring_, extra_;
  Eigen::VectorXd momentum_, impulse_, rhs_, rhs_free_, v_, v_free_, q_, v_new_, row_force_, change_, zero_;
  std::vector<Eigen::VectorXd> epsilon_, one_sided_epsilon_, b_, explicit_, forces_;
  Eigen::VectorXd motor_forces_;
  std::vector<Eigen::Vector3d> angular_momentum_;

  bool is_autonomous_{false}, reuses_{true};
  bool is_fixed_point_{false};  // the last step mapped its state (q_, v_new_) to itself, but for t
  double last_h_{0.0};          // s
  StepReport last_report_;
};

}  // namespace rigor
