#pragma once

#include <cmath>

namespace rigor {

/// A number as the sum of two doubles, hi + lo with |lo| ≤ ½ ulp(hi): about 106 digits of two [Dek71].
///
///     a + b  = s + e,    s = fl(a + b),   e = (a − (s − z)) + (b − z),   z = s − a             (Knuth)
///     a · b  = p + e,    p = fl(a · b),   e = ((a₁ b₁ − p) + a₁ b₂ + a₂ b₁) + a₂ b₂            (Dekker, halves a₁ a₂)
///
/// Both are exact where nothing overflows or falls below 1e-290; numbers above 1e300 overflow into NaN. No fused
/// multiply-add is used: not every processor has one, and the bits are to be the same on all.
///
/// [Dek71] T. Dekker. A floating-point technique for extending the available precision. Numer. Math. 18, 1971.
struct DoubleDouble {
  double hi{0.0}, lo{0.0};

  [[nodiscard]] double value() const { return hi + lo; }
};

/// a + b without rounding.
inline DoubleDouble add_exactly(double a, double b) {
  const double s = a + b, z = s - a;
  return {s, (a - (s - z)) + (b - z)};
}

/// The same where |a| ≥ |b| or a = 0.
inline DoubleDouble add_ordered(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}

/// a · b without rounding.
inline DoubleDouble multiply_exactly(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2²⁷ + 1: the upper half of a double has 26 digits
  const double p = a * b;
  const double wide_a = kSplit * a, wide_b = kSplit * b;
  const double a1 = wide_a - (wide_a - a), b1 = wide_b - (wide_b - b);
  const double a2 = a - a1, b2 = b - b1;
  return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

inline DoubleDouble operator-(const DoubleDouble& a) {
  return {-a.hi, -a.lo};
}

inline DoubleDouble operator+(const DoubleDouble& a, double b) {
  const DoubleDouble s = add_exactly(a.hi, b);
  return add_ordered(s.hi, s.lo + a.lo);
}

inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble s = add_exactly(a.hi, b.hi), t = add_exactly(a.lo, b.lo);
  const DoubleDouble u = add_ordered(s.hi, s.lo + t.hi);
  return add_ordered(u.hi, u.lo + t.lo);
}

inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
  return a + -b;
}

inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble p = multiply_exactly(a.hi, b);
  return add_ordered(p.hi, p.lo + a.lo * b);
}

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble p = multiply_exactly(a.hi, b.hi);
  return add_ordered(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.hi / b.hi;
  const DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  const DoubleDouble last = rest - b * second;
  return add_ordered(first, second) + last.hi / b.hi;
}

/// √a, a > 0.
inline DoubleDouble square_root(const DoubleDouble& a) {
  const double s = std::sqrt(a.hi);
  const DoubleDouble rest = a - multiply_exactly(s, s);
  return add_ordered(s, rest.hi / (2.0 * s));
}

}  // namespace rigor
