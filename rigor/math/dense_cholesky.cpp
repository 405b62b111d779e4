#include "rigor/math/dense_cholesky.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr Eigen::Index kPanel = 16;

}  // namespace

template <class Scalar>
void BasicDenseCholesky<Scalar>::reserve(Eigen::Index size) {
  storage_.reserve(size);
}

template <class Scalar>
typename PaddedSquare<Scalar>::View BasicDenseCholesky<Scalar>::start(Eigen::Index size) {
  storage_.resize(size);
  return storage_.view();
}

template <class Scalar>
bool BasicDenseCholesky<Scalar>::factor() {
  const Eigen::Index n = storage_.size(), stride = storage_.stride();
  pivot_ratio_ = n == 0 ? Scalar(1) : Scalar(0);
  Scalar smallest = 0, largest = 0;
  for (Eigen::Index start = 0; start < n; start += kPanel) {
    const Eigen::Index end = std::min(n, start + kPanel);
    // the panel of rows [start, end): each row is scaled by its pivot and taken from the rows below it
    for (Eigen::Index k = start; k < end; ++k) {
      Scalar* row = storage_.row(k);
      const Scalar pivot = row[k];
      if (!(pivot > 0) || !std::isfinite(pivot)) return false;
      smallest = k == 0 ? pivot : std::min(smallest, pivot);
      largest = std::max(largest, pivot);
      Eigen::Map<Vector>(row + k, n - k) *= Scalar(1) / std::sqrt(pivot);
      for (Eigen::Index i = k + 1; i < end; ++i) add_scaled(-row[i], row + i, storage_.row(i) + i, n - i);
    }
    // what is left of the triangle, a strip of rows at a time: minus (panel)ᵀ (panel)
    for (Eigen::Index i = end; i < n; i += kPanel)
      subtract_product<Scalar>({storage_.row(start) + i, 1, stride}, storage_.row(start) + i,
                               storage_.row(i) + i, std::min(kPanel, n - i), n - i, end - start, stride);
  }
  pivot_ratio_ = n == 0 ? Scalar(1) : smallest / largest;
  return true;
}

template <class Scalar>
void BasicDenseCholesky<Scalar>::solve_in_place(Eigen::Ref<Vector> b) const {
  const Eigen::Index n = storage_.size();
  // Rᵀ y = b by rows of R, then R x = y
  for (Eigen::Index i = 0; i < n; ++i) {
    const Scalar* row = storage_.row(i);
    b[i] /= row[i];
    add_scaled(-b[i], row + i + 1, b.data() + i + 1, n - 1 - i);
  }
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    const Eigen::Index rest = n - 1 - i;
    const Scalar* row = storage_.row(i);
    b[i] = (b[i] - Eigen::Map<const Vector>(row + i + 1, rest).dot(b.segment(i + 1, rest))) / row[i];
  }
}

template class BasicDenseCholesky<float>;
template class BasicDenseCholesky<double>;

}  // namespace rigor
