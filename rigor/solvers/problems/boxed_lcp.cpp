#include "rigor/solvers/problems/boxed_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/math/limits.hpp"
#include "rigor/solvers/problems/validate.hpp"

namespace rigor {
namespace {

int scale_index(const BoxedLcpProblem& problem, Eigen::Index i) {
  return problem.scaled_by.empty() ? -1 : problem.scaled_by[static_cast<std::size_t>(i)];
}

// Where each variable goes: free ones first, then bounded ones, then a slack for each second bound.
struct BoxLayout {
  std::vector<int> position, slack;  // slack −1: none
  std::vector<double> direction;     // z_i = bound + direction · x_i
  int free_count{0};
  int size{0};
};

BoxLayout lay_out_boxes(const BoxedLcpProblem& problem) {
  const Eigen::Index n = problem.q.size();
  const auto count = static_cast<std::size_t>(n);
  BoxLayout layout{std::vector<int>(count), std::vector<int>(count, -1), std::vector<double>(count, 1.0)};
  for (const bool free_pass : {true, false})
    for (Eigen::Index i = 0; i < n; ++i)
      if ((std::isinf(problem.lo[i]) && std::isinf(problem.hi[i])) == free_pass)
        layout.position[static_cast<std::size_t>(i)] = layout.size++;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    const bool has_lo = std::isfinite(problem.lo[i]), has_hi = std::isfinite(problem.hi[i]);
    if (!has_lo && !has_hi) ++layout.free_count;
    if (!has_lo && has_hi) layout.direction[s] = -1.0;
    if (has_lo && has_hi) layout.slack[s] = layout.size++;
  }
  return layout;
}

// z = T x + offset.
void map_to_box(const BoxedLcpProblem& problem, const BoxLayout& layout, BoxReduction& reduction) {
  const Eigen::Index n = problem.q.size();
  std::vector<Eigen::Triplet<double>> map;
  reduction.offset = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    map.emplace_back(i, layout.position[s], layout.direction[s]);
    const double bound = std::isfinite(problem.lo[i])   ? problem.lo[i]
                         : std::isfinite(problem.hi[i]) ? problem.hi[i]
                                                        : 0.0;
    if (const int k = scale_index(problem, i); k >= 0) {
      map.emplace_back(i, layout.position[static_cast<std::size_t>(k)], bound);
      reduction.offset[i] = bound * problem.lo[k];
    } else {
      reduction.offset[i] = bound;
    }
  }
  reduction.to_box.resize(n, layout.size);
  reduction.to_box.setFromTriplets(map.begin(), map.end());
}

// Rows of the MLCP: direction · (M z + q) + slack for each variable; span − x for each slack.
void fill_box_rows(const BoxedLcpProblem& problem, const BoxLayout& layout, BoxReduction& reduction) {
  const std::vector<int>&position = layout.position, &slack = layout.slack;
  const std::vector<double>& direction = layout.direction;
  const Eigen::Index size = layout.size;
  const Eigen::MatrixXd MT = problem.M * reduction.to_box;
  const Eigen::VectorXd Mq = problem.M * reduction.offset + problem.q;
  std::vector<Eigen::Triplet<double>> rows;
  reduction.mlcp.q = Eigen::VectorXd::Zero(size);
  for (Eigen::Index i = 0; i < problem.q.size(); ++i) {
    const auto s = static_cast<std::size_t>(i);
    for (Eigen::Index j = 0; j < size; ++j)
      if (MT(i, j) != 0.0) rows.emplace_back(position[s], static_cast<int>(j), direction[s] * MT(i, j));
    reduction.mlcp.q[position[s]] = direction[s] * Mq[i];
    if (slack[s] < 0) continue;
    rows.emplace_back(position[s], slack[s], 1.0);
    rows.emplace_back(slack[s], position[s], -1.0);
    const double span = problem.hi[i] - problem.lo[i];
    if (const int k = scale_index(problem, i); k >= 0) {
      rows.emplace_back(slack[s], position[static_cast<std::size_t>(k)], span);
      reduction.mlcp.q[slack[s]] = span * problem.lo[k];
    } else {
      reduction.mlcp.q[slack[s]] = span;
    }
  }
  reduction.mlcp.K.resize(size, size);
  reduction.mlcp.K.setFromTriplets(rows.begin(), rows.end());
}

}  // namespace

void BoxedLcpProblem::validate() const {
  const Eigen::Index n = q.size();
  require(M.rows() == n && M.cols() == n, "boxed LCP: M is {} x {} and q has {} entries, must agree.",
          M.rows(), M.cols(), n);
  require(lo.size() == n && hi.size() == n,
          "boxed LCP: lo has {} and hi {} entries, q has {}: must be equal.", lo.size(), hi.size(), n);
  require(scaled_by.empty() || static_cast<Eigen::Index>(scaled_by.size()) == n,
          "boxed LCP: scaled_by has {} entries, must have 0 or {}.", scaled_by.size(), n);
  require_finite(M, "boxed LCP: M");
  require_finite(q, "boxed LCP: q");
  for (Eigen::Index i = 0; i < n; ++i) {
    require(lo[i] <= hi[i] && lo[i] < kInfinity && hi[i] > -kInfinity,
            "boxed LCP: bounds {} = [{}, {}], must be lo ≤ hi, lo < ∞, hi > −∞.", i, lo[i], hi[i]);
    const int k = scale_index(*this, i);
    if (k < 0) continue;
    require(k < n && k != i && scale_index(*this, k) < 0,
            "boxed LCP: scaled_by[{}] = {}, must name another variable "
            "whose own bounds are not scaled.",
            i, k);
    require(lo[k] >= 0.0, "boxed LCP: variable {} scales the bounds of {} but lo = {}, must be ≥ 0.", k, i,
            lo[k]);
    require(std::isfinite(lo[i]) && std::isfinite(hi[i]),
            "boxed LCP: scaled bounds {} = [{}, {}], must be finite.", i, lo[i], hi[i]);
  }
}

double BoxedLcpProblem::lower(Eigen::Index i, const Eigen::VectorXd& z) const {
  const int k = scale_index(*this, i);
  return k < 0 ? lo[i] : lo[i] * std::max(0.0, z[k]);
}

double BoxedLcpProblem::upper(Eigen::Index i, const Eigen::VectorXd& z) const {
  const int k = scale_index(*this, i);
  return k < 0 ? hi[i] : hi[i] * std::max(0.0, z[k]);
}

double natural_residual(const BoxedLcpProblem& problem, const Eigen::VectorXd& z) {
  if (z.size() != problem.q.size() || !z.allFinite()) return kInfinity;
  const Eigen::VectorXd w = problem.M * z + problem.q;
  double worst = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double target = std::clamp(z[i] - w[i], problem.lower(i, z), problem.upper(i, z));
    const double gap = std::fabs(z[i] - target);
    if (!(gap <= worst)) worst = gap;
  }
  return std::isfinite(worst) ? worst / residual_scale(problem.q) : kInfinity;
}

BoxReduction reduce_to_mlcp(const BoxedLcpProblem& problem) {
  const BoxLayout layout = lay_out_boxes(problem);
  BoxReduction reduction;
  reduction.mlcp.free_count = layout.free_count;
  map_to_box(problem, layout, reduction);
  fill_box_rows(problem, layout, reduction);
  return reduction;
}

}  // namespace rigor
