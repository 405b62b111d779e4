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

ExactSum& ExactSum::operator=(const ExactSum& other) {
  begin_ = other.begin_;
  end_ = other.end_;
  terms_ = other.terms_;
  std::copy(other.digits_ + begin_, other.digits_ + end_, digits_ + begin_);
  return *this;
}

// Sets digits to 0 so that those from begin to end − 1 are there.
void ExactSum::reach(int begin, int end) {
  if (begin_ == end_) begin_ = end_ = begin;
  if (begin < begin_) {
    std::fill(digits_ + begin, digits_ + begin_, 0);
    begin_ = begin;
  }
  if (end > end_) {
    std::fill(digits_ + end_, digits_ + end, 0);
    end_ = end;
  }
}

void ExactSum::add_product(double a, double b) {
  assert(std::isfinite(a) && std::isfinite(b));
  if (a == 0.0 || b == 0.0) return;
  int exponent_a = 0, exponent_b = 0;
  const unsigned __int128 product =
      static_cast<unsigned __int128>(split(a, exponent_a)) * split(b, exponent_b);
  const int shift = exponent_a + exponent_b - kLowestBit, first = shift / 32, bit = shift % 32;
  const std::int64_t mask = std::signbit(a) != std::signbit(b) ? -1 : 0;

  // the product, shifted to its place, covers five digits
  if (++terms_ == kMostTerms) carry();
  if (first < begin_ || first + 5 > end_) reach(first, first + 5);
  const unsigned __int128 low = product << bit;
  const auto top = bit == 0 ? 0 : static_cast<std::uint64_t>(product >> (128 - bit));
  const auto add = [&](int k, std::uint64_t digit) {
    digits_[first + k] += (static_cast<std::int64_t>(digit) ^ mask) - mask;
  };
  add(0, static_cast<std::uint32_t>(low));
  add(1, static_cast<std::uint32_t>(low >> 32));
  add(2, static_cast<std::uint32_t>(low >> 64));
  add(3, static_cast<std::uint32_t>(low >> 96));
  add(4, top);
}

// Makes room in the words: all but the highest become digits of 32 bits.
void ExactSum::carry() {
  terms_ = 0;
  reach(begin_, std::min(end_ + 2, kDigits));
  for (int k = begin_; k + 1 < end_; ++k) {
    digits_[k + 1] += digits_[k] >> 32;
    digits_[k] &= 0xffffffff;
  }
}

ExactSum::Magnitude ExactSum::find_magnitude() const {
  Magnitude out;
  // two's complement: digits, and the carry out of the highest is the sign
  std::int64_t carried = 0;
  int end = begin_;
  for (; end < end_ || (carried != 0 && carried != -1); ++end) {
    const std::int64_t word = carried + (end < end_ ? digits_[end] : 0);
    out.digits[end] = static_cast<std::uint32_t>(word);
    carried = word >> 32;
  }
  out.is_negative = carried < 0;
  std::uint32_t plus = 1;
  for (int k = begin_; k < end; ++k) {
    if (out.is_negative) {
      out.digits[k] = ~out.digits[k] + plus;
      plus = plus != 0 && out.digits[k] == 0 ? 1 : 0;
    }
    if (out.digits[k] != 0) out.top = k;
  }
  if (out.is_negative && plus != 0) out.digits[out.top = end] = 1;  // −2^(32 end)
  return out;
}

ExactSum::Rounded ExactSum::round_towards_zero() const {
  const Magnitude magnitude = find_magnitude();
  const int top = magnitude.top;
  if (top < 0) return {};
  Rounded out;
  out.sign = magnitude.is_negative ? -1 : 1;

  // the leading 53 bits of three digits; whatever is set below them makes the result inexact
  const auto digit = [&](int k) -> unsigned __int128 { return k >= begin_ ? magnitude.digits[k] : 0; };
  const int zeros = std::countl_zero(magnitude.digits[top]), lead = 32 * top + 31 - zeros;
  const unsigned __int128 leading = (digit(top) << 64 | digit(top - 1) << 32 | digit(top - 2))
                                    << (32 + zeros);
  const auto bits = static_cast<std::uint64_t>(leading >> 75);
  out.is_exact = leading << 53 == 0;
  for (int k = begin_; k < top - 2; ++k) out.is_exact = out.is_exact && magnitude.digits[k] == 0;

  const int exponent = lead + kLowestBit;  // of the leading bit
  if (exponent > 1023) {
    out.value = std::numeric_limits<double>::max();
    out.is_exact = false;
  } else if (exponent < -1022) {
    // below the normal numbers: zero is the value towards zero, the smallest normal number encloses
    out.is_exact = false;
  } else {
    out.value = std::ldexp(static_cast<double>(bits), exponent - 52);
  }
  if (magnitude.is_negative) out.value = -out.value;
  return out;
}

double ExactSum::lower() const {
  const auto [value, sign, is_exact] = round_towards_zero();
  if (is_exact || sign > 0) return value;
  return value == 0.0 ? -std::numeric_limits<double>::min() : std::nextafter(value, -kInfinity);
}

double ExactSum::upper() const {
  const auto [value, sign, is_exact] = round_towards_zero();
  if (is_exact || sign < 0) return value;
  return value == 0.0 ? std::numeric_limits<double>::min() : std::nextafter(value, kInfinity);
}

}  // namespace rigor
