#pragma once

#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// Mixed LCP with `free_count` free variables u and as many equations: find x = (u, z) with
///
///     K x + q = (0, w),    z ≥ 0,    w ≥ 0,    z·w = 0.                                              (1)
///
/// Contact problems before the velocities are eliminated have this form: K is sparse, its Schur complement
/// dense.
struct MlcpProblem {
  Eigen::Index free_count{0};
  SparseMatrix K;     // square
  Eigen::VectorXd q;  // equations first, then the rows of w

  void validate() const;
};

/// max(|equations|, |min(z, w)|) / ‖q‖∞ (absolute where q = 0): zero exactly at the solutions of (1).
[[nodiscard]] double natural_residual(const MlcpProblem& problem, const Eigen::VectorXd& x);

/// The LCP in z that is left when the free variables are eliminated, and the way back:
///
///     M = K_zz − K_zu K_uu⁻¹ K_uz,    q' = q_z − K_zu K_uu⁻¹ q_u,    u = −K_uu⁻¹ (q_u + K_uz z).
struct SchurComplement {
  LcpProblem lcp;
  Eigen::MatrixXd to_free;        // −K_uu⁻¹ K_uz
  Eigen::VectorXd free_constant;  // −K_uu⁻¹ q_u
  double rcond{1.0};              // of K_uu: 0 where it is singular, and then the rest is not filled in

  [[nodiscard]] Eigen::VectorXd to_mixed(const Eigen::VectorXd& z) const;
};
[[nodiscard]] SchurComplement make_schur_complement(const MlcpProblem& problem);

/// An LCP seen as a mixed one without free variables.
[[nodiscard]] MlcpProblem to_mlcp(const LcpProblem& problem);

}  // namespace rigor
