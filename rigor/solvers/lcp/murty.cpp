#include "rigor/solvers/lcp/murty.hpp"

#include <cmath>

#include "rigor/base/work.hpp"

namespace rigor {

void solve_murty(const LcpProblem& problem, const MurtyOptions& options, PivotTable& table,
                 LcpResult& result) {
  constexpr double kNegativeEntry = -1e-12;  // below counts as negative; equilibrated, q has size 1
  constexpr double kLeastPivot = 1e-11;
  result.solver = "murty";
  table.start(problem, options.equilibrate);
  const int n = table.size();
  const int limit = options.max_pivots > 0 ? options.max_pivots : 200 * n + 1000;
  const double turn = static_cast<double>(n) * n;
  result.status = Status::kIterationLimit;
  while (table.pivots <= limit) {
    int k = 0;
    while (k < n && table.value(k) >= kNegativeEntry) ++k;
    if (k == n) {
      result.status = Status::kSolved;
      break;
    }
    if (table.pivots == limit || !may_work(turn)) break;
    if (std::fabs(table.table(k, k)) < kLeastPivot) {
      result.status = Status::kNumericalTrouble;
      result.note = "murty: zero pivot, M is not a P-matrix";
      break;
    }
    table.exchange(k);
  }
  result.iterations = table.pivots;
  table.read_solution(result.z);
}

}  // namespace rigor
