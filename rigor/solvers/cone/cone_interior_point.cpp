#include "rigor/solvers/cone/cone_interior_point.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/solvers/cone/lorentz_kernels.hpp"

namespace rigor {
namespace {

constexpr double kLeastMu = 1e-6;            // mu below is taken as this: the cone must have an inside
constexpr double kSmoothing = 1e-3;          // of ‖u_T‖, times √µ_k
constexpr double kFactorCompliance = 1e-12;  // compliance of rows with bounds, for the factors

// An interval without interior: there is nothing to solve.
bool is_fixed(const RowBounds& bounds) {
  return bounds.lower == bounds.upper;
}

// Three numbers per contact, four contacts at a time.
RIGOR_KERNEL void read(const double* from, const int* members, Pack* to) {
  for (int k = 0; k < 3; ++k)
    for (int lane = 0; lane < 4; ++lane) to[k][lane] = members[lane] < 0 ? 0.0 : from[3 * members[lane] + k];
}

RIGOR_KERNEL void write(const Pack* from, const int* members, double* to) {
  for (int lane = 0; lane < 4; ++lane)
    for (int k = 0; k < 3; ++k)
      if (members[lane] >= 0) to[3 * members[lane] + k] = from[k][lane];
}

// The packs of all contacts, and what their loops need of the problem.
struct Packs {
  LorentzPack* packs;
  const int* members;
  std::size_t count;
};

// gap, derivative and scaling of every contact; D = A⁻¹ G.
RIGOR_KERNEL void linearise_packs(const Packs* all, const double* u, double smoothing, bool associated,
                                  Block3* D) {
  for (std::size_t i = 0; i < all->count; ++i) {
    LorentzPack& p = all->packs[i];
    const int* const members = all->members + 4 * i;
    Pack v[3], a[6];
    read(u, members, v);
    const Pack slip = lorentz::root_of(v[1] * v[1] + v[2] * v[2] + smoothing * smoothing);
    const Pack mu = associated ? lorentz::fill(0.0) : p.mu;
    p.gap[0] = v[0] + mu * slip - p.mu * p.z[0];
    for (int k = 1; k < 3; ++k) {
      p.gap[k] = v[k] - p.z[k];
      p.turn[k - 1] = mu * v[k] / slip;
    }
    lorentz::find_scaling(p);
    lorentz::invert_scaling(p, a);
    const Pack columns[9] = {a[0],
                             a[1],
                             a[2],
                             a[1] + p.turn[0] * a[0],
                             a[3] + p.turn[0] * a[1],
                             a[4] + p.turn[0] * a[2],
                             a[2] + p.turn[1] * a[0],
                             a[4] + p.turn[1] * a[1],
                             a[5] + p.turn[1] * a[2]};
    for (int lane = 0; lane < 4; ++lane) {
      if (members[lane] < 0) continue;
      double* const to = D[members[lane]].v;
      for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) to[4 * c + r] = columns[3 * c + r][lane];
        to[4 * c + 3] = 0.0;
      }
    }
  }
}

RIGOR_KERNEL void find_right_sides(const Packs* all, double target, bool corrects, double* t) {
  for (std::size_t i = 0; i < all->count; ++i) {
    Pack side[3];
    lorentz::find_right_side(all->packs[i], lorentz::fill(target), corrects, side);
    write(side, all->members + 4 * i, t);
  }
}

// dx and dz of dr and du.
RIGOR_KERNEL void read_directions(const Packs* all, const double* dr, const double* du) {
  for (std::size_t i = 0; i < all->count; ++i) {
    LorentzPack& p = all->packs[i];
    const int* const members = all->members + 4 * i;
    Pack d[3], v[3];
    read(dr, members, d);
    read(du, members, v);
    p.dx[0] = p.mu * d[0];
    p.dz[0] = p.counts * (v[0] + p.turn[0] * v[1] + p.turn[1] * v[2] + p.gap[0]) / p.mu;
    for (int k = 1; k < 3; ++k) {
      p.dx[k] = d[k];
      p.dz[k] = p.counts * (v[k] + p.gap[k]);
    }
  }
}

RIGOR_KERNEL void find_longest(const Packs* all, double* length) {
  Pack least = lorentz::fill(*length);
  for (std::size_t i = 0; i < all->count; ++i) {
    const LorentzPack& p = all->packs[i];
    least = lorentz::least(least, lorentz::find_longest(p.x, p.dx));
    least = lorentz::least(least, lorentz::find_longest(p.z, p.dz));
  }
  for (int lane = 0; lane < 4; ++lane) *length = std::min(*length, least[lane]);
}

