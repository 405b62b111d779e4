#pragma once

#include <cmath>
#include <limits>

#include "rigor/solvers/cone/lorentz_pack.hpp"

namespace rigor {

/// What the interior point does with four contacts. All of it is inlined: no call passes a pack in a register that a
/// machine may lack.
namespace lorentz {

constexpr double kTiny = 1e-300;

RIGOR_KERNEL Pack fill(double value) {
  return Pack{value, value, value, value};
}
RIGOR_KERNEL Pack largest(Pack a, Pack b) {
  return a > b ? a : b;
}
RIGOR_KERNEL Pack least(Pack a, Pack b) {
  return a < b ? a : b;
}
RIGOR_KERNEL Pack root_of(Pack a) {
  return Pack{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
RIGOR_KERNEL double sum_of(Pack a) {
  return a[0] + a[1] + a[2] + a[3];
}
/// x[0]² − x[1]² − x[2]²
RIGOR_KERNEL Pack determinant(const Pack* x) {
  return x[0] * x[0] - x[1] * x[1] - x[2] * x[2];
}

/// w, eta and root for x and z.
RIGOR_KERNEL void find_scaling(LorentzPack& p) {
  const Pack x_length = root_of(largest(determinant(p.x), fill(kTiny)));
  const Pack z_length = root_of(largest(determinant(p.z), fill(kTiny)));
  const Pack over_x = 1.0 / x_length, over_z = 1.0 / z_length;
  const Pack product = (p.x[0] * p.z[0] + p.x[1] * p.z[1] + p.x[2] * p.z[2]) * over_x * over_z;
  const Pack over = 1.0 / (2.0 * root_of(0.5 * (1.0 + product)));
  p.w[0] = (p.z[0] * over_z + p.x[0] * over_x) * over;
  for (int k = 1; k < 3; ++k) p.w[k] = (p.z[k] * over_z - p.x[k] * over_x) * over;
  p.eta = z_length * over_x;
  p.root = root_of(p.eta);
}

/// y = R v with the symmetric root R of T, R² = T; `sign` −1: by R⁻¹.
RIGOR_KERNEL void multiply_by_root(const LorentzPack& p, double sign, const Pack* v, Pack* y) {
  const Pack size = sign > 0.0 ? p.root : 1.0 / p.root;
  const Pack w1 = sign * p.w[1], w2 = sign * p.w[2], k = 1.0 / (1.0 + p.w[0]);
  const Pack along = w1 * v[1] + w2 * v[2], part = v[0] + k * along;
  y[0] = size * (p.w[0] * v[0] + along);
  y[1] = size * (v[1] + w1 * part);
  y[2] = size * (v[2] + w2 * part);
}

/// A⁻¹, A = P T P, by its entries 00, 01, 02, 11, 12, 22.
RIGOR_KERNEL void invert_scaling(const LorentzPack& p, Pack* a) {
  const Pack over = 1.0 / p.eta, over_mu = 1.0 / p.mu;
  a[0] = (2.0 * p.w[0] * p.w[0] - 1.0) * over * over_mu * over_mu;
  a[1] = -2.0 * p.w[0] * p.w[1] * over * over_mu;
  a[2] = -2.0 * p.w[0] * p.w[2] * over * over_mu;
  a[3] = (2.0 * p.w[1] * p.w[1] + 1.0) * over;
  a[4] = 2.0 * p.w[1] * p.w[2] * over;
  a[5] = (2.0 * p.w[2] * p.w[2] + 1.0) * over;
}

/// t = A⁻¹ (P (R y − z) − gap) with λ ∘ y = target e − (the products of the last direction, where it corrects).
RIGOR_KERNEL void find_right_side(const LorentzPack& p, Pack target, bool corrects, Pack* t) {
  Pack lambda[3], e[3] = {target, fill(0.0), fill(0.0)}, y[3], side[3], a[6];
  multiply_by_root(p, 1.0, p.x, lambda);
  if (corrects) {
    Pack d[3], s[3];
    multiply_by_root(p, 1.0, p.dx, d);
    multiply_by_root(p, -1.0, p.dz, s);
    e[0] -= d[0] * s[0] + d[1] * s[1] + d[2] * s[2];
    for (int k = 1; k < 3; ++k) e[k] -= d[0] * s[k] + s[0] * d[k];
  }
  const Pack size = largest(determinant(lambda), fill(kTiny));
  y[0] = (lambda[0] * e[0] - lambda[1] * e[1] - lambda[2] * e[2]) / size;
  for (int k = 1; k < 3; ++k) y[k] = (e[k] - y[0] * lambda[k]) / lambda[0];
  multiply_by_root(p, 1.0, y, side);
  for (int k = 0; k < 3; ++k) side[k] = (k == 0 ? p.mu : fill(1.0)) * (side[k] - p.z[k]) - p.gap[k];
  invert_scaling(p, a);
  t[0] = a[0] * side[0] + a[1] * side[1] + a[2] * side[2];
  t[1] = a[1] * side[0] + a[3] * side[1] + a[4] * side[2];
  t[2] = a[2] * side[0] + a[4] * side[1] + a[5] * side[2];
}

/// The largest length with x + length d in the cone, x inside.
RIGOR_KERNEL Pack find_longest(const Pack* x, const Pack* d) {
  const Pack zero = fill(0.0), far = fill(std::numeric_limits<double>::infinity());
  const Pack a = determinant(d), c = determinant(x), b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
  const Pack discriminant = b * b - a * c, root = root_of(largest(discriminant, zero));
  const Pack axis = d[0] < zero ? -x[0] / d[0] : far;
  const Pack leaves = a < zero ? (-b - root) / a : far;
  const Pack touches = c / (root - b);
  const Pack bends = b < zero ? (discriminant > zero ? touches : far) : far;
  return least(axis, a < zero ? leaves : bends);
}

}  // namespace lorentz
}  // namespace rigor
