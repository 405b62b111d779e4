#include "rigor/math/time_function.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigor {
namespace {

double evaluate_table(const TableFunction& table, double t) {
  const auto& [times, values, interpolation, beyond] = table;
  require(!times.empty() && times.size() == values.size(),
          "TableFunction: {} times and {} values, must be as many and at least one.", times.size(),
          values.size());

  const double period = times.back() - times.front();
  if (beyond == TableFunction::Beyond::kRepeat && period > 0.0)
    t -= period * std::floor((t - times.front()) / period);
  if (t <= times.front()) return values.front();
  if (t >= times.back()) return values.back();

  // times[i] <= t < times[i + 1]
  const auto next = std::upper_bound(times.begin(), times.end(), t);
  const auto i = static_cast<std::size_t>(next - times.begin()) - 1;
  if (interpolation == TableFunction::Interpolation::kStep) return values[i];
  const double s = (t - times[i]) / (times[i + 1] - times[i]);
  return (1.0 - s) * values[i] + s * values[i + 1];
}

}  // namespace

double evaluate(const TimeFunction& function, double t) {
  if (const double* constant = std::get_if<double>(&function)) return *constant;
  if (const auto* sine = std::get_if<SineFunction>(&function))
    return sine->offset +
           sine->amplitude * std::sin(2.0 * std::numbers::pi * sine->frequency * t + sine->phase);
  if (const auto* table = std::get_if<TableFunction>(&function)) return evaluate_table(*table, t);
  return std::get<Expression>(function).evaluate(t);
}

}  // namespace rigor
