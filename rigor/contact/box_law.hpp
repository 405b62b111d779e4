#pragma once

#include "rigor/contact/friction_rows.hpp"
#include "rigor/contact/lcp_choice.hpp"
#include "rigor/math/dense_cholesky.hpp"

namespace rigor {

/// `box`: friction along two fixed axes i, each bounded by the normal force of the step before,
///
///     −μ h λ_n,prev ≤ p_t,i ≤ μ h λ_n,prev,                                                          (1)
///
/// regularised by bristles where the material has them [L06]. The problem is convex: a boxed LCP with a
/// symmetric matrix. The price: friction depends on the direction, from 1 to √2 times Coulomb's, and the
/// normal force is one step old.
///
/// `hybrid`: the same where a contact sticks; where it slides, (1) along and across the slip, with the
/// lateral term of friction_rows.hpp. Friction of sliding contacts is then isotropic [P16].
///
/// [L06] Lacoursière. A regularized time stepper for multibody systems. UMINF 06.04, 2006.
/// [P16] Peiret, Gholami, Kövecses, Font-Llagunes. A regularized contact model for multibody system
///       simulation. ASME IDETC 2016; as far as [P17] of friction_rows.hpp states it.
class BoxLaw final : public ContactFormulation {
 public:
  BoxLaw(const RunSettings& settings, bool is_hybrid);

  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  /// The boxed LCP, impulses in N s.
  [[nodiscard]] Problem make_problem(const ContactQuestion& question) override;

 private:
  void build(const ContactQuestion& question, double mean);
  [[nodiscard]] double judge(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const Eigen::VectorXd& r);
  [[nodiscard]] double polish(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r);

  bool is_hybrid_;
  double tolerance_;
  LcpChoice choice_;
  FrictionRows rows_;
  BoxedLcpProblem boxed_;
  Eigen::MatrixXd W_;  // scaled by the mean, without α
  Eigen::VectorXd q_, best_, u_, change_, better_;
  std::vector<int> inside_;
  DenseCholesky factor_;
};

}  // namespace rigor
