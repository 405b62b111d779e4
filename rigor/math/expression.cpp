#include "rigor/math/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include "rigor/base/diagnostic.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

// The functions, over double or over Jet: one table for both. Either type finds its own sin() and the others.
using portable::acos, portable::asin, portable::atan, portable::atan2, portable::cos, portable::cosh;
using portable::exp, portable::log, portable::pow, portable::sin, portable::sinh, portable::tan,
    portable::tanh;
using std::abs, std::ceil, std::floor, std::max, std::min, std::round, std::sqrt;

template <class Number>
struct Function {
  using Unary = Number (*)(const Number&);
  using Binary = Number (*)(const Number&, const Number&);

  constexpr Function(std::string_view its_name, Unary f) : name(its_name), unary(f) {}
  constexpr Function(std::string_view its_name, Binary f) : name(its_name), binary(f) {}

  std::string_view name;
  Unary unary{nullptr};
  Binary binary{nullptr};
};

template <class Number>
constexpr std::array kFunctionsOf{
    Function<Number>{"sin", +[](const Number& x) { return sin(x); }},
    Function<Number>{"cos", +[](const Number& x) { return cos(x); }},
    Function<Number>{"tan", +[](const Number& x) { return tan(x); }},
    Function<Number>{"asin", +[](const Number& x) { return asin(x); }},
    Function<Number>{"acos", +[](const Number& x) { return acos(x); }},
    Function<Number>{"atan", +[](const Number& x) { return atan(x); }},
    Function<Number>{"sinh", +[](const Number& x) { return sinh(x); }},
    Function<Number>{"cosh", +[](const Number& x) { return cosh(x); }},
    Function<Number>{"tanh", +[](const Number& x) { return tanh(x); }},
    Function<Number>{"exp", +[](const Number& x) { return exp(x); }},
    Function<Number>{"log", +[](const Number& x) { return log(x); }},
    Function<Number>{"sqrt", +[](const Number& x) { return sqrt(x); }},
    Function<Number>{"abs", +[](const Number& x) { return abs(x); }},
    Function<Number>{"floor", +[](const Number& x) { return floor(x); }},
    Function<Number>{"ceil", +[](const Number& x) { return ceil(x); }},
    Function<Number>{"round", +[](const Number& x) { return round(x); }},
    Function<Number>{"sign", +[](const Number& x) { return sign(x); }},
    Function<Number>{"step", +[](const Number& x) { return step(x); }},
    Function<Number>{"min", +[](const Number& x, const Number& y) { return min(x, y); }},
    Function<Number>{"max", +[](const Number& x, const Number& y) { return max(x, y); }},
    Function<Number>{"pow", +[](const Number& x, const Number& y) { return pow(x, y); }},
    Function<Number>{"atan2", +[](const Number& y, const Number& x) { return atan2(y, x); }},
    Function<Number>{"mod", +[](const Number& x, const Number& y) { return mod(x, y); }},
};
constexpr const auto& kFunctions = kFunctionsOf<double>;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string number_text(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end};
}

// Part of the user's text in a message: 'x', cut and without control characters.
std::string quote(std::string_view text) {
  std::string quoted = quote_for_message(std::string(text));
  quoted.front() = quoted.back() = '\'';
  return quoted;
}

