#include "rigor/math/dense_lu.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kPanel = 32;

}  // namespace

Eigen::Block<DenseLu::RowMajor> DenseLu::start(Eigen::Index size) {
  if (size > storage_.rows()) {
    storage_.resize(size, size);
    scratch_.resize(size);
    row_of_.resize(static_cast<std::size_t>(size));
  }
  size_ = size;
  return storage_.topLeftCorner(size, size);
}

bool DenseLu::factor() {
  const Eigen::Index n = size_, stride = storage_.cols();
  double* const A = storage_.data();
  pivot_ratio_ = n == 0 ? 1.0 : 0.0;
  for (Eigen::Index i = 0; i < n; ++i) row_of_[static_cast<std::size_t>(i)] = i;
  double smallest = 0.0, largest = 0.0;
  for (Eigen::Index start = 0; start < n; start += kPanel) {
    const Eigen::Index end = std::min(n, start + kPanel);
    // factor the panel of columns [start, end)
    for (Eigen::Index k = start; k < end; ++k) {
      Eigen::Index pivot = k;
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (std::fabs(A[i * stride + k]) > std::fabs(A[pivot * stride + k])) pivot = i;
      const double size = std::fabs(A[pivot * stride + k]);
      if (!(size > 0.0) || !std::isfinite(size)) return false;
      smallest = k == 0 ? size : std::min(smallest, size);
      largest = std::max(largest, size);
      if (pivot != k) {
        std::swap_ranges(A + k * stride, A + k * stride + n, A + pivot * stride);
        std::swap(row_of_[static_cast<std::size_t>(k)], row_of_[static_cast<std::size_t>(pivot)]);
      }
      const double* pivot_row = A + k * stride;
      for (Eigen::Index i = k + 1; i < n; ++i) {
        double* row = A + i * stride;
        if (row[k] == 0.0) continue;
        row[k] /= pivot_row[k];
        for (Eigen::Index j = k + 1; j < end; ++j) row[j] -= row[k] * pivot_row[j];
      }
    }
    if (end == n) break;
    // rows of U to the right of the panel
    for (Eigen::Index k = start; k < end; ++k)
      for (Eigen::Index i = k + 1; i < end; ++i)
        add_scaled(-A[i * stride + k], A + k * stride + end, A + i * stride + end, n - end);
    // what is left: minus (column panel) times (row panel)
    subtract_product(A + end * stride + start, A + start * stride + end, A + end * stride + end, n - end,
                     n - end, end - start, stride);
  }
  pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
  return true;
}

void DenseLu::solve_in_place(Eigen::Ref<Eigen::VectorXd> b) {
  for (Eigen::Index i = 0; i < size_; ++i) scratch_[i] = b[row_of_[static_cast<std::size_t>(i)]];
  const auto LU = storage_.topLeftCorner(size_, size_);
  for (Eigen::Index i = 1; i < size_; ++i) scratch_[i] -= LU.row(i).head(i).dot(scratch_.head(i));
  for (Eigen::Index i = size_ - 1; i >= 0; --i) {
    const Eigen::Index rest = size_ - 1 - i;
    scratch_[i] = (scratch_[i] - LU.row(i).tail(rest).dot(scratch_.segment(i + 1, rest))) / LU(i, i);
  }
  b = scratch_.head(size_);
}

// Aᵀ = Uᵀ Lᵀ P: both triangles are run through row after row
void DenseLu::solve_transposed_in_place(Eigen::Ref<Eigen::VectorXd> b) {
  const Eigen::Index n = size_, stride = storage_.cols();
  double* const x = scratch_.data();
  std::copy(b.data(), b.data() + n, x);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double* row = storage_.data() + i * stride;
    x[i] /= row[i];
    add_scaled(-x[i], row + i + 1, x + i + 1, n - 1 - i);
  }
  for (Eigen::Index i = n - 1; i > 0; --i) add_scaled(-x[i], storage_.data() + i * stride, x, i);
  for (Eigen::Index i = 0; i < n; ++i) b[row_of_[static_cast<std::size_t>(i)]] = x[i];
}

}  // namespace rigor
