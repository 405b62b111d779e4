#include "rigor/math/expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

namespace rigor {
namespace {

struct Function {
  std::string_view name;
  double (*unary)(double);
  double (*binary)(double, double);
};

constexpr std::array kFunctions{
    Function{"sin", [](double x) { return std::sin(x); }, nullptr},
    Function{"cos", [](double x) { return std::cos(x); }, nullptr},
    Function{"tan", [](double x) { return std::tan(x); }, nullptr},
    Function{"asin", [](double x) { return std::asin(x); }, nullptr},
    Function{"acos", [](double x) { return std::acos(x); }, nullptr},
    Function{"atan", [](double x) { return std::atan(x); }, nullptr},
    Function{"sinh", [](double x) { return std::sinh(x); }, nullptr},
    Function{"cosh", [](double x) { return std::cosh(x); }, nullptr},
    Function{"tanh", [](double x) { return std::tanh(x); }, nullptr},
    Function{"exp", [](double x) { return std::exp(x); }, nullptr},
    Function{"log", [](double x) { return std::log(x); }, nullptr},
    Function{"sqrt", [](double x) { return std::sqrt(x); }, nullptr},
    Function{"abs", [](double x) { return std::abs(x); }, nullptr},
    Function{"floor", [](double x) { return std::floor(x); }, nullptr},
    Function{"ceil", [](double x) { return std::ceil(x); }, nullptr},
    Function{"round", [](double x) { return std::round(x); }, nullptr},
    Function{"sign", [](double x) { return x > 0.0 ? 1.0 : (x < 0.0 ? -1.0 : 0.0); }, nullptr},
    Function{"step", [](double x) { return x < 0.0 ? 0.0 : 1.0; }, nullptr},
    Function{"min", nullptr, [](double x, double y) { return std::min(x, y); }},
    Function{"max", nullptr, [](double x, double y) { return std::max(x, y); }},
    Function{"pow", nullptr, [](double x, double y) { return std::pow(x, y); }},
    Function{"atan2", nullptr, [](double y, double x) { return std::atan2(y, x); }},
    Function{"mod", nullptr, [](double x, double y) { return x - y * std::floor(x / y); }},
};

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

// Binding strength of a text: what stands around it decides whether it needs parentheses.
enum Strength { kSum = 1, kProduct, kSign, kPowerStrength, kAtom };

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) { result_.nodes_.clear(); }

  Expression parse() {
    if (text_.size() > Expression::kMaxLength)
      fail(fmt::format("expression of {} characters, the limit is {}", text_.size(), Expression::kMaxLength));
    parse_sum();
    skip_space();
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}'", next_character()));
    return std::move(result_);
  }

 private:
  using Op = Expression::Op;

  // Counts nesting for as long as it lives: every recursion of the grammar passes through one.
  struct Nesting {
    explicit Nesting(ExpressionParser& parser) : depth(parser.depth_) {
      if (++depth > Expression::kMaxDepth)
        parser.fail(fmt::format("nested deeper than {} levels", Expression::kMaxDepth));
    }
    ~Nesting() { --depth; }
    std::size_t& depth;
  };

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

  bool accept(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void emit(Op op, std::uint16_t index = 0, double number = 0.0) {
    result_.nodes_.push_back({op, index, number});
  }

  void parse_sum() {
    const Nesting nesting(*this);
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
    const Nesting nesting(*this);
    if (accept('-')) {
      parse_unary();
      emit(Op::kNegate);
    } else {
      parse_atom();
      if (accept('^')) {
        parse_unary();
        emit(Op::kPower);
      }
    }
  }

  void parse_atom() {
    skip_space();
    if (at_ == text_.size()) fail("expression ends where a number or a name is expected");
    const char c = text_[at_];
    if (is_digit(c) || c == '.') {
      parse_number();
    } else if (is_letter(c)) {
      parse_name();
    } else if (accept('(')) {
      parse_sum();
      if (!accept(')')) fail("expected ')'");
    } else {
      fail(fmt::format("unexpected '{}'", next_character()));
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
                                       [&](const Function& candidate) { return candidate.name == name; });
    if (function == kFunctions.end()) fail(fmt::format("unknown function '{}'", name));
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

Expression Expression::bind(const Lookup& lookup) const {
  Expression bound;
  bound.nodes_.clear();
  bound.names_.clear();
  std::vector<std::optional<double>> values;
  for (const std::string& name : names_) values.push_back(lookup(name));
  std::vector<std::uint16_t> kept(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    kept[i] = static_cast<std::uint16_t>(bound.names_.size());
    if (!values[i]) bound.names_.push_back(names_[i]);
  }
  for (const Node& node : nodes_) {
    if (node.op != Op::kVariable) {
      bound.nodes_.push_back(node);
    } else if (const auto value = values[node.index]) {
      // a negative value is written as a sign and a number, so that text() reads back the same
      bound.nodes_.push_back({Op::kNumber, 0, std::abs(*value)});
      if (std::signbit(*value)) bound.nodes_.push_back({Op::kNegate, 0, 0.0});
    } else {
      bound.nodes_.push_back({Op::kVariable, kept[node.index], 0.0});
    }
  }
  return bound;
}

std::string Expression::find_unknown(std::span<const std::string_view> allowed) const {
  for (const std::string& name : names_)
    if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) return name;
  return "";
}

double Expression::evaluate(double t) const {
  // kMaxDepth nestings hold at most three operands each on the stack: sum, product and power
  std::array<double, 4 * kMaxDepth> stack;
  std::size_t top = 0;
  for (const Node& node : nodes_) {
    const auto binary = [&](auto operation) {
      stack[top - 2] = operation(stack[top - 2], stack[top - 1]);
      --top;
    };
    switch (node.op) {
      case Op::kNumber:
        stack[top++] = node.number;
        break;
      case Op::kVariable:
        stack[top++] = t;
        break;
      case Op::kAdd:
        binary([](double x, double y) { return x + y; });
        break;
      case Op::kSubtract:
        binary([](double x, double y) { return x - y; });
        break;
      case Op::kMultiply:
        binary([](double x, double y) { return x * y; });
        break;
      case Op::kDivide:
        binary([](double x, double y) { return x / y; });
        break;
      case Op::kPower:
        binary([](double x, double y) { return std::pow(x, y); });
        break;
      case Op::kNegate:
        stack[top - 1] = -stack[top - 1];
        break;
      case Op::kCall: {
        const Function& function = kFunctions[node.index];
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
    return part.strength >= least ? part.text : '(' + part.text + ')';
  };
  const auto binary = [&](const char* symbol, int left, int right, int strength) {
    const std::string second = pop(right);
    const std::string first = pop(left);
    stack.push_back({first + symbol + second, strength});
  };
  for (const Node& node : nodes_) {
    switch (node.op) {
      case Op::kNumber:
        stack.push_back({number_text(node.number), kAtom});
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
        const Function& function = kFunctions[node.index];
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
