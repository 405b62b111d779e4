#pragma once

#include "rigor/math/double_double.hpp"

namespace rigor {

/// A sum of products in two doubles, as if computed with twice the digits and rounded once at the end: Dot2 of [ORO05].
///
/// Sums and products are exact pairs (double_double.hpp); `error` collects what they leave. The result is off by at most the last digit plus n² ε² Σ |aᵢ bᵢ|.
/// Numbers above 1e300 overflow into NaN.
///
/// [ORO05] T. Ogita, S. Rump, S. Oishi. Accurate sum and dot product. SIAM J. Sci. Comput. 26 (6), 2005.
struct CompensatedSum {
  double sum{0.0}, error{0.0};

  void add(double x) {
    const DoubleDouble s = add_exactly(sum, x);
    error += s.lo;
    sum = s.hi;
  }

  void add_product(double a, double b) {
    const DoubleDouble p = multiply_exactly(a, b);
    error += p.lo;
    add(p.hi);
  }

  [[nodiscard]] double value() const { return sum + error; }
};

}  // namespace rigor
