#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/base/require.hpp"

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
/// variable. There are no assignments, loops or side effects: evaluating costs at most one operation per
/// node, and a text has at most kMaxLength characters.
class Expression {
 public:
  static constexpr std::size_t kMaxLength = 4096;  // characters of the text
  static constexpr std::size_t kMaxDepth = 100;    // nested parentheses, calls, signs and powers

  Expression() = default;  // the constant 0

  /// Throws InvalidExpression.
  [[nodiscard]] static Expression parse(std::string_view text);

  /// Values of variables by name; nullopt leaves a name unknown.
  using Lookup = std::function<std::optional<double>(std::string_view name)>;

  /// The same expression with every variable that `lookup` knows replaced by its value.
  [[nodiscard]] Expression bind(const Lookup& lookup) const;

  /// The first variable that is not in `allowed`, or "".
  [[nodiscard]] std::string find_unknown(std::span<const std::string_view> allowed) const;

  /// The value where every variable left has the value `t`: of an expression in time, its value at t [s].
  [[nodiscard]] double evaluate(double t = 0.0) const;

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

  std::vector<Node> nodes_{Node{}};
  std::vector<std::string> names_;
};

}  // namespace rigor
