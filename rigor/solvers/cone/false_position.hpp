#pragma once

#include <cmath>

namespace rigor {

/// Line search by false position: the step tau in (0, 1] along a direction of descent at which the `slope` of
/// a convex function, which increases with tau, is nearly zero. An end of the bracket that stays twice counts
/// half (Illinois). 1 where the slope there is still small, or where the direction is not one of descent.
template <class Slope>
[[nodiscard]] double find_step_by_false_position(Slope slope) {
  double low = 0.0, high = 1.0, at_low = slope(0.0), at_high = slope(1.0);
  if (!(at_low < 0.0) || at_high <= 0.5 * std::fabs(at_low)) return 1.0;
  const double enough = 0.05 * std::fabs(at_low);
  double tau = 1.0;
  for (int k = 0, side = 0; k < 30; ++k) {
    tau = (low * at_high - high * at_low) / (at_high - at_low);
    const double value = slope(tau);
    if (std::fabs(value) <= enough) break;
    if (value < 0.0) {
      low = tau;
      at_low = value;
      if (side == -1) at_high *= 0.5;
      side = -1;
    } else {
      high = tau;
      at_high = value;
      if (side == 1) at_low *= 0.5;
      side = 1;
    }
  }
  return tau;
}

}  // namespace rigor
