#include "tests/support/simplex.hpp"

#include <algorithm>
#include <vector>

namespace rigor::test {

SimplexResult solve_simplex(Eigen::MatrixXd A, Eigen::VectorXd b, const Eigen::VectorXd& c) {
  const Eigen::Index m = A.rows(), n = A.cols();
  const double scale = std::max(1.0, b.size() ? b.cwiseAbs().maxCoeff() : 0.0);
  for (Eigen::Index i = 0; i < m; ++i)
    if (b[i] < 0.0) {
      A.row(i) *= -1.0;
      b[i] *= -1.0;
    }
  Eigen::MatrixXd T(m, n + m + 1);
  T << A, Eigen::MatrixXd::Identity(m, m), b;
  std::vector<Eigen::Index> basis;
  for (Eigen::Index i = 0; i < m; ++i) basis.push_back(n + i);
  constexpr double kZero = 1e-10;

  const auto pivot = [&](Eigen::Index row, Eigen::Index column) {
    T.row(row) /= T(row, column);
    for (Eigen::Index i = 0; i < m; ++i)
      if (i != row && T(i, column) != 0.0) T.row(i) -= T(i, column) * T.row(row);
    basis[static_cast<std::size_t>(row)] = column;
  };
  // false where it falls for ever
  const auto minimise = [&](const Eigen::VectorXd& cost, Eigen::Index columns) {
    for (int k = 0; k < 20000; ++k) {
      Eigen::VectorXd base(m);
      for (Eigen::Index i = 0; i < m; ++i) base[i] = cost[basis[static_cast<std::size_t>(i)]];
      Eigen::Index enter = -1;
      for (Eigen::Index j = 0; j < columns && enter < 0; ++j)
        if (cost[j] - base.dot(T.col(j)) < -kZero) enter = j;
      if (enter < 0) return true;
      Eigen::Index leave = -1;
      double best = 0.0;
      for (Eigen::Index i = 0; i < m; ++i) {
        if (T(i, enter) <= kZero) continue;
        const double ratio = T(i, n + m) / T(i, enter);
        if (leave < 0 || ratio < best - 1e-14 ||
            (ratio <= best + 1e-14 &&
             basis[static_cast<std::size_t>(i)] < basis[static_cast<std::size_t>(leave)])) {
          leave = i;
          best = ratio;
        }
      }
      if (leave < 0) return false;
      pivot(leave, enter);
    }
    return true;
  };

  SimplexResult result;
  Eigen::VectorXd phase_one = Eigen::VectorXd::Zero(n + m);
  phase_one.tail(m).setOnes();
  minimise(phase_one, n + m);
  double left = 0.0;
  for (Eigen::Index i = 0; i < m; ++i)
    if (basis[static_cast<std::size_t>(i)] >= n) left += T(i, n + m);
  if (left > 1e-11 * scale) return result;
  // artificial variables that are still in, at zero, leave where they can
  for (Eigen::Index i = 0; i < m; ++i) {
    if (basis[static_cast<std::size_t>(i)] < n) continue;
    Eigen::Index best = 0;
    if (n > 0 && T.row(i).head(n).cwiseAbs().maxCoeff(&best) > 1e-8) pivot(i, best);
  }
  Eigen::VectorXd cost = Eigen::VectorXd::Zero(n + m);
  cost.head(n) = c;
  result.status = minimise(cost, n) ? SimplexResult::kOptimal : SimplexResult::kUnbounded;
  result.x = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < m; ++i)
    if (basis[static_cast<std::size_t>(i)] < n) result.x[basis[static_cast<std::size_t>(i)]] = T(i, n + m);
  result.value = c.dot(result.x);
  return result;
}

}  // namespace rigor::test
