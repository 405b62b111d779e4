#pragma once

#include <cstdint>
#include <vector>

#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"
#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Lemke's method [CPS92, 4.4]: follow the path of
///
///     w = M z + d z0 + q,    z, w, z0 ≥ 0,    z·w = 0                                                (1)
///
/// from z0 large to z0 = 0 by complementary pivots; d > 0 is called the cover. It ends at a solution or on a
/// secondary ray.
///
/// Guarantee: in exact arithmetic no basis is visited twice (with probability one), so that it ends. For
/// copositive-plus M (PSD included) a ray proves that no z ≥ 0 with M z + q ≥ 0 exists [CPS92, 4.4]. For
/// strictly copositive matrices, P-matrices and the contact matrices of [AP97] it always ends at a solution.
///
/// Departures: the textbook breaks ties by the lexicographic order of n extra columns. We carry one extra
/// column, for q + ε r with r random and ε infinitesimal: generic with probability one, and q itself is never
/// changed. Rows and columns are equilibrated first. A path longer than 4 n + 200 pivots is left for one with
/// another cover, up to three times; the last one is followed to its end. The table is rebuilt from a fresh
/// LU of the basis when (1) has drifted.
///
/// [CPS92] Cottle, Pang, Stone. The Linear Complementarity Problem. Academic Press, 1992.
/// [AP97] Anitescu, Potra. Formulating dynamic multi-rigid-body contact problems with friction as solvable
///        linear complementarity problems. Nonlinear Dynamics 14, 1997.
struct LemkeOptions {
  double tolerance{1e-10};    // accept by natural_residual()
  int max_pivots{0};          // 0: 50 n + 1000
  bool equilibrate{true};     // off only to see what it does
  int check_interval{64};     // pivots between two drift checks; lower is safer and slower
  std::uint64_t seed{1};      // of the perturbation r
  bool random_cover{false};   // d_i = ½ + U(0,1) instead of 1: another path, for a second try
  std::vector<char> basis{};  // warm start: basis[i] ≠ 0 where z_i is basic; empty: cold, all w basic
};

/// Scratch that keeps its size: a second solve of the same size allocates nothing.
struct LemkeWorkspace {
  Equilibration scaling;
  DenseLu::RowMajor table;        // n rows; columns: n nonbasic variables, z0, constant, perturbation
  Eigen::VectorXd cover;          // d
  Eigen::VectorXd perturbation;   // r
  Eigen::VectorXd direction;      // minus the entering column
  Eigen::VectorXd values;         // of all 2n + 1 variables
  Eigen::VectorXd column;         // one column of (1)
  std::vector<int> basic;         // variable of each row: z_i is i, w_i is n + i, z0 is 2n
  std::vector<int> nonbasic;      // variable of each column
  std::vector<int> column_of;     // where a nonbasic variable is
  std::vector<char> start_basis;  // of a warm start
  DenseLu lu;
};

/// Fills in z, iterations, factorisations, the claimed status and, on a ray, its direction. solve()
/// certifies.
void solve_lemke(const LcpProblem& problem, const LemkeOptions& options, LemkeWorkspace& workspace,
                 LcpResult& result);

}  // namespace rigor
