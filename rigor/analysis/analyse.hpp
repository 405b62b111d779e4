#pragma once

#include "rigor/analysis/dependence.hpp"
#include "rigor/analysis/least_friction.hpp"
#include "rigor/analysis/propositions.hpp"
#include "rigor/analysis/sliding.hpp"

namespace rigor {

/// How a contact stands in the solution that is reported.
enum class ContactStanding { kSticks, kOnBoundary, kOpens, kSlides, kUndetermined };

struct ContactAnalysis {
  ContactStanding standing{ContactStanding::kUndetermined};
  Eigen::VectorXd force;            // (λn, λt) with the largest margin; empty where there is none
  std::vector<Interval> ranges;     // of each component over all solutions; empty where not asked
  double margin{0.0};               // mu |λn| − ‖λt‖ of `force`, N
  std::optional<LeastFriction> mu;  // with the others as they are; none where not asked
};

struct AnalysisOptions {
  bool ranges{true};
  bool friction{true};              // least coefficients
  bool friction_per_contact{true};  // where `friction`
  std::size_t max_detailed{40};     // more contacts than this get neither ranges nor their own coefficients
};

/// Everything that `rigor analyse` says about a problem: each answer with its witness.
struct Analysis {
  StickingAnswer closed;        // all contacts closed and within their cones, (61)
  OpeningAnswer opening;        // contacts may open, (60), (65), (71)
  StickingAnswer frictionless;  // closed, λt = 0
  /// Over all solutions of `opening`; undecided where there is none, or not all of them are known.
  Answer acceleration_unique{Answer::kUndecided};
  Answer forces_unique{Answer::kUndecided};
  int force_dimension{-1};                    // largest of a convex set of forces; −1 where there are none
  bool ranges_cover_all{false};               // no solution lies outside the ranges
  std::vector<Interval> acceleration_ranges;  // over all solutions; empty where they are unique or not asked
  std::vector<ContactAnalysis> contacts;
  std::optional<LeastFriction> mu_min;
  DependenceReport dependence;
  std::vector<PropositionCheck> propositions;
  SlidingReport sliding;

  /// Nothing slides, every force is inside its cone with a margin, and no motion that the contacts leave free is
  /// without inertia: forces then exist for every load that is close enough (after Prop. 4).
  bool persists{false};
};

[[nodiscard]] Analysis analyse(const AccelerationProblem& problem, const AnalysisOptions& options = {});

/// A motion that proves "no", checked once more from the problem's matrices alone: nothing is shared with
/// what found it. With M y = Jᵀ w, C the force columns and all sums in long double:
///
///     power = F·y − w·bias < 0,   outside = how far Cᵀy sticks out of the dual cones,
///     bound = −power / (outside + ‖M y − Jᵀ w‖): no forces and accelerations smaller than that solve it.
struct MotionCheck {
  bool holds{false};  // power < 0 and bound ≥ 1e6 · the forces that would balance F without cones
  double power{0.0}, outside{0.0}, bound{0.0};
};
[[nodiscard]] MotionCheck check_blocking_motion(const AccelerationProblem& problem, const Eigen::VectorXd& y);

/// Whether an answer "no" is proved: by the contradiction of its rows, or by one motion for every branch of
/// the signs of bilateral friction, together all signs; each judged by check_synthesis() without actuators.
[[nodiscard]] bool is_refused(const AccelerationProblem& problem, const StickingAnswer& answer);

/// Whether accelerations and forces of an answer "yes" obey balance, rows and cones to 1e-7 of the terms that
/// they add up, all contacts closed.
[[nodiscard]] bool is_held(const AccelerationProblem& problem, const StickingAnswer& answer);

/// StickingSet::decide() with all contacts closed whose witness is checked: undecided where it does not hold,
/// which badly scaled or degenerate data can bring about.
[[nodiscard]] StickingAnswer decide_checked(const AccelerationProblem& problem);

}  // namespace rigor
