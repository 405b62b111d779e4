#pragma once

#include "rigor/contact/formulation.hpp"
#include "rigor/contact/kept_start.hpp"
#include "rigor/contact/large_cone_law.hpp"
#include "rigor/math/dense_cholesky.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"

namespace rigor {

/// `cone`: Coulomb's law on the exact cone at the velocity level,
///
///     p ∈ K_μ,    û = u⁺ + (μ‖u_t⁺‖, 0, 0) ∈ K_μ*,    û ⟂ p,                                         (1)
///
/// where u_n⁺ has gap/h or the term of compliance added (ContactStage).
///
/// `convex`: (1) without μ‖u_t⁺‖, the convex problem of Anitescu and Tasora [AT10]. A contact that slides
/// then lifts off by μ‖u_t⁺‖ h in a step.
///
/// Impulses of the last step that still solve the problem to rounding, as they do at rest, are kept. Islands
/// of many contacts go to LargeConeLaw. In a plane (1) is the polyhedral LCP with two directions: where the
/// cone solver fails, or where some contacts more may be at rest, the methods of contact_auto.hpp are tried as
/// well, which find rest where there is one.
///
/// [AT10] M. Anitescu, A. Tasora. An iterative approach for cone complementarity problems for nonsmooth
///        dynamics. Comput. Optim. Appl. 47, 2010.
class ConeLaw final : public ContactFormulation {
 public:
  ConeLaw(const RunSettings& settings, bool is_convex);

  [[nodiscard]] ContactLaw law() const override {
    return is_convex_ ? ContactLaw::kConvex : ContactLaw::kCone;
  }
  [[nodiscard]] bool keep(const ContactQuestion& question, ContactAnswer& answer) override {
    return kept_start_.holds(question, is_convex_, answer);
  }
  [[nodiscard]] bool needs_friction() const override { return false; }
  [[nodiscard]] bool needs_matrix(const ContactRows& rows, const ContactIsland& island) const override;
  void want_uniqueness(bool wanted) override { options_.wants_uniqueness = wanted; }
  void solve(const ContactQuestion& question, ContactAnswer& answer) override;
  [[nodiscard]] Problem make_problem(const ContactQuestion& question) override;

 private:
  [[nodiscard]] bool keep_start(ContactAnswer& answer);
  void accept_rounding(ContactAnswer& answer);
  double mend(double mean, double enough, double residual, Eigen::VectorXd& r, int& iterations);
  [[nodiscard]] double compute_residual(const Eigen::VectorXd& r, double mean);
  [[nodiscard]] double compute_careful_residual(const Eigen::VectorXd& r, double mean);
  [[nodiscard]] double compute_residual_at_velocity(const Eigen::VectorXd& r, double mean);
  [[nodiscard]] bool find_loaded_rows(const Eigen::VectorXd& r);
  void factor_loaded_rows(double mean);
  [[nodiscard]] bool may_rest_in_a_plane(const ContactQuestion& question, const ContactAnswer& answer) const;
  void solve_by_matrix(const ContactQuestion& question, ContactAnswer& answer);
  void solve_dense(const ContactQuestion& question, ContactAnswer& answer);
  [[nodiscard]] bool solve_structured(const ContactQuestion& question, ContactAnswer& answer);

  double tolerance_;
  bool is_convex_;
  KeptStart kept_start_;
  LargeConeLaw large_;
  ContactAnswer start_answer_;
  ConeOptions options_;
  ConeWorkspace workspace_;
  ConeResult result_;
  ConeProblem problem_;
  Eigen::VectorXd start_, u_, kept_, trial_, change_;
  std::vector<int> loaded_;
  DenseCholesky factor_;
};

}  // namespace rigor
