#include "rigor/math/expression.hpp"
#include "rigor/math/portable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <random>

namespace rigor {
namespace {

constexpr double kE = std::numbers::e;

// The same double, bit for bit; all NaN count as one.
testing::AssertionResult same_bits(double a, double b) {
  if (std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b)))
    return testing::AssertionSuccess();
  return testing::AssertionFailure() << a << " and " << b << " differ in their bits";
}

double value_of(const std::string& text, double t = 0.0) {
  return Expression::parse(text).evaluate(t);
}

// Writing is stable, reads back as the same expression, and computes the same.
void expect_round_trip(const Expression& expression) {
  const std::string text = expression.text();
  Expression again;
  ASSERT_NO_THROW(again = Expression::parse(text)) << text.substr(0, 500);
  EXPECT_EQ(again.text(), text);
  EXPECT_TRUE(again == expression) << text;
  for (const double t : {0.0, -1.5, 3.25, 1e200})
    EXPECT_TRUE(same_bits(again.evaluate(t), expression.evaluate(t)));
}

std::string repeated(const std::string& text, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

// ------------------------------------------------------------------------------------------------ values

TEST(Expression, ComputesWhatTheCompilerComputes) {
  const double t = 0.7;
  const struct {
    const char* text;
    double value;
  } rows[] = {
      {"0", 0.0},
      {"42", 42.0},
      {"1.5", 1.5},
      {".5", .5},
      {"5.", 5.},
      {"1e3", 1e3},
      {"1E-3", 1e-3},
      {"2.5e+2", 2.5e+2},
      {"0.1", 0.1},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"4.9e-324", 4.9e-324},
      {"pi", std::numbers::pi},
      {"e", kE},
      {"t", t},
      {" \t t \t ", t},
      {"1+2", 1.0 + 2.0},
      {"0.1+0.2", 0.1 + 0.2},
      {"0.1+0.2+0.3", (0.1 + 0.2) + 0.3},
      {"0.1+(0.2+0.3)", 0.1 + (0.2 + 0.3)},
      {"1-2-3", (1.0 - 2.0) - 3.0},
      {"1-(2-3)", 1.0 - (2.0 - 3.0)},
      {"7/3/0.3", (7.0 / 3.0) / 0.3},
      {"7/(3/0.3)", 7.0 / (3.0 / 0.3)},
      {"7/3*0.3", (7.0 / 3.0) * 0.3},
      {"2+3*4", 2.0 + 3.0 * 4.0},
      {"(2+3)*4", (2.0 + 3.0) * 4.0},
      {"2*3+4", 2.0 * 3.0 + 4.0},
      {"2*3^2", 18.0},
      {"(2*3)^2", 36.0},
      {"-2^2", -4.0},
      {"(-2)^2", 4.0},
      {"2^-1", 0.5},
      {"2^-2^2", portable::pow(2.0, -4.0)},
      {"2^3^2", 512.0},
      {"(2^3)^2", 64.0},
      {"--3", 3.0},
      {"---3", -3.0},
      {"2--3", 5.0},
      {"2+-3", -1.0},
      {"2*-3", -6.0},
      {"6/-3", -2.0},
      {"-t*2", (-t) * 2.0},
      {"-(t+1)", -(t + 1.0)},
      {"1/0", std::numeric_limits<double>::infinity()},
      {"-1/0", -std::numeric_limits<double>::infinity()},
      {"0/0", std::numeric_limits<double>::quiet_NaN()},
      {"-0", -0.0},
      {"0.2*sin(2*pi*t) + step(t - 1)", 0.2 * portable::sin(2.0 * std::numbers::pi * t) + 0.0},
      {"sin(sin(sin(t)))", portable::sin(portable::sin(portable::sin(t)))},
      {"max(min(t, 2), 1) ^ 0.5", portable::pow(1.0, 0.5)},
      {"sin (t)", portable::sin(t)},
      {"a_1 + B2", t + t},
      {"exp", t},  // a function's name without parentheses is a variable
  };
  for (const auto& [text, value] : rows) EXPECT_TRUE(same_bits(value_of(text, t), value)) << text;
}