RIGOR_KERNEL void add_products(const Packs* all, double length, double* sum) {
  Pack total = lorentz::fill(0.0);
  for (std::size_t i = 0; i < all->count; ++i) {
    const LorentzPack& p = all->packs[i];
    Pack own = lorentz::fill(0.0);
    for (int k = 0; k < 3; ++k) own += (p.x[k] + length * p.dx[k]) * (p.z[k] + length * p.dz[k]);
    total += p.counts * own;
  }
  *sum += lorentz::sum_of(total);
}

RIGOR_KERNEL void move_packs(const Packs* all, double length) {
  for (std::size_t i = 0; i < all->count; ++i) {
    LorentzPack& p = all->packs[i];
    for (int k = 0; k < 3; ++k) {
      p.x[k] += length * p.dx[k];
      p.z[k] += length * p.dz[k];
    }
  }
}

}  // namespace

void ConeInteriorPoint::prepare(const ScaledCone& cone, double size) {
  cone_ = &cone;
  const int n = cone.contacts();
  law_.D.assign(at(n), Block3::zero());
  law_.t.setZero(3 * n);
  dr_.setZero(3 * n);
  du_.setZero(3 * n);
  gap_.setZero(n);
  unit_ = size * cone.q.norm() / std::sqrt(static_cast<double>(n));
  if (!(unit_ > 0.0)) unit_ = 1.0;
  best_residual_ = kInfinity;
  last_length_ = 1.0;
  steps_ = short_steps_ = 0;
  bounds_.clear();
  rows_.clear();
  for (int i = 0; i < n; ++i) {
    if (!is_row(i)) continue;
    const RowBounds bounds = bounds_of(i);
    rows_.push_back({i, bounds});
    if (is_fixed(bounds)) continue;
    if (bounds.has_lower()) bounds_.push_back({i, 1.0, bounds.lower});
    if (bounds.has_upper()) bounds_.push_back({i, -1.0, bounds.upper});
  }
}

// Without friction a contact is a row with the bound 0.
bool ConeInteriorPoint::is_row(int i) const {
  return cone_->has_bounds(i) || cone_->mu[i] == 0.0;
}

RowBounds ConeInteriorPoint::bounds_of(int i) const {
  return cone_->has_bounds(i) ? cone_->bounds[at(i)] : RowBounds{0.0, kInfinity};
}

// The contacts with a cone that may carry something, four by four.
void ConeInteriorPoint::take_part(const Eigen::VectorXd& r, double reach) {
  members_.clear();
  has_blunt_cones_ = false;
  for (int i = 0; i < cone_->contacts(); ++i) {
    if (is_row(i)) continue;
    has_blunt_cones_ = has_blunt_cones_ || cone_->mu[i] < kLeastMu;
    if (r[3 * i] > 0.0 || !(u_[3 * i] > reach * unit_)) members_.push_back(i);
  }
  pairs_ = std::max(static_cast<int>(members_.size() + bounds_.size()), 1);
  while (members_.size() % 4 != 0) members_.push_back(-1);
  packs_.assign(members_.size() / 4, LorentzPack{});
  for (std::size_t i = 0; i < members_.size(); ++i) {
    LorentzPack& p = packs_[i / 4];
    const bool is_member = members_[i] >= 0;
    p.counts[i % 4] = is_member ? 1.0 : 0.0;
    p.mu[i % 4] = is_member ? std::max(cone_->mu[members_[i]], kLeastMu) : 1.0;
    p.x[0][i % 4] = p.z[0][i % 4] = 1.0;
  }
}

// Starts rows with bounds from r_ and u_: inside by `lift`, or in the middle where that is too far.
void ConeInteriorPoint::start_bounds(double lift) {
  for (const auto& [i, bounds] : rows_) {
    const double width = bounds.upper - bounds.lower, inside = std::min(lift, 0.5 * width);
    r_.segment<3>(3 * i) << RowBounds{bounds.lower + inside, bounds.upper - inside}.clamp(r_[3 * i]), 0.0,
        0.0;
  }
  for (Bound& bound : bounds_) {
    const double r = r_[3 * bound.contact], u = u_[3 * bound.contact];
    bound.s = bound.side * (r - bound.at);
    bound.z = std::max(bound.side * u, 0.0) + lift;
  }
}

