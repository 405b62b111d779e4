#include "rigor/math/exact_sum.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

constexpr int kLowestBit = -2148;

// |x| = mantissa · 2^exponent with an integer mantissa below 2^53
std::uint64_t split(double x, int& exponent) {
  const double fraction = std::frexp(std::fabs(x), &exponent);
  exponent -= 53;
  if (exponent < -1074) {  // subnormal: keep the exponent within the range of the accumulator
    const double scaled = std::ldexp(fraction, 53 + exponent + 1074);
    exponent = -1074;
    return static_cast<std::uint64_t>(scaled);
  }
  return static_cast<std::uint64_t>(std::ldexp(fraction, 53));
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
  // magnitude of the two's complement number
  auto magnitude = limbs_;
  const bool negative = sign() < 0;
  if (negative) {
    std::uint64_t carry = 1;
    for (auto& limb : magnitude) {
      limb = ~limb + carry;
      carry = (carry != 0 && limb == 0) ? 1 : 0;
    }
  }
  int top = kLimbs - 1;
  while (top >= 0 && magnitude[static_cast<std::size_t>(top)] == 0) --top;
  exact = true;
  if (top < 0) return 0.0;

  // the leading 53 bits; whatever is set below them makes the result inexact
  const int lead = 64 * top + 63 - std::countl_zero(magnitude[static_cast<std::size_t>(top)]);
  std::uint64_t bits = 0;
  for (int k = lead; k > lead - 53; --k) {
    bits <<= 1;
    if (k >= 0) bits |= (magnitude[static_cast<std::size_t>(k / 64)] >> (k % 64)) & 1;
  }
  for (int k = 0; k <= lead - 53 && exact; ++k)
    if ((magnitude[static_cast<std::size_t>(k / 64)] >> (k % 64)) & 1) exact = false;

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
