#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/model/state.hpp"
#include "rigor/solvers/cone/cone_uniqueness.hpp"

namespace rigor {

/// Where the energy of a step went, J: every item from its own definition, with v⁺ the new velocity, p the
/// impulses of the rows and M, c at the old positions.
///
///     T(q⁺, v⁺) − T(q, v) = applied + motors + bilateral + normal + friction + limits + relaxation
///                           + numerical + transport + projection                                       (1)
///
/// Only the steppers that solve for impulses fill it.
struct EnergyLedger {
  double applied{0.0};     // h v⁺·f: gravity, motors' efforts and forces
  double motors{0.0};      // impulse along prescribed speeds times speed
  double bilateral{0.0};   // p·(J v⁺) of rigid rows: zero unless their target moves
  double relaxation{0.0};  // p·(J v⁺) of springs and rows that give way, and of joint springs and dampers
  double normal{0.0};      // p_n u_n⁺ of rigid contacts: negative where a gap closes
  double friction{0.0};    // p_t·u_t⁺, never positive
  double limits{0.0};      // p u⁺ at the ends of joints' ranges
  double numerical{0.0};   // −½ ‖v⁺ − v‖²_M
  double transport{0.0};   // T(q⁺, v⁺) − ½ v⁺ᵀ M(q) v⁺ − h v⁺·c
  double projection{0.0};  // what taking back overlap and errors of constraints does to T
  double kinetic_change{0.0};
  double scale{0.0};  // the largest of what (1) adds up: energies, and sums of |parts| of items
  double reach{0.0};  // sum of |impulses| times the largest speed: rounding of (1) is relative to that
  double potential_change{0.0};  // of gravity and springs; not part of (1)
  /// By how much the potential of gravity rose beyond the work against it; not part of (1), and in no verdict. What
  /// overlaps is pushed out, which lifts, and bodies on joints go along arcs: a part of the second order of the step.
  double lifted{0.0};

