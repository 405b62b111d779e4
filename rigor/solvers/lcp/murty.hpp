#pragma once

#include "rigor/solvers/lcp/pivot_table.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Murty's least-index method [Mur74]: among the pairs whose basic member is negative, exchange the one of
/// least index.
///
/// Guarantee: finite for P-matrices; up to 2ⁿ pivots [Murty 1988, ch. 6]. No guarantee elsewhere: it stops at
/// a zero diagonal. Departure: rows and columns are equilibrated first.
///
/// [Mur74] Murty. Note on a Bard-type scheme for solving the complementarity problem. Opsearch 11, 1974.
struct MurtyOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int max_pivots{0};        // 0: 200 n + 1000
  bool equilibrate{true};
};

void solve_murty(const LcpProblem& problem, const MurtyOptions& options, PivotTable& table,
                 LcpResult& result);

}  // namespace rigor
