// exp, log, pow, the hyperbolic functions and hypot.
#include <cmath>
#include <limits>
#include <utility>

#include "rigor/math/double_double.hpp"
#include "rigor/math/portable.hpp"

namespace rigor::portable {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kInverseLogTwo = 0x1.71547652b82fep+0;
// ln 2 in two parts of 40 digits and a rest: an exponent times each of the two is exact
constexpr double kLogTwo[] = {0x1.62e42fefa2000p-1, 0x1.9ef35793c6000p-41, 0x1.673007e5ed5e8p-81};
// beyond, e^x is infinite or rounds to zero, whatever its digits
constexpr double kLargestExponent = 710.0, kLeastExponent = -746.0;

// mantissa · 2^exponent, the mantissa in [0.7, 1.42]
struct ScaledPair {
  DoubleDouble mantissa;
  int exponent{0};
};

// e^x, |x| < 1500: x = n ln 2 + r, and e^r by its Taylor series to r¹⁴, its first terms with all digits
ScaledPair exponential(const DoubleDouble& x) {
  constexpr double kShift = 0x1.8p52;  // adding it rounds to an integer
  const double n = (x.hi * kInverseLogTwo + kShift) - kShift;
  DoubleDouble r = add_exactly(x.hi - n * kLogTwo[0], -(n * kLogTwo[1]));
  r = r + (x.lo - n * kLogTwo[2]);
  constexpr DoubleDouble kSixth{1.0 / 6.0, 0x1.5555555555555p-57};
  const double h = r.hi, y = h * h;
  const double even =
      1.0 / 24.0 +
      y * (1.0 / 720.0 +
           y * (1.0 / 40320.0 + y * (1.0 / 3628800.0 + y * (1.0 / 479001600.0 + y * (1.0 / 87178291200.0)))));
  const double odd =
      1.0 / 120.0 +
      y * (1.0 / 5040.0 + y * (1.0 / 362880.0 + y * (1.0 / 39916800.0 + y * (1.0 / 6227020800.0))));
  const DoubleDouble square = r * r;
  const DoubleDouble tail = square * r * kSixth + y * y * (even + h * odd);
  const DoubleDouble sum = DoubleDouble{1.0, 0.0} + (r + (square * 0.5 + tail));
  return {sum, static_cast<int>(n)};
}

double scaled(const ScaledPair& x) {
  return std::ldexp(x.mantissa.value(), x.exponent);
}

// ln x of a finite x > 0: x = m 2^k, m in [√½, √2), ln m = 2 artanh s, s = (m − 1)/(m + 1)
DoubleDouble logarithm(double x) {
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2.0, --k;
  const DoubleDouble s = DoubleDouble{m - 1.0, 0.0} / add_exactly(m, 1.0);
  const DoubleDouble z = s * s;
  constexpr DoubleDouble kThird{1.0 / 3.0, 0x1.5555555555555p-56}, kFifth{1.0 / 5.0, -0x1.999999999999ap-57},
      kSeventh{1.0 / 7.0, 0x1.2492492492492p-57};
  const double w = z.hi;
  const double rest =
      1.0 / 9.0 +
      w * (1.0 / 11.0 +
           w * (1.0 / 13.0 +
                w * (1.0 / 15.0 +
                     w * (1.0 / 17.0 +
                          w * (1.0 / 19.0 +
                               w * (1.0 / 21.0 +
                                    w * (1.0 / 23.0 +
                                         w * (1.0 / 25.0 + w * (1.0 / 27.0 + w * (1.0 / 29.0))))))))));
  // artanh s = s (1 + z/3 + z²/5 + z³/7 + z⁴ rest)
  const DoubleDouble sum = z * (kThird + z * (kFifth + z * (kSeventh + w * rest)));
  const DoubleDouble own = (s + s * sum) * 2.0;
  const double n = k;
  if (k == 0) return own;
  return DoubleDouble{n * kLogTwo[0], 0.0} + (DoubleDouble{n * kLogTwo[1], 0.0} + own + n * kLogTwo[2]);
}

bool is_integer(double y) {
  return std::floor(y) == y;
}

bool is_odd(double y) {
  return std::fabs(y) < 0x1p53 && is_integer(y) && !is_integer(0.5 * y);
}

// x^y of a base or an exponent that is zero, infinite or no number; y ≠ 0, x ≠ 1
double power_of_special(double x, double y) {
  if (std::isnan(x) || std::isnan(y)) return kNotANumber;
  const double size = std::fabs(x);
  if (std::isinf(y)) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? kInfinity : 0.0;
  }
  const double value = (size == 0.0) == (y > 0.0) ? 0.0 : kInfinity;
  return std::signbit(x) && is_odd(y) ? -value : value;
}