void ConeInteriorPoint::start(const ScaledCone& cone, double size) {
  prepare(cone, size);
  r_.setZero(3 * cone.contacts());
  u_ = cone.q;
  take_part(r_, kInfinity);
  for (LorentzPack& p : packs_) p.x[0] = p.z[0] = p.counts * unit_ + (1.0 - p.counts);
  start_bounds(unit_);
  update_impulse();
  best_ = r_;
}

void ConeInteriorPoint::start_near(const ScaledCone& cone, const Eigen::VectorXd& r, double lift,
                                   double reach) {
  prepare(cone, 1.0);
  cone.compute_velocity(r, u_);
  r_ = r;
  take_part(r, reach);
  lift_from(lift * unit_);
  best_ = r_;
}

// x and z from r_ and u_, both lifted into the cones.
void ConeInteriorPoint::lift_from(double lift) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] < 0) continue;
    LorentzPack& p = packs_[i / 4];
    const std::size_t lane = i % 4;
    const double *const r = r_.data() + 3 * members_[i], *const u = u_.data() + 3 * members_[i];
    const double r_T = portable::hypot(r[1], r[2]), u_T = portable::hypot(u[1], u[2]);
    p.x[0][lane] = std::max(p.mu[lane] * r[0], r_T) + lift;
    p.z[0][lane] = std::max(u[0] / p.mu[lane] + u_T, u_T) + lift;
    for (int k = 1; k < 3; ++k) {
      p.x[k][lane] = r[k];
      p.z[k][lane] = u[k];
    }
  }
  start_bounds(lift);
  update_impulse();
}

void ConeInteriorPoint::lift_again() {
  lift_from(std::max(std::sqrt(mu_k_), 1e-6 * unit_));
  last_length_ = 1.0;
  short_steps_ = 0;
}

void ConeInteriorPoint::start_centred(const ScaledCone& cone, const Eigen::VectorXd& r, double lift,
                                      double ratio) {
  prepare(cone, 1.0);
  r_ = r;
  cone.compute_velocity(r, u_);
  take_part(r, kInfinity);
  const double mean = r.squaredNorm() / cone.contacts();
  assert(mean > 0.0 && "ConeInteriorPoint::start_centred: no impulses to start from");
  const double up = lift * std::sqrt(mean), mu_k = ratio * mean;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] < 0) continue;
    LorentzPack& p = packs_[i / 4];
    const std::size_t lane = i % 4;
    const double* const own = r.data() + 3 * members_[i];
    const double r_T = portable::hypot(own[1], own[2]), x = std::max(p.mu[lane] * own[0], r_T) + up;
    const double scale = mu_k / (x * x - r_T * r_T);
    p.x[0][lane] = x;
    p.z[0][lane] = scale * x;
    for (int k = 1; k < 3; ++k) {
      p.x[k][lane] = own[k];
      p.z[k][lane] = -scale * own[k];
    }
  }
  start_bounds(up);
  update_impulse();
  best_ = r_;
}

// r_ and u_ from x.
void ConeInteriorPoint::update_impulse() {
  for (int i = 0; i < cone_->contacts(); ++i)
    if (!is_row(i)) r_.segment<3>(3 * i).setZero();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i] < 0) continue;
    const LorentzPack& p = packs_[i / 4];
    const std::size_t lane = i % 4;
    r_.segment<3>(3 * members_[i]) << p.x[0][lane] / p.mu[lane], p.x[1][lane], p.x[2][lane];
  }
  cone_->compute_velocity(r_, u_);
}

void ConeInteriorPoint::linearise() {
  const Packs all{packs_.data(), members_.data(), packs_.size()};
  call_with_avx<linearise_packs>(&all, static_cast<const double*>(u_.data()), kSmoothing * std::sqrt(mu_k_),
                                 cone_->associated, law_.D.data());
  linearise_bounds();
}

// A row with bounds: u = Σ side z, (Σ z/s) dr + du = …
void ConeInteriorPoint::linearise_bounds() {
  for (const auto& [i, bounds] : rows_) {
    law_.D[at(i)] = Block3::zero();
    gap_[i] = u_[3 * i];
    law_.D[at(i)](0, 0) = is_fixed(bounds) ? 0.0 : kFactorCompliance;
  }
  // first Σ z/s, then its inverse
  for (const Bound& bound : bounds_) {
    gap_[bound.contact] -= bound.side * bound.z;
    law_.D[at(bound.contact)](0, 0) += bound.z / bound.s;
  }
  for (const Row& row : rows_)
    if (double& entry = law_.D[at(row.contact)](0, 0); entry > 0.0) entry = 1.0 / entry;
}

