#pragma once

#include "rigor/analysis/solution_set.hpp"
#include "rigor/solvers/acceleration/acceleration_solve.hpp"

namespace rigor {

/// Solutions of Coulomb's law that have the same modes and signs: a convex set, shown by one of them.
struct CoulombPiece {
  std::vector<AccelerationMode> modes;  // per contact
  std::vector<double> slips;            // per contact: +1 or −1 along the tangent where it slips, else 0
  Eigen::VectorXd a;
  std::vector<Eigen::VectorXd> forces;  // (λn, λt) per contact
  int acceleration_dimension{0}, force_dimension{0};
  double residual{0.0};  // acceleration_residual()
};

/// All solutions of Coulomb's law at the acceleration level (acceleration_solve.hpp) in the plane, where
/// contacts at rest may begin to slip. With a mode for every contact
///
///     opens    λ = 0,  a_n ≥ 0
///     sticks   a_n = 0,  a_t = 0,  |λt| ≤ mu |λn|
///     slips    a_n = 0,  ± a_t ≥ 0,  λt = ∓ mu |λn|
///
/// the solutions are a ForceSet: each choice is a piece, or is refused by a motion. A choice of some modes is
/// refused with all that it leads to where even forces anywhere in the other cones do not help.
struct CoulombSolutions {
  std::vector<CoulombPiece> pieces;  // points that lie in another piece are left out
  bool is_complete{false};           // whatever is not in them is refused
  Answer acceleration_unique{Answer::kUndecided};

  /// How many solutions: none where they are infinitely many.
  [[nodiscard]] std::optional<int> count() const;
};

/// Throws InvalidInput for more than `max_contacts` contacts, or one with two tangents.
[[nodiscard]] CoulombSolutions find_coulomb_solutions(const AccelerationProblem& problem,
                                                      std::size_t max_contacts = 6);

}  // namespace rigor
