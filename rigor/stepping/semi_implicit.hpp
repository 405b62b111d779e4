#pragma once

#include <memory>

#include "rigor/dynamics/free_motion.hpp"
#include "rigor/dynamics/projection.hpp"
#include "rigor/stepping/anchor_holder.hpp"
#include "rigor/stepping/contact_judge.hpp"
#include "rigor/stepping/contact_search.hpp"
#include "rigor/stepping/contact_solver.hpp"
#include "rigor/stepping/contact_step.hpp"
#include "rigor/stepping/kinetic_keeper.hpp"
#include "rigor/stepping/overlap.hpp"
#include "rigor/stepping/settling.hpp"
#include "rigor/stepping/step_work.hpp"
#include "rigor/stepping/stepper.hpp"

namespace rigor {

/// The semi-implicit step at the velocity level, of order one. For v⁺, the impulses p of the bilateral rows J
/// and r of the one-sided rows H (contacts, limits, one-sided springs):
///
///     M̂ v⁺ − Jᵀ p − Hᵀ r = M v + h (f − k (q − rest)),        M̂ = M + h b + h² k    (joint springs, dampers)
///     rigid rows      J v⁺ = target
///     elastic rows    J v⁺ + ε p = −ε h (F − h k target − b J v),      ε = 1/(k h² + b h)                  (1)
///     one-sided rows  u⁺ = H v⁺ and r by the contact formulation: see ContactStep
///     q⁺ = q ⊕ h v⁺ but for O(h²), then with what sticks held at its anchors, out of overlap and onto Θ = 0.
///
/// In the first line k and b are stiffness and damping of the joints. All matrices are taken at q, forces at
/// t, targets at t + h. An elastic row is the linearly implicit spring F + k h u⁺ + b (u⁺ − u) [AP02],
/// divided by its stiffness, so that infinite stiffness (ε = 0) is a case like any other. Prescribed speeds
/// have v⁺ given: (g(t+h) − q)/h, g(t+h), or v + h g(t + h/2), where g prescribes a position, a velocity, an
/// acceleration. With `positions: before` q moves by h v first, and M, J, H are taken there: the algorithm of
/// Anitescu and Potra.
///
/// Impulses change the velocity at fixed positions, to v⁺; then the model moves as it does without forces (FreeMotion):
/// (q, v⁺) goes to (q⁺, v) along M v̇ = −c, with the kinetic energy of v⁺. So c is not a force of the first line, and no
/// step makes energy.
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

  [[nodiscard]] StepReport step(State& state, double h) override;
  [[nodiscard]] const Eigen::VectorXd& motor_forces() const override { return answers_.motor_forces; }
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const override {
    return answers_.multipliers[island];
  }
  [[nodiscard]] const Eigen::VectorXd& limit_forces() const override { return answers_.limit_forces; }
  [[nodiscard]] const std::vector<ContactReport>& contacts() const override { return contacts_.reports; }
  void want_lead_matrix(bool wanted) override;
  void want_uniqueness(bool wanted) override;
  void set_reuse(bool reuses) override;
  void share_work(WorkMeter* meter) override { work_.share(meter); }
  void watch_contacts(ContactWatch* watch) override { contact_solver_.watch(watch); }
  [[nodiscard]] std::optional<Problem> get_unsolved() override;
  [[nodiscard]] std::vector<Problem> make_contact_problems() override;
  [[nodiscard]] std::optional<Problem> get_hardest() override;