TEST(Expression, KnowsEveryFunctionOfOneArgument) {
  for (const double x : {-2.5, -1.0, -0.3, -0.0, 0.0, 0.4, 0.5, 1.0, 1.5, 700.0, 1e300}) {
    SCOPED_TRACE(testing::Message() << "x = " << x);
    const std::pair<const char*, double> rows[] = {
        {"sin(x)", portable::sin(x)},
        {"cos(x)", portable::cos(x)},
        {"tan(x)", portable::tan(x)},
        {"asin(x)", portable::asin(x)},
        {"acos(x)", portable::acos(x)},
        {"atan(x)", portable::atan(x)},
        {"sinh(x)", portable::sinh(x)},
        {"cosh(x)", portable::cosh(x)},
        {"tanh(x)", portable::tanh(x)},
        {"exp(x)", portable::exp(x)},
        {"log(x)", portable::log(x)},
        {"sqrt(x)", std::sqrt(x)},
        {"abs(x)", std::abs(x)},
        {"floor(x)", std::floor(x)},
        {"ceil(x)", std::ceil(x)},
        {"round(x)", std::round(x)},
        {"sign(x)", x > 0   ? 1.0
                    : x < 0 ? -1.0
                            : 0.0},
        {"step(x)", x < 0 ? 0.0 : 1.0},
    };
    for (const auto& [text, value] : rows) EXPECT_TRUE(same_bits(value_of(text, x), value)) << text;
  }
}

TEST(Expression, KnowsEveryFunctionOfTwoArguments) {
  for (const double x : {-2.5, 0.0, 1.0, 7.25}) {
    SCOPED_TRACE(testing::Message() << "x = " << x);
    EXPECT_TRUE(same_bits(value_of("min(x, 1)", x), x < 1.0 ? x : 1.0));
    EXPECT_TRUE(same_bits(value_of("max(x, 1)", x), x > 1.0 ? x : 1.0));
    EXPECT_TRUE(same_bits(value_of("pow(x, 3)", x), portable::pow(x, 3.0)));
    EXPECT_TRUE(same_bits(value_of("atan2(x, -1)", x), portable::atan2(x, -1.0)));
  }
  // mod(x, y) lies in [0, y), unlike fmod
  EXPECT_EQ(value_of("mod(7.5, 2)"), 1.5);
  EXPECT_EQ(value_of("mod(-0.5, 2)"), 1.5);
  EXPECT_EQ(value_of("mod(-4, 2)"), 0.0);
  EXPECT_EQ(value_of("mod(0.5, -2)"), -1.5);
  EXPECT_TRUE(std::isnan(value_of("mod(1, 0)")));
}

TEST(Expression, IsZeroUnlessParsed) {
  EXPECT_EQ(Expression().evaluate(5.0), 0.0);
  EXPECT_EQ(Expression().text(), "0");
}

TEST(Expression, IsEqualToItselfUnderOtherSpellings) {
  EXPECT_TRUE(Expression::parse("1+2*t") == Expression::parse("1 + (2 * t)"));
  EXPECT_FALSE(Expression::parse("(1+2)*t") == Expression::parse("1+2*t"));
  EXPECT_FALSE(Expression::parse("a") == Expression::parse("b"));
}

// ------------------------------------------------------------------------------------------------- names

TEST(Expression, ReplacesTheVariablesThatAreKnown) {
  const auto lookup = [](std::string_view name) -> std::optional<double> {
    if (name == "a") return 3.0;
    if (name == "b") return -2.0;
    return std::nullopt;
  };
  const Expression expression = Expression::parse("a*t + b^2 - c");
  EXPECT_EQ(expression.bind(lookup).text(), "3*t + (-2)^2 - c");
  EXPECT_EQ(expression.bind(lookup).evaluate(10.0), 3.0 * 10.0 + 4.0 - 10.0);
  EXPECT_EQ(expression.text(), "a*t + b^2 - c");  // the original is as it was
  EXPECT_EQ(Expression::parse("-b").bind(lookup).text(), "2");
  EXPECT_EQ(Expression::parse("1 - b").bind(lookup).text(), "1 - -2");
}

TEST(Expression, NamesTheFirstVariableThatIsNotAllowed) {
  const Expression expression = Expression::parse("t + sin(speed)*gain - pi*e");
  const std::array<std::string_view, 2> some{"t", "gain"};
  const std::array<std::string_view, 3> all{"gain", "speed", "t"};
  EXPECT_EQ(expression.find_unknown({}), "t");
  EXPECT_EQ(expression.find_unknown(some), "speed");
  EXPECT_EQ(expression.find_unknown(all), "");
  EXPECT_EQ(Expression::parse("1 + pi").find_unknown({}), "");
}

