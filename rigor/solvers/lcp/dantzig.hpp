#pragma once

#include "rigor/solvers/lcp/pivot_table.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Dantzig's method for boxed LCPs, as Baraff brought it to contact [Bar94] (Cottle-Dantzig with two bounds).
///
/// The variables are taken in one after the other. The new one is driven until its row holds, w = 0 inside
/// its bounds or the right sign at a bound; on the way a variable that reaches a bound stops there, one whose
/// w reaches zero at a bound is set free.
///
/// Guarantee: finite for P-matrices with plain bounds (nondegenerate; ties by least index). Bounds that scale
/// with another variable are frozen at its last value and the whole is repeated: a fixed point, without a
/// proof; `auto` and `lemke` solve such problems through their exact reduction.
///
/// [Bar94] Baraff. Fast contact force computation for nonpenetrating rigid bodies. SIGGRAPH 1994.
struct DantzigOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int max_pivots{0};        // 0: 50 n + 1000
  int max_rounds{100};      // of frozen bounds
  bool equilibrate{true};   // rows and columns; the bounds are scaled along
};

void solve_dantzig(const BoxedLcpProblem& problem, const DantzigOptions& options, LcpResult& result);

}  // namespace rigor
