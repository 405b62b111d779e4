#pragma once

namespace rigor::portable {

// Elementary functions whose bits are the same on every processor, whatever the C library and the instructions it
// picks at run time. They are fixed polynomials in doubles and pairs of doubles (double_double.hpp), without fused
// multiply-adds; all that they take from the processor is + − · / √, which IEEE 754 rounds correctly.
//
// Special values are those of C (Annex F): sin(±0) = ±0, log(0) = −∞, pow(x, 0) = 1, NaN for what is not defined, and
// so on; errno and the flags of exceptions mean nothing here. Largest errors, in units of the last digit of the result,
// against series of 100 digits and, over millions of points, against a wider type (tests/math/portable_test.cpp):
//
//     sin, cos                               0.83    plain doubles, since every step turns bodies by them
//     tan                                    0.70
//     asin, acos, atan, atan2, log, pow      0.51
//     exp, cosh, hypot                       0.51    and 0.75 below 2e-308, where doubles have fewer digits
//     sinh, tanh                             0.54
//
// Arguments of sin, cos and tan may be as large as doubles are: they are reduced by 1216 digits (of two) of 2/π.
//
// Nothing else in rigor/ may call their namesakes of the C library: tools/lint/check_tree.py refuses it.

[[nodiscard]] double sin(double x);
[[nodiscard]] double cos(double x);
struct SineCosine {
  double sine, cosine;
};
/// sin(x) and cos(x), bit for bit, for less than both together.
[[nodiscard]] SineCosine sine_cosine(double x);
[[nodiscard]] double tan(double x);
[[nodiscard]] double asin(double x);
[[nodiscard]] double acos(double x);
[[nodiscard]] double atan(double x);
[[nodiscard]] double atan2(double y, double x);

[[nodiscard]] double exp(double x);
[[nodiscard]] double log(double x);
[[nodiscard]] double pow(double x, double y);
[[nodiscard]] double sinh(double x);
[[nodiscard]] double cosh(double x);
[[nodiscard]] double tanh(double x);

/// √(x² + y²) without overflow on the way.
[[nodiscard]] double hypot(double x, double y);

}  // namespace rigor::portable
