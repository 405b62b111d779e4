#include "rigor/solvers/cone/cone_local.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/math/portable.hpp"

namespace rigor {

void ConeLocal::prepare(const ConeBlock& block, const double* W, Eigen::Index stride) {
  block_ = block;
  double trace = 0.0;
  for (int i = 0; i < block.size; ++i)
    for (int j = 0; j < block.size; ++j) W_[i][j] = W[i * stride + j];
  for (int i = 0; i < block.size; ++i) trace += W_[i][i];
  step_ = trace > 0.0 ? 1.0 / trace : 0.0;
  if (block.size < 3 || W_[0][0] <= 0.0) return;
  per_normal_ = 1.0 / W_[0][0];
  for (int j = 0; j < 2; ++j) gain_[j] = -W_[0][j + 1] * per_normal_;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) S_[i][j] = W_[i + 1][j + 1] + W_[i + 1][0] * gain_[j];
  determinant_ = S_[0][0] * S_[1][1] - S_[0][1] * S_[1][0];
  const bool is_regular = determinant_ > 1e-14 * std::fabs(S_[0][0] * S_[1][1]);
  per_determinant_ = is_regular ? 1.0 / determinant_ : 0.0;
}

bool ConeLocal::solve(const double* q, bool associated, double* r, double near) const {
  if (block_.size == 1) return solve_row(q[0], r);
  if (associated && block_.size == 3) {
    step_associated(q, r);
    return true;
  }
  if (associated && block_.size == 2) return solve_planar_associated(q, r);
  if (q[0] >= 0.0) {
    std::fill_n(r, block_.size, 0.0);
    return true;
  }
  if (W_[0][0] <= 0.0) return false;
  if (block_.mu == 0.0) {
    std::fill_n(r, block_.size, 0.0);
    r[0] = -q[0] / W_[0][0];
    return true;
  }
  return block_.size == 2 ? solve_planar(q, r) : solve_spatial(q, near, r);
}

// A bound that holds with the sign of u there, else the r for which u = 0.
bool ConeLocal::solve_row(double q, double* r) const {
  const RowBounds& bounds = block_.bounds;
  if (bounds.has_lower() && q + W_[0][0] * bounds.lower >= 0.0) {
    r[0] = bounds.lower;
    return true;
  }
  if (bounds.has_upper() && q + W_[0][0] * bounds.upper <= 0.0) {
    r[0] = bounds.upper;
    return true;
  }
  if (W_[0][0] <= 0.0) return false;
  r[0] = bounds.clamp(-q / W_[0][0]);
  return true;
}

bool ConeLocal::solve_planar(const double* q, double* r) const {
  // stick
  const double determinant = W_[0][0] * W_[1][1] - W_[0][1] * W_[1][0];
  if (std::fabs(determinant) > 1e-14 * std::fabs(W_[0][0] * W_[1][1])) {
    const double normal = (W_[0][1] * q[1] - W_[1][1] * q[0]) / determinant;
    const double tangent = (W_[1][0] * q[0] - W_[0][0] * q[1]) / determinant;
    if (normal >= 0.0 && std::fabs(tangent) <= block_.mu * normal) {
      r[0] = normal;
      r[1] = tangent;
      return true;
    }
  }
  // slide forwards or backwards: r_T = −side mu r_N, u_N = 0, side u_T ≥ 0; rounding may hide both: take the
  // better one
  double best = 0.0, best_load = -1.0, best_side = 0.0;
  for (const double side : {1.0, -1.0}) {
    const double stiffness = W_[0][0] - side * block_.mu * W_[0][1];
    if (stiffness <= 0.0) continue;
    const double load = -q[0] / stiffness;
    const double slip = side * (q[1] + (W_[1][0] - side * block_.mu * W_[1][1]) * load);
    if (best_load < 0.0 || slip > best) {
      best = slip;
      best_load = load;
      best_side = side;
    }
  }
  if (best_load < 0.0 || best < -1e-8 * (std::fabs(q[0]) + std::fabs(q[1]))) return false;
  r[0] = best_load;
  r[1] = -best_side * block_.mu * best_load;
  return true;
}

