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
  bool exists{false};  // there is a contact LCP and something slides
  /// Per contact: the mu at which its own A_ii turns negative, the others as they are; infinite where none.
  std::vector<double> critical_mu;
  /// A common mu of all sliding contacts below which A is a P-matrix (one solution for every load): the least
  /// positive root of a principal minor, det(P + mu N) = 0; infinite where there is none, 0 where A never is
  /// (redundant normals), NaN for more than NormalLcp::kMaxListed contacts.
  double critical_common{0.0};
  double definite_common{0.0};   // below which A is positive definite
  double corollary_common{0.0};  // Corollary 5's bound on it
  double friction_norm{0.0};     // ‖N‖₂ with the contacts' own mu
  double least_inertia{0.0};     // λ_min(P)
  Eigen::MatrixXd A;
};

[[nodiscard]] SlidingReport analyse_sliding(const AccelerationProblem& problem);

}  // namespace rigor
