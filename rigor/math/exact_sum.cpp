#include "rigor/math/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

constexpr int kLowestBit = -2148;

// |x| = mantissa · 2^exponent with an integer mantissa below 2^53; subnormal numbers have the exponent of the smallest
// normal ones and no leading bit of their own
std::uint64_t split(double x, int& exponent) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & 0x000fffffffffffffu;
  exponent = std::max(biased, 1) - 1075;
  return biased == 0 ? fraction : fraction | 0x0010000000000000u;
}

}  // namespace

void ExactSum::add_product(double a, double b) {
  assert(std::isfinite(a) && std::isfinite(b));
  if (a == 0.0 || b == 0.0) return;
  int exponent_a = 0, exponent_b = 0;
  const unsigned __int128 product =
      static_cast<unsigned __int128>(split(a, exponent_a)) * split(b, exponent_b);
  const int shift = exponent_a + exponent_b - kLowestBit;
  const bool negative = std::signbit(a) != std::signbit(b);

  // the product, shifted to its place, covers three limbs
  const unsigned bit = static_cast<unsigned>(shift % 64);
  const auto low = static_cast<std::uint64_t>(product);
  const auto high = static_cast<std::uint64_t>(product >> 64);
  const std::uint64_t part[3] = {low << bit, bit == 0 ? high : (high << bit) | (low >> (64 - bit)),
                                 bit == 0 ? 0 : high >> (64 - bit)};

  // add or subtract with the carry running up; the top limb wraps as two's complement does
  std::uint64_t carry = 0;
  for (int i = shift / 64, k = 0; i < kLimbs && (k < 3 || carry != 0); ++i, ++k) {
    auto& limb = limbs_[static_cast<std::size_t>(i)];
    const std::uint64_t term = k < 3 ? part[k] : 0;
    const unsigned __int128 sum = negative ? static_cast<unsigned __int128>(limb) - term - carry
                                           : static_cast<unsigned __int128>(limb) + term + carry;
    limb = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64) != 0 ? 1 : 0;
  }
}

int ExactSum::sign() const {
  if (limbs_.back() >> 63 != 0) return -1;
  for (const std::uint64_t limb : limbs_)
    if (limb != 0) return 1;
  return 0;
}

double ExactSum::towards_zero(bool& exact) const {
  // limbs of the magnitude: those of the two's complement number or, where it is negative, inverted above its lowest
  // limb that is not 0, and that one with its sign changed
  const bool negative = limbs_.back() >> 63 != 0;
  int lowest = 0;
  while (lowest < kLimbs && limbs_[static_cast<std::size_t>(lowest)] == 0) ++lowest;
  exact = true;
  if (lowest == kLimbs) return 0.0;
  const auto magnitude = [&](int k) -> std::uint64_t {
    if (k < lowest) return 0;
    const std::uint64_t limb = limbs_[static_cast<std::size_t>(k)];
    return !negative ? limb : k == lowest ? ~limb + 1 : ~limb;
  };
  int top = kLimbs - 1;
  while (magnitude(top) == 0) --top;

  // the leading 53 bits; whatever is set below them makes the result inexact
  const std::uint64_t high = magnitude(top), next = top > 0 ? magnitude(top - 1) : 0;
  const int zeros = std::countl_zero(high), lead = 64 * top + 63 - zeros;
  const std::uint64_t leading = zeros == 0 ? high : high << zeros | next >> (64 - zeros);
  const std::uint64_t bits = leading >> 11;
  exact = (leading & 0x7ffu) == 0 && (zeros == 0 ? next : next << zeros) == 0 && lowest >= top - 1;

  const int exponent = lead + kLowestBit;  // of the leading bit
  double value = 0.0;
  if (exponent > 1023) {
    value = std::numeric_limits<double>::max();
    exact = false;
  } else if (exponent < -1022) {
    exact = false;  // below the normal numbers: zero is the value towards zero, the smallest normal number
                    // encloses
  } else {
    value = std::ldexp(static_cast<double>(bits), exponent - 52);
  }
  return negative ? -value : value;
}

double ExactSum::lower() const {
  bool exact = true;
  const double value = towards_zero(exact);
  if (exact || sign() > 0) return value;
  return value == 0.0 ? -std::numeric_limits<double>::min() : std::nextafter(value, -kInfinity);
}

double ExactSum::upper() const {
  bool exact = true;
  const double value = towards_zero(exact);
  if (exact || sign() < 0) return value;
  return value == 0.0 ? std::numeric_limits<double>::min() : std::nextafter(value, kInfinity);
}

}  // namespace rigor
