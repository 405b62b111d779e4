#include "rigor/math/dense_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kPanel = 32;
constexpr Eigen::Index kBlock = 64;  // rows of the trailing triangle that are updated together

}  // namespace

Eigen::Block<DenseCholesky::RowMajor> DenseCholesky::start(Eigen::Index size) {
  if (size > storage_.rows()) {
    storage_.resize(size, size);
    transposed_.resize(size, size);  // the stride of both must agree
  }
  size_ = size;
  return storage_.topLeftCorner(size, size);
}

bool DenseCholesky::factor() {
  const Eigen::Index n = size_, stride = storage_.cols();
  double* const A = storage_.data();
  double* const T = transposed_.data();
  pivot_ratio_ = n == 0 ? 1.0 : 0.0;
  double smallest = 0.0, largest = 0.0;
  for (Eigen::Index start = 0; start < n; start += kPanel) {
    const Eigen::Index end = std::min(n, start + kPanel);
    // the panel of rows [start, end): each row is scaled by its pivot and taken from the rows below it
    for (Eigen::Index k = start; k < end; ++k) {
      double* row = A + k * stride;
      const double pivot = row[k];
      if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
      smallest = k == 0 ? pivot : std::min(smallest, pivot);
      largest = std::max(largest, pivot);
      const double inverse = 1.0 / std::sqrt(pivot);
      for (Eigen::Index j = k; j < n; ++j) row[j] *= inverse;
      for (Eigen::Index i = k + 1; i < end; ++i) add_scaled(-row[i], row + i, A + i * stride + i, n - i);
    }
    if (end == n) break;
    // what is left of the triangle, a strip of rows at a time: minus (panel)ᵀ (panel)
    for (Eigen::Index k = start; k < end; ++k)
      for (Eigen::Index j = end; j < n; ++j) T[j * stride + k - start] = A[k * stride + j];
    for (Eigen::Index i = end; i < n; i += kBlock)
      subtract_product(T + i * stride, A + start * stride + i, A + i * stride + i, std::min(kBlock, n - i),
                       n - i, end - start, stride);
  }
  pivot_ratio_ = n == 0 ? 1.0 : smallest / largest;
  return true;
}

void DenseCholesky::solve_in_place(Eigen::Ref<Eigen::VectorXd> b) const {
  const Eigen::Index n = size_;
  const auto R = storage_.topLeftCorner(n, n);
  // Rᵀ y = b by rows of R, then R x = y
  for (Eigen::Index i = 0; i < n; ++i) {
    b[i] /= R(i, i);
    add_scaled(-b[i], storage_.data() + i * storage_.cols() + i + 1, b.data() + i + 1, n - 1 - i);
  }
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    const Eigen::Index rest = n - 1 - i;
    b[i] = (b[i] - R.row(i).tail(rest).dot(b.segment(i + 1, rest))) / R(i, i);
  }
}

}  // namespace rigor
