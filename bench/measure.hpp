#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace rigor {

/// CPU time of this process, s.
inline double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double median_of(std::vector<double> x) {
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  return *middle;
}

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
