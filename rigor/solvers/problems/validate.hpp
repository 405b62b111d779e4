#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cmath>
#include <string_view>

#include "rigor/base/require.hpp"

namespace rigor {

/// Throws InvalidInput naming the first entry of `values` that is NaN or infinite.
template <class Derived>
void require_finite(const Eigen::MatrixBase<Derived>& values, std::string_view what) {
  if ((values.array() * 0.0).sum() == 0.0) return;  // NaN and infinity times 0 are NaN: one fast pass
  for (Eigen::Index j = 0; j < values.cols(); ++j)
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      require(std::isfinite(values(i, j)), "{}({}, {}) = {}, must be finite.", what, i, j, values(i, j));
}

inline void require_finite(const Eigen::SparseMatrix<double>& values, std::string_view what) {
  for (Eigen::Index j = 0; j < values.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(values, j); it; ++it)
      require(std::isfinite(it.value()), "{}({}, {}) = {}, must be finite.", what, it.row(), it.col(),
              it.value());
}

}  // namespace rigor
