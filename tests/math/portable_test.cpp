// double_double.hpp, portable_angles.cpp, portable_powers.cpp: against series of 100 digits (GMP), not against a libm.
#include "rigor/math/portable.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <functional>
#include <limits>

#include "rigor/math/double_double.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

constexpr int kBits = 1400;  // so that even 1e300 can be reduced modulo π
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

mpf_class big(double x) {
  return mpf_class(x, kBits);
}

bool is_small(const mpf_class& term, const mpf_class& beside) {
  return abs(term) <= abs(beside) * mpf_class("1e-100", kBits) || term == 0;
}

mpf_class sine_series(const mpf_class& x, bool hyperbolic = false) {
  mpf_class sum = x, term = x;
  for (int k = 1; !is_small(term, sum); ++k) {
    term = term * x * x / (2 * k * (2 * k + 1));
    if (!hyperbolic) term = -term;
    sum += term;
  }
  return sum;
}

mpf_class atan_series(const mpf_class& x) {  // |x| < 0.3
  mpf_class sum = x, power = x;
  for (int k = 1;; ++k) {
    power = -power * x * x;
    const mpf_class term = power / (2 * k + 1);
    if (is_small(term, sum)) return sum;
    sum += term;
  }
}

// π by Machin's formula to all digits of the reference
const mpf_class& exact_pi() {
  static const mpf_class value = [] {
    const auto inverse = [](unsigned n) {
      mpf_class power = big(1.0) / n, sum = power;
      for (unsigned k = 1; k < 1100; ++k) {
        power /= -static_cast<double>(n * n);
        sum += power / (2 * k + 1);
      }
      return sum;
    };
    return mpf_class(16 * inverse(5) - 4 * inverse(239));
  }();
  return value;
}

mpf_class sine(mpf_class x) {
  const mpf_class turns = floor(x / (2 * exact_pi()) + big(0.5));
  x -= turns * 2 * exact_pi();
  return sine_series(x);
}

mpf_class exponential(const mpf_class& x) {
  mpf_class small = x / 1024, sum = big(1.0), term = big(1.0);
  for (int k = 1; !is_small(term, sum); ++k) {
    term = term * small / k;
    sum += term;
  }
  for (int k = 0; k < 10; ++k) sum *= sum;
  return sum;
}

// ln 2 and ln m by artanh
mpf_class log_near_one(const mpf_class& m) {
  const mpf_class s = (m - 1) / (m + 1);
  mpf_class sum = s, power = s;
  for (int k = 1; !is_small(power, sum) && s != 0; ++k) {
    power *= s * s;
    sum += power / (2 * k + 1);
  }
  return 2 * sum;
}

mpf_class logarithm(double x) {
  int exponent = 0;
  const double m = std::frexp(x, &exponent);
  static const mpf_class log_two = -log_near_one(big(0.5));
  return log_near_one(big(m)) + exponent * log_two;
}

mpf_class arc_tangent(mpf_class x) {
  int halvings = 0;
  for (; abs(x) > big(0.01); ++halvings) x = x / (1 + sqrt(1 + x * x));
  mpf_class sum = atan_series(x);
  for (; halvings > 0; --halvings) sum *= 2;
  return sum;
}

// |got − want| in units of the last digit of want
double ulps(double got, const mpf_class& want) {
  const double rounded = want.get_d();
  int exponent = 0;
  (void)std::frexp(rounded, &exponent);
  const mpf_class unit = big(std::ldexp(1.0, std::max(exponent - 53, -1074)));
  return std::fabs(mpf_class((big(got) - want) / unit).get_d());
}

double worst_of(int count, const std::function<double()>& argument, double (*f)(double),
                const std::function<mpf_class(double)>& reference) {
  double worst = 0.0;
  for (int i = 0; i < count; ++i) {
    const double x = argument();
    const double error = ulps(f(x), reference(x));
    worst = std::max(worst, error);
    EXPECT_LT(error, 1.0) << x;
  }
  return worst;
}

