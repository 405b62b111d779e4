// jet.cpp, by closed forms and through Expression::evaluate_jet() on random expressions
#include "rigor/math/jet.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "rigor/math/expression.hpp"

namespace rigor {
namespace {

Jet jet_of(const std::string& text, double t) {
  return Expression::parse(text).evaluate_jet(t);
}

void expect_near(const Jet& jet, const Jet& expected, double tolerance) {
  const auto close = [&](double a, double b) {
    return a == b || std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
  };
  EXPECT_TRUE(close(jet.value, expected.value)) << jet.value << " for " << expected.value;
  EXPECT_TRUE(close(jet.first, expected.first)) << jet.first << " for " << expected.first;
  EXPECT_TRUE(close(jet.second, expected.second)) << jet.second << " for " << expected.second;
}

// ------------------------------------------------------------------------------------------ closed forms

// Derivatives as a table of integrals has them, each at points of its domain.
TEST(Jet, KnowsTheDerivativesOfEveryFunction) {
  using std::cos, std::cosh, std::exp, std::log, std::pow, std::sin, std::sinh, std::sqrt, std::tan;
  for (const double t : {0.1, 0.37, 0.5, 0.93}) {
    SCOPED_TRACE(testing::Message() << "t = " << t);
    const double w = 1 - t * t, sech = 1 / cosh(t);
    const struct {
      const char* text;
      Jet expected;
    } rows[] = {
        {"t", {t, 1, 0}},
        {"7", {7, 0, 0}},
        {"-t", {-t, -1, 0}},
        {"3 + t*t - 2*t", {3 + t * t - 2 * t, 2 * t - 2, 2}},
        {"1/t", {1 / t, -1 / (t * t), 2 / pow(t, 3)}},
        {"t/(1 + t)", {t / (1 + t), pow(1 + t, -2), -2 * pow(1 + t, -3)}},
        {"sin(t)", {sin(t), cos(t), -sin(t)}},
        {"cos(t)", {cos(t), -sin(t), -cos(t)}},
        {"tan(t)", {tan(t), pow(cos(t), -2), 2 * sin(t) * pow(cos(t), -3)}},
        {"asin(t)", {std::asin(t), pow(w, -0.5), t * pow(w, -1.5)}},
        {"acos(t)", {std::acos(t), -pow(w, -0.5), -t * pow(w, -1.5)}},
        {"atan(t)", {std::atan(t), 1 / (1 + t * t), -2 * t / pow(1 + t * t, 2)}},
        {"sinh(t)", {sinh(t), cosh(t), sinh(t)}},
        {"cosh(t)", {cosh(t), sinh(t), cosh(t)}},
        {"tanh(t)", {std::tanh(t), sech * sech, -2 * sinh(t) * pow(sech, 3)}},
        {"exp(t)", {exp(t), exp(t), exp(t)}},
        {"log(t)", {log(t), 1 / t, -1 / (t * t)}},
        {"sqrt(t)", {sqrt(t), 0.5 / sqrt(t), -0.25 * pow(t, -1.5)}},
        {"t^3", {pow(t, 3), 3 * t * t, 6 * t}},
        {"pow(t, -1.5)", {pow(t, -1.5), -1.5 * pow(t, -2.5), 3.75 * pow(t, -3.5)}},
        {"2^t", {pow(2, t), log(2) * pow(2, t), log(2) * log(2) * pow(2, t)}},
        {"t^t", {pow(t, t), pow(t, t) * (1 + log(t)), pow(t, t) * (pow(1 + log(t), 2) + 1 / t)}},
        {"atan2(t, 2)", {std::atan2(t, 2), 2 / (4 + t * t), -4 * t / pow(4 + t * t, 2)}},
        {"atan2(sin(3*t), cos(3*t))", {3 * t, 3, 0}},
        {"sin(t^2)", {sin(t * t), 2 * t * cos(t * t), 2 * cos(t * t) - 4 * t * t * sin(t * t)}},
    };
    for (const auto& [text, expected] : rows) {
      SCOPED_TRACE(text);
      expect_near(jet_of(text, t), expected, 1e-13);
    }
  }
}

TEST(Jet, FunctionsInPiecesHaveTheDerivativesOfTheirPiece) {
  const struct {
    const char* text;
    double t;
    Jet expected;
  } rows[] = {
      {"abs(t^3)", 2, {8, 12, 12}},   {"abs(t^3)", -2, {8, -12, 12}},
      {"abs(t)", 0, {0, 1, 0}},       {"min(t^2, 3)", 1, {1, 2, 2}},
      {"min(t^2, 3)", 2, {3, 0, 0}},  {"max(t^2, 3)", 2, {4, 4, 2}},
      {"max(3, t^2)", 1, {3, 0, 0}},  {"min(t, 2*t)", 0, {0, 1, 0}},
      {"max(2*t, t)", 0, {0, 2, 0}},  {"mod(t^2, 3)", 2, {1, 4, 2}},
      {"mod(-t, 3)", 1, {2, -1, 0}},  {"mod(7, t)", 2, {1, -3, 0}},
      {"floor(3*t)", 0.5, {1, 0, 0}}, {"ceil(3*t)", 0.5, {2, 0, 0}},
      {"round(3*t)", 0.6, {2, 0, 0}}, {"sign(3*t)", -0.6, {-1, 0, 0}},
      {"step(t - 1)", 1, {1, 0, 0}},  {"step(t - 1)*(t - 1)^2", 3, {4, 4, 2}},
  };
  for (const auto& [text, t, expected] : rows) {
    SCOPED_TRACE(testing::Message() << text << " at " << t);
    expect_near(jet_of(text, t), expected, 1e-15);
  }
}

// Whole powers have derivatives at zero and below it; what is constant has derivative 0 wherever it lies.
TEST(Jet, ZeroBasesAndConstantsDoNotSpoilDerivatives) {
  expect_near(jet_of("t^0", 0), {1, 0, 0}, 0);
  expect_near(jet_of("t^1", 0), {0, 1, 0}, 0);
  expect_near(jet_of("t^2", 0), {0, 0, 2}, 0);
  expect_near(jet_of("t^3", -2), {-8, 12, -12}, 1e-15);
  expect_near(jet_of("t^-1", -2), {-0.5, -0.25, -0.25}, 1e-15);
  for (const char* text : {"sqrt(0) + t", "asin(1)*0 + t", "0^0.5 + t", "atan2(0, 0) + t",
                           "max(0, -1)^0.5 + t", "log(1)*1 + t", "abs(0) + t"})
    expect_near(jet_of(text, 0.5), {0.5, 1, 0}, 0);
  // elsewhere an infinite slope is one
  EXPECT_EQ(jet_of("sqrt(t)", 0).first, std::numeric_limits<double>::infinity());
}

TEST(Jet, KeepsItsDigitsWhereFunctionsSaturate) {
  // tanh' = 4 e^(−2t) for large t, to first order in e^(−2t)
  EXPECT_NEAR(jet_of("tanh(t)", 20).first / (4 * std::exp(-40.0)), 1.0, 1e-14);
  expect_near(jet_of("tanh(t)", 1000), {1, 0, 0}, 0);
  expect_near(jet_of("atan(t)", 1e300), {std::atan(1e300), 0, 0}, 0);
  // r² would be beyond the range of a double
  EXPECT_DOUBLE_EQ(jet_of("atan2(t, 1e200)", 1e200).first, 5e-201);
}

// -------------------------------------------------------------------------------------- random expressions

using Complex = std::complex<double>;

// A tree that prints itself and computes itself over the complex numbers. Its functions are smooth on the
// whole real line: those that are not get an argument from inside their domain.
struct SmoothTree {
  std::string symbol;
  double number{0.0};
  std::vector<SmoothTree> parts{};

