#include "rigor/math/block_lu.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr int kDenseRows = 12;  // blocks: below, DenseLu is faster whatever the pattern

// w −= l u
RIGOR_KERNEL void subtract_product(Block3& w, const Block3& l, const Block3& u) {
  const Column3* const L = columns_of(l);
  Column3* const W = columns_of(w);
  for (int c = 0; c < 3; ++c) {
    Column3 column = W[c];
    column -= L[0] * u.v[4 * c];
    column -= L[1] * u.v[4 * c + 1];
    column -= L[2] * u.v[4 * c + 2];
    W[c] = column;
  }
}

RIGOR_KERNEL void set_product(const Block3& l, const Block3& u, Block3& w) {
  const Column3* const L = columns_of(l);
  Column3* const W = columns_of(w);
  for (int c = 0; c < 3; ++c) {
    Column3 column = L[0] * u.v[4 * c];
    column += L[1] * u.v[4 * c + 1];
    column += L[2] * u.v[4 * c + 2];
    W[c] = column;
  }
}

// What one row of the elimination needs.
struct Elimination {
  const int* begin;
  const int* column;
  const int* diagonal;
  const char* skipped;
  const Block3* inverse;
  Block3* factors;
  Block3* work;
};

// Row i of L and what it takes off the rest of the row, columns of L in increasing order.
RIGOR_KERNEL void eliminate(const Elimination& e, int i) {
  for (int k = e.begin[i]; k < e.diagonal[i]; ++k) {
    const int j = e.column[k];
    if (e.skipped[j]) {
      e.factors[k] = e.work[j];
      continue;
    }
    set_product(e.work[j], e.inverse[j], e.factors[k]);
    const Block3 l = e.factors[k];
    for (int t = e.diagonal[j] + 1; t < e.begin[j + 1]; ++t)
      subtract_product(e.work[e.column[t]], l, e.factors[t]);
  }
}

// s −= block · x
RIGOR_KERNEL void subtract_times(const Block3& block, const double* x, Column3& s) {
  const Column3* const B = columns_of(block);
  s -= B[0] * x[0];
  s -= B[1] * x[1];
  s -= B[2] * x[2];
}

// y ← U⁻¹ L⁻¹ y, row by row
RIGOR_KERNEL void substitute(const Elimination& e, int n, Padded3* y) {
  for (int i = 0; i < n; ++i) {
    Column3 own = column_of(y[i]);
    for (int k = e.begin[i]; k < e.diagonal[i]; ++k) subtract_times(e.factors[k], y[e.column[k]].v, own);
    column_of(y[i]) = own;
  }
  for (int i = n - 1; i >= 0; --i) {
    Column3 own = column_of(y[i]);
    for (int k = e.diagonal[i] + 1; k < e.begin[i + 1]; ++k)
      subtract_times(e.factors[k], y[e.column[k]].v, own);
    const Column3* const inverse = columns_of(e.inverse[i]);
    column_of(y[i]) = inverse[0] * own[0] + inverse[1] * own[1] + inverse[2] * own[2];
  }
}

// A row of a block beside the row of its inverse that is being made of it.
struct PairedRow {
  Column3 own, inverse;
};

// Gauss-Jordan: the pivot row divided by its entry k, and taken off the others until theirs are zero.
template <int k>
RIGOR_KERNEL bool clear_column(PairedRow& pivot, PairedRow& a, PairedRow& b) {
  const double entry = pivot.own[k];
  if (!(std::fabs(entry) > 0.0) || !std::isfinite(entry)) return false;
  const double scale = 1.0 / entry;
  pivot.own *= scale;
  pivot.inverse *= scale;
  for (PairedRow* const other : {&a, &b}) {
    const double factor = other->own[k];
    other->own -= factor * pivot.own;
    other->inverse -= factor * pivot.inverse;
  }
  return true;
}

template <int k>
RIGOR_KERNEL void put_larger_first(PairedRow& a, PairedRow& b) {
  if (std::fabs(b.own[k]) > std::fabs(a.own[k])) std::swap(a, b);
}

