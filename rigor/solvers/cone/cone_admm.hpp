#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// Alternating directions with the term of De Saxcé lagged [CLM24]:
///
///     (W + ρ) x = −q − mu ‖z_T‖ e_N + ρ y + z,    y = P_K(x − z/ρ),    z ← z − ρ (x − y),
///
/// one solve with a kept factor per iteration; ρ follows the ratio of the two residuals every 20.
///
/// [CLM24] Carpentier, Le Lidec, Montaut. From compliant to rigid contact simulation: a unified and efficient
///         approach. RSS 2024.
class ConeAdmm {
 public:
  void start(const ScaledCone& cone, const Eigen::VectorXd& r, double rho);
  /// The factor has been used by somebody else.
  void forget_factor() { factored_ = false; }
  /// Ends early at the target. Returns the best residual so far. False factors end it too.
  double run(double target, int iterations);

  [[nodiscard]] const Eigen::VectorXd& best() const { return best_; }
  [[nodiscard]] int iterations() const { return iterations_; }

 private:
  bool factor();

  const ScaledCone* cone_{nullptr};
  double rho_{0.1}, best_residual_{0.0};
  int iterations_{0};
  bool factored_{false};
  Eigen::VectorXd x_, y_, z_, b_, before_, best_, u_;
};

}  // namespace rigor