 private:
  // What acts at the beginning of the step, generalized: N or N m, one per speed.
  struct Forces {
    Eigen::VectorXd applied, bias, gravity, joint_spring;
    Eigen::VectorXd extra;  // h b + h² k of joint springs and dampers, on M's diagonal
  };
  // J v⁺ + ε p = b of every island's rows; infinite ε: switched off.
  struct RowEquations {
    std::vector<Eigen::VectorXd> epsilon, b;
    std::vector<Eigen::VectorXd>
        constant;                      // impulses of rows whose force does not change with the motion, N s
    std::vector<SpringRow> one_sided;  // those that are solved with the contacts
  };
  // The equations of motion M v⁺ = rhs, and their answers on the way.
  struct Momentum {
    Eigen::VectorXd before;         // M v, N s
    Eigen::VectorXd impulse;        // h (f …): what is added without rows and contacts
    Eigen::VectorXd rhs, rhs_free;  // with, without contact impulses
    Eigen::VectorXd v_free;         // without contact impulses
  };
  // Answers that belong to the step that was just taken.
  struct Answers {
    std::vector<Eigen::VectorXd> multipliers;  // of every island's rows, N or N m
    Eigen::VectorXd motor_forces;              // of every speed, N or N m
    Eigen::VectorXd limit_forces;              // likewise
  };
  // What the way without forces did, where speeds are prescribed.
  struct Flight {
    double kinetic{0.0};    // change of the kinetic energy before the impulses: with `positions: before`, J
    double potential{0.0};  // the same of the potential energy, J
    double motors{0.0};     // work of the motors that held prescribed speeds constant, J
  };
  // A step that left its state as it was, but for t: the next one from there is the same.
  struct FixedPoint {
    bool is_known{false};
    double h{0.0};  // s
    StepReport report;
  };
  // What of the model decides how a step is computed.
  struct Traits {
    std::vector<std::size_t> free_bodies;  // alone, and free in the world
    bool are_all_free{false};              // there are no other bodies, and gravity is all that acts on them
    bool has_joint_springs{false};         // or dampers
    bool is_autonomous{false};             // nothing asks for the time, or could
    bool may_have_odd_friction{false};  // coefficients that a step may find to be no number to compute with
  };

  [[nodiscard]] static Traits find_traits(const Model& model, const ConstrainedSystem& system);
  [[nodiscard]] bool repeats(const State& state, double h) const;
  bool start(const State& state, double h, StepReport& report);
  [[nodiscard]] bool is_start_bounded() const;
  [[nodiscard]] std::string find_unusable_friction() const;
  static void refuse(const std::string& what, StepReport& report);
  void compute_forces(double t);
  void prescribe(const State& state, double h);
  void make_row_equations(double h);
  bool solve(StepReport& report);
  bool solve_round(StepReport& report);
  bool solve_contacts(const Eigen::VectorXd& v, StepReport& report);
  bool judge_islands(StepReport& report);
  bool solve_bilateral(const Eigen::VectorXd& v, const Eigen::VectorXd& change, StepReport& report);
  [[nodiscard]] double row_speed(std::size_t island, Eigen::Index r) const;
  bool finish_positions(const State& state, double h, StepReport& report);
  bool fly(const Eigen::VectorXd& v, double h, StepReport& report);
  double compute_kinetic();
  void fill_ledger(double t, double h, StepReport& report);
  [[nodiscard]] bool judge_energy(StepReport& report) const;
  void report_forces(double h);

  const Model& model_;
  RunSettings settings_;
  ConstrainedSystem system_;
  Projector projector_;
  FreeMotion free_motion_;
  Traits traits_;

  // the contact pipeline, in the order of its stages
  ContactSearch search_;
  ContactSolver contact_solver_;
  ContactDemand demand_;
  Settling settling_;
  AnchorHolder holder_;
  OverlapCorrector overlap_;
  KineticKeeper keeper_;
  ContactStep contacts_;
  std::vector<ContactMemory> last_memory_;  // that the last step replaced

  Forces forces_;
  RowEquations rows_;
  Momentum momentum_;
  Answers answers_;
  Flight flight_;
  Eigen::VectorXd
      v_start_;  // before the step, where M is taken: with `positions: before` carried over to there
  double t_{0.0}, h_{0.0};         // of the step under way, s
  Eigen::VectorXd q_, v_, v_new_;  // of the new state: positions, velocity solved for, and carried over to q⁺
  Kinematics<double> kin_;         // of the new state
  bool knows_motion_{false};       // kin_ is that of q_ and v_new_
  FixedPoint fixed_point_;
  bool wants_lead_{false}, reuses_{true};
  StepWork work_;

  AppliedForcesWorkspace applied_;
  InverseDynamicsWorkspace inverse_;
  Eigen::VectorXd change_, row_force_;  // scratch
};

}  // namespace rigor