// No text stands for these, so they cannot come from a file; a caller that has them made a mistake.
TEST(Expression, RefusesToBindWhatIsNotFinite) {
  const Expression expression = Expression::parse("2*load");
  for (const double value :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW((void)expression.bind([&](std::string_view) { return value; }), InvalidInput);
  }
  try {
    (void)expression.bind([](std::string_view) { return std::numeric_limits<double>::infinity(); });
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "Expression::bind: 'load' = inf, must be finite.");
  }
}

// ------------------------------------------------------------------------------------------------ errors

TEST(Expression, SaysWhatIsWrongAndWhere) {
  const std::string long_name(100, 'x');
  const struct {
    std::string text;
    std::size_t offset;
    std::string message;
  } rows[] = {
      {"", 0, "expression ends where a number or a name is expected"},
      {"   ", 3, "expression ends where a number or a name is expected"},
      {"1 +", 3, "expression ends where a number or a name is expected"},
      {"-", 1, "expression ends where a number or a name is expected"},
      {"2^", 2, "expression ends where a number or a name is expected"},
      {"sin(", 4, "expression ends where a number or a name is expected"},
      {"min(1,", 6, "expression ends where a number or a name is expected"},
      {"(1", 2, "expected ')'"},
      {"(1 2)", 3, "expected ')'"},
      {"sin(1", 5, "expected ')'"},
      {"sin(1, 2)", 5, "expected ')'"},
      {"min(1, 2, 3)", 8, "expected ')'"},
      {"min(1)", 5, "'min' takes two arguments: expected ','"},
      {"atan2(1 2)", 8, "'atan2' takes two arguments: expected ','"},
      {"sin()", 4, "unexpected ')'"},
      {"1)", 1, "unexpected ')'"},
      {"()", 1, "unexpected ')'"},
      {"1 2", 2, "unexpected '2'"},
      {"2t", 1, "unexpected 't'"},
      {"2 t", 2, "unexpected 't'"},
      {"sin t", 4, "unexpected 't'"},
      {"0x10", 1, "unexpected 'x'"},
      {"1e", 1, "unexpected 'e'"},
      {"1.2.3", 3, "unexpected '.'"},
      {"+1", 0, "unexpected '+'"},
      {"2 ** 3", 3, "unexpected '*'"},
      {"* 2", 0, "unexpected '*'"},
      {"1,5", 1, "unexpected ','"},
      {"t = 3", 2, "unexpected '='"},
      {"t > 1", 2, "unexpected '>'"},
      {"a.b", 1, "unexpected '.'"},
      {"\"1\"", 0, "unexpected '\\\"'"},
      {"1\n+ 2", 1, "unexpected '\\u000a'"},
      {"\x1b[31m", 0, "unexpected '\\u001b'"},
      {"2·3", 1, "unexpected '·'"},
      {"2 × t", 2, "unexpected '×'"},
      {"π", 0, "unexpected 'π'"},
      {".", 0, "not a number, or beyond the range of a double"},
      {"1 + 1e999", 4, "not a number, or beyond the range of a double"},
      {"foo(1)", 0, "unknown function 'foo'"},
      {"1 + Sin(t)", 4, "unknown function 'Sin' (did you mean 'sin'?)"},
      {"pi(2)", 0, "unknown function 'pi'"},
      {"t (2)", 0, "unknown function 't'"},
      {long_name + "(1)", 0, "unknown function '" + std::string(60, 'x') + "…'"},
  };
  for (const auto& [text, offset, message] : rows) {
    try {
      (void)Expression::parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const InvalidExpression& error) {
      EXPECT_EQ(error.what(), message) << text;
      EXPECT_EQ(error.offset, offset) << text;
    }
  }
}

// ------------------------------------------------------------------------------------------------ limits

void expect_refused(const std::string& text, const std::string& message, std::size_t offset) {
  try {
    (void)Expression::parse(text);
    ADD_FAILURE() << "accepted: " << text.substr(0, 80);
  } catch (const InvalidExpression& error) {
    EXPECT_EQ(error.what(), message);
    EXPECT_EQ(error.offset, offset);
  }
}

TEST(Expression, NestsOneHundredDeepAndNoDeeper) {
  constexpr std::size_t n = Expression::kMaxDepth;
  const std::string deeper = "nested deeper than 100 levels";

  EXPECT_EQ(value_of(repeated("(", n) + "1" + repeated(")", n)), 1.0);
  expect_refused(repeated("(", n + 1) + "1" + repeated(")", n + 1), deeper, n);

  EXPECT_EQ(value_of(repeated("abs(", n) + "-1" + repeated(")", n)), 1.0);
  expect_refused(repeated("abs(", n + 1) + "1" + repeated(")", n + 1), deeper, 4 * n);

  EXPECT_EQ(value_of(repeated("1^", n) + "2"), 1.0);
  expect_refused(repeated("1^", n + 1) + "2", deeper, 2 * (n + 1));

  EXPECT_EQ(value_of(repeated("-", n - 1) + "1"), -1.0);
  EXPECT_EQ(value_of(repeated("- ", n) + "1"), 1.0);
  expect_refused(repeated("-", n + 1) + "1", deeper, n);

  // chains of equal strength are not nested
  EXPECT_EQ(value_of("1" + repeated("-1", 2000)), -1999.0);
}

