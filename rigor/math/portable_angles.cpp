// sin, cos, tan and their inverses.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "rigor/math/double_double.hpp"
#include "rigor/math/portable.hpp"

namespace rigor::portable {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kTiny = 0x1p-27;  // below, x³ is less than half a unit of the last digit of x
constexpr DoubleDouble kPi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoubleDouble kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// x = r + n π/2 with |r| ≤ π/4 (and a rounding more); `quadrant` is n modulo 4
struct ReducedAngle {
  DoubleDouble r;
  unsigned quadrant{0};
};

// After a word of zeros, the digits of 2/π behind the point, 64 in a word.
constexpr std::uint64_t kTwoOverPi[] = {
    0,
    0xa2f9836e4e441529u,
    0xfc2757d1f534ddc0u,
    0xdb6295993c439041u,
    0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu,
    0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u,
    0x3991d639835339f4u,
    0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu,
    0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau,
    0x6bfb5fb11f8d5d08u,
    0x56033046fc7b6babu,
};

// The nearest integer; half-way cases either way. |x| < 2⁵¹.
double nearest(double x) {
  constexpr double kShift = 0x1.8p52;
  return (x + kShift) - kShift;
}

// |x| < 2²⁰. π/2 in three parts of 33 digits and a rest: n times each of the three is exact.
ReducedAngle reduce_moderate(double x) {
  constexpr double kPart[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                              0x1.b839a252049c1p-104};
  const double n = nearest(x * 0x1.45f306dc9c883p-1);
  const DoubleDouble first = add_exactly(x - n * kPart[0], -(n * kPart[1]));
  const DoubleDouble second = add_exactly(first.hi, -(n * kPart[2]));
  const double rest = first.lo + second.lo - n * kPart[3];
  return {add_exactly(second.hi, rest), static_cast<unsigned>(static_cast<std::int64_t>(n)) & 3u};
}

// A fraction of 192 digits in [−½, ½), two's complement, the leading word first.
DoubleDouble to_pair(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const bool negative = a >> 63 != 0;
  if (negative) {
    c = ~c + 1;
    b = ~b + (c == 0 ? 1 : 0);
    a = ~a + (b == 0 && c == 0 ? 1 : 0);
  }
  int exponent = 0;
  if (a == 0) a = b, b = c, c = 0, exponent -= 64;
  if (a == 0) a = b, b = c, c = 0, exponent -= 64;
  const int zeros = std::countl_zero(a);
  if (zeros > 0 && zeros < 64) a = a << zeros | b >> (64 - zeros), b = b << zeros | c >> (64 - zeros);
  exponent -= zeros;
  // 53 digits, then as many as a double takes of the next 64
  const double hi = std::ldexp(static_cast<double>(a >> 11), exponent - 53);
  const double lo = std::ldexp(static_cast<double>(a << 53 | b >> 11), exponent - 117);
  const DoubleDouble sum = add_ordered(hi, lo);
  return negative ? -sum : sum;
}

// x 2/π = m 2^e · 0.b₁b₂b₃…: digits bₖ with k ≤ e − 2 give multiples of four quadrants and are left out, of the others
// 192 are taken [PH83]. No double comes nearer to a multiple of π/2 than 2⁻⁶²: more than 70 digits remain.
//
// [PH83] M. Payne, R. Hanek. Radian reduction for trigonometric functions. SIGNUM Newsletter 18, 1983.
ReducedAngle reduce_large(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(x));
  const std::uint64_t m = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
  const int e = static_cast<int>(bits >> 52) - 1075, at = e + 62;  // where b_(e−1) stands in the table
  const auto* const word = kTwoOverPi + at / 64;
  const int shift = at % 64;
  const auto take = [&](int k) {
    return shift == 0 ? word[k] : word[k] << shift | word[k + 1] >> (64 - shift);
  };
  using Wide = unsigned __int128;
  const Wide low = static_cast<Wide>(m) * take(2);
  const Wide middle = static_cast<Wide>(m) * take(1) + static_cast<std::uint64_t>(low >> 64);
  const std::uint64_t c = static_cast<std::uint64_t>(low), b = static_cast<std::uint64_t>(middle);
  const std::uint64_t a = m * take(0) + static_cast<std::uint64_t>(middle >> 64);
  // two digits before the point, 190 behind it; from ½ on the next quadrant is nearer
  const bool is_next = (a >> 61 & 1) != 0;
  ReducedAngle out;
  out.quadrant = static_cast<unsigned>(a >> 62) + (is_next ? 1u : 0u);
  out.r = to_pair(a << 2 | b >> 62, b << 2 | c >> 62, c << 2) * kHalfPi;
  if (x < 0.0) out.quadrant = 0u - out.quadrant, out.r = -out.r;
  out.quadrant &= 3u;
  return out;
}

