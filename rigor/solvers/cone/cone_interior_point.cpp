#include "rigor/solvers/cone/cone_interior_point.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

constexpr double kLeastMu = 1e-6;            // mu below is taken as this: the cone must have an inside
constexpr double kSmoothing = 1e-3;          // of ‖u_T‖, times √µ_k
constexpr double kFactorCompliance = 1e-12;  // compliance in the factors
constexpr double kTiny = 1e-300;

// The largest t with x + t d in the Lorentz cone, x inside.
double longest_step(const double* x, const double* d) {
  const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const double c = x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
  double t = d[0] < 0.0 ? -x[0] / d[0] : std::numeric_limits<double>::infinity();
  const double discriminant = b * b - a * c;
  if (a < 0.0)
    t = std::min(t, (-b - std::sqrt(std::max(discriminant, 0.0))) / a);
  else if (b < 0.0 && discriminant > 0.0)
    t = std::min(t, c / (-b + std::sqrt(discriminant)));
  return t;
}

// M x, small enough to be inlined everywhere.
inline Eigen::Vector3d times(const Eigen::Matrix3d& M, const double* x) {
  const double* const m = M.data();
  return {m[0] * x[0] + m[3] * x[1] + m[6] * x[2], m[1] * x[0] + m[4] * x[1] + m[7] * x[2],
          m[2] * x[0] + m[5] * x[1] + m[8] * x[2]};
}

double lorentz_length(const double* x) {
  return std::sqrt(std::max(x[0] * x[0] - x[1] * x[1] - x[2] * x[2], kTiny));
}

// An interval without interior: there is nothing to solve.
bool is_fixed(const RowBounds& bounds) {
  return bounds.lower == bounds.upper;
}

}  // namespace

void ConeInteriorPoint::prepare(const ScaledCone& cone, double size) {
  cone_ = &cone;
  const int n = cone.contacts();
  rows_.resize(n);
  rows_.alpha.setConstant(std::max(kFactorCompliance, cone.W->least_alpha()));
  rows_.only_conditions = true;
  scaling_.resize(at(n));
  inverse_scaling_.resize(at(n));
  for (Eigen::VectorXd* vector : {&x_, &z_, &b_, &gap_, &r_, &Wd_}) vector->resize(3 * n);
  dx_.setZero(3 * n);
  dz_.setZero(3 * n);
  mu_ = cone.mu.cwiseMax(kLeastMu);
  unit_ = size * cone.q.norm() / std::sqrt(static_cast<double>(n));
  if (!(unit_ > 0.0)) unit_ = 1.0;
  best_residual_ = std::numeric_limits<double>::infinity();
  last_length_ = 1.0;
  steps_ = short_steps_ = 0;
  bounds_.clear();
  pairs_ = n;
  for (int i = 0; i < n; ++i) {
    if (!cone.has_bounds(i)) continue;
    --pairs_;
    if (is_fixed(cone.bounds[at(i)])) continue;
    if (cone.bounds[at(i)].has_lower()) bounds_.push_back({i, 1.0});
    if (cone.bounds[at(i)].has_upper()) bounds_.push_back({i, -1.0});
  }
  pairs_ = std::max(pairs_ + static_cast<int>(bounds_.size()), 1);
}

// Starts rows with bounds from r_ and u_: inside by `lift`, or in the middle where that is too far.
void ConeInteriorPoint::start_bounds(double lift) {
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (!cone_->has_bounds(i)) continue;
    x_.segment<3>(3 * i).setZero();
    z_.segment<3>(3 * i).setZero();
    const RowBounds& bounds = cone_->bounds[at(i)];
    const double width = bounds.upper - bounds.lower, inside = std::min(lift, 0.5 * width);
    r_.segment<3>(3 * i) << RowBounds{bounds.lower + inside, bounds.upper - inside}.clamp(r_[3 * i]), 0.0,
        0.0;
  }
  for (Bound& bound : bounds_) {
    const RowBounds& bounds = cone_->bounds[at(bound.contact)];
    const double r = r_[3 * bound.contact], u = u_[3 * bound.contact];
    bound.s = bound.side > 0.0 ? r - bounds.lower : bounds.upper - r;
    bound.z = std::max(bound.side * u, 0.0) + lift;
  }
}

