#pragma once

#include <cmath>
#include <vector>

namespace rigor {

/// p of time ≈ c sizeᵖ, least squares of the logarithms.
inline double fit_exponent(const std::vector<double>& size, const std::vector<double>& time) {
  double n = 0.0, sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double x = std::log(size[k]), y = std::log(time[k]);
    n += 1.0, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace rigor