ReducedAngle reduce(double x) {
  const double size = std::fabs(x);
  if (size <= 0.785) return {{x, 0.0}, 0};
  return size < 0x1p20 ? reduce_moderate(x) : reduce_large(x);
}

// (sin r − r)/r³ as a polynomial in z = r²: its Taylor series to r¹⁷, in two chains
double sine_tail(double z) {
  const double y = z * z;
  const double even =
      -1.0 / 6.0 + y * (-1.0 / 5040.0 + y * (-1.0 / 39916800.0 - y * (1.0 / 1307674368000.0)));
  const double odd =
      1.0 / 120.0 + y * (1.0 / 362880.0 + y * (1.0 / 6227020800.0 + y * (1.0 / 355687428096000.0)));
  return even + z * odd;
}

// (cos r − 1 + r²/2)/r⁴, to r¹⁸
double cosine_tail(double z) {
  const double y = z * z;
  const double even =
      1.0 / 24.0 + y * (1.0 / 40320.0 + y * (1.0 / 479001600.0 + y * (1.0 / 20922789888000.0)));
  const double odd =
      -1.0 / 720.0 + y * (-1.0 / 3628800.0 + y * (-1.0 / 87178291200.0 - y * (1.0 / 6402373705728000.0)));
  return even + z * odd;
}

double sine_of(const DoubleDouble& r) {
  const double z = r.hi * r.hi;
  return r.hi + (r.hi * z * sine_tail(z) + r.lo * (1.0 - 0.5 * z));
}

double cosine_of(const DoubleDouble& r) {
  const double z = r.hi * r.hi, half = 0.5 * z, rest = 1.0 - half;
  return rest + (((1.0 - rest) - half) + (z * z * cosine_tail(z) - r.hi * r.lo));
}

// sin x where `turn` is 0, cos x where it is 1
double turned_sine(double x, unsigned turn) {
  const ReducedAngle angle = reduce(x);
  const unsigned quadrant = angle.quadrant + turn;
  const double value = (quadrant & 1u) != 0 ? cosine_of(angle.r) : sine_of(angle.r);
  return (quadrant & 2u) != 0 ? -value : value;
}

