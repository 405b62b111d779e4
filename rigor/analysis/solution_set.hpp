#pragma once

#include <optional>
#include <vector>

#include "rigor/analysis/sticking.hpp"

namespace rigor {

/// A convex set of solutions: those with the same contacts closed and the same signs of bilateral normal
/// forces. All its members are found by moving one of them along the freedom of its ForceSet.
struct ContactPiece {
  std::vector<char> states;  // per contact: ContactState
  std::vector<int> signs;    // as StickingAnswer::signs
  double margin{0.0};        // ForceVerdict::margin, N
  double scale{1.0};         // ForceVerdict::scale, N
  Eigen::VectorXd acceleration;
  std::vector<Eigen::VectorXd> forces;  // per contact (λn, λt), of a solution inside the piece
  int acceleration_dimension{0};        // how many directions accelerations of the piece have
  int force_dimension{0};               // and its forces

  std::optional<ForceSet> face;  // all its unknowns: forces, openings, x
  Eigen::MatrixXd Z;             // a = a0 + Z x, x the last unknowns
  Eigen::VectorXd a0;
  std::vector<Eigen::Index> tangents;  // per contact

  [[nodiscard]] bool is_point() const { return acceleration_dimension == 0 && force_dimension == 0; }
};

/// All accelerations and forces of a problem whose sticking contacts stick and whose unilateral contacts may
/// open [BKA, (60), (65), (71)]:
///
///     M a + F = Σ normal λn + Σ tangentᵀ λt
///     0 ≤ λn ⊥ normal a + bias ≥ 0        unilateral;   normal a + bias = 0 bilateral
///     tangent a + bias = 0,  ‖λt‖ ≤ mu |λn|   sticking;   λt = −mu |λn| slip   sliding                (1)
///
/// Where nothing slides (1) without its cones is Gauss's principle, a convex program: its solutions are all
/// pairs of an optimal a and optimal multipliers [R70, 28]. So which contacts may be loaded at all is one
/// question, and the cones are asked of them alone: one piece for each choice of signs.
///
/// With contacts that slide (1) is not monotone: every choice of open and closed contacts is a piece, or is
/// refused by a motion (branch and bound; contacts not yet chosen keep both inequalities).
///
/// [R70] Rockafellar. Convex Analysis. Princeton University Press, 1970.
struct SolutionSet {
  std::vector<ContactPiece> pieces;  // none empty; they may share boundaries
  bool is_complete{false};           // whatever is not in them is refused
  int questions{0};                  // verdicts asked
  /// Whether (1) without its cones has a solution; undecided with contacts that slide, which are not asked.
  Answer without_cones{Answer::kUndecided};
  /// What differences of accelerations and of forces are at least compared with.
  double acceleration_size{0.0}, typical_force{0.0};
  [[nodiscard]] Answer exists() const;
  /// Whether all solutions have the same accelerations (the same forces). "Yes" only where is_complete.
  [[nodiscard]] Answer has_unique_acceleration() const;
  [[nodiscard]] Answer has_unique_forces() const;
  /// Largest dimension of the forces of a piece; −1 without pieces.
  [[nodiscard]] int force_dimension() const;
  /// How many solutions the pieces are: none where they are infinitely many.
  [[nodiscard]] std::optional<int> count() const;

  /// The hull of (λn, λt) of every contact, and of every acceleration, over all pieces: over all solutions
  /// where is_complete. NaN where a bound could not be decided, infinite where there is none.
  [[nodiscard]] std::vector<std::vector<Interval>> find_force_ranges() const;
  [[nodiscard]] std::vector<Interval> find_acceleration_ranges() const;
};

[[nodiscard]] SolutionSet find_solutions(const AccelerationProblem& problem,
                                         FrictionKind friction = FrictionKind::kCones);

/// The pieces of one choice of states, added to `set`; an undecided one makes it incomplete.
void add_pieces(const AccelerationProblem& problem, FrictionKind friction, const std::vector<char>& states,
                SolutionSet& set);

/// What accelerations are at least compared with: those that the load gives to the mass, and the biases.
[[nodiscard]] double typical_acceleration(const AccelerationProblem& problem);

/// How far accelerations and forces are from (1): each equation over the size of the terms that it adds up.
[[nodiscard]] double solution_residual(const AccelerationProblem& problem, const Eigen::VectorXd& a,
                                       const std::vector<Eigen::VectorXd>& forces, FrictionKind friction);

}  // namespace rigor