bool ConeLocal::solve_planar_associated(const double* q, double* r) const {
  const double mu = block_.mu;
  if (q[0] >= mu * std::fabs(q[1])) {
    r[0] = r[1] = 0.0;
    return true;
  }
  const double determinant = W_[0][0] * W_[1][1] - W_[0][1] * W_[1][0];
  if (determinant > 1e-14 * W_[0][0] * W_[1][1]) {
    const double normal = (W_[0][1] * q[1] - W_[1][1] * q[0]) / determinant;
    const double tangent = (W_[1][0] * q[0] - W_[0][0] * q[1]) / determinant;
    if (normal >= 0.0 && std::fabs(tangent) <= mu * normal) {
      r[0] = normal;
      r[1] = tangent;
      return true;
    }
  }
  // along the edge (1, ±mu) of the cone on the side against which q pushes harder
  double best = 0.0, best_load = -1.0, best_edge = 0.0;
  for (const double edge : {mu, -mu}) {
    const double stiffness = W_[0][0] + edge * (W_[0][1] + W_[1][0]) + edge * edge * W_[1][1];
    const double push = -(q[0] + edge * q[1]);
    if (stiffness <= 0.0 || push <= 0.0) continue;
    const double gain = push * push / stiffness;
    if (gain > best) {
      best = gain;
      best_load = push / stiffness;
      best_edge = edge;
    }
  }
  if (best_load < 0.0) return false;
  r[0] = best_load;
  r[1] = best_edge * best_load;
  return true;
}

bool ConeLocal::solve_spatial(const double* q, double near, double* r) const {
  const double load = -q[0] * per_normal_;
  // the velocity that the tangential impulse has to bring to zero
  const double s[2] = {-(q[1] + W_[1][0] * load), -(q[2] + W_[2][0] * load)};
  if (per_determinant_ > 0.0) {
    const double x = (S_[1][1] * s[0] - S_[0][1] * s[1]) * per_determinant_;
    const double y = (S_[0][0] * s[1] - S_[1][0] * s[0]) * per_determinant_;
    const double normal = load + gain_[0] * x + gain_[1] * y;
    if (normal >= 0.0 && x * x + y * y <= block_.mu * block_.mu * normal * normal) {
      r[0] = normal;
      r[1] = x;
      r[2] = y;
      return true;
    }
  }
  return slide_by_root(s, load, near, r) || slide_by_direction(q, r);
}

// The λ of (1) for the present impulse, by least squares of λ r_T = s − S r_T: close to the root where a
// sweep returns to a contact that slides already. Else the λ for an isotropic S with the same trace.
double ConeLocal::guess_lambda(const double* s, double s_length, double load, const double* r) const {
  const double slip[2] = {s[0] - S_[0][0] * r[1] - S_[0][1] * r[2], s[1] - S_[1][0] * r[1] - S_[1][1] * r[2]};
  const double work = slip[0] * r[1] + slip[1] * r[2];
  if (work > 0.0) return work / (r[1] * r[1] + r[2] * r[2]);
  return s_length / (block_.mu * load) - 0.5 * (S_[0][0] + S_[1][1]);
}

