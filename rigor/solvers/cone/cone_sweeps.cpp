#include "rigor/solvers/cone/cone_sweeps.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

#include "rigor/base/work.hpp"

namespace rigor {
namespace {

constexpr int kJudged = 20;       // sweeps between two residuals, where no estimate asks for one
constexpr double kPromise = 2.0;  // times the target: estimates below it are verified by a residual

}  // namespace

void ConeSweeps::start(const ScaledCone& cone) {
  cone_ = &cone;
  sweeps_ = 0;
}

double ConeSweeps::run(double target, int max_sweeps, Eigen::VectorXd& r) {
  double residual = std::numeric_limits<double>::infinity();
  for (int k = 1, next = 1; k <= max_sweeps && may_work(cone_->W->sweep_work()); ++k) {
    cone_->sweep(r);
    ++sweeps_;
    if (k != next && k != max_sweeps) continue;
    next += next < 4 ? 1 : next / 2;
    cone_->compute_velocity(r, u_);
    residual = cone_->residual(r, u_);
    if (residual <= target) break;
  }
  return residual;
}

double ConeSweeps::accelerate(double target, int max_sweeps, bool gives_up, Eigen::VectorXd& r) {
  cone_->compute_velocity(r, u_);
  const double first = cone_->residual(r, u_);
  double residual = first;
  swept_steps_.resize(r.size(), kDepth);
  change_steps_.resize(r.size(), kDepth);
  mixed_ = 0;
  last_length_ = std::numeric_limits<double>::infinity();
  double judged_length = std::numeric_limits<double>::infinity();
  swept_ = r;
  for (int k = 1; k <= max_sweeps && may_work(cone_->W->sweep_work()); ++k) {
    swept_ = r;
    cone_->sweep(swept_);
    ++sweeps_;
    change_ = swept_ - r;
    const double length = change_.norm();
    // the residual falls with the change of a sweep: compute it where the change promises the target
    const bool promises = residual * length <= kPromise * target * judged_length;
    const bool gives_up_here = gives_up && k == max_sweeps / 2;
    if (promises || gives_up_here || k % kJudged == 0 || k == max_sweeps) {
      cone_->compute_velocity(swept_, u_);
      residual = cone_->residual(swept_, u_);
      judged_length = length;
      if (residual <= target || (gives_up_here && residual > 0.3 * first)) break;
    }
    mix(length, r);
    cone_->project(r);
  }
  r = swept_;
  return residual;
}

// Sets x to the combination of the last sweeps whose change is least.
void ConeSweeps::mix(double length, Eigen::VectorXd& x) {
  if (length > 2.0 * last_length_) mixed_ = 0;
  last_length_ = length;
  const int depth = std::min(mixed_, kDepth);
  if (depth > 0) {
    const int newest = (mixed_ - 1) % kDepth;
    change_steps_.col(newest) = change_ - last_change_;
    swept_steps_.col(newest) = swept_ - last_swept_;
    for (int i = 0; i < depth; ++i)
      products_(i, newest) = products_(newest, i) = change_steps_.col(i).dot(change_steps_.col(newest));
  }
  last_swept_ = swept_;
  last_change_ = change_;
  ++mixed_;
  x = swept_;
  if (depth == 0) return;
  auto normal = products_.topLeftCorner(depth, depth).eval();
  for (int i = 0; i < depth; ++i) normal(i, i) = normal(i, i) * (1.0 + 1e-10) + 1e-300;
  Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kDepth, 1> weights(depth);
  for (int i = 0; i < depth; ++i) weights[i] = change_steps_.col(i).dot(change_);
  weights = normal.ldlt().solve(weights).eval();
  for (int i = 0; i < depth; ++i) x -= weights[i] * swept_steps_.col(i);
  if (x.allFinite()) return;
  x = swept_;
  mixed_ = 0;
}

}  // namespace rigor
