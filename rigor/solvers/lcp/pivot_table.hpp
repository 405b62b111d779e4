#pragma once

#include <cstdint>
#include <vector>

#include "rigor/math/dense_lu.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"
#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// The table of principal pivoting [CPS92, 2.3]: row k is the basic member of pair (z_k, w_k), column k the
/// other one,
///
///     basic = T · nonbasic + a (+ ε p),    at the start  w = M z + q (+ ε r).                        (1)
///
/// The last term is the symbolic perturbation of lemke.hpp: it decides ties, q is never changed.
struct PivotTable {
  Equilibration scaling;
  DenseLu::RowMajor table;    // n rows; columns: n pairs, a, p
  std::vector<char> z_basic;  // pair k: is z_k the basic member?
  int pivots{0};

  void start(const LcpProblem& problem, bool equilibrate, std::uint64_t seed = 1);

  [[nodiscard]] int size() const { return static_cast<int>(table.rows()); }
  [[nodiscard]] double value(int k) const { return table(k, table.cols() - 2); }
  [[nodiscard]] double nudge(int k) const { return table(k, table.cols() - 1); }

  /// Exchanges the members of pair k; T(k, k) must not be 0.
  void exchange(int k);

  /// Exchanges the members of both pairs at once where T(k, k) = 0 but T(k, r) T(r, k) ≠ 0.
  void exchange_two(int k, int r);

  /// z of the unscaled problem for the current values, negatives clipped.
  void read_solution(Eigen::VectorXd& z) const;

 private:
  void pivot(int row, int column);
};

}  // namespace rigor