// The Newton direction of (1) for x ∘ z = target e, in the scaled space where x and z are the same vector.
void ConeInteriorPoint::find_direction(double target, bool corrects) {
  const Packs all{packs_.data(), members_.data(), packs_.size()};
  call_with_avx<find_right_sides>(&all, target, corrects, law_.t.data());
  for (const Row& row : rows_) law_.t[3 * row.contact] = -gap_[row.contact];
  for (const Bound& bound : bounds_) {
    const double product = target - (corrects ? bound.ds * bound.dz : 0.0);
    law_.t[3 * bound.contact] += bound.side * (product / bound.s - bound.z);
  }
  for (const Row& row : rows_) law_.t[3 * row.contact] *= law_.D[at(row.contact)](0, 0);
  cone_->W->solve(law_.t, dr_, du_);
  find_bounds_direction(target, corrects);
  call_with_avx<read_directions>(&all, static_cast<const double*>(dr_.data()),
                                 static_cast<const double*>(du_.data()));
}

void ConeInteriorPoint::find_bounds_direction(double target, bool corrects) {
  for (Bound& bound : bounds_) {
    const double product = target - (corrects ? bound.ds * bound.dz : 0.0);
    bound.ds = bound.side * dr_[3 * bound.contact];
    bound.dz = (product - bound.z * bound.ds) / bound.s - bound.z;
  }
}

double ConeInteriorPoint::find_longest_step() const {
  double t = kInfinity;
  for (const Bound& bound : bounds_) {
    if (bound.ds < 0.0) t = std::min(t, -bound.s / bound.ds);
    if (bound.dz < 0.0) t = std::min(t, -bound.z / bound.dz);
  }
  const Packs all{const_cast<LorentzPack*>(packs_.data()), members_.data(), packs_.size()};
  call_with_avx<find_longest>(&all, &t);
  return t;
}

// Σ xᵀz + Σ s z after a step of that length.
double ConeInteriorPoint::find_products(double length) const {
  double sum = 0.0;
  const Packs all{const_cast<LorentzPack*>(packs_.data()), members_.data(), packs_.size()};
  call_with_avx<add_products>(&all, length, &sum);
  for (const Bound& bound : bounds_) sum += (bound.s + length * bound.ds) * (bound.z + length * bound.dz);
  return sum;
}

bool ConeInteriorPoint::step() {
  const double count = 2.0 * pairs_;
  mu_k_ = find_products(0.0) / count;
  linearise();
  if (!may_work(cone_->W->factor_work()) || !cone_->W->factor(law_.D)) return false;
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
  if (!dr_.allFinite()) return false;
  const double fraction = std::min(std::max(0.9, 1.0 - 0.5 * mu_k_ / (unit_ * unit_)), 0.9995);
  last_length_ = std::min(1.0, fraction * find_longest_step());
  const Packs all{packs_.data(), members_.data(), packs_.size()};
  call_with_avx<move_packs>(&all, last_length_);
  for (Bound& bound : bounds_) {
    bound.s += last_length_ * bound.ds;
    bound.z += last_length_ * bound.dz;
  }
  if (cone_->W->keeps_digits()) {
    r_ += last_length_ * dr_;
    u_ += last_length_ * du_;
  } else {
    for (const Row& row : rows_) r_[3 * row.contact] += last_length_ * dr_[3 * row.contact];
    update_impulse();
  }
  ++steps_;
  short_steps_ = last_length_ < 0.1 && steps_ > 5 ? short_steps_ + 1 : 0;
  note_best();
  return last_length_ > 1e-10 && mu_k_ > 1e-34;
}

// Keeps r_ where it is the best so far. It lies in the cones that this method knows, which are wider than blunt ones.
void ConeInteriorPoint::note_best() {
  const Eigen::VectorXd *r = &r_, *u = &u_;
  if (has_blunt_cones_) {
    projected_ = r_;
    cone_->project(projected_);
    if (projected_ != r_) {
      cone_->compute_velocity(projected_, projected_speed_);
      r = &projected_;
      u = &projected_speed_;
    }
  }
  const double residual = cone_->residual(*r, *u);
  if (!(residual < best_residual_)) return;
  best_residual_ = residual;
  best_ = *r;
}

}  // namespace rigor
