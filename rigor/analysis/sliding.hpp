#pragma once

#include <optional>

#include "rigor/analysis/normal_lcp.hpp"

namespace rigor {

/// Sliding contacts and what their friction does to the contact LCP [BKA, 5].
///
///     A = P + N,   P without sliding friction (symmetric, positive semidefinite),   N = −mu N₁.
///
/// A loses the P-property at a critical mu: then accelerations are not unique, or there are none (Painlevé).
/// Corollary 5 keeps A positive definite as long as ‖N‖₂ < λ_min(P): a bound on mu, beside the true one.
struct SlidingReport {
  bool exists{false};                    // there is a contact LCP and something slides
  std::vector<SolutionPiece> solutions;  // of the LCP, forces at sticking contacts without limit
  std::vector<Eigen::VectorXd> accelerations;
  bool is_complete{false};  // all solutions are listed
  /// Per contact: the mu at which its own A_ii turns negative, the others as they are; infinite where none.
  std::vector<double> critical_mu;
  /// A common mu of all sliding contacts below which A is a P-matrix (one solution for every load); infinite
  /// where it always is, 0 where it never is (redundant normals).
  double critical_common{0.0};
  double definite_common{0.0};   // below which A is positive definite
  double corollary_common{0.0};  // Corollary 5's bound on it
  Eigen::MatrixXd A;
};

[[nodiscard]] SlidingReport analyse_sliding(const AccelerationProblem& problem);

}  // namespace rigor