TEST(Portable, CircularFunctionsAreOffByLessThanAUnitOfTheLastDigit) {
  Random random(1);
  const auto wide = [&] { return random.uniform(-1.0, 1.0) * std::ldexp(1.0, random.below(40) - 20); };
  const auto huge = [&] { return random.uniform(-1.0, 1.0) * std::ldexp(1.0, random.below(1020)); };
  const auto tangent = [](double x) { return mpf_class(sine(big(x)) / sine(big(x) + exact_pi() / 2)); };
  EXPECT_LT(worst_of(1500, wide, portable::sin, [](double x) { return sine(big(x)); }), 0.9);
  EXPECT_LT(worst_of(300, huge, portable::sin, [](double x) { return sine(big(x)); }), 0.9);
  EXPECT_LT(worst_of(1500, wide, portable::cos, [](double x) { return sine(big(x) + exact_pi() / 2); }), 0.9);
  EXPECT_LT(worst_of(300, huge, portable::cos, [](double x) { return sine(big(x) + exact_pi() / 2); }), 0.9);
  EXPECT_LT(worst_of(700, wide, portable::tan, tangent), 0.75);
  EXPECT_LT(worst_of(200, huge, portable::tan, tangent), 0.75);
}

// The double nearest to a multiple of π/2 of all [Muller, Elementary Functions, 3rd ed., 11.3]
TEST(Portable, ReductionKeepsItsDigitsNextToAMultipleOfHalfPi) {
  const double x = std::ldexp(6381956970095103.0, 797);
  EXPECT_LT(ulps(portable::cos(x), sine(big(x) + exact_pi() / 2)), 0.9);
  EXPECT_LT(std::fabs(portable::cos(x)), 1e-18);
  EXPECT_LT(ulps(portable::tan(x), sine(big(x)) / sine(big(x) + exact_pi() / 2)), 0.75);
}

TEST(Portable, ArcFunctionsAreOffByHalfAUnitAndALittle) {
  Random random(2);
  const auto any = [&] { return random.uniform(-1.0, 1.0) * std::ldexp(1.0, random.below(100) - 50); };
  const auto sine_value = [&] {
    const double near_one = 1.0 - std::ldexp(random.uniform(), -random.below(50));
    return random.below(2) == 0 ? random.uniform(-1.0, 1.0) : std::min(near_one, 1.0 - 0x1p-53);
  };
  const auto arc_sine = [](double x) { return arc_tangent(big(x) / sqrt(1 - big(x) * big(x))); };
  EXPECT_LT(worst_of(700, any, portable::atan, [](double x) { return arc_tangent(big(x)); }), 0.51);
  EXPECT_LT(worst_of(700, sine_value, portable::asin, arc_sine), 0.51);
  EXPECT_LT(worst_of(700, sine_value, portable::acos,
                     [&](double x) { return mpf_class(exact_pi() / 2 - arc_sine(x)); }),
            0.51);
  for (int i = 0; i < 700; ++i) {
    const double y = any(), x = any();
    mpf_class want = arc_tangent(big(y) / big(x));
    if (x < 0.0) want += y > 0.0 ? exact_pi() : mpf_class(-exact_pi());
    EXPECT_LT(ulps(portable::atan2(y, x), want), 0.51) << y << ' ' << x;
  }
}

TEST(Portable, PowersAreOffByHalfAUnitAndALittle) {
  Random random(3);
  const auto exponent = [&] { return random.uniform(-700.0, 700.0) * std::ldexp(1.0, -random.below(30)); };
  const auto positive = [&] { return std::ldexp(random.uniform(0.5, 1.0), random.below(2000) - 1000); };
  const auto near_one = [&] { return 1.0 + std::ldexp(random.uniform(-0.5, 1.0), -random.below(50)); };
  const auto e = [](double x) { return exponential(big(x)); };
  EXPECT_LT(worst_of(700, exponent, portable::exp, e), 0.51);
  EXPECT_LT(worst_of(500, positive, portable::log, logarithm), 0.51);
  EXPECT_LT(worst_of(500, near_one, portable::log, logarithm), 0.51);
  const auto sinh = [&](double x) {
    return std::fabs(x) < 1.0 ? sine_series(big(x), true) : mpf_class((e(x) - e(-x)) / 2);
  };
  EXPECT_LT(worst_of(500, exponent, portable::sinh, sinh), 0.6);
  EXPECT_LT(worst_of(500, exponent, portable::cosh, [&](double x) { return mpf_class((e(x) + e(-x)) / 2); }),
            0.51);
  const auto small = [&] { return random.uniform(-20.0, 20.0) * std::ldexp(1.0, -random.below(30)); };
  EXPECT_LT(
      worst_of(500, small, portable::tanh, [&](double x) { return mpf_class(sinh(x) * 2 / (e(x) + e(-x))); }),
      0.6);
  for (int i = 0; i < 500; ++i) {
    const double x = std::ldexp(random.uniform(0.5, 1.0), random.below(60) - 30),
                 y = random.uniform(-20.0, 20.0);
    EXPECT_LT(ulps(portable::pow(x, y), exponential(logarithm(x) * big(y))), 0.51) << x << ' ' << y;
    const double a = random.gaussian(), b = random.gaussian();
    EXPECT_LT(ulps(portable::hypot(a, b), sqrt(big(a) * big(a) + big(b) * big(b))), 0.51);
  }
}