// With the adjugate of S + λ, which is linear in λ for 2 x 2: t = adj(S + λ) s is r_T det(S + λ), n the same
// of r_N, and g = mu n / ‖t‖ − 1 needs no inverse.
bool ConeLocal::slide_by_root(const double* s, double load, double near, double* r) const {
  const double mu = block_.mu;
  const double trace = S_[0][0] + S_[1][1];
  const double s_length = std::sqrt(s[0] * s[0] + s[1] * s[1]);
  // S must stay invertible for every λ > 0, and λ = 0 be no solution
  if (!(s_length > 0.0) || !(trace > 0.0) || determinant_ < -1e-14 * trace * trace) return false;
  const double t[2] = {S_[1][1] * s[0] - S_[0][1] * s[1], S_[0][0] * s[1] - S_[1][0] * s[0]};
  const double n_0 = load * determinant_ + gain_[0] * t[0] + gain_[1] * t[1];
  const double n_1 = load * trace + gain_[0] * s[0] + gain_[1] * s[1];
  double low = determinant_ > 1e-14 * trace * trace ? 0.0 : 1e-13 * trace;
  double high = -1.0;
  double lambda = std::max(low, guess_lambda(s, s_length, load, r));
  for (int iteration = 0; iteration < 80; ++iteration) {
    const double x = t[0] + lambda * s[0], y = t[1] + lambda * s[1];
    const double n = n_0 + lambda * (n_1 + lambda * load);
    const double per_length = 1.0 / std::sqrt(x * x + y * y);
    const double border = mu * n * per_length;  // g + 1
    const double g = border - 1.0;
    (g < 0.0 ? low : high) = lambda;
    const double slope =
        (mu * (n_1 + 2.0 * lambda * load) - border * (x * s[0] + y * s[1]) * per_length) * per_length;
    const double step = -g / slope;
    double next = lambda + step;
    const bool is_near = slope > 0.0 && std::fabs(g) < near && std::fabs(step) < near * (lambda + trace);
    if (is_near || std::fabs(step) <= 1e-15 * lambda) {
      const double determinant = determinant_ + next * (trace + next);
      const double normal = (n_0 + next * (n_1 + next * load)) / determinant;
      return std::fabs(g) < std::max(near, 1e-6) &&
             put_on_border(normal, t[0] + next * s[0], t[1] + next * s[1], r);
    }
    if (!(slope > 0.0) || next <= low || (high > 0.0 && next >= high))
      next = high > 0.0 ? 0.5 * (low + high) : 2.0 * lambda + s_length / (mu * load);
    if (next == lambda) return false;
    lambda = next;
  }
  return false;
}

// r_T along (x, y), its length mu r_N to the last digit.
bool ConeLocal::put_on_border(double normal, double x, double y, double* r) const {
  if (!(normal > 0.0)) return false;
  const double border = block_.mu * normal / std::sqrt(x * x + y * y);
  r[0] = normal;
  r[1] = x * border;
  r[2] = y * border;
  return true;
}

// r = r_N (1, −mu d), u_N = 0 and u_T along d: the angle of d is where d × u_T changes its sign.
bool ConeLocal::slide_by_direction(const double* q, double* r) const {
  struct Slip {
    double load, along, across;
  };
  const auto at = [&](double angle) {
    const double d[2] = {portable::cos(angle), portable::sin(angle)},
                 f[2] = {-block_.mu * d[0], -block_.mu * d[1]};
    const double load = -q[0] / (W_[0][0] + W_[0][1] * f[0] + W_[0][2] * f[1]);
    const double x = q[1] + load * (W_[1][0] + W_[1][1] * f[0] + W_[1][2] * f[1]);
    const double y = q[2] + load * (W_[2][0] + W_[2][1] * f[0] + W_[2][2] * f[1]);
    return Slip{load, d[0] * x + d[1] * y, d[0] * y - d[1] * x};
  };
  constexpr int kParts = 64;
  for (int part = 0; part < kParts; ++part) {
    double low = 2.0 * std::numbers::pi * part / kParts, high = 2.0 * std::numbers::pi * (part + 1) / kParts;
    const bool rising = at(low).across < 0.0;
    if (rising == (at(high).across < 0.0)) continue;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      ((at(middle).across < 0.0) == rising ? low : high) = middle;
    }
    const auto [load, along, across] = at(low);
    // not a pole, not a pull, not friction that pushes
    if (!(load > 0.0) || along < 0.0 || std::fabs(across) > 1e-9 * (along + std::fabs(q[0]))) continue;
    r[0] = load;
    r[1] = -block_.mu * load * portable::cos(low);
    r[2] = -block_.mu * load * portable::sin(low);
    return true;
  }
  return false;
}

void ConeLocal::step_associated(const double* q, double* r) const {
  double x[3];
  for (int i = 0; i < 3; ++i) {
    double u = q[i];
    for (int j = 0; j < 3; ++j) u += W_[i][j] * r[j];
    x[i] = r[i] - step_ * u;
  }
  project_on_cone(block_, x);
  std::copy_n(x, 3, r);
}

}  // namespace rigor
