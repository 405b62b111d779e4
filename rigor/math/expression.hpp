#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/base/require.hpp"
#include "rigor/math/jet.hpp"

namespace rigor {

/// A text that is no expression; `offset` is where in it, in bytes from 0.
class InvalidExpression : public InvalidInput {
 public:
  InvalidExpression(const std::string& message, std::size_t at) : InvalidInput(message), offset(at) {}
  std::size_t offset;
};

/// A small arithmetic expression such as "0.2*sin(2*pi*t) + step(t - 1)".
///
///     sum     = product { (+|-) product }         power   = atom [ ^ unary ]        right-associative
///     product = unary { (*|/) unary }             atom    = number | name | name(sum, …) | (sum)
///     unary   = - unary | power
///
/// Constants: pi, e. Functions of one argument: sin cos tan asin acos atan sinh cosh tanh exp log sqrt abs
/// floor ceil round sign step (0 below zero, else 1); of two: min max pow atan2 mod. Every other name is a
/// variable. There are no assignments, loops or side effects: evaluating costs at most kMaxNodes operations.
///
/// The limits are on what is computed, not on how it is spelt, so that text(), which spells it otherwise
/// ("1e9" as "1e+09"), and bind(), which puts long numbers for short names, stay within them.
class Expression {
 public:
  static constexpr std::size_t kMaxNodes = 4096;  // numbers, names, operations and calls
  static constexpr std::size_t kMaxNames = 100;   // different variables
  static constexpr std::size_t kMaxDepth = 100;   // nested parentheses, calls and exponents; signs in a row

  Expression() = default;  // the constant 0

  /// Throws InvalidExpression.
  [[nodiscard]] static Expression parse(std::string_view text);

  /// Values of variables by name; nullopt leaves a name unknown.
  using Lookup = std::function<std::optional<double>(std::string_view name)>;

  /// The same expression with every variable that `lookup` knows replaced by its value, which must be finite
  /// (no text stands for a number that is not).
  [[nodiscard]] Expression bind(const Lookup& lookup) const;

  /// The first variable that is not in `allowed`, or "".
  [[nodiscard]] std::string find_unknown(std::span<const std::string_view> allowed) const;

  /// The value where every variable left has the value `t`: of an expression in time, its value at t [s].
  [[nodiscard]] double evaluate(double t = 0.0) const;

  /// The same value, bit for bit, with its first and second derivative with respect to t: see Jet.
  [[nodiscard]] Jet evaluate_jet(double t) const;

  /// A text that parses to this expression; parsing and writing it again gives the same text.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool operator==(const Expression&) const = default;

 private:
  friend class ExpressionParser;

  enum class Op : std::uint8_t {
    kNumber,
    kVariable,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kPower,
    kNegate,
    kCall
  };

  // Postfix order: operands stand before their operator.
  struct Node {
    Op op{Op::kNumber};
    std::uint16_t index{0};  // kVariable: into names_; kCall: into the table of functions
    double number{0.0};      // kNumber

    bool operator==(const Node&) const = default;
  };

  // Puts a node at the end. A sign is drawn into the number before it, and two signs cancel: that changes no
  // bit of the value, and leaves one way to write it.
  void append(const Node& node);

  // The value over double or over Jet: the same operations in the same order.
  template <class Number>
  [[nodiscard]] Number evaluate_as(const Number& t) const;

  std::vector<Node> nodes_{Node{}};
  std::vector<std::string> names_;
};

}  // namespace rigor