TEST(Expression, HasAtMost4096NumbersNamesAndOperations) {
  constexpr std::size_t n = Expression::kMaxNodes / 2;
  EXPECT_EQ(value_of("-t" + repeated("+1", n - 1), -1.0), static_cast<double>(n));  // 4096 nodes
  EXPECT_EQ(value_of("1" + repeated("+1", n - 1)), static_cast<double>(n));         // 4095
  expect_refused("1" + repeated("+1", n), "more than 4096 numbers, names and operations", 2 * n + 1);
}

TEST(Expression, HasAtMost100DifferentNames) {
  std::string text = "x0";
  for (int i = 1; i < 100; ++i) text += " + x" + std::to_string(i);
  EXPECT_EQ(value_of(text + " + x7", 1.0), 101.0);
  expect_refused(text + " + y", "more than 100 different names", text.size() + 4);
}

// Every way to keep operands waiting at every level; AddressSanitizer judges.
TEST(Expression, EvaluatesTheDeepestNestingsWithinItsStack) {
  constexpr std::size_t n = Expression::kMaxDepth;
  const struct {
    std::string open, close;
    std::size_t levels;  // of nesting per repetition
  } rows[] = {
      {"1+2*(", ")", 1},
      {"1+2*sin(", ")", 1},
      {"1+2*min(3,", ")", 1},
      {"1-2/-max(-3,", ")", 1},
      {"1+2*3^(", ")", 2},
      {"1+2*3^min(4,", ")", 2},
      {"1+2*-3^-atan2(4,", ")", 2},
      {"1+2*3^-4^(", ")", 3},
      {"1+2*min(3, 4+5*6^", ")", 2},
  };
  for (const auto& [open, close, levels] : rows) {
    const std::size_t count = n / levels;
    const std::string text = repeated(open, count) + "1+2*t" + repeated(close, count);
    SCOPED_TRACE(open);
    const Expression expression = Expression::parse(text);
    (void)expression.evaluate(0.5);
    expect_round_trip(expression);
  }
}

// ------------------------------------------------------------------------------------------ writing back

TEST(Expression, WritesOnlyTheParenthesesThatAreNeeded) {
  const std::pair<const char*, const char*> rows[] = {
      {"((1))+((t))", "1 + t"},
      {"(a+b)+c", "a + b + c"},
      {"a+(b+c)", "a + (b + c)"},
      {"a-(b-c)", "a - (b - c)"},
      {"(a*b)/c", "a*b/c"},
      {"a*(b/c)", "a*(b/c)"},
      {"(a+b)*c", "(a + b)*c"},
      {"(a^b)^c", "(a^b)^c"},
      {"a^(b^c)", "a^b^c"},
      {"a^(-b)", "a^-b"},
      {"(-a)^b", "(-a)^b"},
      {"-(a^b)", "-a^b"},
      {"(-a)*b", "-a*b"},
      {"-(a*b)", "-(a*b)"},
      {"a*(-b)", "a*-b"},
      {"-(-a)", "a"},
      {"-(-(-a))", "-a"},
      {"(-2)^2", "(-2)^2"},
      {"-(2)", "-2"},
      {"--2", "2"},
      {"-0", "-0"},
      {"1e9", "1e+09"},
      {"1000.0", "1000"},
      {"min( (a) , (b+c) )", "min(a, b + c)"},
  };
  for (const auto& [text, written] : rows) EXPECT_EQ(Expression::parse(text).text(), written);
}

// A tree of our own that prints itself with every parenthesis and computes itself: it judges both the parser
// and text().
struct Tree {
  std::string symbol;  // operator, function or leaf
  double number{0.0};
  std::vector<Tree> parts{};

  std::string text() const {
    if (parts.empty()) return symbol;
    if (symbol == "neg") return "(-" + parts[0].text() + ")";
    if (symbol.size() == 1) return "(" + parts[0].text() + symbol + parts[1].text() + ")";
    return symbol + "(" + parts[0].text() + (parts.size() == 2 ? "," + parts[1].text() : "") + ")";
  }

