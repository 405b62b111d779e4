#pragma once

#include <vector>

#include "rigor/analysis/sticking.hpp"

namespace rigor {

/// The least coefficient of friction with which a set sticks, the same one for some contacts, the others as
/// they are.
struct LeastFriction {
  Answer exists{Answer::kUndecided};  // whether any coefficient works
  double mu{0.0};                     // where one does
  bool attained{false};               // it works itself; else only larger ones do, with forces without bound;
                                      // of a least one that is closed in
  double below{0.0};                  // the largest coefficient that is proved not to work
  Eigen::VectorXd motion;             // that proof, see ForceVerdict
  int questions{0};                   // number of verdicts computed

  /// Whether `below` is next to `mu`: else all that is known is that the least one lies between them, as where
  /// forces grow without bound towards it.
  [[nodiscard]] bool is_closed_in() const { return mu - below <= 1e-4 * mu; }
};

/// The set of forces grows with mu, so there is a least one or none [BKA, Prop. 11]. None works iff forces
/// that ask nothing of the cones but λn ≥ 0 do not exist with λt = 0 wherever λn must be 0: the paper forgets
/// the last part. The least one is a generalised fractional program,
///
///     mu* = min over λ of max_i ‖λt,i‖ / λn,i,                                                       (1)
///
/// solved from above by Dinkelbach's iteration [CF91]: the forces with the largest margin at mu give the next
/// mu by (1); from below by verdicts "no", each with its motion. Bisection where neither gains.
///
/// [CF91] Crouzeix, Ferland. Algorithms for generalized fractional programming. Math. Programming 52, 1991.
[[nodiscard]] LeastFriction find_least_friction(StickingSet set, const std::vector<std::size_t>& contacts);

/// The contacts that have a least coefficient: those that stick and have a tangent.
[[nodiscard]] std::vector<std::size_t> list_friction_contacts(const AccelerationProblem& problem);

/// The factors s for which F + s direction sticks: an interval, since forces and loads enter (1) of
/// StickingSet linearly and the cones are convex. Empty where `exists` is no. Signs of bilateral contacts:
/// those of the answer at s = 0.
struct LoadRange {
  Answer exists{Answer::kUndecided};
  Interval factor;  // infinite where nothing ends it
};
[[nodiscard]] LoadRange find_load_range(const StickingSet& set, const Eigen::VectorXd& direction);

/// The largest angle [rad] by which a load may turn from F + down towards F + side before sticking ends:
/// F + cos θ · down + sin θ · side. At most π; none where it does not stick at θ = 0.
struct Tilt {
  Answer exists{Answer::kUndecided};
  double angle{0.0};
};
[[nodiscard]] Tilt find_tilt(StickingSet set, const Eigen::VectorXd& F, const Eigen::VectorXd& down,
                             const Eigen::VectorXd& side);

}  // namespace rigor
