#include "rigor/solvers/cone/proximal_newton.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/work.hpp"

namespace rigor {

void ProximalNewton::start(const ScaledCone& cone) {
  cone_ = &cone;
  alpha_.resize(cone.contacts());
  steps_ = 0;
}

double ProximalNewton::linearise(double rho, double alpha, const Eigen::VectorXd& speed) {
  alpha_.setConstant(std::max(alpha, cone_->W->least_alpha()));
  return linearise_coulomb(*cone_, x_, speed, rho, alpha_, law_);
}

// x_ moves by law_, and u_ with it: by increments, which lose no digits to the size of r. Where the compliance is so
// small that W r and the increments would drift apart, u_ is computed anew.
bool ProximalNewton::step() {
  ++steps_;
  if (!may_work(cone_->W->factor_work()) || !cone_->W->factor(law_.D)) return false;
  cone_->W->solve(law_.t, d_, du_);
  if (!d_.allFinite()) return false;
  x_ += d_;
  if (cone_->W->keeps_digits())
    u_ += du_;
  else
    cone_->compute_velocity(x_, u_);
  return true;
}

double ProximalNewton::finish(double target, double alpha, int max_steps, Eigen::VectorXd& r) {
  x_ = r;
  cone_->compute_velocity(x_, u_);
  const double first = cone_->residual(x_, u_);
  double best = first, before = first;
  for (int k = 0, bad = 0, slow = 0; k < max_steps && best > target; ++k) {
    linearise(1.0, alpha, u_);
    if (!step()) break;
    const double residual = cone_->residual(x_, u_);
    if (residual < best) {
      best = residual;
      r = x_;
    }
    if (best <= target) break;
    // the nearest point of the cones is sometimes better
    projected_ = x_;
    cone_->project(projected_);
    cone_->compute_velocity(projected_, shifted_);
    if (const double other = cone_->residual(projected_, shifted_); other < best) {
      best = other;
      r = projected_;
    }
    if (!(residual <= 0.9 * before) && (++bad >= 2 || !(residual <= 20.0 * first))) break;
    // fast progress: the answer is near; slow and steady: alpha is what slows it
    slow = residual > 0.05 * before && residual <= 0.9 * before ? slow + 1 : 0;
    if (residual < 1e-3 * before || slow == 2) {
      alpha *= 0.01;
      slow = 0;
    }
    before = residual;
  }
  return best;
}

double ProximalNewton::proximal(double target, const ProximalSchedule& schedule, int max_steps,
                                Eigen::VectorXd& r) {
  double alpha = schedule.alpha;
  cone_->compute_velocity(r, u_);
  best_ = r;
  double best = cone_->residual(r, u_), failed_alpha = 0.0;
  const int last = steps_ + max_steps;
  for (int failures = 0; best > target && steps_ < last && may_work(0.0);) {
    centre_ = r;
    x_ = r;
    cone_->compute_velocity(x_, u_);
    const double rho = std::min(1.0 / alpha, schedule.most_rho);
    const double F_first = linearise(rho, alpha, u_), rounding = 1e-15 * (1.0 + x_.norm());
    double F_best = F_first;
    bool reached = false;
    int k = 0;
    for (int idle = 0; k < 15 && idle < schedule.patience && steps_ < last; ++k) {
      if (!step()) break;
      if (const double residual = cone_->residual(x_, u_); residual < best) {
        best = residual;
        best_ = x_;
      }
      shifted_ = u_ + alpha * (x_ - centre_);
      const double F_now = linearise(rho, alpha, shifted_);
      if (best <= target || F_now <= schedule.enough * F_first || F_now < rounding) {
        reached = true;
        ++k;
        break;
      }
      idle = F_now < 0.7 * F_best ? 0 : idle + 1;
      if (idle == 0) F_best = F_now;
    }
    if (reached) {
      r = x_;
      alpha *= k <= schedule.quick  ? schedule.quick_fall
               : k <= schedule.fair ? schedule.fair_fall
                                    : schedule.slow_fall;
      alpha = std::max(alpha, 1e-12);
      if (failed_alpha > 0.0) {
        alpha = std::max(alpha, 1.5 * failed_alpha);
        failed_alpha *= 0.6;
      }
      failures = 0;
    } else {
      ++failures;
      failed_alpha = alpha;
      // first back to the last centre: proximal steps can go a long way before the residual falls
      r = failures == 1 ? centre_ : failures % 2 == 1 ? best_ : x_;
      if (!r.allFinite()) r = best_;
      alpha = std::min(alpha * (failures > 3 ? 10.0 : schedule.rise), 1.0);
    }
  }
  r = best_;
  return best;
}

}  // namespace rigor
