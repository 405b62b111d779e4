#pragma once

#include <variant>
#include <vector>

#include "rigor/math/expression.hpp"
#include "rigor/math/jet.hpp"

namespace rigor {

/// offset + amplitude sin(2π frequency t + phase)
struct SineFunction {
  double amplitude{1.0};
  double frequency{1.0};  // Hz
  double phase{0.0};      // rad
  double offset{0.0};

  bool operator==(const SineFunction&) const = default;
};

/// A function through the points (times[i], values[i]); times ascend strictly.
struct TableFunction {
  enum class Interpolation { kLinear, kStep };  // kStep: values[i] from times[i] until times[i+1]
  enum class Beyond { kHold, kRepeat };         // outside the table: the end values, or periodically

  std::vector<double> times;  // s
  std::vector<double> values;
  Interpolation interpolation{Interpolation::kLinear};
  Beyond beyond{Beyond::kHold};

  bool operator==(const TableFunction&) const = default;
};

/// A number that may depend on time t [s]: a constant, a sinusoid, a table, or an expression in t.
using TimeFunction = std::variant<double, SineFunction, TableFunction, Expression>;

/// The value at time t [s]. A table must have at least one point.
[[nodiscard]] double evaluate(const TimeFunction& function, double t);

/// The same value with its first and second derivative with respect to t. Of a linear table the first is the
/// slope of the piece that begins at t or holds it, 0 where the end values are held; of a step table both are
/// 0, as is the second of any table. Of an expression: see Jet.
[[nodiscard]] Jet evaluate_jet(const TimeFunction& function, double t);

}  // namespace rigor
