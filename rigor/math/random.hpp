#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "rigor/math/portable.hpp"

namespace rigor {

/// Random numbers that are the same on every machine and with every standard library
/// (std::normal_distribution is not). The generator is SplitMix64 [SLF14]: one 64-bit word of state, every
/// seed is good.
///
/// [SLF14] Steele, Lea, Flood. Fast splittable pseudorandom number generators. OOPSLA 2014.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Uniform in [low, high).
  double uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1.0p-53;
  }

  /// Normal with mean 0 and deviation 1, by the polar-free form of Box and Muller.
  double gaussian() {
    const double radius = std::sqrt(-2.0 * portable::log(uniform() + 0x1.0p-60));
    return radius * portable::cos(2.0 * std::numbers::pi * uniform());
  }

  /// Uniform integer in [0, count); the bias of the remainder is below 2^-40 for the counts used here.
  int below(int count) { return static_cast<int>(next() % static_cast<std::uint64_t>(count)); }

  bool chance(double probability) { return uniform() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace rigor
