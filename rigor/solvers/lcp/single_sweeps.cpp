#include "rigor/solvers/lcp/single_sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/work.hpp"
#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr int kQuiet = 2;             // sweeps in a row without a change that count as settled
constexpr int kMaxInner = 8;          // sweeps of one correction
constexpr float kInnerSmall = 1e-6f;  // of the largest entry: the accuracy of single precision

}  // namespace

SingleSweeps::Aligned SingleSweeps::start_residual(Eigen::Index rows) {
  w_.resize(static_cast<std::size_t>(rows / 8));
  Aligned w(reinterpret_cast<float*>(w_.data()), rows);
  w.setZero();
  return w;
}

bool SingleSweeps::guess(const Eigen::MatrixXf& M, const Eigen::VectorXd& q, int max_sweeps,
                         std::vector<char>& positive) {
  const Eigen::Index n = q.size(), rows = M.rows();
  rate_ = 1.0;
  z_.setZero(n);
  if (max_sweeps == 0 || !(M.diagonal().minCoeff() > 0.0f)) return false;
  inverse_ = M.diagonal().cwiseInverse();
  Aligned w = start_residual(rows);
  w.head(n) = q.cast<float>();
  Eigen::Index fewest = n + 1;
  int stalled = 0, quiet = 0;
  double before = 0.0;
  const double turn = static_cast<double>(n) * static_cast<double>(n);
  for (int sweep = 0; sweep < max_sweeps && may_work(turn); ++sweep) {
    Eigen::Index changes = 0;
    double way = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const float next = std::max(0.0f, z_[i] - w[i] * inverse_[i]), step = next - z_[i];
      if (step == 0.0f) continue;
      changes += (next > 0.0f) != (z_[i] > 0.0f);
      way += std::fabs(step);
      z_[i] = next;
      add_scaled(step, M.data() + i * rows, w.data(), rows);
    }
    if (!std::isfinite(way)) return false;
    rate_ = sweep == 0 || before == 0.0 ? 1.0 : way / before;
    before = way;
    quiet = changes == 0 ? quiet + 1 : 0;
    if (quiet == kQuiet) break;
    if (changes >= fewest && 20 * changes > n && ++stalled > 2) return false;
    fewest = std::min(fewest, changes);
  }
  for (Eigen::Index i = 0; i < n; ++i) positive[static_cast<std::size_t>(i)] = z_[i] > w[i];
  return true;
}

void SingleSweeps::solve_in_place(const Eigen::MatrixXf& M, const std::vector<char>& member,
                                  Eigen::VectorXf& x) {
  const Eigen::Index n = M.cols(), rows = M.rows();
  Aligned w = start_residual(rows);
  w.head(n) = x;
  x.setZero();
  for (int sweep = 0; sweep < kMaxInner; ++sweep) {
    float longest = 0.0f, largest = 0.0f;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!member[static_cast<std::size_t>(i)]) continue;
      const float step = w[i] * inverse_[i];
      x[i] += step;
      add_scaled(-step, M.data() + i * rows, w.data(), rows);
      longest = std::max(longest, std::fabs(step));
      largest = std::max(largest, std::fabs(x[i]));
    }
    if (!(longest > kInnerSmall * largest)) break;
  }
}

}  // namespace rigor
