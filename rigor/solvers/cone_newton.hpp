#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/cone_local.hpp"
#include "rigor/solvers/cone_problem.hpp"

namespace rigor {

/// A ConeProblem in units in which the mean diagonal of W is 1, so that impulses are velocities (m/s), with
/// what every method on it needs. Rows are stored one after the other.
struct ConeSystem {
  DenseLu::RowMajor W;
  Eigen::VectorXd q;
  std::vector<ConeBlock> blocks;
  bool associated{false};
  double mean_diagonal{1.0};     // of the problem given; r here = mean_diagonal · r there
  std::vector<double> rho;       // per block: 1 / mean of its diagonal
  std::vector<ConeLocal> local;  // per block

  void set(const ConeProblem& problem);
  void compute_velocity(const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  /// ‖r − P_K(r − û)‖₂ where u = W r + q is at hand.
  [[nodiscard]] double residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;
  void project(Eigen::VectorXd& r) const;
  /// One sweep of block Gauss-Seidel with exact local solves [JAM99]. False where a block has no answer.
  bool sweep(Eigen::VectorXd& r) const;
};

/// What a block does at a point, as Newton's method sees it.
enum class ConeMode : char { kOpen, kStick, kSlide };

/// The problem that one Newton solve is about: (1) of cone_problem.hpp with u + alpha ∘ (r − centre) in place
/// of u. alpha = 0 is the problem itself.
struct ConeRegularisation {
  double alpha{0.0};
  bool per_block{false};  // alpha is measured against the block's own diagonal, not against the mean
};

/// Semismooth Newton on the map of Alart and Curnier [AC91], rho per block:
///
///     t = r − rho u;   t_N ≤ 0: F = r;   else F_N = rho u_N and
///     ‖t_T‖ ≤ mu t_N: F_T = rho u_T;   else F_T = r_T − mu t_N t_T / ‖t_T‖,                             (2)
///
/// for the associated law on F = r − P_K(r − rho u). Full steps, no line search: that solved most in our
/// measurements. Blocks that open are set to zero and leave the linear system.
///
/// [AC91]  Alart, Curnier. A mixed formulation for frictional contact problems prone to Newton like solution
///         methods. Comput. Methods Appl. Mech. Eng. 92, 1991.
/// [JAM99] Jourdan, Alart, Jean. A Gauss-Seidel like algorithm to solve frictional contact problems. Comput.
///         Methods Appl. Mech. Eng. 155, 1998.
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

  /// Proximal point iterations with Newton inside and alpha falling with success, rising with failure. r
  /// becomes the best point met; returns its true residual.
  double proximal(double first_alpha, double target, int max_steps, Eigen::VectorXd& r);

  [[nodiscard]] const Counts& counts() const { return counts_; }
  void reset_counts() { counts_ = {}; }
  /// Of the last factor: DenseLu::pivot_ratio().
  [[nodiscard]] double pivot_ratio() const { return lu_.pivot_ratio(); }
  /// Modes at r for the velocity u; sized as the blocks.
  void find_modes(const Eigen::VectorXd& r, const Eigen::VectorXd& u, std::vector<ConeMode>& modes) const;

 private:
  double iterate(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre, double target,
                 int max_steps, int patience, Eigen::VectorXd& r);
  void compute_shifted(const ConeRegularisation& regularisation, const Eigen::VectorXd* centre,
                       const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double alpha_of(const ConeRegularisation& regularisation, std::size_t block) const;
  bool step(const ConeRegularisation& regularisation, Eigen::VectorXd& r, const Eigen::VectorXd& u);
  struct BlockMap {
    ConeMode mode;
    double F[3];
    double A[3][3], B[3][3];
  };
  void map_coulomb(const ConeBlock& block, double rho, const double* r, const double* u, BlockMap& map) const;
  void map_associated(const ConeBlock& block, double rho, const double* r, const double* u,
                      BlockMap& map) const;
  void fill_rows(const ConeBlock& block, const BlockMap& map, double alpha, Eigen::Index row,
                 Eigen::Block<DenseLu::RowMajor>& matrix);

  const ConeSystem* system_{nullptr};
  DenseLu lu_;
  Counts counts_;
  std::vector<BlockMap> maps_;
  std::vector<Eigen::Index> row_of_;     // per block: its first row in the linear system, −1 where open
  std::vector<Eigen::Index> column_of_;  // per row of the linear system: its row of W
  Eigen::VectorXd u_, opened_, rhs_, best_, outer_best_, centre_, x_;
};

}  // namespace rigor
