#pragma once

#include <utility>
#include <vector>

#include "rigor/solvers/contact_lcp/contact_system.hpp"

namespace rigor {

/// Projected Gauss-Seidel on contacts, forward and backward sweeps in turn: the normal impulse, then the
/// tangential ones within {β ≥ 0, eᵀβ ≤ µ c} (two directions: one signed number within ±µ c; more: a
/// projected gradient step).
///
/// Cheap sweeps, linear convergence, no proof for friction. On piles it reaches 1e-12 if given enough sweeps:
/// a residual that stands still for tens of thousands of them has not stalled.
class ContactPgs {
 public:
  explicit ContactPgs(const ContactSystem& system);

  /// Goes on from p (contact by contact) for `count` sweeps.
  void sweep(int count, Eigen::VectorXd& p);

 private:
  [[nodiscard]] double speed(int row) const;
  void push(int row, double impulse);
  void sweep_contact(int k, Eigen::VectorXd& p);

  const ContactSystem& system_;
  // rows of J and columns of mass⁻¹ Jᵀ as flat lists of (index, value)
  std::vector<int> start_, response_start_;
  std::vector<std::pair<int, double>> entries_, response_entries_;
  Eigen::VectorXd normal_stiffness_,
      tangent_stiffness_;  // J mass⁻¹ Jᵀ: diagonal, largest eigenvalue of the tangents
  Eigen::VectorXd v_;
  int sweeps_{0};
};

/// Projection of y on {β ≥ 0, Σβ ≤ radius}; `threshold` is what was taken off each positive entry (0 where
/// the sum is slack).
void project_on_simplex(const double* y, int count, double radius, double* beta, double& threshold);

}  // namespace rigor
