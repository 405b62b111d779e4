#pragma once

#include <vector>

#include "rigor/solvers/lemke.hpp"
#include "rigor/solvers/mlcp.hpp"
#include "rigor/solvers/result.hpp"

namespace rigor {

/// Block principal pivoting of Júdice and Pires [JP94], for LCPs and mixed LCPs.
///
/// Guess the set F of positive z, solve K_FF x_F = −q_F (free variables always in F) and exchange every pair
/// that came out negative. While the number of such pairs falls, go on; after `patience` rounds without a
/// fall exchange only the last one (Murty's rule, finite for P) until it falls again.
///
/// Guarantee: finite for P-matrices, in practice 4 to 10 factorisations whatever the size. Where K_FF is
/// singular or the rounds run out, Lemke takes over from the set reached (LCP; mixed problems by their Schur
/// complement), so that it ends for any matrix: the result then says so in `note`.
///
/// [JP94] Júdice, Pires. A block principal pivoting algorithm for large-scale strictly monotone linear
/// complementarity
///        problems. Computers & Operations Research 21, 1994.
struct BlockPivotOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int patience{10};   // rounds without progress before single exchanges; raising it risks cycles of blocks
  int max_rounds{0};  // 0: 60 before the fall-back, 5 n + 200 without one
  bool equilibrate{true};
  bool fall_back{true};  // to Lemke
};

struct BlockPivotWorkspace {
  Equilibration scaling;
  LcpProblem scaled;
  DenseLu lu;
  Eigen::VectorXd z, w, rhs;
  std::vector<char> positive;  // pair i: is z_i in F?
  std::vector<int> members;    // of F, in order
  std::vector<int> bad;        // pairs that came out negative
};

/// The first `free_count` variables of the problem are free, their rows equations.
void solve_block_pivot(const LcpProblem& problem, Eigen::Index free_count, const BlockPivotOptions& options,
                       BlockPivotWorkspace& workspace, LemkeWorkspace& lemke, LcpResult& result);

}  // namespace rigor
