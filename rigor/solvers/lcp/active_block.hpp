#pragma once

#include <vector>

#include "rigor/math/dense_cholesky.hpp"
#include "rigor/math/dense_lu.hpp"

namespace rigor {

/// Solves M_FF x = r for one index set F after the other, with the same M, as active-set methods need it.
///
/// A set B is factored (Cholesky where M is symmetric and the block definite, else LU). A later set that
/// differs from B by k ≤ 24 indices, A added and R removed, is solved with that factor and a k x k Schur
/// complement:
///
///     [ M_BB  M_BA  E_R ] [ x_B ]   [ r_B ]
///     [ M_AB  M_AA   0  ] [ x_A ] = [ r_A ]                                                          (1)
///     [ E_Rᵀ   0     0  ] [  λ  ]   [  0  ]
///
/// E_R has the unit columns of R, and λ keeps x_R at zero. Storage is kept: a second problem of the same size
/// allocates nothing. In float for solutions that are refined afterwards.
template <class Scalar>
class ActiveBlock {
 public:
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

  /// Sets the matrix, column after column; it must outlive the solves. Rows beyond the number of columns are
  /// padding. Where `symmetric` is true M must be so, else solutions are wrong: a caller who guesses must
  /// check the residual.
  void start(const Matrix& M, bool symmetric);

  /// The next set: member[i] ≠ 0 where i is in F. False where the block is singular.
  [[nodiscard]] bool set(const std::vector<char>& member);

  /// Overwrites x, of full length, with the solution of M_FF x_F = x_F; entries outside F become 0.
  void solve_in_place(Vector& x);

  /// Factorisations since start().
  [[nodiscard]] int factorisations() const { return factorisations_; }

 private:
  [[nodiscard]] bool factor(const std::vector<char>& member);
  bool forget_base();
  [[nodiscard]] bool update();
  void solve_base(Eigen::Ref<Vector> b);

  const Matrix* M_{nullptr};
  bool symmetric_{false};
  bool cholesky_used_{false};
  int factorisations_{0};
  BasicDenseLu<Scalar> lu_;
  BasicDenseCholesky<Scalar> cholesky_;
  std::vector<int> base_;   // B, in order
  std::vector<int> place_;  // where an index is in B, or −1
  std::vector<int> added_, removed_;
  Matrix border_;               // M_BB⁻¹ [M_BA E_R], one column each
  Matrix rows_;                 // of M_AB, one column each
  BasicDenseLu<Scalar> small_;  // the Schur complement of (1)
  Vector b_, t_;
};

/// A guess whether M is symmetric: two entries per row are compared with their mirror images. Comparing all
/// would cost as much as several products M z.
template <class Scalar>
[[nodiscard]] bool looks_symmetric(const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>& M);

}  // namespace rigor
