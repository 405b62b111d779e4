#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/dense_cholesky.hpp"
#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/cone/cone_system.hpp"

namespace rigor {

/// What a block does at a point, for Newton's method: its impulse is given (zero, or a bound of a row), or
/// its velocity is to be zero, or it slides.
enum class ConeMode : char { kHeld, kStick, kSlide };

/// The problem that one Newton solve is about: (1) of cone_problem.hpp with u + alpha ∘ (r − centre) in place
/// of u. alpha = 0 is the problem itself.
struct ConeRegularisation {
  double alpha{0.0};
  bool per_block{false};  // alpha is relative to the block's own diagonal, not to the mean diagonal
  bool dual{false};       // rho = 1/alpha in (2): modes follow the spring force centre − u/alpha
};

/// Semismooth Newton on the map F of Alart and Curnier [AC91], with a rho per block. With t = r − rho u:
///
///     t_N ≤ 0                  F = r                                                      open
///     ‖t_T‖ ≤ mu t_N           F_N = rho u_N,   F_T = rho u_T                             stick
///     else                     F_N = rho u_N,   F_T = r_T − mu t_N t_T / ‖t_T‖            slide      (2)
///
/// For the associated law F = r − P_K(r − rho u). Steps are full, without a line search: that solved most
/// problems in our measurements. Blocks that open are set to zero, rows at a bound to that bound, and both
/// leave the linear system.
///
/// [AC91] Alart, Curnier. A mixed formulation for frictional contact problems prone to Newton like solution
///        methods. Comput. Methods Appl. Mech. Eng. 92, 1991.
class ConeNewton {
 public:
  struct Counts {
    int steps{0};
    int factorisations{0};
  };

  /// Sets the problem for the calls that follow.
  void start(const ConeSystem& system);

  /// Newton steps on the regularised problem from r. Ends where its residual is at most `target` or rounding,
  /// where `patience` steps have not brought it below 0.7 of the best, or after `max_steps`. r becomes the
  /// best point met; returns the residual of the regularised problem there.
  double solve(const ConeRegularisation& regularisation, const Eigen::VectorXd& centre, double target,
               int max_steps, int patience, Eigen::VectorXd& r) {
    return iterate(regularisation, &centre, target, max_steps, patience, r);
  }

  /// The same with the centre at the current r: steps d with (A + B (W + alpha)) d = −F(r). So a small alpha
  /// helps where W is singular and does not change the answer. Returns the residual without alpha.
  double follow(const ConeRegularisation& regularisation, double target, int max_steps, int patience,
                Eigen::VectorXd& r) {
    return iterate(regularisation, nullptr, target, max_steps, patience, r);
  }

  /// From impulses near an answer, as the last step's are, in few steps to one whose impulses are those of equal
  /// compliance (cone_select.hpp). Steps about zero with the mean alpha decide what lies in the null space of W, with
  /// the modes that they end with; steps of follow() leave that alone and bring the residual down. First, where
  /// `is_likely_close`, with a small alpha at once; then from r again with an alpha that falls from step to step: the
  /// modes of the start may be wrong (two points of a foot of which one is above the floor cannot both stick), and a
  /// small alpha answers that with huge impulses. False where the residual is above the target, or the impulses are
  /// others; r becomes the best point met.
  bool approach(double tolerance, Eigen::VectorXd& r);

  /// One step of follow() at least, then more while the residual falls: from near the answer to rounding.
  double polish(Eigen::VectorXd& r);

  /// The associated law for symmetric W, with compliance alpha about a centre, from any start. With
  /// t = centre − u/alpha the answer is r = P_K(t), u = W r + q, the minimum of the convex function
  ///
  ///     l(r) = ½ rᵀ W r + ½ alpha ‖P_K(t(r))‖²,    ∇l = W (r − P_K(t)).                              (3)
  ///
  /// Newton's method with an exact line search on l always ends there [CPH23]. Returns the residual of the
  /// problem with alpha.
  ///
  /// [CPH23] Castro, Permenter, Han. An unconstrained convex formulation of compliant contact. IEEE Trans.
  ///         Robot. 39, 2023.
  double solve_convex(double alpha, const Eigen::VectorXd& centre, double target, int max_steps,
                      Eigen::VectorXd& r);

  /// Proximal point iterations with Newton's method inside; alpha falls after success and rises after
  /// failure. r becomes the best point met; returns its residual, without alpha.
  double proximal(double first_alpha, double target, int max_steps, Eigen::VectorXd& r);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  void reset_counts() { counts_ = {}; }
  /// Of the last factor: smallest over largest pivot.
  [[nodiscard]] double pivot_ratio() const { return pivot_ratio_; }

 private:
  double iterate(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre, double target,
                 int max_steps, int patience, Eigen::VectorXd& r);
  void compute_shifted(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre,
                       const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double alpha_of(const ConeRegularisation& regularisation, std::size_t block) const;
  [[nodiscard]] double rho_of(const ConeRegularisation& regularisation, std::size_t block) const;
  Eigen::Index map_blocks(const ConeRegularisation& regularisation, const Eigen::VectorXd& r,
                          const Eigen::VectorXd& u);
  bool step(const ConeRegularisation& regularisation, Eigen::VectorXd& r, const Eigen::VectorXd& u);
  double find_step(double alpha, const Eigen::VectorXd& centre, const Eigen::VectorXd& from,
                   const Eigen::VectorXd& to);
  struct Schedule;
  bool run_schedule(const Schedule& schedule, double tolerance, double& best, Eigen::VectorXd& r);
  void note_modes();
  [[nodiscard]] bool has_noted_modes() const;
  struct BlockMap {
    ConeMode mode;
    double hold;  // r_N of a held block
    double F[3];
    double A[3][3], B[3][3];
  };
  static void map_row(const ConeBlock& block, double rho, double r, double u, BlockMap& map);
  void hold_blocks(Eigen::VectorXd& r) const;
  bool take(Eigen::Index size, Eigen::VectorXd& r) const;
  [[nodiscard]] bool is_sticking() const;
  bool step_sticking(const ConeRegularisation& regularisation, Eigen::Index size, Eigen::VectorXd& r,
                     const Eigen::VectorXd& u);
  void map_coulomb(const ConeBlock& block, double rho, const double* r, const double* u, BlockMap& map) const;
  void map_associated(const ConeBlock& block, double rho, const double* r, const double* u,
                      BlockMap& map) const;
  void fill_rows(const ConeBlock& block, const BlockMap& map, double alpha, Eigen::Index row,
                 PaddedSquare<double>::View& matrix);

  const ConeSystem* system_{nullptr};
  DenseLu lu_;
  DenseCholesky cholesky_;
  double pivot_ratio_{0.0};
  bool keeps_factor_{false};         // steps may use the last one's factor
  bool has_sticking_factor_{false};  // cholesky_ is that of the rows sticking_
  std::vector<Eigen::Index> sticking_;
  Counts counts_;
  std::vector<ConeMode> noted_;  // of the last step of approach() about zero
  std::vector<BlockMap> maps_;
  std::vector<Eigen::Index> row_of_;  // per block: its first row in the linear system, −1 where held
  struct Run {                        // columns of W that stand together in the linear system too
    Eigen::Index to, from, length;
  };
  std::vector<Eigen::Index> column_of_;  // per row of the linear system: its row of W
  std::vector<Run> runs_;                // all of these
  Eigen::VectorXd u_, held_, rhs_, best_, outer_best_, centre_, x_, from_, change_, force_, shifted_;
};

}  // namespace rigor
