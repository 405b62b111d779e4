#include "rigor/solvers/lcp/principal_pivot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"

namespace rigor {
namespace {

constexpr double kNegativeBasic = -1e-12;  // basic values above count as nonnegative (equilibrated problem)
constexpr double kLeastSlope = 1e-10;      // slopes below count as zero
constexpr double kSlopeTie = 1e-12;

enum class Drive { kDone, kRay, kLimit, kTrouble };

// where the drive of pair r stops: the blocking pair (r itself: the driven pair is done), −1 on a ray
struct Block {
  int pair{-1};
  double step{std::numeric_limits<double>::infinity()};
};

// `theta` is the value of the nonbasic member of pair r; basic k has the value a_k + T(k, r) theta
Block find_block(const PivotTable& table, int r, double theta) {
  Block block;
  // a driven member that starts below zero goes up to zero at most
  if (theta < 0.0) block = {r, -theta};
  double key = std::numeric_limits<double>::infinity();
  for (int k = 0; k < table.size(); ++k) {
    const double slope = table.table(k, r), value = table.value(k) + slope * theta;
    double step = 0.0, candidate = 0.0;
    if (k == r) {
      if (theta < 0.0 || slope <= kLeastSlope) continue;  // the negative variable rises to zero
      step = std::max(0.0, -value) / slope;
      candidate = -std::numeric_limits<double>::infinity();  // prefer to end the drive
    } else {
      if (slope >= -kLeastSlope || value < kNegativeBasic)
        continue;  // only what is nonnegative and falls can block
      step = std::max(0.0, value) / -slope;
      candidate = table.nudge(k) / -slope;
    }
    const double tie = kSlopeTie * (1.0 + std::min(step, block.step));
    if (step < block.step - tie || (step <= block.step + tie && candidate < key && block.pair != r)) {
      block = {k, std::min(step, block.step)};
      key = candidate;
    }
  }
  return block;
}

Drive drive(PivotTable& table, int r, int limit, LcpResult& result) {
  double theta = 0.0;
  const double turn = static_cast<double>(table.size()) * table.size();
  while (table.pivots < limit && may_work(turn)) {
    const Block block = find_block(table, r, theta);
    if (block.pair < 0) {
      // the nonbasic member of pair r can grow for ever: the z part of that direction
      const int n = table.size();
      result.ray.setZero(n);
      for (int k = 0; k < n; ++k)
        if (table.z_basic[static_cast<std::size_t>(k)]) result.ray[k] = std::max(0.0, table.table(k, r));
      if (!table.z_basic[static_cast<std::size_t>(r)]) result.ray[r] = 1.0;
      result.ray = result.ray.cwiseProduct(table.scaling.column);
      return Drive::kRay;
    }
    const bool driven_was_negative = theta < 0.0;
    theta += block.step;
    const int k = block.pair;
    if (k == r) {
      // either the driven member has come up to zero, or the negative one has: then they change places
      if (!driven_was_negative) table.exchange(r);
      return Drive::kDone;
    }
    if (table.table(k, k) > kLeastSlope) {
      table.exchange(k);
    } else if (std::fabs(table.table(k, r) * table.table(r, k)) > kLeastSlope * kLeastSlope) {
      // both pairs change; the nonbasic member of pair r is now the one that was basic, at its present value
      const double value = table.value(r) + table.table(r, r) * theta;
      table.exchange_two(k, r);
      theta = value;
    } else {
      return Drive::kTrouble;
    }
  }
  return Drive::kLimit;
}

}  // namespace

void solve_principal_pivot(const LcpProblem& problem, const PrincipalPivotOptions& options, PivotTable& table,
                           LcpResult& result) {
  result.solver = "principal-pivot";
  table.start(problem, options.equilibrate);
  const int n = table.size();
  const int limit = options.max_pivots > 0 ? options.max_pivots : 50 * n + 1000;
  result.status = Status::kIterationLimit;
  for (int cycle = 0; cycle <= limit; ++cycle) {
    // the most negative basic variable is driven next
    int r = 0;
    for (int k = 1; k < n; ++k)
      if (table.value(k) < table.value(r)) r = k;
    if (table.value(r) >= kNegativeBasic) {
      result.status = Status::kSolved;
      break;
    }
    const Drive end = drive(table, r, limit, result);
    if (end == Drive::kDone) continue;
    result.status = end == Drive::kRay     ? Status::kRay
                    : end == Drive::kLimit ? Status::kIterationLimit
                                           : Status::kNumericalTrouble;
    if (end == Drive::kTrouble) result.note = "principal-pivot: no pivot left, M is not row sufficient";
    break;
  }
  result.iterations = table.pivots;
  table.read_solution(result.z);
}

}  // namespace rigor
