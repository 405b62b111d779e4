#pragma once

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

struct LcpWorkspace;

/// The portfolio for LCPs. It looks at the class of the matrix and tries the next method where one fails:
///
///   large and positive definite   block-pivot (few factorisations), then as below
///   else                          lemke; where it ends on a ray without proof or at a limit, lemke with
///                                 other perturbations and a random cover; interior-point; newton;
///                                 enumerate for n ≤ 12
///
/// A checked proof that there is no solution ends it too. `note` says what was tried, `solver` which method
/// gave the answer.
struct AutoOptions {
  double tolerance{1e-10};
  int block_pivot_from{60};  // size above which a definite matrix goes to block-pivot first
};

void solve_auto(const LcpProblem& problem, const AutoOptions& options, LcpWorkspace& workspace,
                LcpResult& result);

}  // namespace rigor