void ConeInteriorPoint::start(const ScaledCone& cone, double size) {
  prepare(cone, size);
  for (int i = 0; i < cone.contacts(); ++i) {
    x_.segment<3>(3 * i) << unit_, 0.0, 0.0;
    z_.segment<3>(3 * i) << unit_, 0.0, 0.0;
  }
  r_.setZero();
  u_ = cone.q;
  start_bounds(unit_);
  update_impulse();
  best_ = r_;
}

void ConeInteriorPoint::start_near(const ScaledCone& cone, const Eigen::VectorXd& r, double lift) {
  prepare(cone, 1.0);
  cone.compute_velocity(r, u_);
  for (int i = 0; i < cone.contacts(); ++i) {
    const double r_T = portable::hypot(r[3 * i + 1], r[3 * i + 2]),
                 u_T = portable::hypot(u_[3 * i + 1], u_[3 * i + 2]);
    x_.segment<3>(3 * i) << std::max(mu_[i] * r[3 * i], r_T) + lift * unit_, r[3 * i + 1], r[3 * i + 2];
    z_.segment<3>(3 * i) << std::max(u_[3 * i] / mu_[i] + u_T, u_T) + lift * unit_, u_[3 * i + 1],
        u_[3 * i + 2];
  }
  r_ = r;
  start_bounds(lift * unit_);
  update_impulse();
  best_ = r_;
}

void ConeInteriorPoint::start_centred(const ScaledCone& cone, const Eigen::VectorXd& r, double lift,
                                      double ratio) {
  prepare(cone, 1.0);
  r_ = r;
  cone.compute_velocity(r, u_);
  const double mean = r.squaredNorm() / cone.contacts();
  assert(mean > 0.0 && "ConeInteriorPoint::start_centred: no impulses to start from");
  const double up = lift * std::sqrt(mean), mu_k = ratio * mean;
  for (int i = 0; i < cone.contacts(); ++i) {
    const double r_T = portable::hypot(r[3 * i + 1], r[3 * i + 2]);
    x_.segment<3>(3 * i) << std::max(mu_[i] * r[3 * i], r_T) + up, r[3 * i + 1], r[3 * i + 2];
    const double scale = mu_k / (x_[3 * i] * x_[3 * i] - r_T * r_T);
    z_.segment<3>(3 * i) << scale * x_[3 * i], -scale * x_[3 * i + 1], -scale * x_[3 * i + 2];
  }
  start_bounds(up);
  update_impulse();
  best_ = r_;
}

void ConeInteriorPoint::update_impulse() {
  for (int i = 0; i < cone_->contacts(); ++i)
    if (!cone_->has_bounds(i)) r_.segment<3>(3 * i) << x_[3 * i] / mu_[i], x_[3 * i + 1], x_[3 * i + 2];
  cone_->compute_velocity(r_, u_);
}