// Binding strength of a text: what stands around it decides whether it needs parentheses.
enum Strength { kSum = 1, kProduct, kSign, kPowerStrength, kAtom };

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { result_.nodes_.clear(); }

  Expression parse() {
    parse_sum();
    skip_space();
    if (at_ < text_.size()) fail("unexpected " + quote(next_character()));
    return std::move(result_);
  }

 private:
  using Op = Expression::Op;

  // Counts nesting for as long as it lives: every recursion of the grammar passes through parse_unary().
  struct Nesting {
    explicit Nesting(ExpressionParser& parser) : depth(parser.depth_) { parser.check_depth(++depth); }
    ~Nesting() { --depth; }
    std::size_t& depth;
  };

  void check_depth(std::size_t depth) const {
    if (depth > Expression::kMaxDepth)
      fail(fmt::format("nested deeper than {} levels", Expression::kMaxDepth));
  }

  [[noreturn]] void fail(const std::string& message) const { throw InvalidExpression(message, at_); }

  std::string_view next_character() const {
    std::size_t length = 1;  // whole UTF-8 characters, so that the message stays valid text
    while (at_ + length < text_.size() && (static_cast<unsigned char>(text_[at_ + length]) & 0xC0) == 0x80)
      ++length;
    return text_.substr(at_, length);
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool next_is(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }

  void emit(Op op, std::uint16_t index = 0, double number = 0.0) {
    result_.append({op, index, number});
    if (result_.nodes_.size() > Expression::kMaxNodes)
      fail(fmt::format("more than {} numbers, names and operations", Expression::kMaxNodes));
  }

  void parse_sum() {
    parse_product();
    for (;;) {
      if (accept('+')) {
        parse_product();
        emit(Op::kAdd);
      } else if (accept('-')) {
        parse_product();
        emit(Op::kSubtract);
      } else {
        return;
      }
    }
  }

  void parse_product() {
    parse_unary();
    for (;;) {
      if (accept('*')) {
        parse_unary();
        emit(Op::kMultiply);
      } else if (accept('/')) {
        parse_unary();
        emit(Op::kDivide);
      } else {
        return;
      }
    }
  }

  void parse_unary() {
    std::size_t signs = 0;
    for (; next_is('-'); ++at_) check_depth(++signs);
    parse_atom();
    if (accept('^')) {
      const Nesting nesting(*this);
      parse_unary();
      emit(Op::kPower);
    }
    if (signs % 2 == 1) emit(Op::kNegate);
  }

  void parse_atom() {
    skip_space();
    if (at_ == text_.size()) fail("expression ends where a number or a name is expected");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') {
      parse_number();
    } else if (is_letter(c)) {
      parse_name();
    } else if (c == '(') {
      const Nesting nesting(*this);
      ++at_;
      parse_sum();
      if (!accept(')')) fail("expected ')'");
    } else {
      fail("unexpected " + quote(next_character()));
    }
  }

  void parse_number() {
    double value = 0.0;
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) fail("not a number, or beyond the range of a double");
    at_ = static_cast<std::size_t>(stop - text_.data());
    emit(Op::kNumber, 0, value);
  }

  void parse_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    skip_space();
    if (at_ < text_.size() && text_[at_] == '(') {
      at_ = begin;
      parse_call(name);
    } else if (name == "pi") {
      emit(Op::kNumber, 0, std::numbers::pi);
    } else if (name == "e") {
      emit(Op::kNumber, 0, std::numbers::e);
    } else {
      emit(Op::kVariable, intern(name));
    }
  }

  void parse_call(std::string_view name) {
    const auto function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                       [&](const auto& candidate) { return candidate.name == name; });
    if (function == kFunctions.end()) {
      std::vector<std::string> known;
      for (const auto& candidate : kFunctions) known.emplace_back(candidate.name);
      const std::string similar = find_similar(std::string(name), known);
      fail(fmt::format("unknown function {}{}", quote(name),
                       similar.empty() ? "" : fmt::format(" (did you mean '{}'?)", similar)));
    }
    const Nesting nesting(*this);
    at_ += name.size();
    accept('(');
    parse_sum();
    if (function->binary) {
      if (!accept(',')) fail(fmt::format("'{}' takes two arguments: expected ','", name));
      parse_sum();
    }
    if (!accept(')')) fail("expected ')'");
    emit(Op::kCall, static_cast<std::uint16_t>(function - kFunctions.begin()));
  }

  std::uint16_t intern(std::string_view name) {
    auto& names = result_.names_;
    const auto it = std::find(names.begin(), names.end(), name);
    if (it != names.end()) return static_cast<std::uint16_t>(it - names.begin());
    if (names.size() == Expression::kMaxNames)
      fail(fmt::format("more than {} different names", Expression::kMaxNames));
    names.emplace_back(name);
    return static_cast<std::uint16_t>(names.size() - 1);
  }

  std::string_view text_;
  std::size_t at_{0};
  std::size_t depth_{0};
  Expression result_;
};

Expression Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse();
}

void Expression::append(const Node& node) {
  const bool sign = node.op == Op::kNegate;
  if (sign && nodes_.back().op == Op::kNumber)
    nodes_.back().number = -nodes_.back().number;
  else if (sign && nodes_.back().op == Op::kNegate)
    nodes_.pop_back();
  else
    nodes_.push_back(node);
}

