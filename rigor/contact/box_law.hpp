#pragma once

#include "rigor/contact/friction_rows.hpp"
#include "rigor/contact/lcp_choice.hpp"
#include "rigor/math/dense_cholesky.hpp"

namespace rigor {

/// `box`: friction along two fixed axes, each with its own bound from the normal force of the step before,
///
///     −μ λ_n,previous h ≤ p_t,i ≤ μ λ_n,previous h,                                                    (1)
///
/// regularised by bristles where the material has them [L06]. The problem is convex, a boxed LCP with a
/// symmetric matrix; the price is friction that depends on the direction, from 1 to √2, and a normal force
/// that is one step old.
///
/// `hybrid`: (1) along and across the slip where a contact slides, with the lateral term of
/// friction_rows.hpp: isotropic in sliding [P16].
///
/// [L06] Lacoursière. A regularized time stepper for multibody systems. UMINF 06.04, 2006.
/// [P16] Peiret, Gholami, Kövecses, Font-Llagunes. A regularized contact model for multibody system
/// simulation.
///       ASME IDETC 2016; as far as [P17] states it.
class BoxLaw final : public ContactFormulation {
 public:
  BoxLaw(const RunSettings& settings, bool is_hybrid);

  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  /// Impulses in N s.
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
