#pragma once

#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// Row and column factors that bring the largest entry of every row and column of M near 1, and q with them:
///
///     M' = R M C,    q' = R q / s,    z = s C z',    w = s R⁻¹ w'.                                   (1)
///
/// R, C are positive diagonal matrices of powers of two and s is one too, so (1) is exact and (z, w) is
/// complementary exactly where (z', w') is. Found by Ruiz' iteration [Rui01] rounded to powers of two.
///
/// [Rui01] Ruiz. A scaling algorithm to equilibrate both rows and columns norms in matrices. RAL-TR-2001-034,
///         2001.
struct Equilibration {
  Eigen::VectorXd row;
  Eigen::VectorXd column;
  double q_scale{1.0};
  bool is_identity{false};  // R = C = I: the matrix can be used as it is
  double largest{0.0};      // no entry of M' is larger than that; infinite where it is not known

  /// Fills in the factors for `problem`; all ones (and s as it is) where `wanted` is false. Storage is kept.
  /// Where `single` is given it becomes M' in single precision, its columns padded with zeros to a multiple
  /// of eight, in the same pass over M where the factors are equal for all rows and all columns.
  void compute(const LcpProblem& problem, bool wanted, Eigen::MatrixXf* single = nullptr);

  /// The same for a sparse matrix.
  void compute(const SparseMatrix& M, const Eigen::VectorXd& q, bool wanted);

  /// (M', q') of (1), into `scaled` whose storage is reused.
  void apply(const LcpProblem& problem, LcpProblem& scaled) const;

  /// z of (1).
  void to_original(const Eigen::VectorXd& z_scaled, Eigen::VectorXd& z) const;

 private:
  void measure(const Eigen::MatrixXd& M, Eigen::MatrixXf* single);
  void measure_scaled(const Eigen::MatrixXd& M);
  void round(const Eigen::MatrixXd& M, Eigen::MatrixXf& single) const;
  void scale_q(const Eigen::VectorXd& q);

  Eigen::VectorXd row_top_, column_top_;  // largest entries of R M C
  Eigen::VectorXd entries_;
};

}  // namespace rigor
