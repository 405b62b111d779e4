#pragma once

#include "rigor/solvers/cone/linearise.hpp"

namespace rigor {

/// How proximal point iterations choose their compliance alpha, which is relative to the diagonal of each contact.
struct ProximalSchedule {
  double alpha{1e-5};    // at first
  double most_rho{1.0};  // see ProximalNewton::proximal()
  double enough{0.1};    // of F at the centre: there an iteration has ended
  int patience{5};   // it has failed after so many Newton steps in which F did not fall to 0.7 of its least
  double rise{4.0};  // alpha times this after a failure
  // alpha times `quick_fall` where it took up to `quick` Newton steps, `fair_fall` up to `fair`, else `slow_fall`
  int quick{3}, fair{6};
  double quick_fall{0.1}, fair_fall{0.3}, slow_fall{0.7};

  /// For heaps in motion, whose start may be far from any answer: it begins with a compliance with which few contacts
  /// change their modes in a step, leaves early, and comes back sooner after failures. docs/theory/sparse-cone.md
  /// tells how it was chosen.
  [[nodiscard]] static constexpr ProximalSchedule for_motion() {
    return {0.1, 1.0, 0.4, 6, 2.5, 2, 5, 0.1, 0.32, 1.0};
  }
};

/// Newton's method on (1) of linearise.hpp with sparse factors, for the whole problem at once. Full steps,
/// no line search: with one, fewer problems were solved.
class ProximalNewton {
 public:
  void start(const ScaledCone& cone);

  /// Newton steps from r with a compliance alpha about the current point, which does not change the answer
  /// and keeps the factors regular; alpha falls to a hundredth when the residual has fallen to a thousandth.
  /// Ends at the target, after two steps that did not halve the residual, or where it is 20 times that of the
  /// start. r becomes the best point met, iterates or their projections on the cones; returns its residual.
  double finish(double target, double alpha, int max_steps, Eigen::VectorXd& r);

  /// Proximal point iterations: r_{k+1} solves the problem with u + alpha (r − r_k) by up to 15 Newton steps.
  /// alpha falls, the more the fewer steps were needed, stays above 1.5 times the alpha that failed last, and
  /// rises where steps gained nothing, as the schedule says. r becomes the best point met; returns its residual.
  ///
  /// F is (1) of linearise.hpp with rho = min(1/alpha, most_rho). Its zeros are the
  /// same, but r_T − rho u_T decides which way a contact slides. Where a tall stack slips as a whole at 1e-7
  /// m/s, u is lost beside r with rho = 1, and contacts that share a load take turns in sliding.
  double proximal(double target, const ProximalSchedule& schedule, int max_steps, Eigen::VectorXd& r);
  double proximal(double target, double alpha, int max_steps, Eigen::VectorXd& r, double most_rho = 1.0) {
    return proximal(target, ProximalSchedule{.alpha = alpha, .most_rho = most_rho}, max_steps, r);
  }

  [[nodiscard]] int steps() const { return steps_; }

 private:
  double linearise(double rho, double alpha, const Eigen::VectorXd& speed);
  bool step();

  const ScaledCone* cone_{nullptr};
  LinearLaw law_;
  int steps_{0};
  Eigen::VectorXd alpha_, u_, d_, du_, x_, shifted_, best_, projected_, centre_;
};

}  // namespace rigor
