#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/cone/cone_system.hpp"

namespace rigor {

/// What a block does at a point, as Newton's method sees it: its impulse is given (zero, or a row's bound),
/// its velocity is to vanish, or it slides.
enum class ConeMode : char { kHeld, kStick, kSlide };

/// The problem that one Newton solve is about: (1) of cone_problem.hpp with u + alpha ∘ (r − centre) in place
/// of u. alpha = 0 is the problem itself.
struct ConeRegularisation {
  double alpha{0.0};
  bool per_block{false};  // alpha is measured against the block's own diagonal, not against the mean
  bool dual{false};       // rho = 1/alpha in (2): modes follow the spring force centre − u/alpha
};

/// Semismooth Newton on the map of Alart and Curnier [AC91], rho per block:
///
///     t = r − rho u;   t_N ≤ 0: F = r;   else F_N = rho u_N and
///     ‖t_T‖ ≤ mu t_N: F_T = rho u_T;   else F_T = r_T − mu t_N t_T / ‖t_T‖,                             (2)
///
/// for the associated law on F = r − P_K(r − rho u). Full steps, no line search: that solved most in our
/// measurements. Blocks that open are set to zero, rows at a bound to it, and both leave the linear system.
///
/// [AC91] Alart, Curnier. A mixed formulation for frictional contact problems prone to Newton like solution
///        methods. Comput. Methods Appl. Mech. Eng. 92, 1991.
class ConeNewton {
 public:
  struct Counts {
    int steps{0};
    int factorisations{0};
  };

  /// For problems that are solved on this object from now on.
  void start(const ConeSystem& system);

  /// Newton steps on the regularised problem from r until its residual is at most `target` or rounding,
  /// `patience` steps have not brought 0.7 of the best, or `max_steps`. r becomes the best point met; returns
  /// its residual, that of the regularised problem.
  double solve(const ConeRegularisation& regularisation, const Eigen::VectorXd& centre, double target,
               int max_steps, int patience, Eigen::VectorXd& r) {
    return iterate(regularisation, &centre, target, max_steps, patience, r);
  }

  /// The same with a centre that follows: r + d with (A + B (W + alpha)) d = −F(r), so that a small alpha
  /// helps where W is singular and does not change the answer. Returns the true residual.
  double follow(const ConeRegularisation& regularisation, double target, int max_steps, int patience,
                Eigen::VectorXd& r) {
    return iterate(regularisation, nullptr, target, max_steps, patience, r);
  }

  /// At least one step of follow(), then more as long as they help: to rounding from a point near the answer.
  double polish(Eigen::VectorXd& r);

  /// The associated law for symmetric W, with compliance alpha about a centre, from any start. With t =
  /// centre − u/alpha the answer is r = P_K(t), u = W r + q, the minimum of the convex function
  ///
  ///     l(r) = ½ rᵀ W r + ½ alpha ‖P_K(t(r))‖²,    ∇l = W (r − P_K(t)),                                (3)
  ///
  /// and Newton's method with an exact line search on l ends there always [CPH23].
  /// Returns the residual of the problem with alpha.
  ///
  /// [CPH23] Castro, Permenter, Han. An unconstrained convex formulation of compliant contact. IEEE Trans.
  /// Robot.
  ///         39, 2023.
  double solve_convex(double alpha, const Eigen::VectorXd& centre, double target, int max_steps,
                      Eigen::VectorXd& r);

  /// Proximal point iterations with Newton inside and alpha falling with success, rising with failure. r
  /// becomes the best point met; returns its true residual.
  double proximal(double first_alpha, double target, int max_steps, Eigen::VectorXd& r);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  void reset_counts() { counts_ = {}; }
  /// Of the last factor: DenseLu::pivot_ratio().
  [[nodiscard]] double pivot_ratio() const { return lu_.pivot_ratio(); }

 private:
  double iterate(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre, double target,
                 int max_steps, int patience, Eigen::VectorXd& r);
  void compute_shifted(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre,
                       const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double alpha_of(const ConeRegularisation& regularisation, std::size_t block) const;
  [[nodiscard]] double rho_of(const ConeRegularisation& regularisation, std::size_t block) const;
  bool step(const ConeRegularisation& regularisation, Eigen::VectorXd& r, const Eigen::VectorXd& u);
  double find_step(double alpha, const Eigen::VectorXd& centre, const Eigen::VectorXd& from,
                   const Eigen::VectorXd& to);
  struct BlockMap {
    ConeMode mode;
    double hold;  // r_N of a held block
    double F[3];
    double A[3][3], B[3][3];
  };
  static void map_row(const ConeBlock& block, double rho, double r, double u, BlockMap& map);
  void hold_blocks(Eigen::VectorXd& r) const;
  void map_coulomb(const ConeBlock& block, double rho, const double* r, const double* u, BlockMap& map) const;
  void map_associated(const ConeBlock& block, double rho, const double* r, const double* u,
                      BlockMap& map) const;
  void fill_rows(const ConeBlock& block, const BlockMap& map, double alpha, Eigen::Index row,
                 PaddedSquare<double>::View& matrix);

  const ConeSystem* system_{nullptr};
  DenseLu lu_;
  Counts counts_;
  std::vector<BlockMap> maps_;
  std::vector<Eigen::Index> row_of_;     // per block: its first row in the linear system, −1 where held
  std::vector<Eigen::Index> column_of_;  // per row of the linear system: its row of W
  Eigen::VectorXd u_, held_, rhs_, best_, outer_best_, centre_, x_, from_, change_, force_, shifted_;
};

}  // namespace rigor