// atan(y/x) for 0 ≤ y ≤ x, x > 0, neither near the ends of the range of doubles: with c = k/8 near y/x,
// atan(y/x) = atan c + atan t, t = (y − c x)/(x + c y), |t| ≤ 1/16.
DoubleDouble atan_of_ratio(const DoubleDouble& y, const DoubleDouble& x) {
  constexpr DoubleDouble kAtanOfEighths[] = {
      {0.0, 0.0},
      {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
      {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
      {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
      {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
      {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
      {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
      {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
  };
  const int k = static_cast<int>(8.0 * (y.hi / x.hi) + 0.5);
  const double c = 0.125 * k;
  const DoubleDouble t = (y - x * c) / (x + y * c);
  const double z = t.hi * t.hi;
  const double tail =
      t.hi * z *
      (-1.0 / 3.0 +
       z * (1.0 / 5.0 +
            z * (-1.0 / 7.0 + z * (1.0 / 9.0 + z * (-1.0 / 11.0 + z * (1.0 / 13.0 - z * (1.0 / 15.0)))))));
  return kAtanOfEighths[k] + (t + tail);
}

// The angle of the point (x, y), y ≥ 0, in [0, π].
DoubleDouble angle_of(const DoubleDouble& y, const DoubleDouble& x) {
  const DoubleDouble across = x.hi < 0.0 ? -x : x;
  const DoubleDouble acute =
      y.hi <= across.hi ? atan_of_ratio(y, across) : kHalfPi - atan_of_ratio(across, y);
  return x.hi < 0.0 ? kPi - acute : acute;
}

// √(1 − x²): both terms are exact
DoubleDouble opposite_leg(double x) {
  const DoubleDouble square = multiply_exactly(x, x);
  const DoubleDouble rest = add_exactly(1.0, -square.hi);
  return square_root(add_exactly(rest.hi, 0.0) + (rest.lo - square.lo));
}

double with_sign_of(double value, double sign) {
  return std::copysign(value, sign);
}

}  // namespace

double sin(double x) {
  if (!(std::fabs(x) < kInfinite)) return kNaN;
  return std::fabs(x) < kTiny ? x : turned_sine(x, 0);
}

double cos(double x) {
  if (!(std::fabs(x) < kInfinite)) return kNaN;
  return turned_sine(x, 1);
}

SineCosine sine_cosine(double x) {
  if (!(std::fabs(x) < kInfinite)) return {kNaN, kNaN};
  const ReducedAngle angle = reduce(x);
  double sine = sine_of(angle.r), cosine = cosine_of(angle.r);
  if ((angle.quadrant & 1u) != 0) {  // by a quarter of a turn
    std::swap(sine, cosine);
    cosine = -cosine;
  }
  if ((angle.quadrant & 2u) != 0) sine = -sine, cosine = -cosine;
  return {std::fabs(x) < kTiny ? x : sine, cosine};
}

double tan(double x) {
  if (!(std::fabs(x) < kInfinite)) return kNaN;
  if (std::fabs(x) < kTiny) return x;
  const ReducedAngle angle = reduce(x);
  const DoubleDouble& r = angle.r;
  const DoubleDouble z = r * r;
  // the leading terms with all digits, the rest is small
  constexpr DoubleDouble kSixth{1.0 / 6.0, 0x1.5555555555555p-57};
  const DoubleDouble sine = r + r * (-(z * kSixth) + z.hi * (sine_tail(z.hi) + 1.0 / 6.0));
  const DoubleDouble cosine = DoubleDouble{1.0, 0.0} + (z * -0.5 + z.hi * z.hi * cosine_tail(z.hi));
  const DoubleDouble out = (angle.quadrant & 1u) != 0 ? -(cosine / sine) : sine / cosine;
  return out.value();
}

double asin(double x) {
  if (!(std::fabs(x) <= 1.0)) return kNaN;
  if (std::fabs(x) < kTiny) return x;
  if (std::fabs(x) == 1.0) return with_sign_of(kHalfPi.hi, x);
  return with_sign_of(angle_of({std::fabs(x), 0.0}, opposite_leg(x)).value(), x);
}

double acos(double x) {
  if (!(std::fabs(x) <= 1.0)) return kNaN;
  if (std::fabs(x) == 1.0) return x > 0.0 ? 0.0 : kPi.hi;
  return angle_of(opposite_leg(x), {x, 0.0}).value();
}

double atan(double x) {
  if (std::isnan(x)) return kNaN;
  const double size = std::fabs(x);
  if (size < kTiny) return x;
  if (size > 0x1p60) return with_sign_of(kHalfPi.hi, x);
  return with_sign_of(angle_of({size, 0.0}, {1.0, 0.0}).value(), x);
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return kNaN;
  double up = std::fabs(y), along = std::fabs(x);
  const bool is_back = std::signbit(x);
  if (up == 0.0 || along == kInfinite || up == kInfinite || along == 0.0) {
    if (up == kInfinite && along == kInfinite) return with_sign_of((is_back ? 1.5 : 0.5) * kHalfPi.hi, y);
    if (up == 0.0 || along == kInfinite) return with_sign_of(is_back ? kPi.hi : 0.0, y);
    return with_sign_of(kHalfPi.hi, y);
  }
  // far from 45 degrees the ratio is the angle
  int exponent_up = 0, exponent_along = 0;
  up = std::frexp(up, &exponent_up);
  along = std::frexp(along, &exponent_along);
  const int apart = exponent_up - exponent_along;
  if (apart > 64) return with_sign_of(kHalfPi.hi, y);
  if (apart < -64) return with_sign_of(is_back ? kPi.hi : std::fabs(y) / std::fabs(x), y);
  up = std::ldexp(up, apart);
  return with_sign_of(angle_of({up, 0.0}, {is_back ? -along : along, 0.0}).value(), y);
}

}  // namespace rigor::portable