// A million points each where the processor has a wider type: what is claimed in portable.hpp
TEST(Portable, MillionsOfPointsStayWithinTheErrorsThatAreStated) {
  if (LDBL_MANT_DIG < 64) GTEST_SKIP() << "long double is no wider than double here";
  Random random(4);
  double sine = 0.0, cosine = 0.0, arc = 0.0;
  const auto off = [](double got, long double want) {
    int exponent = 0;
    (void)std::frexp(static_cast<double>(want), &exponent);
    return static_cast<double>(std::fabs((got - want) / std::ldexp(1.0L, std::max(exponent - 53, -1074))));
  };
  for (int i = 0; i < 1000000; ++i) {
    const double x = random.uniform(-30.0, 30.0);
    sine = std::max(sine, off(portable::sin(x), std::sin(static_cast<long double>(x))));
    cosine = std::max(cosine, off(portable::cos(x), std::cos(static_cast<long double>(x))));
    if (i % 8 == 0) arc = std::max(arc, off(portable::atan(x), std::atan(static_cast<long double>(x))));
  }
  EXPECT_LT(sine, 0.82);
  EXPECT_LT(cosine, 0.86);
  EXPECT_LT(arc, 0.51);
}

// Special values are those of C: a table of every pair of them against the processor's own library
TEST(Portable, SpecialValuesAreThoseOfC) {
  const double values[] = {0.0, -0.0, 1.0,   -1.0,  0.5,   -2.0,   3.0,    -3.0,
                           2.5, kInf, -kInf, kNone, 1e308, 5e-324, 1e-300, 800.0};
  const auto same = [](double got, double want) {
    if (std::isnan(want)) return std::isnan(got);
    return got == want ? std::signbit(got) == std::signbit(want)
                       : std::fabs(got - want) <= 2.3e-16 * std::fabs(want);
  };
  for (const double x : values) {
    SCOPED_TRACE(x);
    EXPECT_TRUE(same(portable::sin(x), std::sin(x)));
    EXPECT_TRUE(same(portable::cos(x), std::cos(x)));
    EXPECT_TRUE(same(portable::tan(x), std::tan(x)));
    EXPECT_TRUE(same(portable::asin(x), std::asin(x)));
    EXPECT_TRUE(same(portable::acos(x), std::acos(x)));
    EXPECT_TRUE(same(portable::atan(x), std::atan(x)));
    EXPECT_TRUE(same(portable::exp(x), std::exp(x)));
    EXPECT_TRUE(same(portable::log(x), std::log(x)));
    EXPECT_TRUE(same(portable::sinh(x), std::sinh(x)));
    EXPECT_TRUE(same(portable::cosh(x), std::cosh(x)));
    EXPECT_TRUE(same(portable::tanh(x), std::tanh(x)));
    for (const double y : values) {
      EXPECT_TRUE(same(portable::pow(x, y), std::pow(x, y))) << "pow, " << y;
      EXPECT_TRUE(same(portable::atan2(x, y), std::atan2(x, y))) << "atan2, " << y;
      EXPECT_TRUE(same(portable::hypot(x, y), std::hypot(x, y))) << "hypot, " << y;
    }
  }
}

// Powers of ten that are doubles come out as they are
TEST(Portable, WholePowersAreExactWhereTheyAreDoubles) {
  for (int k = 0; k <= 22; ++k) EXPECT_EQ(portable::pow(10.0, k), std::stod("1e" + std::to_string(k)));
  EXPECT_EQ(portable::pow(2.0, -1074), 5e-324);
  EXPECT_EQ(portable::pow(-3.0, 3.0), -27.0);
}

TEST(DoubleDouble, QuotientsAndRootsGiveBackWhatTheyCameFrom) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const DoubleDouble a = add_exactly(random.uniform(1.0, 2.0), 1e-17 * random.gaussian());
    const DoubleDouble b = add_exactly(random.uniform(1.0, 2.0), 1e-17 * random.gaussian());
    const DoubleDouble rest = (a / b) * b - a, square = square_root(a) * square_root(a) - a;
    EXPECT_LT(std::fabs(rest.value()), 1e-30);
    EXPECT_LT(std::fabs(square.value()), 1e-30);
  }
}

}  // namespace
}  // namespace rigor