// Per contact: how far û is from P z, its derivative G, the symmetric T with T x = z and its square root.
void ConeInteriorPoint::find_scaling(double mu_k) {
  const double smoothing = kSmoothing * std::sqrt(mu_k);
  for (int i = 0; i < cone_->contacts(); ++i) {
    const double* const u = u_.data() + 3 * i;
    if (cone_->has_bounds(i)) {
      const bool fixed = is_fixed(cone_->bounds[at(i)]);
      gap_.segment<3>(3 * i) << (fixed ? 0.0 : u[0]), 0.0, 0.0;
      rows_.A[at(i)] = (fixed ? 1.0 : 0.0) * Eigen::Matrix3d::Identity();
      rows_.B[at(i)] = (fixed ? 0.0 : 1.0) * Eigen::Matrix3d::Identity();
      continue;
    }
    const double* const x = x_.data() + 3 * i;
    const double* const z = z_.data() + 3 * i;
    const double mu = mu_[i];
    const double slip =
        cone_->associated ? 0.0 : std::sqrt(u[1] * u[1] + u[2] * u[2] + smoothing * smoothing);
    gap_.segment<3>(3 * i) << u[0] + mu * slip - mu * z[0], u[1] - z[1], u[2] - z[2];
    Eigen::Matrix3d& G = rows_.B[at(i)];
    G.setIdentity();
    if (slip > 0.0) G.row(0) << 1.0, mu * u[1] / slip, mu * u[2] / slip;

    const double x_length = lorentz_length(x), z_length = lorentz_length(z), eta = z_length / x_length;
    const double product = (x[0] * z[0] + x[1] * z[1] + x[2] * z[2]) / (x_length * z_length);
    const double gamma = 2.0 * std::sqrt(0.5 * (1.0 + product));
    const Eigen::Vector3d w((z[0] / z_length + x[0] / x_length) / gamma,
                            (z[1] / z_length - x[1] / x_length) / gamma,
                            (z[2] / z_length - x[2] / x_length) / gamma);
    Eigen::Matrix3d& root = scaling_[at(i)];
    const double k = 1.0 / (1.0 + w[0]);
    root << w[0], w[1], w[2], w[1], 1.0 + k * w[1] * w[1], k * w[1] * w[2], w[2], k * w[1] * w[2],
        1.0 + k * w[2] * w[2];
    // the inverse of a reflection in the Lorentz cone changes the signs of its mixed entries
    Eigen::Matrix3d& inverse = inverse_scaling_[at(i)];
    inverse = root;
    for (int c = 1; c < 3; ++c) inverse(0, c) = inverse(c, 0) = -root(0, c);
    const double root_eta = std::sqrt(eta);
    root *= root_eta;
    inverse /= root_eta;
    Eigen::Matrix3d& T = rows_.A[at(i)];
    T.noalias() = (2.0 * eta) * w * w.transpose();
    T.diagonal() += eta * Eigen::Vector3d(-1.0, 1.0, 1.0);
    T.row(0) *= mu;
    T.col(0) *= mu;
  }
  for (const Bound& bound : bounds_) {
    gap_[3 * bound.contact] -= bound.side * bound.z;
    rows_.A[at(bound.contact)](0, 0) += bound.z / bound.s;
  }
}

// The Newton direction of (1) for x ∘ z = target e, in the scaled space where x and z are the same vector.
void ConeInteriorPoint::find_direction(double target, bool corrects) {
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (cone_->has_bounds(i)) {
      b_.segment<3>(3 * i) = -gap_.segment<3>(3 * i);
      continue;
    }
    const Eigen::Matrix3d& root = scaling_[at(i)];
    const Eigen::Vector3d lambda = times(root, x_.data() + 3 * i);
    Eigen::Vector3d e(target, 0.0, 0.0);
    if (corrects) {
      const Eigen::Vector3d p = times(root, dx_.data() + 3 * i),
                            s = times(inverse_scaling_[at(i)], dz_.data() + 3 * i);
      e[0] -= p.dot(s);
      e.tail<2>() -= p[0] * s.tail<2>() + s[0] * p.tail<2>();
    }
    // λ ∘ y = e
    const double size = std::max(lambda[0] * lambda[0] - lambda.tail<2>().squaredNorm(), kTiny);
    Eigen::Vector3d y;
    y[0] = (lambda[0] * e[0] - lambda.tail<2>().dot(e.tail<2>())) / size;
    y.tail<2>() = (e.tail<2>() - y[0] * lambda.tail<2>()) / lambda[0];
    Eigen::Vector3d side = times(root, y.data()) - z_.segment<3>(3 * i);
    side[0] *= mu_[i];
    b_.segment<3>(3 * i) = side - gap_.segment<3>(3 * i);
  }
  for (const Bound& bound : bounds_) {
    const double product = target - (corrects ? bound.ds * bound.dz : 0.0);
    b_[3 * bound.contact] += bound.side * (product / bound.s - bound.z);
  }
  cone_->W->solve(b_, d_);
  find_bounds_direction(target, corrects);
  Wd_.setZero();
  cone_->W->add_product(d_, Wd_);
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (cone_->has_bounds(i)) {
      dx_.segment<3>(3 * i).setZero();
      dz_.segment<3>(3 * i).setZero();
      continue;
    }
    const Eigen::Vector3d change = times(rows_.B[at(i)], Wd_.data() + 3 * i) + gap_.segment<3>(3 * i);
    dx_.segment<3>(3 * i) << mu_[i] * d_[3 * i], d_[3 * i + 1], d_[3 * i + 2];
    dz_.segment<3>(3 * i) << change[0] / mu_[i], change[1], change[2];
  }
}