  std::string text() const {
    if (parts.empty()) return symbol;
    const std::string a = "(" + parts[0].text() + ")";
    if (parts.size() == 2) {
      const std::string b = "(" + parts[1].text() + ")";
      if (symbol == "/") return a + "/(2 + sin" + b + ")";
      if (symbol == "^") return "(2 + sin" + a + ")^sin" + b;
      if (symbol == "atan2") return "atan2(" + a + ", 2 + sin" + b + ")";
      return a + symbol + b;
    }
    if (symbol == "asin" || symbol == "acos") return symbol + "(0.9*sin" + a + ")";
    if (symbol == "log" || symbol == "sqrt") return symbol + "(1 + " + a + "^2)";
    if (symbol == "exp" || symbol == "sinh" || symbol == "cosh" || symbol == "tan")
      return symbol + "(sin" + a + ")";
    return symbol + a;
  }

  Complex value(Complex t) const {
    if (symbol == "t") return t;
    if (parts.empty()) return number;
    const Complex a = parts[0].value(t);
    if (parts.size() == 2) {
      const Complex b = parts[1].value(t);
      if (symbol == "+") return a + b;
      if (symbol == "-") return a - b;
      if (symbol == "*") return a * b;
      if (symbol == "/") return a / (2.0 + std::sin(b));
      if (symbol == "^") return std::exp(std::sin(b) * std::log(2.0 + std::sin(a)));
      return std::atan(a / (2.0 + std::sin(b)));
    }
    if (symbol == "-") return -a;
    if (symbol == "sin") return std::sin(a);
    if (symbol == "cos") return std::cos(a);
    if (symbol == "atan") return std::atan(a);
    if (symbol == "tanh") return std::tanh(a);
    if (symbol == "asin") return std::asin(0.9 * std::sin(a));
    if (symbol == "acos") return std::acos(0.9 * std::sin(a));
    if (symbol == "log") return std::log(1.0 + a * a);
    if (symbol == "sqrt") return std::sqrt(1.0 + a * a);
    if (symbol == "exp") return std::exp(std::sin(a));
    if (symbol == "sinh") return std::sinh(std::sin(a));
    if (symbol == "cosh") return std::cosh(std::sin(a));
    return std::tan(std::sin(a));
  }

