#pragma once

#include <cmath>
#include <cstddef>

namespace rigor {

/// What a sparse LU of a matrix with so many entries costs, ordering and symbolic part included, roughly: n³ where all
/// are there; where rows are short the order and the lists are taken at a thousand multiplications an entry, an
/// estimate.
[[nodiscard]] inline double sparse_factor_work(std::ptrdiff_t entries) {
  const auto count = static_cast<double>(entries);
  return count * (std::sqrt(count) + 1000.0);
}

}  // namespace rigor
