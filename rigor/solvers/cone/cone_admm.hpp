#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// Alternating directions for Coulomb's law, with the term mu ‖u_T‖ of de Saxcé taken from the last iterate
/// [CLM24]:
///
///     (W + ρ) x = −q − mu ‖z_T‖ e_N + ρ y + z
///     y = P_K(x − z/ρ)
///     z ← z − ρ (x − y)
///
/// One solve per iteration with a factor that is kept; every 20 iterations ρ is adapted to the ratio of the
/// two residuals.
///
/// [CLM24] Carpentier, Le Lidec, Montaut. From compliant to rigid contact simulation: a unified and efficient
///         approach. RSS 2024.
class ConeAdmm {
 public:
  void start(const ScaledCone& cone, const Eigen::VectorXd& r, double rho);
  /// Says that somebody else has used the matrix's factor since: it is computed again.
  void forget_factor() { factored_ = false; }
  /// Iterates until the target or the count. Returns the best residual so far. Ends, too, where a factor
  /// fails.
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