  double value(double x, double y) const {
    if (symbol == "x") return x;
    if (symbol == "y") return y;
    if (parts.empty()) return number;
    const double a = parts[0].value(x, y);
    const double b = parts.size() == 2 ? parts[1].value(x, y) : 0.0;
    if (symbol == "neg") return -a;
    if (symbol == "+") return a + b;
    if (symbol == "-") return a - b;
    if (symbol == "*") return a * b;
    if (symbol == "/") return a / b;
    if (symbol == "^" || symbol == "pow") return portable::pow(a, b);
    if (symbol == "max") return std::max(a, b);
    if (symbol == "sin") return portable::sin(a);
    return std::abs(a);
  }
};

Tree make_tree(std::mt19937_64& random, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(5) == 0) {
    static constexpr std::array kNumbers{"0", "1", "2", "0.1", "3.5e-7", "1e22", "123456.789", "5e-324"};
    if (pick(2) == 0) return {pick(2) == 0 ? "x" : "y"};
    const char* number = kNumbers[static_cast<std::size_t>(pick(kNumbers.size()))];
    return {number, std::strtod(number, nullptr)};
  }
  static constexpr std::array kBinary{"+", "-", "*", "/", "^", "pow", "max"};
  static constexpr std::array kUnary{"neg", "neg", "neg", "sin", "abs"};
  if (pick(3) == 0)
    return {kUnary[static_cast<std::size_t>(pick(kUnary.size()))], 0.0, {make_tree(random, depth - 1)}};
  return {kBinary[static_cast<std::size_t>(pick(kBinary.size()))],
          0.0,
          {make_tree(random, depth - 1), make_tree(random, depth - 1)}};
}

TEST(Expression, RandomTreesComputeAndReadBackTheSame) {
  std::mt19937_64 random(2024);
  for (int i = 0; i < 10'000; ++i) {
    const Tree tree = make_tree(random, 1 + i % 7);
    const Expression expression = Expression::parse(tree.text());
    ASSERT_TRUE(same_bits(expression.evaluate(1.25), tree.value(1.25, 1.25))) << tree.text();
    expect_round_trip(expression);
    if (HasFailure()) FAIL() << tree.text();
  }
}

TEST(Expression, RandomTreesWithBoundVariablesComputeAndReadBackTheSame) {
  constexpr std::array kValues{-1.0,   -0.0,   0.0,     2.5,     -3.25e-7,         1.7976931348623157e308,
                               -1e300, 5e-324, -5e-324, -1e-310, std::numbers::pi, -123456789.0};
  std::mt19937_64 random(77);
  for (int i = 0; i < 10'000; ++i) {
    const Tree tree = make_tree(random, 1 + i % 6);
    const double x = kValues[random() % kValues.size()], y = kValues[random() % kValues.size()];
    const bool bind_both = i % 2 == 0;
    const Expression bound =
        Expression::parse(tree.text()).bind([&](std::string_view name) -> std::optional<double> {
          if (name == "x") return x;
          return bind_both ? std::optional(y) : std::nullopt;
        });
    ASSERT_TRUE(same_bits(bound.evaluate(0.5), tree.value(x, bind_both ? y : 0.5))) << tree.text();
    expect_round_trip(bound);
    if (HasFailure()) FAIL() << tree.text() << " with x = " << x << ", y = " << y;
  }
}

// What was within the limits stays within them, however long its numbers become.
TEST(Expression, ReadsBackAtItsLimits) {
  const auto bind_all = [](const Expression& expression) {
    return expression.bind([](std::string_view) { return -1.2345678901234567e-300; });
  };
  const std::string rows[] = {
      "t" + repeated("+1", Expression::kMaxNodes / 2 - 1),
      "e" + repeated("+e", Expression::kMaxNodes / 2 - 1),
      "1e9" + repeated("*t", Expression::kMaxNodes / 2 - 1),
      repeated("x^", Expression::kMaxDepth) + "x",
      repeated("x^2*(", Expression::kMaxDepth - 1) + "x^x" + repeated(")", Expression::kMaxDepth - 1),
      repeated("-max(x,", Expression::kMaxDepth) + "-x" + repeated(")", Expression::kMaxDepth),
  };
  for (const std::string& row : rows) {
    SCOPED_TRACE(row.substr(0, 40));
    const Expression expression = Expression::parse(row);
    expect_round_trip(expression);
    expect_round_trip(bind_all(expression));
  }
}

}  // namespace
}  // namespace rigor
