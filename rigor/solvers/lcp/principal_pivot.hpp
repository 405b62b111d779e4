#pragma once

#include "rigor/solvers/lcp/pivot_table.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// The principal pivoting method of Cottle and Dantzig, with Keller's pairs of pivots [CPS92, 4.2-4.3].
///
/// One negative basic variable r at a time is driven to zero by raising the other member of its pair. Where
/// another basic variable k would become negative on the way, pair k is exchanged if T(k, k) > 0, else pairs
/// k and r together, and the drive continues with what is then the nonbasic member of pair r. T is the table
/// of pivot_table.hpp.
///
/// Guarantee: finite for P and row sufficient matrices (PSD included). A drive that nothing stops is a ray,
/// and for PSD M its z part proves that no z ≥ 0, M z + q ≥ 0 exists [CPS92, 4.3]. Departures: ties are
/// decided by the symbolic perturbation of lemke.hpp instead of n lexicographic columns; the most negative
/// variable is driven first, which matters for speed only.
///
/// [CPS92] Cottle, Pang, Stone. The Linear Complementarity Problem. Academic Press, 1992.
/// [Kel73] Keller. The general quadratic optimization problem. Math. Programming 5, 1973.
struct PrincipalPivotOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int max_pivots{0};        // 0: 50 n + 1000
  bool equilibrate{true};
};

void solve_principal_pivot(const LcpProblem& problem, const PrincipalPivotOptions& options, PivotTable& table,
                           LcpResult& result);

}  // namespace rigor