// With pivoting by rows.
RIGOR_KERNEL void invert_block(const double* m, Column3* inverse, bool* regular) {
  PairedRow x{{m[0], m[4], m[8], 0.0}, {1.0, 0.0, 0.0, 0.0}};
  PairedRow y{{m[1], m[5], m[9], 0.0}, {0.0, 1.0, 0.0, 0.0}};
  PairedRow z{{m[2], m[6], m[10], 0.0}, {0.0, 0.0, 1.0, 0.0}};
  put_larger_first<0>(x, y);
  put_larger_first<0>(x, z);
  if (!clear_column<0>(x, y, z)) return;
  put_larger_first<1>(y, z);
  if (!clear_column<1>(y, x, z) || !clear_column<2>(z, x, y)) return;
  const Column3 sum = x.inverse + y.inverse + z.inverse;
  *regular = std::isfinite(sum[0] + sum[1] + sum[2]);
  for (int c = 0; c < 3; ++c) inverse[c] = Column3{x.inverse[c], y.inverse[c], z.inverse[c], 0.0};
}

}  // namespace

bool invert(const Block3& block, Block3& inverse) {
  bool regular = false;
  call_with_avx<invert_block>(block.v, columns_of(inverse), &regular);
  return regular;
}

void BlockLu::analyse(const BlockPattern& pattern) {
  if (analysed_ && pattern == pattern_) return;
  pattern_ = pattern;
  analysed_ = true;
  values_.resize(pattern.column.size());
  const int n = pattern.rows();
  find_order();
  find_fill();
  const double dense_flops = 18.0 * n * static_cast<double>(n) * n;
  dense_ = !sparse_only_ && (n <= kDenseRows || 3.0 * flops_ > dense_flops);
  if (dense_) {
    flops_ = dense_flops;
    dense_lu_.reserve(3 * n);
  } else {
    factors_.resize(column_.size());
    inverse_.resize(at(n));
    work_.resize(at(n));
  }
  skipped_.assign(at(n), 0);
  y_.resize(at(n));
}

void BlockLu::find_order() {
  const int n = pattern_.rows();
  using Sparse = Eigen::SparseMatrix<double>;
  Sparse graph(n, n);
  graph.resizeNonZeros(static_cast<Eigen::Index>(pattern_.column.size()));
  std::copy(pattern_.begin.begin(), pattern_.begin.end(), graph.outerIndexPtr());
  std::copy(pattern_.column.begin(), pattern_.column.end(), graph.innerIndexPtr());
  std::fill_n(graph.valuePtr(), graph.nonZeros(), 1.0);
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  row_at_.assign(order.indices().data(), order.indices().data() + n);
  place_of_.resize(at(n));
  for (int k = 0; k < n; ++k) place_of_[at(row_at_[at(k)])] = k;
}

// The upper rows of the factor by merging those of the children in the elimination tree.
void BlockLu::find_fill() {
  const int n = pattern_.rows();
  std::vector<std::vector<int>> upper(at(n)), lower(at(n)), children(at(n));
  std::vector<int> mark(at(n), -1);
  flops_ = 0.0;
  for (int k = 0; k < n; ++k) {
    std::vector<int>& row = upper[at(k)];
    const auto add = [&](int j) {
      if (j <= k || mark[at(j)] == k) return;
      mark[at(j)] = k;
      row.push_back(j);
    };
    const int old = row_at_[at(k)];
    for (int e = pattern_.begin[at(old)]; e < pattern_.begin[at(old) + 1]; ++e)
      add(place_of_[at(pattern_.column[at(e)])]);
    for (const int child : children[at(k)])
      for (const int j : upper[at(child)]) add(j);
    std::sort(row.begin(), row.end());
    if (!row.empty()) children[at(row[0])].push_back(k);
    for (const int j : row) lower[at(j)].push_back(k);
    const auto m = static_cast<double>(row.size());
    flops_ += 54.0 * m * (m + 1.0);
  }
  begin_.assign(1, 0);
  column_.clear();
  diagonal_.resize(at(n));
  source_.clear();
  target_.clear();
  for (int k = 0; k < n; ++k) {
    column_.insert(column_.end(), lower[at(k)].begin(), lower[at(k)].end());
    diagonal_[at(k)] = static_cast<int>(column_.size());
    column_.push_back(k);
    column_.insert(column_.end(), upper[at(k)].begin(), upper[at(k)].end());
    begin_.push_back(static_cast<int>(column_.size()));
    const int old = row_at_[at(k)];
    for (int e = pattern_.begin[at(old)]; e < pattern_.begin[at(old) + 1]; ++e) {
      source_.push_back(e);
      target_.push_back(place_of_[at(pattern_.column[at(e)])]);
    }
  }
}

bool BlockLu::factor(const std::vector<char>* is_identity) {
  return dense_ ? factor_dense(is_identity) : factor_sparse(is_identity);
}

