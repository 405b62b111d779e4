#pragma once

#include <functional>
#include <memory>

#include "rigor/base/work.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/stepping/stepper.hpp"

namespace rigor {

/// The worst and the sum of all steps so far.
struct RunTotals {
  long steps{0};
  double worst_residual{0.0};             // m/s or rad/s
  double worst_relative_residual{0.0};    // of contact problems, over ‖q‖₂
  double worst_constraint_error{0.0};     // m or rad
  double worst_imbalance{0.0};            // of the energy ledger, relative
  double worst_made{0.0};                 // EnergyLedger::relative_made()
  int redundant_rows{0};                  // most in a step
  double worst_penetration{0.0};          // m
  double worst_cone_violation{0.0};       // m/s
  double worst_direction_violation{0.0};  // m/s
  double worst_lift_off{0.0};             // m
  double sticking_drift{0.0};             // m
  double rolling_drift{0.0};              // m
  long unsolved_steps{0};                 // accepted at their best residual
  long rounding_steps{0};                 // above the tolerance, as near as rounding allows
  long non_unique_steps{0};               // whose forces were not unique
  long velocity_steps[4]{};               // by VelocityVerdict, of those with contacts
  long iterations{0}, islands{0}, fallbacks{0};
  double phantom_inertia{0.0};     // least, kg; 0 where there was none
  double phantom_limit{INFINITY};  // least, kg
  int most_contacts{0};            // open ones counted
  LeadMatrix lead;                 // worst conditioned, where asked for
  StepTimes times;
  EnergyLedger energy;

  void add(const StepReport& report);
};

/// A scene in motion: model, assembled state and stepper in one, for those who want to run it.
class Simulation {
 public:
  /// Throws where the scene is wrong or cannot be assembled.
  explicit Simulation(const Scene& scene, const UserElements& user = {});
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] const RunSettings& settings() const { return settings_; }
  [[nodiscard]] const Assembly& assembly() const { return assembly_; }
  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const Stepper& stepper() const { return *stepper_; }
  void want_lead_matrix(bool wanted) { stepper_->want_lead_matrix(wanted); }
  void want_uniqueness(bool wanted) { stepper_->want_uniqueness(wanted); }
  void set_reuse(bool reuses) { stepper_->set_reuse(reuses); }
  void watch_contacts(ContactWatch* watch) { stepper_->watch_contacts(watch); }
  [[nodiscard]] std::optional<Problem> get_unsolved();
  [[nodiscard]] std::vector<Problem> make_contact_problems();
  [[nodiscard]] std::optional<Problem> get_hardest();
  [[nodiscard]] const RunTotals& totals() const { return totals_; }

  /// Steps from 0 to `until`; the last may be shorter than dt.
  [[nodiscard]] long step_count() const { return step_count_; }
  /// At the end, or at a step that could not be taken: has_failed().
  [[nodiscard]] bool is_finished() const { return totals_.steps >= step_count_ || failed_; }
  /// Whether the last step was not taken; the state is the one before it.
  [[nodiscard]] bool has_failed() const { return failed_; }

  /// Whether stepper() knows the forces that led to state(): not before the first step, after one that was not taken, or
  /// between restart() and the next step.
  [[nodiscard]] bool has_forces() const { return has_forces_; }

  /// Takes the next step. Times are multiples of dt, not sums: they do not drift. Whether it was taken is in the
  /// report: is_taken().
  [[nodiscard]] StepReport step();

  /// Steps until is_finished() and returns the last report: that of the last step, or of the one that failed. `after`,
  /// where given, sees every report and ends the run by answering false.
  [[nodiscard]] StepReport run(const std::function<bool(const StepReport&)>& after = {});

  /// Goes on from a state that step() once left behind: bit for bit as if it had never stopped.
  void restart(const State& state, long steps);
  /// The same with all that was summed until then, so that the totals too end as if it had never stopped.
  void restart(const State& state, const RunTotals& totals);

 private:
  StepReport advance(State& state, double h, int halvings);

  Model model_;
  RunSettings settings_;
  Assembly assembly_;
  State state_, next_;
  bool failed_{false}, has_forces_{false};
  int attempts_left_{0};  // of the step under way
  WorkMeter meter_;       // that its parts share
  std::unique_ptr<Stepper> stepper_;
  RunTotals totals_;
  long step_count_{0};
};

/// Steps that it takes from 0 to `until`.
[[nodiscard]] long count_steps(const RunSettings& settings);

}  // namespace rigor