  void add(const EnergyLedger& step);
  /// What neither a force nor a contact, a row or a motor did: numerical + transport + projection, J. Negative where
  /// the method loses energy, as it does wherever velocities jump; positive where it makes some.
  [[nodiscard]] double made() const { return numerical + transport + projection; }
  /// made() beside the largest energy or work of the step; 0 where energy is lost.
  [[nodiscard]] double relative_made() const;
  /// |(1)|, relative to its largest term; T(q⁺, v⁺) and T(q, v) are two of them, and an item that is a sum
  /// counts with the magnitudes of its parts: at rest the weight and the contacts' impulses still work
  /// against each other along what rounding leaves of the velocity.
  [[nodiscard]] double imbalance() const;
};

/// How a step ended. The first three were taken: the state has moved on.
enum class StepStatus {
  kSolved,        // to the tolerance
  kRounding,      // above the tolerance, and as near as rounding of these numbers allows: see cone_rounding()
  kAccepted,      // not solved, taken at the best residual found: `on_unsolved` is "accept"
  kMassless,      // a motion meets neither inertia nor a constraint
  kInconsistent,  // the constraints contradict each other here
  kUnsolved,      // the contact problem was not solved to the tolerance
  kNotFinite,     // numbers overflowed: the step is too long or the forces are too stiff for the method
  kEnergy,        // the step would make energy from nothing: see kMostEnergyMade
  kInterrupted    // somebody asked for an end: interruption.hpp
};

/// A step may make at most this part of its largest energy or work (EnergyLedger::relative_made()). Bodies that fly
/// freely keep theirs to rounding; what hangs on joints is stepped to first order, and a step in which a joint turns by
/// 0.1 rad makes or loses some thousandths. More is a step that is too long: the error grows from step to step.
inline constexpr double kMostEnergyMade = 0.01;

/// The names that the command line prints: "solved", "rounding", "accepted", "massless", …
[[nodiscard]] std::string_view to_string(StepStatus status);

/// The verdict on the contact problem of one island, from the velocities that the step takes.
enum class ContactVerdict { kSolved, kRounding, kUnsolved };
struct IslandVerdict {
  ContactVerdict verdict{ContactVerdict::kSolved};
  double residual{0.0};           // m/s
  double relative_residual{0.0};  // over ‖q‖₂; as it is where that is zero
  double rounding{0.0};           // m/s: what rounding may leave of this problem
};

/// A contact at the end of a step, as it was found at its beginning.
struct ContactReport {
  BodyIndex a{0}, b{0};
  Eigen::Vector3d point{Eigen::Vector3d::Zero()};     // m
  Eigen::Vector3d normal{Eigen::Vector3d::UnitZ()};   // from B to A
  double gap{0.0};                                    // m
  Eigen::Vector3d force{Eigen::Vector3d::Zero()};     // on A, in the world, N
  Eigen::Vector3d velocity{Eigen::Vector3d::Zero()};  // of A relative to B there, in the world, m/s
  double mu{0.0};
  ContactMode mode{ContactMode::kOpen};
  int shape_a{0}, shape_b{0};  // in Model::shapes
  FeatureId id{};              // with the shapes the same while the same features touch
};

/// The matrix of a step's complementarity problem: W of `cone` and `convex`, that of the LCP of the
/// polyhedral formulations. Of the island whose matrix is worst conditioned.
struct LeadMatrix {
  int size{0};
  int rank{0};            // singular values above n ε times the largest
  double condition{0.0};  // largest over smallest; infinite where that is 0
};

/// Contacts and other one-sided rows of a step.
struct ContactCertificate {
  int open{0}, sticking{0}, sliding{0};
  int islands{0}, largest_island{0};  // problems solved apart; rows of the largest
  int iterations{0};                  // of all islands
  double residual{0.0};               // m/s: recomputed from H v⁺, see certify_contacts()
  double relative_residual{0.0};    // the same divided by ‖q‖₂ of its island, as the literature has it
  double penetration{0.0};          // largest overlap at the beginning, m
  double cone_violation{0.0};       // m/s: friction beyond the exact cone, scaled to a velocity
  double direction_violation{0.0};  // m/s: friction that is not against the slip, scaled alike
  double lift_off{0.0};  // m: how far a loaded contact opens in the step; the convex law's μ‖u_t‖h
  double sticking_drift{
      0.0};  // m: largest way of A's material point from B's, of contacts that stick, since they do
  double rolling_drift{0.0};  // m: largest difference of the ways on the two surfaces, of contacts that roll
  int force_freedom{0};       // dimension of the forces that give the same motion
  VelocityVerdict velocity{VelocityVerdict::kUnique};  // of the island of which least is known
  int fallbacks{0};                // islands that another method than the one asked for has solved
  double phantom_inertia{0.0};     // of `phantom`: the least used, kg; 0 where there was none
  double phantom_limit{INFINITY};  // the least 2 s: above it block methods may cycle
  LeadMatrix lead;                 // where it was asked for
  int unsolved_islands{0};         // taken at their best residual
  int rounding_islands{0};         // above the tolerance, as near as rounding allows
  std::string_view method;         // of the island that took most iterations
};

/// Where the time of a step went, s.
struct StepTimes {
  double collision{0.0}, assembly{0.0}, solve{0.0}, rest{0.0};
};

/// What a step found out about itself.
struct StepReport {
  StepStatus status{StepStatus::kSolved};
  double residual{0.0};          // largest |J v⁺ + ε p − b| of the rows, m/s or rad/s
  double constraint_error{0.0};  // largest |Θ| after the step, m or rad
  int projections{0};            // Newton steps that brought the positions back onto the constraints
  int redundant_rows{0};         // equations that follow from the others
  EnergyLedger energy;
  ContactCertificate contact;
  StepTimes times;
  double work{0.0};     // multiplications of the solvers, counted: see work.hpp
  std::string message;  // what failed, where the step was not taken

  /// Makes the report of a step's second part that of both: the worst of what is worst, the sum of what adds
  /// up.
  void add_earlier(const StepReport& first);

  /// Whether the state has moved on.
  [[nodiscard]] bool is_taken() const { return status <= StepStatus::kAccepted; }
};

}  // namespace rigor
