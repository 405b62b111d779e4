#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rigor/base/require.hpp"

/// Columns of numbers that change little from one frame to the next, as few bits, and back.
///
/// A number is a word w of B bits, ordered as the numbers are; p is the word that is expected. The difference
///
///     u = zigzag(w − p mod 2^B),    0, −1, 1, −2, … ↦ 0, 1, 2, 3, …
///
/// is written by Rice's code [R79] of parameter k: ⌊u / 2^k⌋ ones, a zero, the k low bits. Every number has a
/// k of its own, which follows the length of its differences from frame to frame: what rests takes one bit,
/// and what moves its noise and about two bits. Where the ones would be too many, the length of u follows
/// them and then u. Before every 32 numbers a bit says whether they are all as expected.
///
/// Departure from the paper: k is adapted to every number from the one before it, and told nowhere.
///
/// [R79] Rice. Some practical universal noiseless coding techniques. JPL Publication 79-22, 1979.
namespace rigor {

/// Bits into bytes, the lowest first.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  /// The low `count` bits of a word that has no others; up to 64.
  void put(std::uint64_t bits, int count) {
    word_ |= bits << used_;
    if (used_ + count < 64) {
      used_ += count;
      return;
    }
    out_.append(reinterpret_cast<const char*>(&word_), sizeof word_);
    word_ = used_ == 0 ? 0 : bits >> (64 - used_);
    used_ += count - 64;
  }
  /// Fills the last byte with zeros.
  void finish();

 private:
  std::string& out_;
  std::uint64_t word_{0};
  int used_{0};
};

/// Reads bits that must outlive it. Throws InvalidInput beyond their end.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t get(int count);
  /// Ones before the next zero, at most `limit`; the zero is taken too.
  [[nodiscard]] int count_ones(int limit);
  [[nodiscard]] std::size_t bits_left() const {
    return 8 * (bytes_.size() - at_) + static_cast<std::size_t>(used_);
  }

 private:
  void fill();

  std::string_view bytes_;
  std::size_t at_{0};
  std::uint64_t word_{0};
  int used_{0};  // bits of word_ that are still to come
};

/// One number by Rice's code; `k` is adapted.
void put_number(std::uint64_t u, std::uint8_t& k, BitWriter& out);
[[nodiscard]] std::uint64_t get_number(std::uint8_t& k, BitReader& in);

/// `words` of `bits` bits each, where `expected` are; all three spans have one length.
void put_numbers(std::span<const std::uint64_t> words, std::span<const std::uint64_t> expected,
                 std::span<std::uint8_t> k, int bits, BitWriter& out);
void get_numbers(std::span<std::uint64_t> words, std::span<const std::uint64_t> expected,
                 std::span<std::uint8_t> k, int bits, BitReader& in);

/// How many numbers so many bits can hold: more are a lie.
[[nodiscard]] inline std::size_t most_numbers(std::size_t bits) {
  return 32 * bits;
}

}  // namespace rigor
