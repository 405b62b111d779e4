#include "rigor/math/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

// The slope of the piece that begins at times[i].
double slope_of(const TableFunction& table, std::size_t i) {
  const auto& [times, values, interpolation, beyond] = table;
  if (interpolation == TableFunction::Interpolation::kStep || i + 1 >= times.size()) return 0.0;
  return (values[i + 1] - values[i]) / (times[i + 1] - times[i]);
}

// Value and slope of a table; the second derivative is 0.
Jet evaluate_table(const TableFunction& table, double t) {
  const auto& [times, values, interpolation, beyond] = table;
  require(!times.empty() && times.size() == values.size(),
          "TableFunction: {} times and {} values, must be as many and at least one.", times.size(),
          values.size());

  const double period = times.back() - times.front();
  const bool repeats = beyond == TableFunction::Beyond::kRepeat && period > 0.0;
  if (repeats) t -= period * std::floor((t - times.front()) / period);
  if (std::isnan(t)) return {t, t, t};  // also from an infinite time in a periodic table
  // at the ends: held, or, but for rounding, where the first piece begins
  if (t <= times.front()) return {values.front(), repeats || t == times.front() ? slope_of(table, 0) : 0.0};
  if (t >= times.back()) return {values.back(), repeats ? slope_of(table, 0) : 0.0};

  // times[i] <= t < times[i + 1]
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  const auto i = static_cast<std::size_t>(next - times.begin()) - 1;
  if (interpolation == TableFunction::Interpolation::kStep) return {values[i]};
  const double s = (t - times[i]) / (times[i + 1] - times[i]);
  return {(1.0 - s) * values[i] + s * values[i + 1], slope_of(table, i)};
}

Jet evaluate_sine(const SineFunction& sine, double t) {
  const double omega = 2.0 * std::numbers::pi * sine.frequency;
  const double wave = sine.amplitude * portable::sin(omega * t + sine.phase);
  return {sine.offset + wave, sine.amplitude * omega * portable::cos(omega * t + sine.phase),
          -omega * omega * wave};
}

}  // namespace

double evaluate(const TimeFunction& function, double t) {
  if (const double* constant = std::get_if<double>(&function)) return *constant;
  if (const auto* expression = std::get_if<Expression>(&function)) return expression->evaluate(t);
  return evaluate_jet(function, t).value;
}

Jet evaluate_jet(const TimeFunction& function, double t) {
  if (const double* constant = std::get_if<double>(&function)) return {*constant};
  if (const auto* sine = std::get_if<SineFunction>(&function)) return evaluate_sine(*sine, t);
  if (const auto* table = std::get_if<TableFunction>(&function)) return evaluate_table(*table, t);
  return std::get<Expression>(function).evaluate_jet(t);
}

}  // namespace rigor
