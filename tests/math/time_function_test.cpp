#include "rigor/math/time_function.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

using Interpolation = TableFunction::Interpolation;
using Beyond = TableFunction::Beyond;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(TimeFunction, ConstantsDoNotDependOnTime) {
  for (const double t : {-1.0, 0.0, 1e9}) EXPECT_EQ(evaluate(TimeFunction(2.5), t), 2.5);
}

TEST(TimeFunction, SineHasItsAmplitudeFrequencyPhaseAndOffset) {
  const TimeFunction function =
      SineFunction{.amplitude = 2.0, .frequency = 0.25, .phase = 0.5, .offset = -1.0};
  for (const double t : {-3.0, 0.0, 0.1, 1.0, 7.3})
    EXPECT_NEAR(evaluate(function, t), -1.0 + 2.0 * std::sin(std::numbers::pi / 2 * t + 0.5), 1e-14);

  // a period of 4 s, and a quarter of it from the middle to the top
  const TimeFunction plain = SineFunction{.frequency = 0.25};
  EXPECT_NEAR(evaluate(plain, 1.0), 1.0, 1e-15);
  EXPECT_NEAR(evaluate(plain, 5.0), 1.0, 1e-15);
  EXPECT_NEAR(evaluate(plain, 2.0), 0.0, 1e-15);
}

TEST(TimeFunction, ExpressionsAreInTime) {
  EXPECT_EQ(evaluate(TimeFunction(Expression::parse("3*t + 1")), 2.0), 7.0);
}

struct TableRow {
  double t, value;
};

void expect_values(const TableFunction& table, std::initializer_list<TableRow> rows) {
  for (const auto& [t, value] : rows)
    EXPECT_DOUBLE_EQ(evaluate(TimeFunction(table), t), value) << "t = " << t;
}

TEST(TimeFunction, LinearTableGoesStraightFromPointToPoint) {
  const TableFunction table{{1.0, 2.0, 4.0}, {10.0, 20.0, -20.0}};
  expect_values(table, {{1.0, 10.0}, {1.25, 12.5}, {2.0, 20.0}, {3.0, 0.0}, {3.5, -10.0}, {4.0, -20.0}});
}

TEST(TimeFunction, StepTableKeepsEachValueUntilTheNext) {
  const TableFunction table{{1.0, 2.0, 4.0}, {10.0, 20.0, -20.0}, Interpolation::kStep};
  expect_values(table, {{1.0, 10.0},
                        {std::nextafter(2.0, 0.0), 10.0},
                        {2.0, 20.0},
                        {3.999, 20.0},
                        {4.0, -20.0},
                        {5.0, -20.0}});
}

TEST(TimeFunction, TableHoldsItsEndValues) {
  const TableFunction table{{1.0, 2.0}, {10.0, 20.0}};
  expect_values(table,
                {{-1e9, 10.0}, {0.0, 10.0}, {2.5, 20.0}, {1e9, 20.0}, {kInfinity, 20.0}, {-kInfinity, 10.0}});
}

TEST(TimeFunction, TableRepeatsWithItsOwnPeriod) {
  TableFunction table{{1.0, 2.0, 4.0}, {10.0, 20.0, 40.0}, Interpolation::kLinear, Beyond::kRepeat};
  // the period is 4 - 1 = 3 s, to both sides; its end is the beginning of the next
  expect_values(table, {{1.0, 10.0},
                        {1.5, 15.0},
                        {3.0, 30.0},
                        {4.0, 10.0},
                        {4.5, 15.0},
                        {6.0, 30.0},
                        {0.0, 30.0},
                        {-1.5, 15.0},
                        {-2.0, 10.0},
                        {301.5, 15.0}});
  table.interpolation = Interpolation::kStep;
  expect_values(table, {{0.0, 20.0}, {1.5, 10.0}, {4.0, 10.0}, {5.0, 20.0}, {6.9, 20.0}, {7.0, 10.0}});
}

TEST(TimeFunction, TableOfOnePointIsAConstant) {
  for (const Beyond beyond : {Beyond::kHold, Beyond::kRepeat})
    for (const Interpolation interpolation : {Interpolation::kLinear, Interpolation::kStep})
      expect_values({{2.0}, {5.0}, interpolation, beyond}, {{0.0, 5.0}, {2.0, 5.0}, {9.0, 5.0}});
}

// AddressSanitizer judges: no index may come of a time that is nowhere in the table.
TEST(TimeFunction, TableAtNoTimeHasNoValue) {
  const TableFunction hold{{1.0, 2.0}, {10.0, 20.0}};
  TableFunction repeat = hold;
  repeat.beyond = Beyond::kRepeat;
  EXPECT_TRUE(std::isnan(evaluate(TimeFunction(hold), kNan)));
  EXPECT_TRUE(std::isnan(evaluate(TimeFunction(repeat), kNan)));
  EXPECT_TRUE(std::isnan(evaluate(TimeFunction(repeat), kInfinity)));
  EXPECT_TRUE(std::isnan(evaluate(TimeFunction(repeat), -kInfinity)));
}

