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

/// The linear equations of a Newton step, three rows per contact i, with 3 x 3 matrices A_i, B_i:
///
///     A_i d_i + B_i (W d + α ∘ d)_i = b_i.                                                           (1)
struct ConeRows {
  std::vector<Eigen::Matrix3d> A, B;
  Eigen::VectorXd alpha;        // per contact
  bool only_conditions{false};  // α only regularises the factor; solutions are corrected to those for α = 0

  void resize(int contacts) {
    A.resize(static_cast<std::size_t>(contacts));
    B.resize(static_cast<std::size_t>(contacts));
    alpha.resize(contacts);
  }
};

/// The matrix W of a cone problem with three rows per contact, as the methods use it: products, sweeps of
/// Gauss-Seidel, and the systems (1). Every contact i has its own unit of measure, r_i = scale_i r'_i and
/// u'_i = scale_i u_i, in which the mean diagonal entry of its block is 1. Cones and the law are not changed
/// by that.
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

  /// Factors the matrix of (1). False where it is singular. `rows` must live until the last solve().
  [[nodiscard]] virtual bool factor(const ConeRows& rows) = 0;
  virtual void solve(const Eigen::VectorXd& b, Eigen::VectorXd& d) = 0;
  /// Factors W + α alone, for solve(): (1) with A = 0, B = 1.
  [[nodiscard]] virtual bool factor_shifted(double alpha);

  /// About how many floating point operations one factor() and one sweep() take.
  [[nodiscard]] virtual double factor_work() = 0;
  [[nodiscard]] virtual double sweep_work() const = 0;
  /// The least α for which solutions of (1) have a few correct digits.
  [[nodiscard]] virtual double least_alpha() const = 0;

 protected:
  Eigen::VectorXd scale_;
  std::vector<Block3> diagonal_;

 private:
  ConeRows shifted_;
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
  [[nodiscard]] bool factor(const ConeRows& rows) override;
  [[nodiscard]] bool factor_shifted(double alpha) override;
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& d) override;
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
