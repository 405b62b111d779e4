#pragma once

#include <array>
#include <cstdint>

namespace rigor {

/// A sum of doubles and of products of two doubles, held without any rounding.
///
/// Every finite double is an integer times 2^-1074, every product of two an integer times 2^-2148, so the sum
/// is one long integer in two's complement [Kul86]. Its sign is therefore the true sign, and `lower`, `upper`
/// enclose the true value between two doubles. Proofs are checked with this, never with a tolerance.
///
/// [Kul86] Kulisch, Miranker. The arithmetic of the digital computer: a new approach. SIAM Review 28 (1),
///         1986.
class ExactSum {
 public:
  /// Adds x, which must be finite.
  void add(double x) { add_product(x, 1.0); }

  /// Adds a·b, both finite.
  void add_product(double a, double b);

  /// −1, 0 or +1: the sign of the true sum.
  [[nodiscard]] int sign() const;

  /// The true sum rounded towards minus infinity (within the two doubles next to it).
  [[nodiscard]] double lower() const;

  /// The true sum rounded towards plus infinity (within the two doubles next to it).
  [[nodiscard]] double upper() const;

 private:
  // bit 0 weighs 2^-2148; 2148 + 2048 bits hold any product, the rest is room for 2^60 of them
  static constexpr int kLimbs = 68;

  [[nodiscard]] double towards_zero(bool& exact) const;

  std::array<std::uint64_t, kLimbs> limbs_{};
};

}  // namespace rigor
