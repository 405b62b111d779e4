#include "rigor/solvers/cone_sweeps.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <limits>

namespace rigor {

void ConeSweeps::start(const ScaledCone& cone) {
  cone_ = &cone;
  sweeps_ = 0;
}

double ConeSweeps::run(double target, int max_sweeps, Eigen::VectorXd& r) {
  double residual = std::numeric_limits<double>::infinity();
  for (int k = 1, next = 1; k <= max_sweeps; ++k) {
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
  for (int k = 1; k <= max_sweeps; ++k) {
    swept_ = r;
    cone_->sweep(swept_);
    ++sweeps_;
    if (k % 5 == 0 || k == max_sweeps) {
      cone_->compute_velocity(swept_, u_);
      residual = cone_->residual(swept_, u_);
      if (residual <= target ||
          (gives_up && k >= max_sweeps / 2 && k < max_sweeps / 2 + 5 && residual > 0.3 * first))
        break;
    }
    mix(r, swept_);
    cone_->project(r);
  }
  r = swept_;
  return residual;
}

// The combination of the last sweeps whose change is least.
void ConeSweeps::mix(Eigen::VectorXd& x, const Eigen::VectorXd& swept) {
  change_ = swept - x;
  const double length = change_.norm();
  if (length > 2.0 * last_length_) mixed_ = 0;
  last_length_ = length;
  if (mixed_ > 0) {
    const int column = (mixed_ - 1) % kDepth;
    change_steps_.col(column) = change_ - last_change_;
    swept_steps_.col(column) = swept - last_swept_;
  }
  const int depth = std::min(mixed_, kDepth);
  last_swept_ = swept;
  last_change_ = change_;
  ++mixed_;
  x = swept;
  if (depth == 0) return;
  Eigen::Matrix<double, kDepth, kDepth> normal = Eigen::Matrix<double, kDepth, kDepth>::Identity();
  Eigen::Matrix<double, kDepth, 1> weights = Eigen::Matrix<double, kDepth, 1>::Zero();
  for (int i = 0; i < depth; ++i) {
    for (int j = 0; j <= i; ++j) normal(i, j) = normal(j, i) = change_steps_.col(i).dot(change_steps_.col(j));
    weights[i] = change_steps_.col(i).dot(change_);
  }
  for (int i = 0; i < depth; ++i) normal(i, i) = normal(i, i) * (1.0 + 1e-10) + 1e-300;
  weights = normal.ldlt().solve(weights).eval();
  for (int i = 0; i < depth; ++i) x -= weights[i] * swept_steps_.col(i);
  if (x.allFinite()) return;
  x = swept;
  mixed_ = 0;
}

}  // namespace rigor
