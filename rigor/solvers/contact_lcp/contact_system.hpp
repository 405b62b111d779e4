#pragma once

#include <Eigen/SparseCholesky>

#include "rigor/solvers/problems/contact_lcp.hpp"

namespace rigor {

/// A contact LCP prepared for the structured methods: impulses p contact by contact, (c, β_1 … β_nd) each,
/// give
///
///     v(p) = v_free + mass⁻¹ Jᵀ p
///     λ_k  = max(0, max_d −D_kd v)      the best λ for this v.
///
/// So p alone determines how far a point is from a solution: residual(p) is natural_residual() of the plain
/// LCP at (c, β, λ).
class ContactSystem {
 public:
  explicit ContactSystem(const ContactLcpProblem& problem);

  [[nodiscard]] const ContactLcpProblem& problem() const { return *problem_; }
  [[nodiscard]] Eigen::Index contacts() const { return problem_->contacts(); }
  [[nodiscard]] Eigen::Index dof() const { return problem_->dof(); }
  [[nodiscard]] int directions() const { return problem_->directions; }
  [[nodiscard]] int rows_per_contact() const { return 1 + problem_->directions; }

  [[nodiscard]] const SparseMatrix& J() const { return J_; }  // rows contact by contact
  [[nodiscard]] const SparseMatrix& Jt() const { return Jt_; }
  [[nodiscard]] const SparseMatrix& response() const { return response_; }  // mass⁻¹ Jᵀ

  [[nodiscard]] Eigen::VectorXd velocity(const Eigen::VectorXd& p) const;

  /// (c, β, λ) in the order of ContactLcpProblem.
  [[nodiscard]] Eigen::VectorXd to_lcp(const Eigen::VectorXd& p) const;
  /// The impulses of such a vector, contact by contact, negatives clipped.
  [[nodiscard]] Eigen::VectorXd to_impulses(const Eigen::VectorXd& z) const;

  /// w at z = (c, β, λ), by way of the velocity.
  [[nodiscard]] Eigen::VectorXd image(const Eigen::VectorXd& z) const;
  [[nodiscard]] double residual(const Eigen::VectorXd& p) const;
  [[nodiscard]] double residual_of(const Eigen::VectorXd& z) const;

 private:
  const ContactLcpProblem* problem_;
  SparseMatrix J_, Jt_, response_;
  double q_scale_{1.0};
};

}  // namespace rigor
