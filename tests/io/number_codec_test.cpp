// Columns of numbers as bits and back: what comes back is what went in, whatever was expected, and what rests
// or moves evenly takes the room that the code's definition says.
#include "rigor/io/number_codec.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "rigor/math/random.hpp"

namespace rigor {
namespace {

std::string pack(const std::vector<std::uint64_t>& words, const std::vector<std::uint64_t>& expected,
                 std::vector<std::uint8_t>& k, int bits) {
  std::string bytes;
  BitWriter out(bytes);
  put_numbers(words, expected, k, bits, out);
  out.finish();
  return bytes;
}

std::uint64_t random_word(Random& random, int bits) {
  std::uint64_t word = 0;
  for (int part = 0; part < 4; ++part) word = word << 16 | static_cast<std::uint64_t>(random.below(65536));
  return bits < 64 ? word & ((std::uint64_t{1} << bits) - 1) : word;
}

// Frame after frame with memory of k, differences of all lengths.
TEST(NumberCodec, GivesBackWhatWentIn) {
  Random random(1);
  for (const int bits : {8, 24, 32, 64}) {
    const std::size_t count = 200;
    std::vector<std::uint64_t> expected(count, 0), words(count), back(count);
    std::vector<std::uint8_t> k(count, 0), k_back(count, 0);
    for (int frame = 0; frame < 200; ++frame) {
      for (std::size_t i = 0; i < count; ++i)
        words[i] = random.chance(0.5) ? expected[i] : random_word(random, 1 + random.below(bits));
      const std::string bytes = pack(words, expected, k, bits);
      BitReader in(bytes);
      get_numbers(back, expected, k_back, bits, in);
      ASSERT_EQ(back, words) << bits << " bits, frame " << frame;
      ASSERT_EQ(k_back, k);
      EXPECT_LT(in.bits_left(), 8u);
      expected = words;
    }
  }
}

TEST(NumberCodec, EndsOfTheRangeAreNumbersToo) {
  const std::uint64_t top = ~std::uint64_t{0};
  const std::vector<std::uint64_t> words{0, top, top >> 1, (top >> 1) + 1},
      expected{top, 0, (top >> 1) + 1, top};
  std::vector<std::uint64_t> back(4);
  std::vector<std::uint8_t> k(4, 63), k_back = k;
  const std::string bytes = pack(words, expected, k, 64);
  BitReader in(bytes);
  get_numbers(back, expected, k_back, 64, in);
  EXPECT_EQ(back, words);
}

TEST(NumberCodec, WhatRestsTakesABitOfThirtyTwo) {
  const std::vector<std::uint64_t> words(3200, 12345);
  std::vector<std::uint8_t> k(3200, 7);
  EXPECT_EQ(pack(words, words, k, 64).size(), 100u / 8 + 1);
}

// Differences that are uniform in 10 bits have 10 bits of content; Rice's code may add two.
TEST(NumberCodec, NoiseTakesItsContentAndLittleMore) {
  Random random(2);
  const std::size_t count = 1000;
  std::vector<std::uint64_t> expected(count, 1u << 20), words(count);
  std::vector<std::uint8_t> k(count, 0);
  std::size_t bytes = 0;
  for (int frame = 0; frame < 100; ++frame) {
    for (std::uint64_t& word : words)
      word = (1u << 20) + static_cast<std::uint64_t>(random.below(1024)) - 512;
    if (const std::size_t size = pack(words, expected, k, 32).size(); frame >= 10) bytes += size;
  }
  const double bits = 8.0 * static_cast<double>(bytes) / (90.0 * static_cast<double>(count));
  EXPECT_GT(bits, 10.0);
  EXPECT_LT(bits, 12.0);
}

TEST(NumberCodec, BitsThatAreMissingAreNoticed) {
  const std::vector<std::uint64_t> words{1u << 30, 5, 77}, expected(3, 0);
  std::vector<std::uint8_t> k(3, 0);
  const std::string bytes = pack(words, expected, k, 32);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    BitReader in(std::string_view(bytes).substr(0, size));
    std::vector<std::uint64_t> back(3);
    std::vector<std::uint8_t> fresh(3, 0);
    EXPECT_THROW(get_numbers(back, expected, fresh, 32, in), InvalidInput) << size;
  }
}

}  // namespace
}  // namespace rigor