bool BlockLu::factor_dense(const std::vector<char>* is_identity) {
  const int n = pattern_.rows();
  auto A = dense_lu_.start(3 * n);
  for (int i = 0; i < n; ++i) {
    const bool is_full = pattern_.begin[at(i) + 1] - pattern_.begin[at(i)] == n;
    const bool is_unit = is_identity && (*is_identity)[at(i)];
    if (!is_full || is_unit)
      for (int r = 0; r < 3; ++r) std::fill_n(A.data() + (3 * i + r) * A.outerStride(), 3 * n, 0.0);
    if (is_unit) {
      A.diagonal().segment<3>(3 * i).setOnes();
      continue;
    }
    for (int e = pattern_.begin[at(i)]; e < pattern_.begin[at(i) + 1]; ++e) {
      const Block3& block = values_[at(e)];
      double* const to = A.data() + 3 * i * A.outerStride() + 3 * pattern_.column[at(e)];
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) to[r * A.outerStride() + c] = block(r, c);
    }
  }
  return dense_lu_.factor();
}

bool BlockLu::factor_sparse(const std::vector<char>* is_identity) {
  const Elimination e{begin_.data(),   column_.data(),  diagonal_.data(), skipped_.data(),
                      inverse_.data(), factors_.data(), work_.data()};
  const int n = pattern_.rows();
  std::size_t entry = 0;
  for (int i = 0; i < n; ++i) {
    const int old = row_at_[at(i)];
    const int count = pattern_.begin[at(old) + 1] - pattern_.begin[at(old)];
    skipped_[at(i)] = is_identity && (*is_identity)[at(old)];
    if (skipped_[at(i)]) {
      for (int k = begin_[at(i)]; k < begin_[at(i) + 1]; ++k) factors_[at(k)] = Block3::zero();
      inverse_[at(i)] = Block3::identity();
      entry += at(count);
      continue;
    }
    for (int k = begin_[at(i)]; k < begin_[at(i) + 1]; ++k) work_[at(column_[at(k)])] = Block3::zero();
    for (int k = 0; k < count; ++k, ++entry) work_[at(target_[entry])] = values_[at(source_[entry])];
    call_with_avx<eliminate>(e, i);
    for (int k = diagonal_[at(i)]; k < begin_[at(i) + 1]; ++k) factors_[at(k)] = work_[at(column_[at(k)])];
    if (!invert(work_[at(i)], inverse_[at(i)])) return false;
  }
  return true;
}

void BlockLu::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
  if (dense_) {
    x = b;
    dense_lu_.solve_in_place(x);
    return;
  }
  const int n = pattern_.rows();
  for (int i = 0; i < n; ++i) {
    const double* const from = b.data() + 3 * row_at_[at(i)];
    y_[at(i)] = {{from[0], from[1], from[2], 0.0}};
  }
  const Elimination e{begin_.data(),   column_.data(),  diagonal_.data(), skipped_.data(),
                      inverse_.data(), factors_.data(), work_.data()};
  call_with_avx<substitute>(e, n, y_.data());
  x.resize(3 * n);
  for (int i = 0; i < n; ++i) std::copy_n(y_[at(i)].v, 3, x.data() + 3 * row_at_[at(i)]);
}

// A symmetric 3 x 3 pivot has as many negative eigenvalues as its own pivots; it is taken apart by its
// coefficients: by the signs of its characteristic polynomial's (Descartes, all roots real).
int BlockLu::count_negative() const {
  int negative = 0;
  for (int i = 0; i < pattern_.rows(); ++i) {
    if (skipped_[at(i)]) continue;
    const Block3& d = factors_[at(diagonal_[at(i)])];
    const double trace = d(0, 0) + d(1, 1) + d(2, 2);
    const double minors = d(0, 0) * d(1, 1) - d(0, 1) * d(1, 0) + d(0, 0) * d(2, 2) - d(0, 2) * d(2, 0) +
                          d(1, 1) * d(2, 2) - d(1, 2) * d(2, 1);
    const double determinant = d(0, 0) * (d(1, 1) * d(2, 2) - d(1, 2) * d(2, 1)) -
                               d(0, 1) * (d(1, 0) * d(2, 2) - d(1, 2) * d(2, 0)) +
                               d(0, 2) * (d(1, 0) * d(2, 1) - d(1, 1) * d(2, 0));
    // λ³ − trace λ² + minors λ − determinant: sign changes of (−λ) in it are the negative roots
    const double coefficients[4] = {-1.0, -trace, -minors, -determinant};
    for (int k = 0; k < 3; ++k) negative += coefficients[k] * coefficients[k + 1] < 0.0;
  }
  return negative;
}

}  // namespace rigor
