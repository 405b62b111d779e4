#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/dense_cholesky.hpp"
#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// Friction in k directions of each contact with a phantom inertia ρ, [P17] (26)-(39). E has the directions
/// e_j as columns, w_up and w_lo are the slips along and against them, σ_lo and σ_up how far friction is from
/// its bounds:
///
///     u_t = E (w_up − w_lo)
///     0 ≤ p_n  ⟂ u_n ≥ 0
///     0 ≤ w_up ⟂ σ_lo = μ p_n + Eᵀ p_t + ρ w_lo ≥ 0
///     0 ≤ w_lo ⟂ σ_up = μ p_n − Eᵀ p_t + ρ w_up ≥ 0                                                  (1)
///
/// where u = W r + q, r = (p_n, p_t) per contact, W with its compliances. With p_t eliminated by T = W_tt,
/// G = T⁻¹ W_tn, S = Eᵀ T⁻¹ E, the LCP in z = (p_n, w_up, w_lo) has
///
///         ⎡ W_nn − W_nt G    Gᵀ E       −Gᵀ E   ⎤
///     M = ⎢ μ − Eᵀ G         S          −S + ρ  ⎥                                                    (2)
///         ⎣ μ + Eᵀ G         −S + ρ     S       ⎦
///
/// For one direction, with s its entry of S, the last two rows are s [1 −1; −1 1] + ρ [0 1; 1 0]. Their
/// determinant is ρ (2 s − ρ): zero for ρ = 0, and positive, as block methods need it, only for ρ < 2 s. w_up
/// and w_lo are never both positive: then σ_lo = σ_up = 0, but σ_lo + σ_up = 2 μ p_n + ρ (w_up + w_lo) > 0.
/// So ρ does not change the motion.
///
/// [P17] see friction_rows.hpp; (39) is printed without μ.
class PhantomLcp {
 public:
  struct Directions {    // of one block
    Eigen::Matrix2Xd E;  // unit vectors, in the block's tangents; without columns where size is 1
    Eigen::VectorXd mu;  // per direction
  };

  /// W must be symmetric and its tangential part T positive definite; false where it is not. For `rho` ≤ 0
  /// every contact gets a ρ below the 2 s of all its directions.
  [[nodiscard]] bool build(const Eigen::MatrixXd& W, const std::vector<ConeBlock>& blocks,
                           const std::vector<Directions>& directions, double rho);
  /// The right-hand side for another q.
  void set_q(const Eigen::VectorXd& q);
  [[nodiscard]] const LcpProblem& lcp() const { return lcp_; }

  /// (1) as a mixed LCP, [P17] (35) and (39), with half vectors Y (contact_rows.hpp), W = YᵀY + ε. Its
  /// unknowns are x = (v, p_t, p_n, w_up, w_lo); v, the change of velocity in coordinates in which the mass
  /// is 1, and p_t are free.
  [[nodiscard]] MlcpProblem make_mixed(const Eigen::MatrixXd& Y, const Eigen::VectorXd& epsilon,
                                       const Eigen::VectorXd& q) const;

  /// Takes r and the slips w from z of lcp(), or from x of make_mixed().
  void read(const Eigen::VectorXd& z, Eigen::VectorXd& r);
  void read_mixed(const Eigen::VectorXd& x, Eigen::VectorXd& r);
  /// The largest violation of (1) by r and the slips of the last read(), with this W and q: they may lack a
  /// compliance that build() was given.
  [[nodiscard]] double judge(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const Eigen::VectorXd& r);
  /// Sharpens r and the slips of the last read(): keeps which of each pair in (1) is zero, solves the
  /// equations that are left with the matrix W + α of build() and corrects until they hold for W alone.
  /// Returns what judge() says then; leaves r where that is not better.
  double polish(const Eigen::MatrixXd& W, const Eigen::VectorXd& alpha, const Eigen::VectorXd& q,
                Eigen::VectorXd& r);

  [[nodiscard]] double least_inertia() const;  // ρ, of all contacts
  [[nodiscard]] double limit() const { return 2.0 * least_s_; }
  [[nodiscard]] Eigen::Index normal_count() const { return static_cast<Eigen::Index>(normals_.size()); }
  [[nodiscard]] Eigen::Index direction_count() const { return static_cast<Eigen::Index>(mu_.size()); }

 private:
  void list_rows(const std::vector<ConeBlock>& blocks, const std::vector<Directions>& directions);
  void choose_inertia(double rho, const Eigen::MatrixXd& W);
  void fill_lcp();
  [[nodiscard]] double saturation(Eigen::Index j, double sign, const Eigen::VectorXd& r) const;
  void fill_active(const Eigen::MatrixXd& W, const Eigen::VectorXd& alpha, const Eigen::VectorXd& r);
  void compute_active(const Eigen::VectorXd& r);

  std::vector<int> normals_, tangents_;         // rows of W
  std::vector<int> normal_of_;                  // direction → which normal
  std::vector<Eigen::Index> tangent_of_;        // direction → its first tangent
  std::vector<int> width_;                      // direction → tangents of its contact
  Eigen::Matrix2Xd e_;                          // of all directions
  Eigen::VectorXd mu_, rho_;                    // of all directions
  Eigen::MatrixXd Wnn_, Wtn_, G_, E_, TE_, S_;  // E_: tangents x directions, TE_ = T⁻¹ E_
  Eigen::VectorXd qt_, Tq_, column_, w_up_, w_lo_, u_;
  double least_s_{0.0};
  DenseCholesky factor_;
  DenseLu active_factor_;
  std::vector<char> is_active_;  // of (rows of W, w_up, w_lo): its equation holds, else it is zero
  Eigen::VectorXd defects_, better_, up_, lo_, slip_;
  LcpProblem lcp_;
};

}  // namespace rigor
