#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace rigor {

using SparseMatrix = Eigen::SparseMatrix<double>;

/// LCP(M, q): find z with
///
///     w = M z + q,    z ≥ 0,    w ≥ 0,    z·w = 0.                                                   (1)
///
/// M need not be symmetric. Its class decides which method can be trusted: matrix_class.hpp.
///
/// [CPS92] Cottle, Pang, Stone. The Linear Complementarity Problem. Academic Press, 1992.
struct LcpProblem {
  Eigen::MatrixXd M;  // n x n
  Eigen::VectorXd q;  // n

  /// Throws InvalidInput saying what is wrong. Called once, at the boundary.
  void validate() const;
};

/// The same with a sparse M, for methods that only multiply by M or factor parts of it.
struct SparseLcpProblem {
  SparseMatrix M;     // n x n
  Eigen::VectorXd q;  // n

  void validate() const;
};

/// ‖min(z, M z + q)‖∞ / ‖q‖∞ (absolute where q = 0): zero exactly at the solutions of (1), infinite for a z
/// that is not finite. Knows nothing of any solver.
[[nodiscard]] double natural_residual(const LcpProblem& problem, const Eigen::VectorXd& z);
[[nodiscard]] double natural_residual(const SparseLcpProblem& problem, const Eigen::VectorXd& z);

/// The same for given w = M z + q; `q_scale` = residual_scale(q).
[[nodiscard]] double natural_residual(const Eigen::VectorXd& z, const Eigen::VectorXd& w, double q_scale);

/// What residuals are divided by: ‖q‖∞, or 1 where q = 0.
[[nodiscard]] double residual_scale(const Eigen::VectorXd& q);

}  // namespace rigor
