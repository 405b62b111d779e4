#pragma once

#include <cstring>

/// Products with rows of six numbers, the speeds of a free body, two numbers (lanes) at a time. The order of
/// each sum is the same on every machine.
namespace rigor {

typedef double Lanes2 __attribute__((vector_size(16)));

/// Two numbers from any address: rows of six are not aligned to 16 bytes.
[[nodiscard]] inline Lanes2 lanes(const double* x) {
  Lanes2 two;
  std::memcpy(&two, x, sizeof two);
  return two;
}
inline void store(Lanes2 two, double* x) {
  std::memcpy(x, &two, sizeof two);
}
[[nodiscard]] inline Lanes2 both(double x) {
  return Lanes2{x, x};
}

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

}  // namespace rigor
