#pragma once

#include "rigor/solvers/problems/contact_lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// The portfolio for friction LCPs whose structure is known, each stage followed by `polish`:
///
///   1  convex relaxation by interior point: finds rest where rest is a solution
///   2  interior point on the LCP itself, two sets of random weights
///   3  lemke, where the LCP is small enough; its proof of infeasibility ends the search too
///   4  Gauss-Seidel in doubling chunks
///   5  proximal Newton with four rules for ρ, then from random starts
///
/// Counts decide when a stage gives up, never a clock: the same input takes the same way on every machine.
struct ContactAutoOptions {
  double tolerance{1e-10};     // natural_residual() of the plain LCP
  int max_lemke_size{600};     // unknowns of the LCP
  int max_sweeps{400000};      // of Gauss-Seidel, in all
  int max_newton_steps{6000};  // of the proximal method, in all

  /// What a time step can spend before it says that it is not solved: a twentieth.
  [[nodiscard]] static ContactAutoOptions for_a_step() {
    ContactAutoOptions options;
    options.max_sweeps = 20000;
    options.max_newton_steps = 800;
    return options;
  }
};

/// z = (c, β, λ) of the plain LCP. `note` says what was tried, `solver` which stage answered.
[[nodiscard]] LcpResult solve(const ContactLcpProblem& problem, const ContactAutoOptions& options = {});

}  // namespace rigor
