#pragma once

#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// Problems of up to this many contacts have a solver of their own.
inline constexpr int kSmallCone = 10;

struct SmallConeCounts {
  int sweeps{0}, newton_steps{0};
};

/// Solves problems of two to kSmallCone contacts: two sweeps of Gauss-Seidel, then Newton's method on F of
/// scaled_cone.hpp with rho_i = 3/trace(W_ii) and full steps, all in arrays of fixed size. Redundant contacts
/// make the matrix singular; a compliance of 1e-10 keeps the steps finite, but the method mostly fails there,
/// and other methods take over.
///
/// r (3 per contact) is the start. Without `sweeps` Newton's method begins at once, which is right from the
/// answer of a nearby problem. True where relative_cone_residual() came down to `tolerance`; else r is the
/// best point met. `residual` is that of r.
[[nodiscard]] bool solve_small_cone(const SparseConeProblem& problem, double tolerance, bool sweeps,
                                    Eigen::VectorXd& r, double& residual, SmallConeCounts& counts);

}  // namespace rigor