// (sinh x − x)/x³ as a polynomial in z = x², to x¹⁵; |x| ≤ 0.4
double sinh_tail(double z) {
  return 1.0 / 6.0 +
         z * (1.0 / 120.0 +
              z * (1.0 / 5040.0 +
                   z * (1.0 / 362880.0 +
                        z * (1.0 / 39916800.0 + z * (1.0 / 6227020800.0 + z * (1.0 / 1307674368000.0))))));
}

// (cosh x − 1 − x²/2)/x⁴, to x¹⁶
double cosh_tail(double z) {
  return 1.0 / 24.0 +
         z * (1.0 / 720.0 +
              z * (1.0 / 40320.0 +
                   z * (1.0 / 3628800.0 +
                        z * (1.0 / 479001600.0 + z * (1.0 / 87178291200.0 + z * (1.0 / 20922789888000.0))))));
}

constexpr double kSmallHyperbolic = 0.35, kTinyHyperbolic = 0x1p-27;
constexpr int kFarExponent = 64;  // where e^−x no longer changes e^x

// e^x and ± e^−x together, halved; x > 0
double half_sum(double x, double sign) {
  ScaledPair up = exponential({x, 0.0});
  if (up.exponent < kFarExponent) {
    const DoubleDouble down = DoubleDouble{std::ldexp(1.0, -2 * up.exponent), 0.0} / up.mantissa;
    up.mantissa = up.mantissa + (sign < 0.0 ? -down : down);
  }
  --up.exponent;
  return scaled(up);
}

}  // namespace

double exp(double x) {
  if (std::isnan(x)) return kNotANumber;
  if (x > kLargestExponent) return kInfinity;
  if (x < kLeastExponent) return 0.0;
  return scaled(exponential({x, 0.0}));
}

double log(double x) {
  if (std::isnan(x) || x < 0.0) return kNotANumber;
  if (x == 0.0) return -kInfinity;
  if (x == kInfinity) return kInfinity;
  return logarithm(x).value();
}

double pow(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x == 0.0 || !(std::fabs(x) < kInfinity) || !(std::fabs(y) < kInfinity)) return power_of_special(x, y);
  if (x < 0.0 && !is_integer(y)) return kNotANumber;
  const double sign = x < 0.0 && is_odd(y) ? -1.0 : 1.0;
  if (x == -1.0) return sign;
  const DoubleDouble base = logarithm(std::fabs(x));
  const double exponent = base.hi * y;
  if (exponent > kLargestExponent) return sign * kInfinity;
  if (exponent < kLeastExponent) return sign * 0.0;
  return sign * scaled(exponential(base * y));
}

double sinh(double x) {
  const double size = std::fabs(x);
  if (!(size >= kTinyHyperbolic)) return x;
  if (size < kSmallHyperbolic) return x + x * (x * x) * sinh_tail(x * x);
  return std::copysign(size > kLargestExponent + 1.0 ? kInfinity : half_sum(size, -1.0), x);
}

double cosh(double x) {
  const double size = std::fabs(x);
  if (std::isnan(x)) return kNotANumber;
  return size > kLargestExponent + 1.0 ? kInfinity : half_sum(size, 1.0);
}

double tanh(double x) {
  const double size = std::fabs(x);
  if (!(size >= kTinyHyperbolic)) return x;
  if (size > 22.0) return std::copysign(1.0, x);
  DoubleDouble out;
  if (size < kSmallHyperbolic) {
    const DoubleDouble square = multiply_exactly(size, size);
    const double z = square.hi;
    const DoubleDouble sine = add_ordered(size, size * z * sinh_tail(z));
    out = sine / (DoubleDouble{1.0, 0.0} + (square * 0.5 + z * z * cosh_tail(z)));
  } else {
    const ScaledPair up = exponential({2.0 * size, 0.0});
    const DoubleDouble one{std::ldexp(1.0, -up.exponent), 0.0};
    out = (up.mantissa - one) / (up.mantissa + one);
  }
  return std::copysign(out.value(), x);
}

double hypot(double x, double y) {
  double a = std::fabs(x), b = std::fabs(y);
  if (a == kInfinity || b == kInfinity) return kInfinity;
  if (std::isnan(x) || std::isnan(y)) return kNotANumber;
  if (a < b) std::swap(a, b);
  if (b <= a * 0x1p-60) return a + b;
  // squares and their errors neither overflow nor underflow
  int exponent = 0;
  if (a > 0x1p500 || b < 0x1p-400) {
    (void)std::frexp(a, &exponent);
    a = std::ldexp(a, -exponent);
    b = std::ldexp(b, -exponent);
  }
  const double length = square_root(multiply_exactly(a, a) + multiply_exactly(b, b)).value();
  return exponent == 0 ? length : std::ldexp(length, exponent);
}

}  // namespace rigor::portable
