#pragma once

#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// A friction LCP that keeps the structure of its contacts: find v, c, β, λ with
///
///     mass (v − v_free) = Nᵀ c + Dᵀ β
///     0 ≤ c ⊥ N v + b ≥ 0
///     0 ≤ β ⊥ D v + λ e ≥ 0
///     0 ≤ λ ⊥ µ c − eᵀ β ≥ 0                                                                         (1)
///
/// In the second line, of the normals, b = 0 [AP97] or b = gap/h [ST96]. Each contact has `directions` rows
/// of D, which positively span its tangent plane.
///
/// z is (c, β contact by contact, λ), or c alone where directions = 0.
///
/// [ST96] Stewart, Trinkle. An implicit time-stepping scheme for rigid body dynamics with inelastic
///        collisions and Coulomb friction. Int. J. Numer. Methods Eng. 39, 1996.
/// [AP97] Anitescu, Potra. Nonlinear Dynamics 14, 1997. With b ≥ 0 its LCP always has a solution, and Lemke
///        finds it.
struct ContactLcpProblem {
  SparseMatrix mass;       // dof x dof, symmetric positive definite
  SparseMatrix N;          // contacts x dof
  SparseMatrix D;          // contacts · directions x dof
  Eigen::VectorXd b;       // contacts, m/s
  Eigen::VectorXd mu;      // contacts
  Eigen::VectorXd v_free;  // dof
  int directions{0};       // per contact: 0, or an even number

  [[nodiscard]] Eigen::Index contacts() const { return N.rows(); }
  [[nodiscard]] Eigen::Index dof() const { return mass.rows(); }
  /// Number of complementary variables: contacts · (2 + directions), or contacts without friction.
  [[nodiscard]] Eigen::Index size() const { return contacts() * (directions > 0 ? 2 + directions : 1); }

  void validate() const;
};

/// (1) as a mixed LCP with v free.
[[nodiscard]] MlcpProblem make_mlcp(const ContactLcpProblem& problem);

/// (1) with v eliminated: the plain LCP in (c, β, λ).
[[nodiscard]] LcpProblem make_lcp(const ContactLcpProblem& problem);

/// The velocity that belongs to impulses z = (c, β, λ).
[[nodiscard]] Eigen::VectorXd compute_velocity(const ContactLcpProblem& problem, const Eigen::VectorXd& z);

}  // namespace rigor
