#pragma once

#include <cstddef>

namespace rigor {

/// top_j = max(top_j, |x_j|) for j = 0 … n−1; returns the largest |x_j|. Where `rounded` is given it gets x
/// in single precision on the way. x must be finite. Exact, so the same on every machine.
[[nodiscard]] double raise_tops(const double* x, double* top, float* rounded, std::ptrdiff_t n);

}  // namespace rigor
