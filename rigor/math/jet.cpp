#include "rigor/math/jet.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

bool is_constant(const Jet& f) {
  return f.first == 0.0 && f.second == 0.0;
}

// The chain rule (1) for a function with value F and derivatives dF, ddF at g.value.
Jet chain(const Jet& g, double F, double dF, double ddF) {
  if (is_constant(g)) return {F};
  return {F, dF * g.first, ddF * g.first * g.first + dF * g.second};
}

// coefficient · base^exponent, where no coefficient means no term, however large the power.
double power_term(double coefficient, double base, double exponent) {
  return coefficient == 0.0 ? 0.0 : coefficient * portable::pow(base, exponent);
}

template <class Number>
Number mod_of(const Number& f, const Number& g) {
  using std::floor;
  return f - g * floor(f / g);
}

}  // namespace

Jet operator-(const Jet& f) {
  return {-f.value, -f.first, -f.second};
}
Jet operator+(const Jet& f, const Jet& g) {
  return {f.value + g.value, f.first + g.first, f.second + g.second};
}
Jet operator-(const Jet& f, const Jet& g) {
  return {f.value - g.value, f.first - g.first, f.second - g.second};
}
Jet operator*(const Jet& f, const Jet& g) {
  return {f.value * g.value, f.first * g.value + f.value * g.first,
          f.second * g.value + 2.0 * f.first * g.first + f.value * g.second};
}
Jet operator/(const Jet& f, const Jet& g) {
  const double h = f.value / g.value;
  if (is_constant(f) && is_constant(g)) return {h};
  const double dh = (f.first - h * g.first) / g.value;
  return {h, dh, (f.second - 2.0 * dh * g.first - h * g.second) / g.value};
}

Jet sin(const Jet& g) {
  const double F = portable::sin(g.value);
  return chain(g, F, portable::cos(g.value), -F);
}
Jet cos(const Jet& g) {
  const double F = portable::cos(g.value);
  return chain(g, F, -portable::sin(g.value), -F);
}
Jet tan(const Jet& g) {
  const double F = portable::tan(g.value), dF = 1.0 + F * F;
  return chain(g, F, dF, 2.0 * F * dF);
}
Jet asin(const Jet& g) {
  const double x = g.value, dF = 1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(g, portable::asin(x), dF, x * dF * dF * dF);
}
Jet acos(const Jet& g) {
  const double x = g.value, dF = -1.0 / std::sqrt((1.0 - x) * (1.0 + x));
  return chain(g, portable::acos(x), dF, x * dF * dF * dF);
}
Jet atan(const Jet& g) {
  const double x = g.value, dF = 1.0 / (1.0 + x * x);
  return chain(g, portable::atan(x), dF, -2.0 * x * dF * dF);
}
Jet sinh(const Jet& g) {
  const double F = portable::sinh(g.value);
  return chain(g, F, portable::cosh(g.value), F);
}
Jet cosh(const Jet& g) {
  const double F = portable::cosh(g.value);
  return chain(g, F, portable::sinh(g.value), F);
}
Jet tanh(const Jet& g) {
  // 1 − F² would lose all digits where F is near 1
  const double F = portable::tanh(g.value), c = portable::cosh(g.value), dF = 1.0 / c / c;
  return chain(g, F, dF, -2.0 * F * dF);
}
Jet exp(const Jet& g) {
  const double F = portable::exp(g.value);
  return chain(g, F, F, F);
}
Jet log(const Jet& g) {
  const double dF = 1.0 / g.value;
  return chain(g, portable::log(g.value), dF, -dF * dF);
}
Jet sqrt(const Jet& g) {
  const double F = std::sqrt(g.value), dF = 0.5 / F;
  return chain(g, F, dF, -0.5 * dF / g.value);
}

Jet pow(const Jet& f, const Jet& g) {
  const double x = f.value, c = g.value, h = portable::pow(x, c);
  if (is_constant(g)) return chain(f, h, power_term(c, x, c - 1.0), power_term(c * (c - 1.0), x, c - 2.0));
  const Jet u = g * log(f);
  return {h, h * u.first, h * (u.second + u.first * u.first)};
}

Jet atan2(const Jet& f, const Jet& g) {
  const double h = portable::atan2(f.value, g.value);
  if (is_constant(f) && is_constant(g)) return {h};
  const double r = portable::hypot(f.value, g.value), s = f.value / r, c = g.value / r;
  const double dh = (c * f.first - s * g.first) / r;
  return {h, dh, (c * f.second - s * g.second) / r - 2.0 * dh * (s * f.first + c * g.first) / r};
}

Jet abs(const Jet& f) {
  const double side = f.value < 0.0 ? -1.0 : 1.0;
  return {std::abs(f.value), side * f.first, side * f.second};
}
Jet min(const Jet& f, const Jet& g) {
  return g.value < f.value ? g : f;
}
Jet max(const Jet& f, const Jet& g) {
  return f.value < g.value ? g : f;
}

Jet floor(const Jet& f) {
  return {std::floor(f.value)};
}
Jet ceil(const Jet& f) {
  return {std::ceil(f.value)};
}
Jet round(const Jet& f) {
  return {std::round(f.value)};
}
Jet sign(const Jet& f) {
  return {sign(f.value)};
}
Jet step(const Jet& f) {
  return {step(f.value)};
}

double sign(double x) {
  return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0);
}
double step(double x) {
  return x < 0.0 ? 0.0 : 1.0;
}

double mod(double f, double g) {
  return mod_of(f, g);
}
Jet mod(const Jet& f, const Jet& g) {
  return mod_of(f, g);
}

}  // namespace rigor
