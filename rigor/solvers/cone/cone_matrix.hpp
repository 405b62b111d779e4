#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/block_lu.hpp"
#include "rigor/math/sparse_cholesky.hpp"
#include "rigor/solvers/cone/cone_local.hpp"
#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// Of the mean trace of W's diagonal blocks: a contact that nothing can move keeps a finite unit.
inline constexpr double kLeastTrace = 1e-12;

[[nodiscard]] inline Block3 to_block(const Eigen::Matrix3d& matrix) {
  Block3 block = Block3::zero();
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) block(r, c) = matrix(r, c);
  return block;
}

/// The matrix W of a cone problem with three rows per contact, as the methods use it: products, sweeps of
/// Gauss-Seidel, and the linear equations of a Newton step, in which every contact has a law dr = t − D du with a 3 x 3
/// matrix D, and W couples them:
///
///     dr_i + D_i du_i = t_i,    du = W dr.                                                            (1)
///
/// A contact that stays open has D = 0, one that sticks with a compliance α has D = 1/α: see linearise.hpp. Every
/// contact i has its own unit of measure, r_i = scale_i r'_i and u'_i = scale_i u_i, in which the mean diagonal entry of
/// its block is 1. Cones and the law are not changed by that.
class ConeMatrix {
 public:
  virtual ~ConeMatrix() = default;

  [[nodiscard]] int contacts() const { return static_cast<int>(scale_.size()); }
  [[nodiscard]] const Eigen::VectorXd& scale() const { return scale_; }
  /// W_ii, scaled.
  [[nodiscard]] const std::vector<Block3>& diagonal() const { return diagonal_; }

  /// u += W r.
  virtual void add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const = 0;
  /// One sweep of Gauss-Seidel, contact by contact in order [JAJ98]. False where one has no answer.
  virtual bool sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local, Eigen::VectorXd& r) = 0;

  /// Factors the matrix of (1). False where it is singular. D must live until the last solve().
  [[nodiscard]] virtual bool factor(const std::vector<Block3>& D) = 0;
  /// dr and du of (1), of three entries per contact.
  virtual void solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) = 0;
  /// Factors W + α alone, for solve_shifted().
  [[nodiscard]] virtual bool factor_shifted(double alpha);
  /// d = (W + α)⁻¹ b.
  virtual void solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d);

  /// Whether the du of the last factor's solutions are as good as W dr: a method may add them up.
  [[nodiscard]] bool keeps_digits() const { return largest_ <= kWithoutLoss; }

  /// About how many floating point operations one factor() and one sweep() take.
  [[nodiscard]] virtual double factor_work() = 0;
  [[nodiscard]] virtual double sweep_work() const = 0;
  /// The least compliance α, D = 1/α, for which solutions of (1) have a few correct digits.
  [[nodiscard]] virtual double least_alpha() const = 0;

 protected:
  static constexpr double kWithoutLoss = 1.1e6;  // D up to which factors have digits to spare

  /// D' = (1 + D S)⁻¹ D of every contact, for factors: S has a contact's own compliance `spring[i]` (null: none) in its
  /// first row, and least_alpha() where D is so large that the factor would lose its digits. False where it is not
  /// finite.
  [[nodiscard]] bool soften(const std::vector<Block3>& D, const double* spring);
  /// t' = (1 + D S)⁻¹ t.
  void soften(const Eigen::VectorXd& t, Eigen::VectorXd& softened) const;

  Eigen::VectorXd scale_;
  std::vector<Block3> diagonal_;
  const std::vector<Block3>* D_{nullptr};  // D'
  double largest_{0.0};                    // of the diagonals of D

 private:
  [[nodiscard]] bool soften(int i, const Block3& D, double spring);

  std::vector<Block3> softened_;      // D', where any differs from D
  std::vector<int> soft_;             // contacts with D' ≠ D,
  std::vector<Block3> soft_inverse_;  // and (1 + D S)⁻¹ of these
  double shift_{0.0};
  std::vector<Block3> shifted_;
  Eigen::VectorXd scaled_, speeds_;
};

/// W stored by its 3 x 3 blocks; (1) is solved by a sparse LU of these blocks on the graph of contacts. W may
/// be unsymmetric; where it is symmetric, CHOLMOD may factor W + α.
class BlockConeMatrix final : public ConeMatrix {
 public:
  /// The problem must outlive the matrix.
  void set(const SparseConeProblem& problem);
  /// Forgets the symbolic factors, which are else kept while the pattern stays the same.
  void forget_factors() { lu_.forget(); }
  /// For factor_shifted() of a W that is symmetric; kEigen is the LU of 3 x 3 blocks, in an order of Eigen's.
  void use(FactorLibrary library);

  void add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const override;
  bool sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local, Eigen::VectorXd& r) override;
  [[nodiscard]] bool factor(const std::vector<Block3>& D) override;
  void solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) override;
  [[nodiscard]] bool factor_shifted(double alpha) override;
  void solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d) override;
  [[nodiscard]] double factor_work() override;
  [[nodiscard]] double sweep_work() const override;
  [[nodiscard]] double least_alpha() const override { return 1e-14; }

 private:
  [[nodiscard]] bool is_symmetric() const;

  const BlockPattern* pattern_{nullptr};
  std::vector<Block3> values_;
  std::vector<int> diagonal_at_;
  std::vector<char> is_open_;
  BlockLu lu_;
  FactorLibrary library_{FactorLibrary::kEigen};
  SparseCholesky cholesky_;
  bool by_cholesky_{false};  // the last factor
};

}  // namespace rigor
