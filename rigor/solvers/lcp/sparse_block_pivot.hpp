#pragma once

#include "rigor/solvers/lcp/block_pivot.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Block principal pivoting (block_pivot.hpp) on a sparse K, which is never made dense: K_FF is factored by
/// sparse Cholesky where K is symmetric without free variables, else by sparse LU. The work per round is that
/// of one sparse factor, so that an M-matrix of 10⁵ unknowns is a matter of seconds.
///
/// Guarantee and rules as there, but without the fall-back to Lemke, which is dense: where the rounds run out
/// the status says so.
void solve_sparse_block_pivot(const MlcpProblem& problem, const BlockPivotOptions& options,
                              LcpResult& result);

/// Projected Gauss-Seidel (pgs.hpp) on a sparse M, for LCPs.
struct PgsOptions;
void solve_sparse_pgs(const SparseLcpProblem& problem, const PgsOptions& options, LcpResult& result);

/// Does it pay to treat the matrix as sparse? At least 200 rows, and at most one entry in ten.
[[nodiscard]] bool is_worth_sparse(const SparseMatrix& K);

}  // namespace rigor
