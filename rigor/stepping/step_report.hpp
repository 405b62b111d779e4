#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace rigor {

/// Where the energy of a step went, J: every item from its own definition, with v⁺ the new velocity, p the
/// impulses of the rows and M, c at the old positions.
///
///     T(q⁺, v⁺) − T(q, v) = applied + motors + bilateral + relaxation + numerical + transport (1)
///
/// Only the steppers that solve for impulses fill it.
struct EnergyLedger {
  double applied{0.0};     // h v⁺·f: gravity, motors' efforts and forces
  double motors{0.0};      // impulse along prescribed speeds times speed
  double bilateral{0.0};   // p·(J v⁺) of rigid rows: zero unless their target moves
  double relaxation{0.0};  // p·(J v⁺) of springs and rows that give way, and of joint springs and dampers
  double numerical{0.0};   // −½ ‖v⁺ − v‖²_M
  double transport{0.0};   // T(q⁺, v⁺) − ½ v⁺ᵀ M(q) v⁺ − h v⁺·c
  double kinetic_change{0.0};
  double kinetic{0.0};           // largest T that (1) subtracts
  double potential_change{0.0};  // of gravity and springs; not part of (1)

  void add(const EnergyLedger& step);
  /// |(1)|, relative to its largest term; T(q⁺, v⁺) and T(q, v) are two of them.
  [[nodiscard]] double imbalance() const;
};

enum class StepStatus {
  kSolved,
  kMassless,      // a motion meets neither inertia nor a constraint
  kInconsistent,  // the constraints contradict each other here
  kNotFinite      // numbers overflowed: the step is too long or the forces are too stiff for the method
};

/// What a step found out about itself.
struct StepReport {
  StepStatus status{StepStatus::kSolved};
  double residual{0.0};          // largest |J v⁺ + ε p − b| of the rows, m/s or rad/s
  double constraint_error{0.0};  // largest |Θ| after the step, m or rad
  int projections{0};            // Newton steps that brought the positions back onto the constraints
  int redundant_rows{0};         // equations that follow from the others
  EnergyLedger energy;
  std::string message;  // what failed, where status is not kSolved
};

}  // namespace rigor
