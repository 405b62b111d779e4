#pragma once

#include <vector>

#include "rigor/math/dense_cholesky.hpp"
#include "rigor/math/dense_lu.hpp"

namespace rigor {

/// Solves M_FF x = r for one set F after the other, M fixed, as active-set methods need it.
///
/// A set B is factored (Cholesky where M is symmetric and the block definite, else LU). A later set that
/// differs by k ≤ 24 indices, added A and removed R, is solved on that factor with a k x k Schur complement:
///
///     [ M_BB  M_BA  E_R ] [ x_B ]   [ r_B ]
///     [ M_AB  M_AA   0  ] [ x_A ] = [ r_A ],      E_R the unit columns of R: λ keeps x_R at zero.       (1)
///     [ E_Rᵀ   0     0  ] [  λ  ]   [  0  ]
///
/// Storage is kept: a second problem of the same size allocates nothing.
class ActiveBlock {
 public:
  /// A new matrix, column after column; it must outlive the solves. Where `symmetric` is said, its upper and
  /// lower halves must agree, or the solutions are wrong: whoever guesses must look at the residual.
  void start(const Eigen::MatrixXd& M, bool symmetric);

  /// The next set: member[i] ≠ 0 where i is in F. False where the block is singular.
  [[nodiscard]] bool set(const std::vector<char>& member);

  /// Overwrites x, of full length, with the solution of M_FF x_F = x_F; entries outside F become 0.
  void solve_in_place(Eigen::VectorXd& x);

  /// Factorisations since start().
  [[nodiscard]] int factorisations() const { return factorisations_; }

 private:
  [[nodiscard]] bool factor(const std::vector<char>& member);
  [[nodiscard]] bool update();
  void solve_base(Eigen::Ref<Eigen::VectorXd> b);

  const Eigen::MatrixXd* M_{nullptr};
  bool symmetric_{false};
  bool cholesky_used_{false};
  int factorisations_{0};
  DenseLu lu_;
  DenseCholesky cholesky_;
  std::vector<int> base_;   // B, in order
  std::vector<int> place_;  // where an index is in B, or −1
  std::vector<int> added_, removed_;
  Eigen::MatrixXd border_;  // M_BB⁻¹ [M_BA E_R], one column each
  DenseLu small_;           // the Schur complement of (1)
  Eigen::VectorXd b_, t_;
};

/// Does M look symmetric? Two entries per row are compared with their mirror images, not all of them: that
/// would cost as much as several products M z.
[[nodiscard]] bool looks_symmetric(const Eigen::MatrixXd& M);

}  // namespace rigor
