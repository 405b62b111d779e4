#pragma once

#include <Eigen/SparseLU>

#include "rigor/solvers/contact_lcp/contact_system.hpp"

namespace rigor {

/// Proximal point iterations with semismooth Newton in the velocities. A proximal step of size 1/ρ from p0 =
/// (c0, β0) has a closed form per contact,
///
///     c(v) = max(0, c0 − (N v + b)/ρ)
///     β(v) = P(β0 − D v/ρ)      P the projection on {β ≥ 0, Σβ ≤ µ c(v)},
///
/// so that F(v) = mass (v − v_free) − Jᵀ p(v) = 0 is left, with as many unknowns as velocities. Its Newton
/// matrix is mass + Jᵀ S J / ρ, unsymmetric because of the bound µ c.
///
/// No proof for friction (the problem is not monotone); in practice it reaches 1e-12 where PGS crawls, if ρ
/// is adapted: it falls after an easy step, grows after a hard one.
class ContactProximal {
 public:
  explicit ContactProximal(const ContactSystem& system) : system_(system) {}

  /// One proximal step from p, at most `max_newton` Newton steps. True where F(v) = 0 was reached; p is the
  /// best point met.
  bool step(double rho, int max_newton, Eigen::VectorXd& p);

  [[nodiscard]] int newton_steps() const { return newton_steps_; }

 private:
  // p(v), and where `slopes` is given an element of its generalised Jacobian with respect to −J v/ρ
  void local_map(const Eigen::VectorXd& v, const Eigen::VectorXd& centre, double rho, Eigen::VectorXd& p,
                 std::vector<Eigen::Triplet<double>>* slopes) const;

  const ContactSystem& system_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu_;
  int newton_steps_{0};
};

}  // namespace rigor
