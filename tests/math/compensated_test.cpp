#include "rigor/math/compensated.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/exact_sum.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

// 1e16 + 1 − 1e16: plain sums lose the 1
TEST(CompensatedSum, KeepsWhatPlainSumsLose) {
  CompensatedSum sum;
  for (const double x : {1e16, 1.0, -1e16}) sum.add(x);
  EXPECT_EQ(sum.value(), 1.0);
}

// (1 + 2⁻³⁰)(1 − 2⁻³⁰) − 1 = −2⁻⁶⁰, of which a product of doubles keeps nothing
TEST(CompensatedSum, KeepsTheLowHalfOfAProduct) {
  CompensatedSum sum;
  sum.add_product(1.0 + 0x1p-30, 1.0 - 0x1p-30);
  sum.add(-1.0);
  EXPECT_EQ(sum.value(), -0x1p-60);
}

// Twelve products whose sum cancels to 1e-12 of its terms: the last digit of the exact sum.
TEST(CompensatedSum, AgreesWithTheExactSumOnProductsThatCancel) {
  Random random(7);
  for (int trial = 0; trial < 1000; ++trial) {
    CompensatedSum sum;
    ExactSum exact;
    double total = 0.0, magnitude = 0.0;
    for (int i = 0; i < 12; ++i) {
      double a = random.gaussian() * std::pow(10.0, random.below(6)), b = random.gaussian();
      if (i == 11) a = -total, b = 1.0;  // cancels the plain sum of the others
      sum.add_product(a, b);
      exact.add_product(a, b);
      total += a * b;
      magnitude += std::abs(a * b);
    }
    const double truth = exact.lower();  // and the bound of the header, with ε = 2⁻⁵³
    EXPECT_NEAR(sum.value(), truth, 0x1p-52 * std::abs(truth) + 144 * 0x1p-106 * magnitude) << trial;
  }
}

}  // namespace
}  // namespace rigor
