#pragma once

namespace rigor {

/// A sum of products in two doubles, as if computed with twice the digits and rounded once at the end: Dot2 of [ORO05].
///
///     a + b  = s + e,    s = fl(a + b),   e = (a − (s − z)) + (b − z),   z = s − a             (Knuth)
///     a · b  = p + e,    p = fl(a · b),   e = ((a₁ b₁ − p) + a₁ b₂ + a₂ b₁) + a₂ b₂            (Dekker, halves a₁ a₂)
///
/// Both are exact; `error` collects what they leave. The result is off by at most the last digit plus n² ε² Σ |aᵢ bᵢ|.
/// Numbers above 1e300 overflow into NaN.
///
/// [ORO05] T. Ogita, S. Rump, S. Oishi. Accurate sum and dot product. SIAM J. Sci. Comput. 26 (6), 2005.
struct CompensatedSum {
  double sum{0.0}, error{0.0};

  void add(double x) {
    const double s = sum + x, z = s - sum;
    error += (sum - (s - z)) + (x - z);
    sum = s;
  }

  void add_product(double a, double b) {
    constexpr double kSplit = 134217729.0;  // 2²⁷ + 1: the upper half of a double has 26 digits
    const double p = a * b;
    const double wide_a = kSplit * a, wide_b = kSplit * b;
    const double a1 = wide_a - (wide_a - a), b1 = wide_b - (wide_b - b);
    const double a2 = a - a1, b2 = b - b1;
    error += ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2;
    add(p);
  }

  [[nodiscard]] double value() const { return sum + error; }
};

}  // namespace rigor