Expression Expression::bind(const Lookup& lookup) const {
  Expression bound;
  bound.nodes_.clear();
  std::vector<std::optional<double>> values;
  for (const std::string& name : names_) {
    values.push_back(lookup(name));
    require(!values.back() || std::isfinite(*values.back()), "Expression::bind: {} = {}, must be finite.",
            quote(name), values.back().value_or(0.0));
  }
  std::vector<std::uint16_t> kept(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    kept[i] = static_cast<std::uint16_t>(bound.names_.size());
    if (!values[i]) bound.names_.push_back(names_[i]);
  }
  for (const Node& node : nodes_) {
    if (node.op != Op::kVariable)
      bound.append(node);
    else if (const auto value = values[node.index])
      bound.append({Op::kNumber, 0, *value});
    else
      bound.append({Op::kVariable, kept[node.index], 0.0});
  }
  return bound;
}

std::string Expression::find_unknown(std::span<const std::string_view> allowed) const {
  for (const std::string& name : names_)
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) return name;
  return "";
}

double Expression::evaluate(double t) const {
  return evaluate_as<double>(t);
}

Jet Expression::evaluate_jet(double t) const {
  return evaluate_as<Jet>({t, 1.0, 0.0});
}

template <class Number>
Number Expression::evaluate_as(const Number& t) const {
  // at each level of nesting at most three operands wait for the level inside it: that of a sum, that of a
  // product, and the base of a power or the first argument of a call
  std::array<Number, 3 * (kMaxDepth + 1) + 1> stack;
  std::size_t top = 0;
  for (const Node& node : nodes_) {
    const auto binary = [&](auto operation) {
      stack[top - 2] = operation(stack[top - 2], stack[top - 1]);
      --top;
    };
    switch (node.op) {
      case Op::kNumber:
        stack[top++] = Number{node.number};
        break;
      case Op::kVariable:
        stack[top++] = t;
        break;
      case Op::kAdd:
        binary([](const Number& x, const Number& y) { return x + y; });
        break;
      case Op::kSubtract:
        binary([](const Number& x, const Number& y) { return x - y; });
        break;
      case Op::kMultiply:
        binary([](const Number& x, const Number& y) { return x * y; });
        break;
      case Op::kDivide:
        binary([](const Number& x, const Number& y) { return x / y; });
        break;
      case Op::kPower:
        binary([](const Number& x, const Number& y) { return pow(x, y); });
        break;
      case Op::kNegate:
        stack[top - 1] = -stack[top - 1];
        break;
      case Op::kCall: {
        const Function<Number>& function = kFunctionsOf<Number>[node.index];
        if (function.unary)
          stack[top - 1] = function.unary(stack[top - 1]);
        else
          binary(function.binary);
        break;
      }
    }
  }
  return stack[0];
}

std::string Expression::text() const {
  struct Part {
    std::string text;
    int strength;
  };
  std::vector<Part> stack;
  const auto pop = [&](int least) {
    Part part = std::move(stack.back());
    stack.pop_back();
    return part.strength >= least ? std::move(part.text) : '(' + part.text + ')';
  };
  const auto binary = [&](const char* symbol, int left, int right, int strength) {
    const std::string second = pop(right);
    std::string both = pop(left);
    both += symbol;  // in place: a sum of n terms costs n, not n²
    both += second;
    stack.push_back({std::move(both), strength});
  };
  for (const Node& node : nodes_) {
    switch (node.op) {
      case Op::kNumber:
        stack.push_back({number_text(node.number), std::signbit(node.number) ? kSign : kAtom});
        break;
      case Op::kVariable:
        stack.push_back({names_[node.index], kAtom});
        break;
      case Op::kAdd:
        binary(" + ", kSum, kProduct, kSum);
        break;
      case Op::kSubtract:
        binary(" - ", kSum, kProduct, kSum);
        break;
      case Op::kMultiply:
        binary("*", kProduct, kSign, kProduct);
        break;
      case Op::kDivide:
        binary("/", kProduct, kSign, kProduct);
        break;
      case Op::kPower:
        binary("^", kAtom, kSign, kPowerStrength);
        break;
      case Op::kNegate:
        stack.push_back({'-' + pop(kSign), kSign});
        break;
      case Op::kCall: {
        const auto& function = kFunctions[node.index];
        std::string arguments = pop(kSum);
        if (function.binary) arguments = pop(kSum) + ", " + arguments;
        stack.push_back({std::string(function.name) + '(' + arguments + ')', kAtom});
        break;
      }
    }
  }
  return stack.back().text;
}

}  // namespace rigor
