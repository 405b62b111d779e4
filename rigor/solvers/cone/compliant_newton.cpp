#include "rigor/solvers/cone/compliant_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/solvers/cone/false_position.hpp"

namespace rigor {
namespace {

// Derivative of the projection on K at t; `p` is the projection.
void differentiate_projection(double mu, const Eigen::Vector3d& t, const Eigen::Vector3d& p,
                              Eigen::Matrix3d& D) {
  const double length = t.tail<2>().norm();
  // t_N is tested too: without friction an open contact has length = mu t_N as well
  if (t[0] > 0.0 && length <= mu * t[0]) {
    D.setIdentity();
    return;
  }
  if (mu * length <= -t[0]) {
    D.setZero();
    return;
  }
  const Eigen::Vector2d d = t.tail<2>() / length;
  const double c = 1.0 / (1.0 + mu * mu);
  D(0, 0) = c;
  D.row(0).tail<2>() = c * mu * d.transpose();
  D.col(0).tail<2>() = c * mu * d;
  D.bottomRightCorner<2, 2>() = (c * mu * mu - mu * p[0] / length) * d * d.transpose();
  D.bottomRightCorner<2, 2>().diagonal().array() += mu * p[0] / length;
}

}  // namespace

void CompliantNewton::start(ScaledCone& cone) {
  cone_ = &cone;
  rows_.resize(cone.contacts());
  steps_ = 0;
}

void CompliantNewton::set_equal(double alpha) {
  for (int i = 0; i < cone_->contacts(); ++i) {
    const double scale = cone_->W->scale()[i];
    rows_.alpha[i] = alpha * cone_->impulse_unit * scale * scale;
  }
}

void CompliantNewton::set_own(double alpha) {
  rows_.alpha.setConstant(alpha);
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
    u.segment<3>(3 * i) += rows_.alpha[i] * (r.segment<3>(3 * i) - centre.segment<3>(3 * i));
}

bool CompliantNewton::step(Eigen::VectorXd& r, const Eigen::VectorXd& F) {
  ++steps_;
  if (!may_work(cone_->W->factor_work()) || !cone_->W->factor(rows_)) return false;
  b_ = -F;
  cone_->W->solve(b_, d_);
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
    map_coulomb(*cone_, r, u_, F_, rows_);
    if (!step(r, F_)) break;
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
    map_coulomb(*cone_, r, u_, F_, rows_);
    if (!step(r, F_)) break;
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

// F = r − P_K(t), t = r − shifted/α, with A = 1 − D, B = D/α.
void CompliantNewton::map_associated(const Eigen::VectorXd& r, const Eigen::VectorXd& shifted,
                                     Eigen::VectorXd& F) {
  F.resize(r.size());
  for (int i = 0; i < cone_->contacts(); ++i) {
    const double rho = 1.0 / rows_.alpha[i], mu = cone_->mu[i];
    const Eigen::Vector3d t = r.segment<3>(3 * i) - rho * shifted.segment<3>(3 * i);
    Eigen::Vector3d p = t;
    project_on_cone({0, 3, mu}, p.data());
    F.segment<3>(3 * i) = r.segment<3>(3 * i) - p;
    Eigen::Matrix3d& D = rows_.B[at(i)];
    differentiate_projection(mu, t, p, D);
    rows_.A[at(i)] = Eigen::Matrix3d::Identity() - D;
    D *= rho;
  }
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
        p[k] = centre.data()[j] - (u_.data()[j] + tau * change_.data()[j]) / rows_.alpha.data()[i];
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
    map_associated(r, shifted_, F_);
    if (!step(r, F_)) break;
    const double tau = find_step(centre, from_, r);
    if (tau < 1.0) r = from_ + tau * (r - from_);
  }
  r = best_;
  return best;
}

bool CompliantNewton::factor_marked(const std::vector<char>& marked) {
  marked_ = marked;
  for (int i = 0; i < cone_->contacts(); ++i) {
    rows_.A[at(i)].setZero();
    rows_.B[at(i)].setZero();
    (marked[at(i)] ? rows_.B[at(i)] : rows_.A[at(i)]).setIdentity();
  }
  ++steps_;
  return may_work(cone_->W->factor_work()) && cone_->W->factor(rows_);
}

void CompliantNewton::clear_unmarked(Eigen::VectorXd& x) const {
  for (int i = 0; i < cone_->contacts(); ++i)
    if (!marked_[at(i)]) x.segment<3>(3 * i).setZero();
}

void CompliantNewton::solve_marked(const Eigen::VectorXd& u, Eigen::VectorXd& d) {
  b_ = -u;
  clear_unmarked(b_);
  cone_->W->solve(b_, d);
}

void CompliantNewton::stop_marked(double target, int max_steps, Eigen::VectorXd& r) {
  cone_->compute_velocity(r, u_);
  clear_unmarked(u_);
  double length = u_.norm(), least = length, product = 0.0;
  best_ = r;
  const double turn = cone_->W->sweep_work();
  for (int k = 0, idle = 0; k < max_steps && length > target && idle < 10 && may_work(turn); ++k) {
    // z = P(−u), and the direction x conjugate to those before
    b_ = -u_;
    cone_->W->solve(b_, z_);
    const double before = product;
    product = b_.dot(z_);
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
