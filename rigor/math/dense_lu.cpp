#include "rigor/math/dense_lu.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/block3.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kColumns = 32;
constexpr Eigen::Index kStrip = 16;  // whole tiles of subtract_product()

// What column k does to the columns up to `end` in the rows below it. Four at a time, the last ones singly.
template <class Scalar>
RIGOR_KERNEL void eliminate_column(Scalar* A, Eigen::Index n, Eigen::Index stride, Eigen::Index k,
                                   Eigen::Index end) {
  typedef Scalar Four __attribute__((vector_size(4 * sizeof(Scalar)), aligned(sizeof(Scalar)), may_alias));
  const Scalar* const pivot_row = A + k * stride;
  for (Eigen::Index i = k + 1; i < n; ++i) {
    Scalar* const row = A + i * stride;
    if (row[k] == 0) continue;
    const Scalar factor = row[k] /= pivot_row[k];
    Eigen::Index j = k + 1;
    for (; j + 4 <= end; j += 4)
      *reinterpret_cast<Four*>(row + j) -= factor * *reinterpret_cast<const Four*>(pivot_row + j);
    for (; j < end; ++j) row[j] -= factor * pivot_row[j];
  }
}

}  // namespace

template <class Scalar>
void BasicDenseLu<Scalar>::reserve(Eigen::Index size) {
  storage_.reserve(size);
  if (size <= scratch_.size()) return;
  scratch_.resize(size);
  row_of_.resize(static_cast<std::size_t>(size));
}

template <class Scalar>
typename PaddedSquare<Scalar>::View BasicDenseLu<Scalar>::start(Eigen::Index size) {
  reserve(size);
  storage_.resize(size);
  return storage_.view();
}

// columns [start, end) of the rows from `start` on, one after the other
template <class Scalar>
bool BasicDenseLu<Scalar>::factor_strip(Eigen::Index start, Eigen::Index end, Scalar& smallest,
                                        Scalar& largest) {
  const Eigen::Index n = storage_.size(), stride = storage_.stride();
  Scalar* const A = storage_.row(0);
  for (Eigen::Index k = start; k < end; ++k) {
    Eigen::Index pivot = k;
    Scalar size = std::fabs(A[k * stride + k]);
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (const Scalar other = std::fabs(A[i * stride + k]); other > size) {
        pivot = i;
        size = other;
      }
    if (!(size > 0) || !std::isfinite(size)) return false;
    smallest = k == 0 ? size : std::min(smallest, size);
    largest = std::max(largest, size);
    if (pivot != k) {
      std::swap_ranges(A + k * stride, A + k * stride + n, A + pivot * stride);
      std::swap(row_of_[static_cast<std::size_t>(k)], row_of_[static_cast<std::size_t>(pivot)]);
    }
    call_with_avx<eliminate_column<Scalar>>(A, n, stride, k, end);
  }
  return true;
}

// what the factored columns [start, end) do to columns [end, stop): rows of U, then the rows below them
template <class Scalar>
void BasicDenseLu<Scalar>::update_right(Eigen::Index start, Eigen::Index end, Eigen::Index stop) {
  const Eigen::Index n = storage_.size(), stride = storage_.stride();
  Scalar* const A = storage_.row(0);
  for (Eigen::Index k = start; k < end; ++k)
    for (Eigen::Index i = k + 1; i < end; ++i)
      add_scaled(-A[i * stride + k], A + k * stride + end, A + i * stride + end, stop - end);
  subtract_product<Scalar>({A + end * stride + start, stride, 1}, A + start * stride + end,
                           A + end * stride + end, n - end, stop - end, end - start, stride);
}

template <class Scalar>
bool BasicDenseLu<Scalar>::factor() {
  const Eigen::Index n = storage_.size();
  pivot_ratio_ = n == 0 ? Scalar(1) : Scalar(0);
  for (Eigen::Index i = 0; i < n; ++i) row_of_[static_cast<std::size_t>(i)] = i;
  Scalar smallest = 0, largest = 0;
  for (Eigen::Index start = 0; start < n; start += kColumns) {
    // a panel of columns, a strip of it at a time; the rest of the matrix gets all of the panel at once
    const Eigen::Index end = std::min(n, start + kColumns);
    for (Eigen::Index strip = start; strip < end; strip += kStrip) {
      const Eigen::Index strip_end = std::min(end, strip + kStrip);
      if (!factor_strip(strip, strip_end, smallest, largest)) return false;
      if (strip_end < end) update_right(strip, strip_end, end);
    }
    if (end < n) update_right(start, end, n);
  }
  pivot_ratio_ = n == 0 ? Scalar(1) : smallest / largest;
  return true;
}

template <class Scalar>
void BasicDenseLu<Scalar>::solve_in_place(Eigen::Ref<Vector> b) {
  const Eigen::Index n = storage_.size();
  for (Eigen::Index i = 0; i < n; ++i) scratch_[i] = b[row_of_[static_cast<std::size_t>(i)]];
  const auto LU = storage_.view();
  for (Eigen::Index i = 1; i < n; ++i) scratch_[i] -= LU.row(i).head(i).dot(scratch_.head(i));
  for (Eigen::Index i = n - 1; i >= 0; --i) {
    const Eigen::Index rest = n - 1 - i;
    scratch_[i] = (scratch_[i] - LU.row(i).tail(rest).dot(scratch_.segment(i + 1, rest))) / LU(i, i);
  }
  b = scratch_.head(n);
}

// Aᵀ = Uᵀ Lᵀ P: both triangles are run through row after row
template <class Scalar>
void BasicDenseLu<Scalar>::solve_transposed_in_place(Eigen::Ref<Vector> b) {
  const Eigen::Index n = storage_.size();
  Scalar* const x = scratch_.data();
  std::copy(b.data(), b.data() + n, x);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Scalar* row = storage_.row(i);
    x[i] /= row[i];
    add_scaled(-x[i], row + i + 1, x + i + 1, n - 1 - i);
  }
  for (Eigen::Index i = n - 1; i > 0; --i) add_scaled(-x[i], storage_.row(i), x, i);
  for (Eigen::Index i = 0; i < n; ++i) b[row_of_[static_cast<std::size_t>(i)]] = x[i];
}

template class BasicDenseLu<float>;
template class BasicDenseLu<double>;

}  // namespace rigor
