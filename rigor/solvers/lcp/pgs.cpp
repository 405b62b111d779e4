#include "rigor/solvers/lcp/pgs.hpp"

#include <algorithm>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"

namespace rigor {

BoxedLcpProblem to_boxed(const LcpProblem& problem) {
  const Eigen::Index n = problem.q.size();
  return {problem.M,
          problem.q,
          Eigen::VectorXd::Zero(n),
          Eigen::VectorXd::Constant(n, std::numeric_limits<double>::infinity()),
          {}};
}

void solve_pgs(const BoxedLcpProblem& problem, const PgsOptions& options, LcpResult& result) {
  const auto& [M, q, lo, hi, scaled_by] = problem;
  const Eigen::Index n = q.size();
  require(options.relaxation > 0.0 && options.relaxation < 2.0,
          "PgsOptions::relaxation = {}, must lie in (0, 2).", options.relaxation);
  result.solver = "pgs";
  result.status = Status::kIterationLimit;
  for (Eigen::Index i = 0; i < n; ++i)
    if (!(M(i, i) > 0.0)) {
      result.status = Status::kNumericalTrouble;
      result.note = fmt::format("pgs: M({}, {}) = {}, needs a positive diagonal; use lemke", i, i, M(i, i));
      result.z.setZero(n);
      return;
    }

  result.z.resize(n);
  for (Eigen::Index i = 0; i < n; ++i)
    result.z[i] =
        scaled_by.empty() || scaled_by[static_cast<std::size_t>(i)] < 0 ? std::clamp(0.0, lo[i], hi[i]) : 0.0;
  result.w.resize(n);
  const double turn = 2.0 * static_cast<double>(n) * static_cast<double>(n);
  for (;; ++result.iterations) {
    // w afresh in every sweep, so that it does not drift; the residual decides
    result.w.noalias() = M * result.z;
    result.w += q;
    double worst = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double target =
          std::clamp(result.z[i] - result.w[i], problem.lower(i, result.z), problem.upper(i, result.z));
      worst = std::max(worst, std::abs(result.z[i] - target));
    }
    if (worst <= options.tolerance * residual_scale(q)) {
      result.status = Status::kSolved;
      return;
    }
    if (result.iterations == options.max_sweeps || !result.w.allFinite() || !may_work(turn)) return;

    // one sweep: each z_i solves its own row, the others frozen
    for (Eigen::Index i = 0; i < n; ++i) {
      const double wanted = result.z[i] - options.relaxation * result.w[i] / M(i, i);
      const double step =
          std::clamp(wanted, problem.lower(i, result.z), problem.upper(i, result.z)) - result.z[i];
      if (step == 0.0) continue;
      result.z[i] += step;
      result.w += step * M.col(i);
    }
  }
}

}  // namespace rigor
