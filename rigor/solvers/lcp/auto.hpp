#pragma once

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

struct LcpWorkspace;

/// The portfolio for LCPs. It looks at the class of the matrix and tries the next method when one gives up:
///
///   large and positive definite   block-pivot (few factorisations), then as below
///   else                          lemke; on a ray without proof or a limit, lemke with other perturbations
///   and a random
///                                 cover; interior-point; newton; for n ≤ 12 enumerate
///
/// A checked proof of infeasibility ends it as a solution does. `note` says what was tried, `solver` whose
/// answer it is.
struct AutoOptions {
  double tolerance{1e-10};
  int block_pivot_from{60};  // size above which a definite matrix goes to block-pivot first
};

void solve_auto(const LcpProblem& problem, const AutoOptions& options, LcpWorkspace& workspace,
                LcpResult& result);

}  // namespace rigor
