#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// Newton's method on (1) of scaled_cone.hpp with sparse factors, for the whole problem at once. Full steps,
/// no line search: with one, fewer problems were solved.
class ProximalNewton {
 public:
  void start(const ScaledCone& cone);

  /// Newton steps from r with a compliance alpha about the current point, which does not change the answer
  /// and keeps the factors regular; alpha falls to a hundredth when the residual has fallen to a thousandth.
  /// Ends at the target, after two steps that did not halve the residual, or where it is 20 times that of the
  /// start. r becomes the best point met, iterates or their projections on the cones; returns its residual.
  double finish(double target, double alpha, int max_steps, Eigen::VectorXd& r);

  /// Proximal point iterations: r_{k+1} solves the problem with u + alpha (r − r_k) by up to 15 Newton steps,
  /// until its F is a tenth. alpha falls, the more the fewer steps were needed, stays above 1.5 times the
  /// alpha that failed last, and rises fourfold where five steps gained nothing. r becomes the best point
  /// met; returns its residual.
  ///
  /// F is (1) of scaled_cone.hpp with rho u in place of u, rho = min(1/alpha, most_rho). Its zeros are the
  /// same, but r_T − rho u_T decides which way a contact slides. Where a tall stack slips as a whole at 1e-7
  /// m/s, u is lost beside r with rho = 1, and contacts that share a load take turns in sliding.
  double proximal(double target, double alpha, int max_steps, Eigen::VectorXd& r, double most_rho = 1.0);

  [[nodiscard]] int steps() const { return steps_; }

 private:
  bool step(double alpha, const Eigen::VectorXd& F);
  void map_with(double rho);

  const ScaledCone* cone_{nullptr};
  ConeRows rows_;
  int steps_{0};
  Eigen::VectorXd u_, F_, d_, x_, shifted_, best_, projected_, centre_;
};

}  // namespace rigor
