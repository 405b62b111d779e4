#include "rigor/solvers/lcp/dantzig.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

constexpr double kSlope = 1e-12;

// One pass with fixed bounds, on the equilibrated problem: z = s C z', so that the bounds are divided by s C.
// In the table, pair k has z_k basic (clamped: w_k = 0) or w_k basic (z_k at a bound).
class Pass {
 public:
  Pass(const BoxedLcpProblem& problem, const Eigen::VectorXd& lo, const Eigen::VectorXd& hi, bool equilibrate)
      : n_(static_cast<int>(problem.q.size())), z_(n_) {
    const LcpProblem frame{problem.M, problem.q};
    table_.start(frame, equilibrate);
    units_ = table_.scaling.q_scale * table_.scaling.column;
    lo_ = lo.cwiseQuotient(units_);
    hi_ = hi.cwiseQuotient(units_);
    for (int i = 0; i < n_; ++i) z_[i] = std::clamp(0.0, lo_[i], hi_[i]);
    w_ = table_.table.leftCols(n_) * z_ + table_.table.col(n_);
    zero_ = 1e-13 * std::max(1.0, w_.cwiseAbs().maxCoeff());
  }

  // true when every row holds
  bool solve(int max_pivots) {
    for (int i = 0; i < n_; ++i)
      if (!admit(i, max_pivots)) return false;
    return true;
  }

  [[nodiscard]] Eigen::VectorXd z() const { return units_.cwiseProduct(z_); }
  [[nodiscard]] int pivots() const { return table_.pivots; }

 private:
  [[nodiscard]] bool clamped(int k) const { return table_.z_basic[static_cast<std::size_t>(k)] != 0; }

  [[nodiscard]] bool holds(int i) const {
    if (w_[i] > zero_) return z_[i] <= lo_[i];
    if (w_[i] < -zero_) return z_[i] >= hi_[i];
    return true;
  }

  // drive z_i until its row holds; variables above i do not take part yet
  bool admit(int i, int max_pivots) {
    while (!holds(i)) {
      if (table_.pivots >= max_pivots || !may_work(static_cast<double>(n_) * n_)) return false;
      const double sign = w_[i] > 0.0 ? -1.0 : 1.0;
      // the first thing to happen: w_i = 0, z_i at its bound, or a change of state of one of the others
      int blocker = i;
      const double own_slope = sign * table_.table(i, i);
      double step = sign > 0.0 ? hi_[i] - z_[i] : z_[i] - lo_[i];
      bool pivot_own = false;
      if (own_slope * -w_[i] > 0.0 && std::fabs(own_slope) > kSlope && -w_[i] / own_slope < step) {
        step = -w_[i] / own_slope;
        pivot_own = true;
      }
      for (int k = 0; k < i; ++k) {
        const double slope = sign * table_.table(k, i);
        if (std::fabs(slope) <= kSlope) continue;
        double room = kInfinity;
        if (clamped(k))
          room = slope > 0.0 ? hi_[k] - z_[k] : z_[k] - lo_[k];
        else if (lo_[k] < hi_[k] && (z_[k] <= lo_[k] ? slope < 0.0 : slope > 0.0))
          room = std::fabs(w_[k]);
        room = std::max(0.0, room) / std::fabs(slope);
        if (room < step) {
          step = room;
          blocker = k;
        }
      }
      if (std::isinf(step)) return false;
      advance(i, sign * step);
      if (blocker == i && !pivot_own) {
        z_[i] = sign > 0.0 ? hi_[i] : lo_[i];
        return true;
      }
      if (std::fabs(table_.table(blocker, blocker)) <= kSlope) return false;  // M is not a P-matrix
      if (clamped(blocker))
        z_[blocker] = sign * table_.table(blocker, i) > 0.0 ? hi_[blocker] : lo_[blocker];
      else
        w_[blocker] = 0.0;
      table_.exchange(blocker);
      if (blocker == i) return true;
    }
    return true;
  }

  // move z_i by `step`: clamped variables and the w of the others follow. Rows above i follow as well: they
  // are known
  void advance(int i, double step) {
    z_[i] += step;
    for (int k = 0; k < n_; ++k) (clamped(k) ? z_ : w_)[k] += step * table_.table(k, i);
  }

  int n_;
  Eigen::VectorXd units_, lo_, hi_, z_, w_;
  double zero_{0.0};
  PivotTable table_;
};

}  // namespace

void solve_dantzig(const BoxedLcpProblem& problem, const DantzigOptions& options, LcpResult& result) {
  result.solver = "dantzig";
  result.status = Status::kIterationLimit;
  const Eigen::Index n = problem.q.size();
  const bool scaled =
      std::any_of(problem.scaled_by.begin(), problem.scaled_by.end(), [](int k) { return k >= 0; });
  const int limit = options.max_pivots > 0 ? options.max_pivots : static_cast<int>(50 * n + 1000);
  Eigen::VectorXd lo(n), hi(n);
  result.z.setZero(n);
  for (int round = 0; round < (scaled ? options.max_rounds : 1); ++round) {
    // freeze the bounds at the last point
    for (Eigen::Index i = 0; i < n; ++i) {
      lo[i] = problem.lower(i, result.z);
      hi[i] = problem.upper(i, result.z);
    }
    Pass pass(problem, lo, hi, options.equilibrate);
    const bool ended = pass.solve(limit);
    result.iterations += pass.pivots();
    result.z = pass.z();
    if (!ended && !may_work(0.0)) return;
    if (!ended) {
      result.status = Status::kNumericalTrouble;
      result.note = "dantzig: no admissible pivot, M is not a P-matrix";
      return;
    }
    if (natural_residual(problem, result.z) <= options.tolerance) {
      result.status = Status::kSolved;
      return;
    }
  }
  if (!scaled) result.status = Status::kSolved;  // a claim that certification will refuse
  if (scaled) result.note = "dantzig: the frozen bounds did not settle";
}

}  // namespace rigor
