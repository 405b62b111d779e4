#pragma once

#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Projected Gauss-Seidel with over-relaxation [CPS92, 5.2; Cry71], for LCPs and boxed LCPs:
///
///     z_i ← P_[lo_i, hi_i](z_i − ω w_i / M_ii),    i = 1 … n, again and again.
///
/// Guarantee: converges for symmetric positive definite M and 0 < ω < 2, and for symmetric PSD M with a
/// solution the objective does [LT92]. Linear, often slow; needs a positive diagonal. Scaled bounds follow
/// their variable in the sweep, without a proof.
///
/// [Cry71] Cryer. The solution of a quadratic programming problem using systematic overrelaxation. SIAM J.
///         Control 9, 1971.
/// [LT92] Luo, Tseng. On the convergence of the coordinate descent method. J. Optim. Theory Appl. 72, 1992.
struct PgsOptions {
  double tolerance{1e-10};  // stop and accept by natural_residual()
  int max_sweeps{20000};
  double relaxation{1.0};  // ω in (0, 2); below 1 damps, above 1 over-relaxes
};

void solve_pgs(const BoxedLcpProblem& problem, const PgsOptions& options, LcpResult& result);

/// The LCP as a box [0, ∞).
[[nodiscard]] BoxedLcpProblem to_boxed(const LcpProblem& problem);

}  // namespace rigor
