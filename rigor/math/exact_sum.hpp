#pragma once

#include <cstdint>

namespace rigor {

/// A sum of doubles and of products of two doubles, held without any rounding.
///
/// Every finite double is an integer times 2^-1074, every product of two an integer times 2^-2148, so the sum
/// is one long integer [Kul86]. Its sign is therefore the true sign, and `lower`, `upper` enclose the true value between
/// two doubles. Proofs are checked with this, never with a tolerance.
///
/// Digits of 32 bits are kept in signed words of 64, so that terms of both signs are added without carrying: carries run
/// when the sum is read. Only the digits between the lowest and the highest that a term has touched are there at all.
///
/// [Kul86] Kulisch, Miranker. The arithmetic of the digital computer: a new approach. SIAM Review 28 (1),
///         1986.
class ExactSum {
 public:
  ExactSum() {}  // the digits are set when they are first touched
  ExactSum(const ExactSum& other) { *this = other; }
  ExactSum& operator=(const ExactSum& other);

  /// Adds x, which must be finite.
  void add(double x) { add_product(x, 1.0); }

  /// Adds a·b, both finite.
  void add_product(double a, double b);

  /// −1, 0 or +1: the sign of the true sum.
  [[nodiscard]] int sign() const { return round_towards_zero().sign; }

  /// The true sum rounded towards minus infinity (within the two doubles next to it).
  [[nodiscard]] double lower() const;

  /// The true sum rounded towards plus infinity (within the two doubles next to it).
  [[nodiscard]] double upper() const;

 private:
  // bit 0 weighs 2^-2148; 2148 + 2048 bits hold any product, the rest is room for carries
  static constexpr int kDigits = 136;
  static constexpr int kMostTerms = 1 << 30;  // that fit into the words without carrying

  struct Rounded {
    double value{0.0};
    int sign{0};
    bool is_exact{true};
  };
  struct Magnitude {
    std::uint32_t digits[kDigits];  // from begin_ on, up to and including `top`
    int top{-1};                    // the highest that is not 0
    bool is_negative{false};
  };

  void reach(int begin, int end);
  void carry();
  [[nodiscard]] Magnitude find_magnitude() const;
  [[nodiscard]] Rounded round_towards_zero() const;

  std::int64_t digits_[kDigits];
  int begin_{0}, end_{0};  // digits from begin_ to end_ − 1 are set, the others are 0
  int terms_{0};           // since the last carry()
};

}  // namespace rigor
