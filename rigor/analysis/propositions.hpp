#pragma once

#include <string>
#include <vector>

#include "rigor/analysis/opening.hpp"
#include "rigor/analysis/sliding.hpp"

namespace rigor {

/// A hypothesis of a proposition, tested.
struct Hypothesis {
  std::string text;
  Answer holds{Answer::kUndecided};
};

/// A proposition of [BKA] applied to a problem. What follows from it is in `concludes`; where a hypothesis
/// fails the proposition says nothing, and `says_nothing` is set.
struct PropositionCheck {
  std::string id;  // "Prop. 6 (i)"
  std::vector<Hypothesis> hypotheses;
  std::string concludes;  // what follows, in words
  double value{0.0};      // its number, where it has one
  double bound{0.0};      // what the number is compared with

  [[nodiscard]] Answer applies() const;
};

/// The corrected propositions that speak about this problem: 1-5 where all contacts are bilateral, 6-11 where
/// all are unilateral and stick, 12 where both are there, 13 and Cor. 5 where some slide. Statements as printed that
/// have counterexamples are replaced by what holds; docs/theory/analyse.md says which.
[[nodiscard]] std::vector<PropositionCheck> check_propositions(const AccelerationProblem& problem,
                                                               const StickingAnswer& closed,
                                                               const OpeningAnswer& opening,
                                                               const SlidingReport& sliding);

// The conditions themselves, each a linear program or a rank, for programs and tests.

/// Accelerations exist that bilateral and sticking rows allow: their biases are in the image of the rows.
[[nodiscard]] bool has_consistent_held_rows(const AccelerationProblem& problem);
/// rank of (normals, tangents) = their number.
[[nodiscard]] bool has_independent_rows(const AccelerationProblem& problem);
/// Assumption 1: M ≻ 0 and tangents independent.
[[nodiscard]] bool has_assumption_1(const AccelerationProblem& problem);
[[nodiscard]] bool has_definite_mass(const AccelerationProblem& problem);
/// A motion with normal·v > 0 for all unilateral contacts (MFCQ).
[[nodiscard]] Answer has_mfcq(const AccelerationProblem& problem);
/// im(tangents and bilateral rows) ∩ cone(normals) = {0}, the condition of Corollary 2.
[[nodiscard]] Answer has_uncoupled_normals(const AccelerationProblem& problem);
/// x ∈ ker M ∩ ker(held rows) with normal·x ≥ 0 only for x = 0, the first half of E = {0} in Prop. 8.
[[nodiscard]] Answer has_no_free_motion(const AccelerationProblem& problem);
/// im(normals) ∩ im(tangents) = {0} (Prop. 6 iii).
[[nodiscard]] bool has_separate_images(const AccelerationProblem& problem);
/// z·H ≥ 0 for all z ≥ 0 with A z = 0 (Prop. 6 iv, A positive semidefinite).
[[nodiscard]] Answer has_copositive_load(const NormalLcp& normal_lcp);

/// Prop. 7, corrected: the MLCP without cones is solvable iff accelerations with normal·a + bias ≥ 0 and the
/// held rows exist (M ≻ 0).
[[nodiscard]] Answer has_feasible_accelerations(const AccelerationProblem& problem);

/// Prop. 12: σ(H2)² and σ_min(A_nu) σ_min(H1) of (64); empty (NaN) where H1 or A_nu does not exist.
struct CouplingBound {
  double left{0.0}, right{0.0};
  double least_eigenvalue{0.0};  // of the contact LCP's matrix: what (64) is sufficient for
};
[[nodiscard]] CouplingBound compute_coupling_bound(const AccelerationProblem& problem);

/// Prop. 10: the facetised problem. `sides` directions per disk, their polygon inside the disk or around it.
/// The objective of (57) is ½‖Ã z + F̃‖² at its least, zero iff the facetised problem sticks; NaN where Prop.
/// 9 (ii) does not apply (no Assumption 1, or A_c singular).
struct FacetVerdict {
  Answer answer{Answer::kUndecided};
  double objective{0.0};
};
[[nodiscard]] FacetVerdict decide_facets(const AccelerationProblem& problem, int sides, bool inside);

}  // namespace rigor
