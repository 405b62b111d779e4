#pragma once

#include "rigor/math/compensated.hpp"
#include "rigor/math/lanes.hpp"

/// Products with rows of six numbers, the speeds of a free body, two numbers (lanes) at a time. The order of
/// each sum is the same on every machine.
namespace rigor {

/// a · b
[[nodiscard]] inline double dot_six(const double* a, const double* b) {
  const Lanes2 sum = lanes(a) * lanes(b) + lanes(a + 2) * lanes(b + 2) + lanes(a + 4) * lanes(b + 4);
  return sum[0] + sum[1];
}
[[nodiscard]] inline double squared_norm_six(const double* a) {
  return dot_six(a, a);
}

/// f += A r for A of three columns. The three terms are added before f is: f may be much larger.
inline void add_product_six(const double* A, const double* r, double* f) {
  const Lanes2 x = both(r[0]), y = both(r[1]), z = both(r[2]);
  for (int i = 0; i < 6; i += 2)
    store(lanes(f + i) + (lanes(A + i) * x + lanes(A + 6 + i) * y + lanes(A + 12 + i) * z), f + i);
}

/// f += |A| |r|, column by column
inline void add_magnitudes_six(const double* A, const double* r, double* f) {
  typedef long long Bits2 __attribute__((vector_size(16)));
  constexpr Bits2 kAllButSign{0x7fffffffffffffff, 0x7fffffffffffffff};
  const auto size = [=](Lanes2 x) { return (Lanes2)((Bits2)x & kAllButSign); };
  const Lanes2 x = size(both(r[0])), y = size(both(r[1])), z = size(both(r[2]));
  for (int i = 0; i < 6; i += 2)
    store(lanes(f + i) + size(lanes(A + i)) * x + size(lanes(A + 6 + i)) * y + size(lanes(A + 12 + i)) * z,
          f + i);
}

/// Up to three sums of products with twice the digits, two lanes each (CompensatedSum): the rows of one contact.
class ExactRows {
 public:
  /// Adds Aᵀ x, A n x size by columns that are `stride` apart.
  void add(const double* A, int stride, int n, int size, const double* x) {
    int i = 0;
    for (; i + 1 < n; i += 2)
      if (!is_zero_pair(A + i, stride, size)) add_pair(A + i, stride, size, lanes(x + i));
    if (i == n) return;
    double last[6]{};  // the odd one, beside a zero
    for (int k = 0; k < size; ++k) last[2 * k] = A[k * stride + i];
    add_pair(last, 2, size, Lanes2{x[i], 0.0});
  }

  [[nodiscard]] double value(int k) const {
    CompensatedSum all{sum_[k][0], error_[k][0] + error_[k][1]};
    all.add(sum_[k][1]);
    return all.value();
  }

 private:
  // Most speeds of a tree are on no contact's way to the root: zeros add nothing, not even errors.
  [[nodiscard]] static bool is_zero_pair(const double* A, int stride, int size) {
    for (int k = 0; k < size; ++k, A += stride)
      if (A[0] != 0.0 || A[1] != 0.0) return false;
    return true;
  }

  // 26 of the 53 digits, by Veltkamp's trick
  [[nodiscard]] static Lanes2 upper_half(Lanes2 x) {
    const Lanes2 wide = both(134217729.0) * x;
    return wide - (wide - x);
  }

  void add_pair(const double* A, int stride, int size, Lanes2 x) {
    const Lanes2 x1 = upper_half(x), x2 = x - x1;
    for (int k = 0; k < size; ++k) {
      const Lanes2 a = lanes(A + k * stride), a1 = upper_half(a), a2 = a - a1, p = a * x;
      const Lanes2 s = sum_[k] + p, z = s - sum_[k];
      error_[k] += (((a1 * x1 - p) + a1 * x2 + a2 * x1) + a2 * x2) + ((sum_[k] - (s - z)) + (p - z));
      sum_[k] = s;
    }
  }

  Lanes2 sum_[3]{}, error_[3]{};
};

}  // namespace rigor
