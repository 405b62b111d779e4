#include "rigor/io/number_codec.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace rigor {
namespace {

constexpr int kMostOnes = 8;        // then the length of the number follows
constexpr int kLengthBits = 7;      // 0 to 64
constexpr std::size_t kBlock = 32;  // numbers under one bit

std::uint64_t low_bits(std::uint64_t word, int count) {
  return count >= 64 ? word : word & ((std::uint64_t{1} << count) - 1);
}

// The difference of two words of so many bits, small ones to either side first.
std::uint64_t fold(std::uint64_t word, std::uint64_t expected, int bits) {
  const int rest = 64 - bits;
  const auto difference = static_cast<std::int64_t>((word - expected) << rest) >> rest;
  return low_bits(static_cast<std::uint64_t>(difference) << 1 ^ static_cast<std::uint64_t>(difference >> 63),
                  bits);
}

std::uint64_t unfold(std::uint64_t u, std::uint64_t expected, int bits) {
  return low_bits(expected + (u >> 1 ^ (0 - (u & 1))), bits);
}

// Towards the length of u less one, at most 63: then a number of that length has one or two ones.
void adapt(std::uint8_t& k, std::uint64_t u) {
  const auto length = static_cast<int>(std::bit_width(u));
  if (length > k + 2)
    k = static_cast<std::uint8_t>(length - 1);
  else if (length > k + 1)
    ++k;
  else if (length < k)
    k = static_cast<std::uint8_t>(k - (k - length + 1) / 2);
}

}  // namespace

void BitWriter::finish() {
  out_.append(reinterpret_cast<const char*>(&word_), static_cast<std::size_t>(used_ + 7) / 8);
  word_ = 0;
  used_ = 0;
}

// Whole bytes, so that at least 57 bits are there where the input has them.
void BitReader::fill() {
  while (used_ <= 56 && at_ < bytes_.size()) {
    word_ |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_++])) << used_;
    used_ += 8;
  }
}

std::uint64_t BitReader::get(int count) {
  if (count > 32) {
    const std::uint64_t low = get(32);
    return low | get(count - 32) << 32;
  }
  if (used_ < count) fill();
  require(used_ >= count, "{} bits are wanted where {} are left.", count, used_);
  const std::uint64_t bits = low_bits(word_, count);
  word_ >>= count;
  used_ -= count;
  return bits;
}

int BitReader::count_ones(int limit) {
  if (used_ <= limit) fill();
  const int ones = std::min(std::countr_one(word_), limit), taken = std::min(ones + 1, limit);
  require(used_ >= taken, "{} bits are wanted where {} are left.", taken, used_);
  word_ >>= taken;
  used_ -= taken;
  return ones;
}

void put_number(std::uint64_t u, std::uint8_t& k, BitWriter& out) {
  const std::uint64_t ones = u >> k;
  if (ones < kMostOnes) {
    const int count = static_cast<int>(ones);
    out.put((std::uint64_t{1} << count) - 1, count + 1);
    out.put(low_bits(u, k), k);
  } else {
    const auto length = static_cast<int>(std::bit_width(u));
    out.put((std::uint64_t{1} << kMostOnes) - 1, kMostOnes);
    out.put(static_cast<std::uint64_t>(length), kLengthBits);
    out.put(u, length);
  }
  adapt(k, u);
}

std::uint64_t get_number(std::uint8_t& k, BitReader& in) {
  const int ones = in.count_ones(kMostOnes);
  std::uint64_t u = 0;
  if (ones < kMostOnes) {
    u = in.get(k) | static_cast<std::uint64_t>(ones) << k;
  } else {
    const auto length = in.get(kLengthBits);
    require(length <= 64, "a number of {} bits, must have at most 64.", length);
    u = in.get(static_cast<int>(length));
  }
  adapt(k, u);
  return u;
}

void put_numbers(std::span<const std::uint64_t> words, std::span<const std::uint64_t> expected,
                 std::span<std::uint8_t> k, int bits, BitWriter& out) {
  for (std::size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, words.size());
    if (std::memcmp(&words[begin], &expected[begin], (end - begin) * sizeof words[0]) == 0) {
      out.put(0, 1);
      continue;
    }
    out.put(1, 1);
    for (std::size_t i = begin; i < end; ++i) put_number(fold(words[i], expected[i], bits), k[i], out);
  }
}

void get_numbers(std::span<std::uint64_t> words, std::span<const std::uint64_t> expected,
                 std::span<std::uint8_t> k, int bits, BitReader& in) {
  for (std::size_t begin = 0; begin < words.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, words.size());
    const bool is_new = in.get(1) != 0;
    for (std::size_t i = begin; i < end; ++i)
      words[i] = is_new ? unfold(get_number(k[i], in), expected[i], bits) : expected[i];
  }
}

}  // namespace rigor
