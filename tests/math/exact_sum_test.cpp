#include "rigor/math/exact_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "rigor/math/random.hpp"

namespace rigor {
namespace {

TEST(ExactSum, KeepsWhatRoundingLoses) {
  ExactSum sum;
  for (const double x : {1e300, 1.0, -1e300}) sum.add(x);
  EXPECT_EQ(sum.lower(), 1.0);
  EXPECT_EQ(sum.upper(), 1.0);
}

TEST(ExactSum, SeesTheSignOfTheSmallestProduct) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  ExactSum sum;
  sum.add_product(1e308, 1e308);
  sum.add_product(-1e308, 1e308);
  EXPECT_EQ(sum.sign(), 0);
  sum.add_product(tiny, -tiny);
  EXPECT_EQ(sum.sign(), -1);
  EXPECT_LT(sum.lower(), 0.0);
  EXPECT_EQ(sum.upper(), 0.0);
}

TEST(ExactSum, EnclosesOneThirdTimesThreeBetweenNeighbours) {
  ExactSum sum;
  sum.add_product(1.0 / 3.0,
                  3.0);  // the double 1/3 is below one third by 2^-54 / 3 · …: the product is just below 1
  EXPECT_LT(sum.lower(), 1.0);
  EXPECT_EQ(sum.upper(), 1.0);
  EXPECT_EQ(std::nextafter(sum.lower(), 2.0), sum.upper());
}

// fused multiply-add gives the rounding error of a product exactly: a·b = p + fma(a, b, −p)
TEST(ExactSum, AgreesWithTheErrorFreeProduct) {
  Random random(7);
  for (int k = 0; k < 1000; ++k) {
    const double a = std::ldexp(random.gaussian(), random.below(400) - 200);
    const double b = std::ldexp(random.gaussian(), random.below(400) - 200);
    const double p = a * b, e = std::fma(a, b, -p);
    ExactSum sum;
    sum.add_product(a, b);
    sum.add(-p);
    sum.add(-e);
    EXPECT_EQ(sum.sign(), 0);
  }
}

}  // namespace
}  // namespace rigor
