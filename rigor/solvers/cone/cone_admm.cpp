#include "rigor/solvers/cone/cone_admm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {

void ConeAdmm::start(const ScaledCone& cone, const Eigen::VectorXd& r, double rho) {
  cone_ = &cone;
  rho_ = rho;
  const int n = cone.contacts();
  b_.resize(3 * n);
  best_ = y_ = r;
  cone.compute_velocity(y_, z_);
  for (int i = 0; i < n; ++i) z_[3 * i] += cone.mu[i] * portable::hypot(z_[3 * i + 1], z_[3 * i + 2]);
  best_residual_ = std::numeric_limits<double>::infinity();
  iterations_ = 0;
  factored_ = false;
}

bool ConeAdmm::factor() {
  factored_ = cone_->W->factor_shifted(rho_);
  return factored_;
}

double ConeAdmm::run(double target, int iterations) {
  if (!factored_ && !factor()) return best_residual_;
  for (int end = iterations_ + iterations; iterations_ < end && may_work(cone_->W->sweep_work());
       ++iterations_) {
    before_ = y_;
    b_ = rho_ * y_ + z_ - cone_->q;
    for (int i = 0; i < cone_->contacts(); ++i)
      b_[3 * i] -= cone_->mu[i] * std::sqrt(z_[3 * i + 1] * z_[3 * i + 1] + z_[3 * i + 2] * z_[3 * i + 2]);
    cone_->W->solve_shifted(b_, x_);
    y_ = x_ - z_ / rho_;
    cone_->project(y_);
    z_ -= rho_ * (x_ - y_);
    if (iterations_ % 5 == 4) {
      cone_->compute_velocity(y_, u_);
      if (const double residual = cone_->residual(y_, u_); residual < best_residual_) {
        best_residual_ = residual;
        best_ = y_;
      }
      if (best_residual_ <= target) break;
    }
    if (iterations_ % 20 != 19) continue;
    const double primal = (x_ - y_).norm(), dual = rho_ * (y_ - before_).norm();
    const double ratio = std::sqrt(primal / std::max(dual, 1e-300));
    if (ratio * ratio > 5.0 || ratio * ratio < 0.2) {
      rho_ *= std::clamp(ratio, 0.1, 10.0);
      if (!(rho_ > 0.0) || !std::isfinite(rho_) || !factor()) break;
    }
  }
  return best_residual_;
}

}  // namespace rigor