  // f(t + ih) = f + ih f' + …: no difference is taken, so h may be as small as one likes
  double derivative(double t) const { return value({t, 1e-30}).imag() / 1e-30; }
};

SmoothTree make_smooth_tree(std::mt19937_64& random, int depth) {
  const auto pick = [&](const auto& words) { return words[random() % std::size(words)]; };
  if (depth == 0 || random() % 8 == 0) {
    if (random() % 3 != 0) return {"t"};
    const char* number = pick(std::to_array<const char*>({"0.5", "1", "2", "0.1", "3.25"}));
    return {number, std::strtod(number, nullptr)};
  }
  if (random() % 2 == 0)
    return {pick(std::to_array<const char*>({"+", "-", "*", "/", "^", "atan2"})),
            0.0,
            {make_smooth_tree(random, depth - 1), make_smooth_tree(random, depth - 1)}};
  return {pick(std::to_array<const char*>({"-", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
                                           "tanh", "exp", "log", "sqrt"})),
          0.0,
          {make_smooth_tree(random, depth - 1)}};
}

// First derivatives against complex steps, second against central differences of these.
TEST(Jet, AgreesWithComplexStepsOnRandomExpressions) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5'000; ++i) {
    const SmoothTree tree = make_smooth_tree(random, 1 + i % 5);
    const Expression expression = Expression::parse(tree.text());
    for (const double t : {-1.3, 0.4, 2.1}) {
      const Jet jet = expression.evaluate_jet(t);
      const double first = tree.derivative(t);
      // steep functions bend on a shorter scale: the error of the difference is h² f''''/6
      const double h = 1e-5;
      const auto difference = [&](double k) {
        return (tree.derivative(t + k) - tree.derivative(t - k)) / (2.0 * k);
      };
      const double second = (4.0 * difference(h) - difference(2.0 * h)) / 3.0;
      const double scale = 1.0 + std::abs(first) + std::abs(second) + std::abs(jet.value);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(jet.value), std::bit_cast<std::uint64_t>(expression.evaluate(t)))
          << tree.text();
      ASSERT_NEAR(jet.first, first, 1e-12 * scale) << tree.text() << " at " << t;
      ASSERT_NEAR(jet.second, second, 1e-6 * scale) << tree.text() << " at " << t;
    }
  }
}

}  // namespace
}  // namespace rigor
