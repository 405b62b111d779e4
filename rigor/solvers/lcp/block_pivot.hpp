#pragma once

#include <vector>

#include "rigor/solvers/lcp/lemke.hpp"
#include "rigor/solvers/lcp/set_solution.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Block principal pivoting of Júdice and Pires [JP94], for LCPs and mixed LCPs.
///
/// Guesses the set F of positive z, solves K_FF x_F = −q_F (free variables are always in F) and exchanges
/// every pair that came out negative. This goes on while the number of such pairs falls. After `patience`
/// rounds without a fall only the last such pair is exchanged (Murty's rule, finite for P-matrices) until it
/// falls again.
///
/// Guarantee: finite for P-matrices, in practice 4 to 10 rounds where the symmetric part dominates, whatever
/// the size; a matrix that is mostly skew can take hundreds. Where K_FF is singular, the rounds run out or a
/// large problem makes no progress, Lemke takes over (LCP; mixed problems by their Schur complement), so that
/// it ends for any matrix: the result then says so in `note`.
///
/// Departures: the first guess of a large LCP comes from sweeps of projected Gauss-Seidel, while they settle:
/// a sweep costs as much as a product M z and saves whole rounds. Large blocks are factored in single
/// precision and the solution is refined in double (set_solution.hpp), so that a round may end once some
/// pairs are known to be negative; single exchanges always look at all of them. Symmetric blocks get a
/// Cholesky factor, and a set that differs by a few pairs from the last one factored is solved by a small
/// Schur complement on its factor.
///
/// [JP94] Júdice, Pires. A block principal pivoting algorithm for large-scale strictly monotone linear
///        complementarity problems. Computers & Operations Research 21, 1994.
struct BlockPivotOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int patience{10};   // rounds without progress before single exchanges; raising it risks cycles of blocks
  int max_rounds{0};  // 0: 60 before the fall-back, 5 n + 200 without one
  bool equilibrate{true};
  bool fall_back{true};  // to Lemke
  int max_sweeps{20};    // of projected Gauss-Seidel for the first guess; 0: start at {q < 0}
  int sweeps_from{40};  // unknowns below which the first guess is {q < 0} and all is done in double precision
};

struct BlockPivotWorkspace {
  SetSolution set;
  std::vector<char> positive;  // pair i: is z_i in F?
};

/// The first `free_count` variables of the problem are free, their rows equations.
void solve_block_pivot(const LcpProblem& problem, Eigen::Index free_count, const BlockPivotOptions& options,
                       BlockPivotWorkspace& workspace, LemkeWorkspace& lemke, LcpResult& result);

}  // namespace rigor
