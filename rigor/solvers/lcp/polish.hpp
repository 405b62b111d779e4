#pragma once

#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// Improves a good guess of a mixed LCP: regularised active-set Newton on the sparse form.
///
/// With F = {i : z_i > w_i} it solves K x + q = 0 on the equations and on F, with z = 0 outside, by a few
/// proximal corrections with K + ρ I on F (so that redundant contacts do no harm), and halves the step while
/// the residual would grow. The point returned is never worse than the one given.
struct PolishOptions {
  double target{1e-14};  // stop at this natural_residual()
  double rho{1e-10};     // raising it helps singular sets and slows the corrections
  int max_steps{10};
  int corrections{6};  // proximal corrections per step
  int patience{5};     // steps without progress
};

/// Returns the natural residual of x after polishing.
double polish(const MlcpProblem& problem, const PolishOptions& options, Eigen::VectorXd& x);

}  // namespace rigor
