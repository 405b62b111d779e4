#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace rigor {

/// top_j = max(top_j, |x_j|) for j = 0 … n−1; returns the largest |x_j|. Where `rounded` is given it gets x
/// in single precision on the way. x must be finite. Exact, so the same on every machine.
[[nodiscard]] double raise_tops(const double* x, double* top, float* rounded, std::ptrdiff_t n);

/// ‖v‖∞, of nothing 0.
inline double largest(const Eigen::VectorXd& v) {
  return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0.0;
}

}  // namespace rigor