TEST(TimeFunction, TableMustHaveAsManyValuesAsTimes) {
  for (const TableFunction& table : {TableFunction{}, TableFunction{{1.0, 2.0}, {1.0}}})
    EXPECT_THROW((void)evaluate(TimeFunction(table), 0.0), InvalidInput);
  try {
    (void)evaluate(TimeFunction(TableFunction{{1.0, 2.0}, {1.0}}), 0.0);
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "TableFunction: 2 times and 1 values, must be as many and at least one.");
  }
}

// ------------------------------------------------------------------------------------------- derivatives

TEST(TimeFunction, ConstantsSinesAndExpressionsHaveTheirDerivatives) {
  EXPECT_EQ(evaluate_jet(TimeFunction(2.5), 3.0), (Jet{2.5, 0.0, 0.0}));
  EXPECT_EQ(evaluate_jet(TimeFunction(Expression::parse("3*t^2 + 1")), 2.0), (Jet{13.0, 12.0, 6.0}));

  const TimeFunction sine = SineFunction{.amplitude = 2.0, .frequency = 0.25, .phase = 0.5, .offset = -1.0};
  const double omega = std::numbers::pi / 2;
  for (const double t : {-3.0, 0.0, 0.1, 1.0, 7.3}) {
    const Jet jet = evaluate_jet(sine, t);
    EXPECT_EQ(jet.value, evaluate(sine, t));
    EXPECT_NEAR(jet.first, 2.0 * omega * std::cos(omega * t + 0.5), 1e-14);
    EXPECT_NEAR(jet.second, -2.0 * omega * omega * std::sin(omega * t + 0.5), 1e-14);
  }
}

void expect_slopes(const TableFunction& table, std::initializer_list<TableRow> rows) {
  for (const auto& [t, slope] : rows) {
    const Jet jet = evaluate_jet(TimeFunction(table), t);
    EXPECT_EQ(jet.value, evaluate(TimeFunction(table), t)) << "t = " << t;
    EXPECT_DOUBLE_EQ(jet.first, slope) << "t = " << t;
    EXPECT_EQ(jet.second, 0.0) << "t = " << t;
  }
}

TEST(TimeFunction, LinearTableHasTheSlopeOfThePieceThatBegins) {
  const TableFunction table{{1.0, 2.0, 4.0}, {10.0, 20.0, -20.0}};
  expect_slopes(table, {{0.0, 0.0},
                        {std::nextafter(1.0, 0.0), 0.0},
                        {1.0, 10.0},
                        {1.9, 10.0},
                        {2.0, -20.0},
                        {3.9, -20.0},
                        {4.0, 0.0},
                        {9.0, 0.0}});
}

TEST(TimeFunction, PeriodicTableHasASlopeEverywhere) {
  TableFunction table{{0.1, 0.4, 0.8}, {1.0, 4.0, -4.0}, Interpolation::kLinear, Beyond::kRepeat};
  // the period 0.7 s is no binary number: near its multiples rounding may fall to either side
  for (int k = -1000; k <= 1000; ++k)
    for (const double t : {0.1 + 0.7 * k, std::nextafter(0.1 + 0.7 * k, 1e9), 0.3 + 0.7 * k, 0.5 + 0.7 * k}) {
      const double slope = evaluate_jet(TimeFunction(table), t).first;
      EXPECT_NEAR(slope, slope > 0.0 ? 10.0 : -20.0, 1e-12) << "t = " << t;
    }
  table.interpolation = Interpolation::kStep;
  expect_slopes(table, {{-1.0, 0.0}, {0.1, 0.0}, {0.5, 0.0}, {0.8, 0.0}});
}

TEST(TimeFunction, TablesWithoutPiecesHaveNoSlope) {
  for (const Beyond beyond : {Beyond::kHold, Beyond::kRepeat})
    expect_slopes({{2.0}, {5.0}, Interpolation::kLinear, beyond}, {{0.0, 0.0}, {2.0, 0.0}, {9.0, 0.0}});
  expect_slopes({{1.0, 2.0}, {5.0, 6.0}, Interpolation::kStep}, {{0.0, 0.0}, {1.0, 0.0}, {1.5, 0.0}});
  EXPECT_TRUE(std::isnan(evaluate_jet(TimeFunction(TableFunction{{1.0, 2.0}, {1.0, 2.0}}), kNan).first));
}

}  // namespace
}  // namespace rigor
