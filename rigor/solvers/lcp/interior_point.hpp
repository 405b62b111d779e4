#pragma once

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Infeasible primal-dual interior point with Mehrotra's predictor and corrector [Wri97, ch. 8 and 10], for
/// monotone LCPs and mixed LCPs: Newton's method on w = M z + q, z_i w_i = σ µ, with z, w > 0 and one step
/// length for both.
///
/// Guarantee: polynomial convergence for monotone (PSD) problems with a strictly feasible point. Elsewhere it
/// often works and proves nothing. The last digits may be lost where the solution is degenerate.
///
/// [Wri97] Wright. Primal-Dual Interior-Point Methods. SIAM, 1997.
struct InteriorPointOptions {
  double tolerance{1e-10};  // stop and accept by natural_residual()
  int max_steps{100};
  bool equilibrate{true};
};

/// The first `free_count` variables are free, their rows equations.
void solve_interior_point(const LcpProblem& problem, Eigen::Index free_count,
                          const InteriorPointOptions& options, LcpResult& result);

}  // namespace rigor
