#pragma once

#include <string>
#include <vector>

#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// One of Siconos' solvers on one problem with three rows per contact, from r = 0, the driver call alone
/// timed; the least of three.
struct ConePeerAnswer {
  double seconds{0.0};
  double residual{1.0};  // relative_cone_residual() of its r, by us
};

/// Siconos' numbers and our short names of the solvers that are tried.
struct ConePeerSolver {
  int id, internal_id;  // internal_id 0: as it comes
  const char* name;
};
[[nodiscard]] const std::vector<ConePeerSolver>& siconos_cone_solvers();

/// NSGS stops on its full residual, as its authors do in their comparison.
[[nodiscard]] ConePeerAnswer solve_with_siconos(const SparseConeProblem& problem,
                                                const ConePeerSolver& solver, double tolerance);

}  // namespace rigor
