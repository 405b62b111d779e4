#include "rigor/solvers/lcp/pivot_table.hpp"

#include <algorithm>

#include "rigor/math/random.hpp"
#include "rigor/math/rank_one.hpp"

namespace rigor {

void PivotTable::start(const LcpProblem& problem, bool equilibrate, std::uint64_t seed) {
  scaling.compute(problem, equilibrate);
  const auto n = static_cast<int>(problem.q.size());
  table.resize(n, n + 2);
  z_basic.assign(static_cast<std::size_t>(n), 0);
  pivots = 0;
  Random random(seed);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) table(i, j) = problem.M(i, j) * scaling.row[i] * scaling.column[j];
    table(i, n) = problem.q[i] * scaling.row[i] / scaling.q_scale;
    table(i, n + 1) = 1.0 + random.uniform();
  }
}

void PivotTable::pivot(int row, int column) {
  const Eigen::Index width = table.cols();
  double* source = table.data() + row * width;
  const double inverse = 1.0 / source[column];
  for (Eigen::Index j = 0; j < width; ++j) source[j] *= -inverse;
  source[column] = inverse;
  eliminate_rows(table.data(), table.rows(), width, width, row, column);
}

void PivotTable::exchange(int k) {
  pivot(k, k);
  z_basic[static_cast<std::size_t>(k)] ^= 1;
  ++pivots;
}

void PivotTable::exchange_two(int k, int r) {
  pivot(k, r);
  pivot(r, k);
  // what came in stands in the row and in the column of the other pair: put each in its own place
  table.row(k).swap(table.row(r));
  table.col(k).swap(table.col(r));
  z_basic[static_cast<std::size_t>(k)] ^= 1;
  z_basic[static_cast<std::size_t>(r)] ^= 1;
  pivots += 2;
}

void PivotTable::read_solution(Eigen::VectorXd& z) const {
  z.setZero(size());
  for (int k = 0; k < size(); ++k)
    if (z_basic[static_cast<std::size_t>(k)])
      z[k] = scaling.q_scale * scaling.column[k] * std::max(0.0, value(k));
}

}  // namespace rigor
