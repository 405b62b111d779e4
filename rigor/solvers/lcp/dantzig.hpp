#pragma once

#include "rigor/solvers/lcp/pivot_table.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Dantzig's method for boxed LCPs, as Baraff brought it to contact [Bar94] (Cottle-Dantzig with two bounds).
///
/// The variables are added one by one. The new one is moved until its row holds: w = 0 within its bounds, or
/// the right sign of w at a bound. On the way a variable that reaches a bound stays there, and one at a bound
/// whose w reaches zero becomes free.
///
/// Guarantee: finite for P-matrices with plain bounds (nondegenerate; ties by least index). Bounds that scale
/// with another variable are held at its last value, and the whole is repeated: a fixed point without a
/// proof. `auto` and `lemke` solve such problems exactly, as mixed LCPs.
///
/// [Bar94] Baraff. Fast contact force computation for nonpenetrating rigid bodies. SIGGRAPH 1994.
struct DantzigOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int max_pivots{0};        // 0: 50 n + 1000
  int max_rounds{100};      // repetitions for bounds that scale
  bool equilibrate{true};   // rows and columns; the bounds are scaled along
};

void solve_dantzig(const BoxedLcpProblem& problem, const DantzigOptions& options, LcpResult& result);

}  // namespace rigor