void ConeInteriorPoint::find_bounds_direction(double target, bool corrects) {
  for (Bound& bound : bounds_) {
    const double product = target - (corrects ? bound.ds * bound.dz : 0.0);
    bound.ds = bound.side * d_[3 * bound.contact];
    bound.dz = (product - bound.z * bound.ds) / bound.s - bound.z;
  }
}

double ConeInteriorPoint::find_longest_step() const {
  double t = std::numeric_limits<double>::infinity();
  for (const Bound& bound : bounds_) {
    if (bound.ds < 0.0) t = std::min(t, -bound.s / bound.ds);
    if (bound.dz < 0.0) t = std::min(t, -bound.z / bound.dz);
  }
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (cone_->has_bounds(i)) continue;
    t = std::min(t, longest_step(x_.data() + 3 * i, dx_.data() + 3 * i));
    t = std::min(t, longest_step(z_.data() + 3 * i, dz_.data() + 3 * i));
  }
  return t;
}

// Σ xᵀz + Σ s z after a step of that length.
double ConeInteriorPoint::find_products(double length) const {
  double sum = (x_ + length * dx_).dot(z_ + length * dz_);
  for (const Bound& bound : bounds_) sum += (bound.s + length * bound.ds) * (bound.z + length * bound.dz);
  return sum;
}

bool ConeInteriorPoint::step() {
  const double count = 2.0 * pairs_;
  mu_k_ = find_products(0.0) / count;
  find_scaling(mu_k_);
  if (!may_work(cone_->W->factor_work()) || !cone_->W->factor(rows_)) return false;
  if (last_length_ < 0.1 && steps_ > 3) {
    // stuck near an edge of the cones: back towards the middle
    find_direction(0.5 * mu_k_, false);
  } else {
    find_direction(0.0, false);
    const double affine = std::min(1.0, find_longest_step());
    const double reached = find_products(affine) / count;
    double sigma = std::clamp(portable::pow(std::max(0.0, reached / mu_k_), 3.0), 1e-8, 1.0);
    if (affine < 0.1) sigma = std::max(sigma, 0.3);
    find_direction(sigma * mu_k_, true);
  }
  if (!d_.allFinite()) return false;
  const double fraction = std::min(std::max(0.9, 1.0 - 0.5 * mu_k_ / (unit_ * unit_)), 0.9995);
  last_length_ = std::min(1.0, fraction * find_longest_step());
  x_ += last_length_ * dx_;
  z_ += last_length_ * dz_;
  for (int i = 0; i < cone_->contacts(); ++i)
    if (cone_->has_bounds(i)) r_[3 * i] += last_length_ * d_[3 * i];
  for (Bound& bound : bounds_) {
    bound.s += last_length_ * bound.ds;
    bound.z += last_length_ * bound.dz;
  }
  update_impulse();
  ++steps_;
  short_steps_ = last_length_ < 0.1 && steps_ > 5 ? short_steps_ + 1 : 0;
  Wd_ = r_;
  cone_->project(Wd_);
  cone_->compute_velocity(Wd_, d_);
  if (const double residual = cone_->residual(Wd_, d_); residual < best_residual_) {
    best_residual_ = residual;
    best_ = Wd_;
  }
  return last_length_ > 1e-10 && mu_k_ > 1e-34;
}

}  // namespace rigor
