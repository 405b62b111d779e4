#include "rigor/solvers/cone/compliant_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/solvers/cone/false_position.hpp"

namespace rigor {

void CompliantNewton::start(ScaledCone& cone) {
  cone_ = &cone;
  alpha_.resize(cone.contacts());
  steps_ = 0;
}

void CompliantNewton::set_equal(double alpha) {
  for (int i = 0; i < cone_->contacts(); ++i) {
    const double scale = cone_->W->scale()[i];
    alpha_[i] = alpha * cone_->impulse_unit * scale * scale;
  }
}

void CompliantNewton::set_own(double alpha) {
  alpha_.setConstant(alpha);
}

double CompliantNewton::rounding(const Eigen::VectorXd& r) const {
  // in the units of the residual; contacts without an impulse do not count
  double sum = 0.0;
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (r[3 * i] == 0.0) continue;
    const double scale = cone_->W->scale()[i], unit = cone_->impulse_unit * scale;
    sum += unit * unit * r.segment<3>(3 * i).squaredNorm() +
           cone_->q.segment<3>(3 * i).squaredNorm() / (scale * scale);
  }
  return kUnitRoundoff * std::sqrt(sum);
}

void CompliantNewton::shift(const Eigen::VectorXd& centre, const Eigen::VectorXd& r,
                            Eigen::VectorXd& u) const {
  for (int i = 0; i < cone_->contacts(); ++i)
    u.segment<3>(3 * i) += alpha_[i] * (r.segment<3>(3 * i) - centre.segment<3>(3 * i));
}

// r ← r + dr of law_.
bool CompliantNewton::step(Eigen::VectorXd& r) {
  ++steps_;
  if (!may_work(cone_->W->factor_work()) || !cone_->W->factor(law_.D)) return false;
  cone_->W->solve(law_.t, d_, du_);
  if (!d_.allFinite()) return false;
  r += d_;
  return true;
}

double CompliantNewton::solve(const Eigen::VectorXd* centre, double target, int max_steps, int patience,
                              Eigen::VectorXd& r) {
  cone_->compute_velocity(r, u_);
  if (centre) shift(*centre, r, u_);
  double best = cone_->residual(r, u_), mark = best;
  best_ = r;
  for (int k = 0, idle = 0; k < max_steps && idle < patience; ++k) {
    if (best <= std::max(target, 4.0 * rounding(r))) break;
    linearise_coulomb(*cone_, r, u_, 1.0, alpha_, law_);
    if (!step(r)) break;
    cone_->compute_velocity(r, u_);
    if (centre) shift(*centre, r, u_);
    const double residual = cone_->residual(r, u_);
    if (!(residual < kInfinity)) break;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    idle = best < 0.7 * mark ? 0 : idle + 1;
    if (idle == 0) mark = best;
  }
  r = best_;
  return best;
}

double CompliantNewton::polish(Eigen::VectorXd& r) {
  cone_->compute_velocity(r, u_);
  double best = cone_->residual(r, u_);
  best_ = r;
  set_own(1e-10);
  for (int k = 0; k < 5; ++k) {
    linearise_coulomb(*cone_, r, u_, 1.0, alpha_, law_);
    if (!step(r)) break;
    cone_->compute_velocity(r, u_);
    const double residual = cone_->residual(r, u_), before = best;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    if (!(residual < 0.3 * before) || best <= rounding(r)) break;
  }
  r = best_;
  return best;
}

// The τ in (0, 1] at which the convex function is least between two points: the root of its slope, which
// increases. u_ is the velocity at `from`.
double CompliantNewton::find_step(const Eigen::VectorXd& centre, const Eigen::VectorXd& from,
                                  const Eigen::VectorXd& to) {
  x_ = to - from;
  change_.setZero(from.size());
  cone_->W->add_product(x_, change_);
  force_.resize(from.size());
  const auto slope = [&](double tau) {
    double sum = 0.0;
    for (int i = 0; i < cone_->contacts(); ++i) {
      double p[3];
      for (int k = 0; k < 3; ++k) {
        const int j = 3 * i + k;
        p[k] = centre.data()[j] - (u_.data()[j] + tau * change_.data()[j]) / alpha_.data()[i];
      }
      project_on_cone({0, 3, cone_->mu.data()[i]}, p);
      for (int k = 0; k < 3; ++k) {
        const int j = 3 * i + k;
        sum += change_.data()[j] * (from.data()[j] + tau * x_.data()[j] - p[k]);
      }
    }
    return sum;
  };
  return find_step_by_false_position(slope);
}

double CompliantNewton::solve_convex(const Eigen::VectorXd& centre, double target, int max_steps,
                                     Eigen::VectorXd& r) {
  double best = kInfinity;
  best_ = r;
  for (int k = 0;; ++k) {
    cone_->compute_velocity(r, u_);
    shifted_ = u_;
    shift(centre, r, shifted_);
    const double residual = cone_->residual(r, shifted_), before = best;
    if (residual < best) {
      best = residual;
      best_ = r;
    }
    // below the target go on while the residual falls: the error of the impulses is the residual over alpha
    if (k == max_steps || best <= rounding(r) || (best <= target && !(residual < 0.3 * before) && k > 0))
      break;
    from_ = r;
    linearise_associated(*cone_, r, shifted_, alpha_, law_);
    if (!step(r)) break;
    const double tau = find_step(centre, from_, r);
    if (tau < 1.0) r = from_ + tau * (r - from_);
  }
  r = best_;
  return best;
}

bool CompliantNewton::factor_marked(const std::vector<char>& marked) {
  marked_ = marked;
  linearise_marked(marked, alpha_, law_.D);
  ++steps_;
  return may_work(cone_->W->factor_work()) && cone_->W->factor(law_.D);
}

void CompliantNewton::clear_unmarked(Eigen::VectorXd& x) const {
  for (int i = 0; i < cone_->contacts(); ++i)
    if (!marked_[at(i)]) x.segment<3>(3 * i).setZero();
}

void CompliantNewton::solve_marked(const Eigen::VectorXd& u, Eigen::VectorXd& d) {
  law_.t.resize(u.size());
  for (int i = 0; i < cone_->contacts(); ++i)
    for (int k = 3 * i; k < 3 * i + 3; ++k)
      law_.t.data()[k] = marked_[at(i)] ? -u.data()[k] / alpha_.data()[i] : 0.0;
  cone_->W->solve(law_.t, d, du_);
}

void CompliantNewton::stop_marked(double target, int max_steps, Eigen::VectorXd& r) {
  cone_->compute_velocity(r, u_);
  clear_unmarked(u_);
  double length = u_.norm(), least = length, product = 0.0;
  best_ = r;
  const double turn = cone_->W->sweep_work();
  for (int k = 0, idle = 0; k < max_steps && length > target && idle < 10 && may_work(turn); ++k) {
    // z = P(−u), and the direction x conjugate to those before
    solve_marked(u_, z_);
    const double before = product;
    product = -u_.dot(z_);
    if (k == 0)
      x_ = z_;
    else
      x_ = z_ + product / before * x_;
    change_.setZero(r.size());
    cone_->W->add_product(x_, change_);
    clear_unmarked(change_);
    const double curvature = x_.dot(change_);
    if (!(product > 0.0) || !(curvature > 0.0)) break;
    r += product / curvature * x_;
    u_ += product / curvature * change_;
    length = u_.norm();
    idle = length < least ? 0 : idle + 1;
    if (idle > 0) continue;
    least = length;
    best_ = r;
  }
  r = best_;
}

}  // namespace rigor
