#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/cone/cone_local.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor {

/// A ConeProblem in units in which the mean diagonal of W is 1, so that impulses are velocities (m/s), with
/// what every method on it needs.
///
/// [JAJ98] Jourdan, Alart, Jean. A Gauss-Seidel like algorithm to solve frictional contact problems. Comput.
///         Methods Appl. Mech. Eng. 155, 1998.
struct ConeSystem {
  DenseLu::RowMajor W;
  Eigen::VectorXd q;
  std::vector<ConeBlock> blocks;
  bool associated{false};
  bool symmetric{true};          // W, to rounding
  double mean_diagonal{1.0};     // of the problem given; r here = mean_diagonal · r there
  std::vector<double> rho;       // per block: 1 / mean of its diagonal
  std::vector<ConeLocal> local;  // per block

  void set(const ConeProblem& problem);
  void compute_velocity(const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  /// ‖r − P_K(r − û)‖₂ for given u = W r + q.
  [[nodiscard]] double residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;
  void project(Eigen::VectorXd& r) const;
  /// One sweep of block Gauss-Seidel with exact local solves [JAJ98]. False where a block has no answer.
  bool sweep(Eigen::VectorXd& r) const;
};

}  // namespace rigor
