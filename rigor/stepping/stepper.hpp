#pragma once

#include <memory>
#include <optional>

#include "rigor/model/state.hpp"
#include "rigor/stepping/step_report.hpp"

namespace rigor {

class ContactWatch;
class WorkMeter;
struct Problem;

/// A method that advances a state in time. Keeps its workspace from step to step; what can change a result is
/// in the State alone.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Advances `state` by h [s]. Where the report says that the step was not taken (is_taken())
  /// the state is left bit for bit as it was.
  [[nodiscard]] virtual StepReport step(State& state, double h) = 0;

  /// Forces of the last step, N or N m: motor_forces() has one per speed, 0 where it is not prescribed;
  /// multipliers(i) has one per row of island i of the constraints, in the order of IslandRows.
  [[nodiscard]] virtual const Eigen::VectorXd& motor_forces() const = 0;
  [[nodiscard]] virtual const Eigen::VectorXd& multipliers(std::size_t island) const = 0;

  /// Forces of the ends of joints' ranges along the speeds, of the last step; empty where a method has none.
  [[nodiscard]] virtual const Eigen::VectorXd& limit_forces() const;

  /// Contacts of the last step.
  [[nodiscard]] virtual const std::vector<ContactReport>& contacts() const = 0;
  /// Whether steps report size, rank and condition of their worst conditioned matrix (LeadMatrix): costs a
  /// singular value decomposition each.
  virtual void want_lead_matrix(bool) {}
  /// Whether steps report how far their contact impulses and velocities are unique (ContactCertificate: force_freedom,
  /// velocity; the default). Motions and certificates are the same without, which saves some factors of W.
  virtual void want_uniqueness(bool) {}
  /// Whether a step may use results of the last one where its input is the same, bit for bit (the default).
  /// Results are the same either way; without, every step is computed.
  virtual void set_reuse(bool) {}

  /// Steps count their work for `meter` from now on, several of them together; null: each for itself. What a step may
  /// take is RunSettings::work.
  virtual void share_work(WorkMeter*) {}
  /// `watch` sees the contact problems of every step from now on, and must live as long; null: nobody. A method without
  /// contacts shows none.
  virtual void watch_contacts(ContactWatch*) {}

  /// The contact problem of the step that just ended with kUnsolved; none for a method without contacts.
  [[nodiscard]] virtual std::optional<Problem> get_unsolved();
  /// The contact problems of the last step, one for each island, as the formulation solves them.
  [[nodiscard]] virtual std::vector<Problem> make_contact_problems();
  /// That of them which took most iterations; none where nothing touched.
  [[nodiscard]] virtual std::optional<Problem> get_hardest();
};

/// Throws InvalidInput unless the state is one of the model, its numbers are finite and h > 0: what every step() asks
/// of its caller.
void require_step(const Model& model, const State& state, double h);

/// The stepper of these settings for a model, which must outlive it.
[[nodiscard]] std::unique_ptr<Stepper> make_stepper(const Model& model, const RunSettings& settings);

}  // namespace rigor
