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

// The block of L in column j of a row, and what it takes off the rest of that row. Many are zero: half of the contacts of
// a heap are open.
template <class Elimination>
RIGOR_KERNEL void eliminate_one(const Elimination& e, int j, Block3* work, Block3& factor) {
  if (e.skipped[j] || is_zero(work[j])) {
    factor = work[j];
    return;
  }
  set_product(work[j], e.inverse[j], factor);
  const Block3 l = factor;
  for (int t = e.diagonal[j] + 1; t < e.begin[j + 1]; ++t)
    subtract_product(work[e.column[t]], l, e.factors[t]);
}

// Two rows of the factor that belong together, as the nodes of a body: the blocks of both in each column, above each
// other, so that what they need of other rows is read once. Column c of the block in a column of blocks is
// at(column)[c]; its halves are those of the two rows.
struct TwinRow {
  TwinColumn* columns;

  RIGOR_KERNEL TwinColumn* at(int column) const { return columns + 3 * column; }
  /// Column c of one row's block is half(row, column)[2 c].
  RIGOR_KERNEL Column3* half(int row, int column) const {
    return reinterpret_cast<Column3*>(columns + 3 * column) + row;
  }
  RIGOR_KERNEL void set(int row, int column, const Block3& block) const {
    for (int c = 0; c < 3; ++c) half(row, column)[2 * c] = columns_of(block)[c];
  }
  RIGOR_KERNEL void get(int row, int column, Block3& block) const {
    for (int c = 0; c < 3; ++c) columns_of(block)[c] = half(row, column)[2 * c];
  }
  RIGOR_KERNEL bool is_zero(int column) const {
    const Column3* const all = half(0, column);
    Column3 squares = all[0] * all[0];
    for (int k = 1; k < 6; ++k) squares += all[k] * all[k];
    return squares[0] + squares[1] + squares[2] == 0.0;
  }
};

// L's blocks of both rows in column j.
template <class Elimination>
RIGOR_KERNEL void make_factor(const Elimination& e, int j, const TwinRow& work, TwinColumn* l, Block3* factor,
                              int ahead) {
  const TwinColumn* const own = work.at(j);
  const double* const inverse = e.inverse[j].v;
  for (int c = 0; c < 3; ++c)
    l[c] = own[0] * inverse[4 * c] + own[1] * inverse[4 * c + 1] + own[2] * inverse[4 * c + 2];
  const TwinRow made{l};
  made.get(0, 0, factor[0]);
  made.get(1, 0, factor[ahead]);
}

RIGOR_KERNEL void subtract_twins(TwinColumn& w, const TwinColumn* l, const double* u) {
  w -= l[0] * u[0];
  w -= l[1] * u[1];
  w -= l[2] * u[2];
}

// eliminate_one() for both rows, and for column j + 1 at once where that belongs to j: what both take off is then loaded
// and stored once. Returns how many columns it has done.
template <class Elimination>
RIGOR_KERNEL int eliminate_twins(const Elimination& e, int j, const TwinRow& work, Block3* factor,
                                 int ahead) {
  if (e.skipped[j] || work.is_zero(j)) {
    work.get(0, j, factor[0]);
    work.get(1, j, factor[ahead]);
    return 1;
  }
  TwinColumn l[3];
  make_factor(e, j, work, l, factor, ahead);
  const int first = e.diagonal[j] + 1, end = e.begin[j + 1];
  const auto subtract = [&](int t) {
    for (int c = 0; c < 3; ++c) subtract_twins(work.at(e.column[t])[c], l, e.factors[t].v + 4 * c);
  };
  if (!e.pairs_with_next[j] || e.skipped[j + 1]) {
    for (int t = first; t < end; ++t) subtract(t);
    return 1;
  }
  subtract(first);
  TwinColumn next[3];
  make_factor(e, j + 1, work, next, factor + 1, ahead);
  const int shift = e.diagonal[j + 1] + 1 - (first + 1);
  for (int t = first + 1; t < end; ++t) {
    TwinColumn* const w = work.at(e.column[t]);
    const double *const u = e.factors[t].v, *const v = e.factors[t + shift].v;
    for (int c = 0; c < 3; ++c) {
      TwinColumn column = w[c];
      subtract_twins(column, l, u + 4 * c);
      subtract_twins(column, next, v + 4 * c);
      w[c] = column;
    }
  }
  return 2;
}

// s −= block · x
RIGOR_KERNEL void subtract_times(const Block3& block, const double* x, Column3& s) {
  const Column3* const B = columns_of(block);
  s -= B[0] * x[0];
  s -= B[1] * x[1];
  s -= B[2] * x[2];
}

// y ← U⁻¹ L⁻¹ y, row by row
template <class Elimination>
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

// Where the values of a row come from.
struct RowSource {
  const Block3* values;
  const int* source;  // entries of the pattern, step by step, and
  const int* target;  // the steps of their columns
  const int* first;   // per step, and the end: its entries above
};

template <class Elimination>
RIGOR_KERNEL void scatter_row(const Elimination& e, const RowSource& from, int i, Block3* work) {
  for (int k = e.begin[i]; k < e.begin[i + 1]; ++k) work[e.column[k]] = Block3::zero();
  for (int k = from.first[i]; k < from.first[i + 1]; ++k) work[from.target[k]] = from.values[from.source[k]];
}

RIGOR_KERNEL bool invert_into(const Block3& block, Block3& inverse) {
  bool regular = false;
  invert_block(block.v, columns_of(inverse), &regular);
  return regular;
}

// The row of U, and the inverse of its diagonal block.
template <class Elimination>
RIGOR_KERNEL bool finish_row(const Elimination& e, int i, const Block3* work) {
  for (int k = e.diagonal[i]; k < e.begin[i + 1]; ++k) e.factors[k] = work[e.column[k]];
  return invert_into(work[i], e.inverse[i]);
}

// Two rows that belong together: the second has the columns of the first, and begins with the same ones.
template <class Elimination>
RIGOR_KERNEL bool factor_twins(const Elimination& e, const RowSource& from, int i) {
  const TwinRow work{e.twins};
  const Block3 zero = Block3::zero();
  for (int k = e.begin[i]; k < e.begin[i + 1]; ++k)
    for (int row = 0; row < 2; ++row) work.set(row, e.column[k], zero);
  for (int row = 0; row < 2; ++row)
    for (int k = from.first[i + row]; k < from.first[i + row + 1]; ++k)
      work.set(row, from.target[k], from.values[from.source[k]]);

  const int ahead = e.begin[i + 1] - e.begin[i], own = e.diagonal[i];
  for (int k = e.begin[i]; k < own;) k += eliminate_twins(e, e.column[k], work, e.factors + k, ahead);
  for (int k = own; k < e.begin[i + 1]; ++k) work.get(0, e.column[k], e.factors[k]);
  if (!invert_into(e.factors[own], e.inverse[i])) return false;

  // the first of them in the second, and the rest of that
  Block3 corner, l;
  work.get(1, i, corner);
  set_product(corner, e.inverse[i], l);
  e.factors[own + ahead] = l;
  for (int k = own + 1; k < e.begin[i + 1]; ++k) {
    Block3& u = e.factors[k + ahead];
    work.get(1, e.column[k], u);
    subtract_product(u, l, e.factors[k]);
  }
  return invert_into(e.factors[own + ahead + 1], e.inverse[i + 1]);
}

// Rows in order, two at a time where they belong together.
template <class Elimination>
RIGOR_KERNEL void factor_rows(const Elimination* elimination, const RowSource* from, int n, bool* regular) {
  const Elimination& e = *elimination;
  for (int i = 0; i < n; ++i) {
    if (e.skipped[i]) {
      for (int k = e.begin[i]; k < e.begin[i + 1]; ++k) e.factors[k] = Block3::zero();
      e.inverse[i] = Block3::identity();
    } else if (e.pairs_with_next[i] && !e.skipped[i + 1]) {
      if (!factor_twins(e, *from, i)) return;
      ++i;
    } else {
      scatter_row(e, *from, i, e.work);
      for (int k = e.begin[i]; k < e.diagonal[i]; ++k) eliminate_one(e, e.column[k], e.work, e.factors[k]);
      if (!finish_row(e, i, e.work)) return;
    }
  }
  *regular = true;
}

}  // namespace

/// What the elimination needs.
struct BlockLu::Elimination {
  const int* begin;
  const int* column;
  const int* diagonal;
  const char* skipped;
  const char* pairs_with_next;
  Block3* inverse;
  Block3* factors;
  Block3* work;       // one row
  TwinColumn* twins;  // two rows
};

BlockLu::Elimination BlockLu::elimination() {
  return {begin_.data(),
          column_.data(),
          diagonal_.data(),
          skipped_.data(),
          pairs_with_next_.data(),
          inverse_.data(),
          factors_.data(),
          work_.data(),
          reinterpret_cast<TwinColumn*>(twins_.data())};
}

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
  find_groups();
  find_order();
  find_group_fill();
  find_lengths();
  find_columns();
  find_sources();
  const double dense_flops = 18.0 * n * static_cast<double>(n) * n;
  dense_ = !sparse_only_ && (n <= kDenseRows || 3.0 * flops_ > dense_flops);
  if (dense_) {
    flops_ = dense_flops;
    dense_lu_.reserve(3 * n);
  } else {
    factors_.resize(column_.size());
    inverse_.resize(at(n));
    work_.resize(at(n));
    twins_.resize(3 * at(n));
  }
  skipped_.assign(at(n), 0);
  y_.resize(at(n));
}

// Rows after each other with the same columns, all of their own group among them.
void BlockLu::find_groups() {
  const int n = pattern_.rows();
  group_begin_.assign(1, 0);
  group_of_.resize(at(n));
  const auto row = [&](int i) { return pattern_.column.data() + pattern_.begin[at(i)]; };
  for (int i = 0; i < n; ++i) {
    const int count = pattern_.begin[at(i) + 1] - pattern_.begin[at(i)];
    const bool is_like_last = i > 0 && count == pattern_.begin[at(i)] - pattern_.begin[at(i) - 1] &&
                              std::equal(row(i), row(i) + count, row(i - 1));
    if (i > 0 && !is_like_last) group_begin_.push_back(i);
    group_of_[at(i)] = static_cast<int>(group_begin_.size()) - 1;
  }
  group_begin_.push_back(n);
}

void BlockLu::find_order() {
  const int groups = static_cast<int>(group_begin_.size()) - 1;
  using Sparse = Eigen::SparseMatrix<double>;
  Sparse graph(groups, groups);
  graph.reserve(static_cast<Eigen::Index>(pattern_.column.size()));
  for (int g = 0; g < groups; ++g) {
    graph.startVec(g);
    const int row = group_begin_[at(g)];
    int last = -1;
    for (int e = pattern_.begin[at(row)]; e < pattern_.begin[at(row) + 1]; ++e) {
      const int other = group_of_[at(pattern_.column[at(e)])];
      if (other != last) graph.insertBack(other, g) = 1.0;
      last = other;
    }
  }
  graph.finalize();
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  group_at_.assign(order.indices().data(), order.indices().data() + groups);
  group_place_.resize(at(groups));
  step_begin_.resize(at(groups) + 1);
  row_at_.clear();
  place_of_.resize(at(pattern_.rows()));
  for (int k = 0; k < groups; ++k) {
    const int group = group_at_[at(k)];
    group_place_[at(group)] = k;
    step_begin_[at(k)] = static_cast<int>(row_at_.size());
    for (int row = group_begin_[at(group)]; row < group_begin_[at(group) + 1]; ++row) {
      place_of_[at(row)] = static_cast<int>(row_at_.size());
      row_at_.push_back(row);
    }
  }
  step_begin_.back() = pattern_.rows();
}

// The upper rows of the factor, by groups: those of the pattern and of the children in the elimination tree.
void BlockLu::find_group_fill() {
  const int groups = static_cast<int>(group_at_.size());
  first_child_.assign(at(groups), -1);
  next_child_.assign(at(groups), -1);
  mark_.assign(at(groups), -1);
  upper_begin_.assign(1, 0);
  upper_.clear();
  for (int k = 0; k < groups; ++k) {
    const auto add = [&](int j) {
      if (j <= k || mark_[at(j)] == k) return;
      mark_[at(j)] = k;
      upper_.push_back(j);
    };
    const int row = group_begin_[at(group_at_[at(k)])];
    for (int e = pattern_.begin[at(row)]; e < pattern_.begin[at(row) + 1]; ++e)
      add(group_place_[at(group_of_[at(pattern_.column[at(e)])])]);
    for (int child = first_child_[at(k)]; child >= 0; child = next_child_[at(child)])
      for (int e = upper_begin_[at(child)]; e < upper_begin_[at(child) + 1]; ++e) add(upper_[at(e)]);
    std::sort(upper_.begin() + upper_begin_[at(k)], upper_.end());
    upper_begin_.push_back(static_cast<int>(upper_.size()));
    if (upper_begin_[at(k)] == upper_begin_[at(k) + 1]) continue;
    const int parent = upper_[at(upper_begin_[at(k)])];
    next_child_[at(k)] = first_child_[at(parent)];
    first_child_[at(parent)] = k;
  }
}

// How long each row of the factor is: the rows of groups before it in L, its own group, those after it in U.
void BlockLu::find_lengths() {
  const int n = pattern_.rows(), groups = static_cast<int>(group_at_.size());
  const auto size = [&](int k) { return step_begin_[at(k) + 1] - step_begin_[at(k)]; };
  begin_.assign(at(n) + 1, 0);
  diagonal_.assign(at(n), 0);
  pairs_with_next_.assign(at(n), 0);
  before_.assign(at(groups), 0);
  flops_ = 0.0;
  int end = 0;
  for (int k = 0; k < groups; ++k) {
    int after = 0;
    for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e) {
      before_[at(upper_[at(e)])] += size(k);
      after += size(upper_[at(e)]);
    }
    for (int own = 0; own < size(k); ++own) {
      const int i = step_begin_[at(k)] + own, m = size(k) - 1 - own + after;
      begin_[at(i)] = end;
      diagonal_[at(i)] = end + before_[at(k)] + own;
      pairs_with_next_[at(i)] = own + 1 < size(k);
      end += before_[at(k)] + size(k) + after;
      flops_ += 54.0 * m * (m + 1.0);
    }
  }
  begin_[at(n)] = end;
  column_.resize(at(end));
}

// The columns of the factor's rows, in increasing order since groups come in order.
void BlockLu::find_columns() {
  const int groups = static_cast<int>(group_at_.size());
  before_.assign(at(groups), 0);  // what is there already
  for (int k = 0; k < groups; ++k) {
    const int first = step_begin_[at(k)], end = step_begin_[at(k) + 1];
    for (int i = first; i < end; ++i) {
      int* to = column_.data() + begin_[at(i)] + before_[at(k)];
      for (int j = first; j < end; ++j) *to++ = j;
      for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e)
        for (int j = step_begin_[at(upper_[at(e)])]; j < step_begin_[at(upper_[at(e)]) + 1]; ++j) *to++ = j;
    }
    for (int e = upper_begin_[at(k)]; e < upper_begin_[at(k) + 1]; ++e) {
      const int other = upper_[at(e)];
      for (int i = step_begin_[at(other)]; i < step_begin_[at(other) + 1]; ++i)
        for (int j = first; j < end; ++j) column_[at(begin_[at(i)] + before_[at(other)] + j - first)] = j;
      before_[at(other)] += end - first;
    }
  }
}

// Which entry of the pattern goes where.
void BlockLu::find_sources() {
  source_.clear();
  target_.clear();
  source_begin_.assign(1, 0);
  for (const int old : row_at_) {
    for (int e = pattern_.begin[at(old)]; e < pattern_.begin[at(old) + 1]; ++e) {
      source_.push_back(e);
      target_.push_back(place_of_[at(pattern_.column[at(e)])]);
    }
    source_begin_.push_back(static_cast<int>(source_.size()));
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
  const int n = pattern_.rows();
  for (int i = 0; i < n; ++i) skipped_[at(i)] = is_identity && (*is_identity)[at(row_at_[at(i)])];
  const Elimination e = elimination();
  const RowSource from{values_.data(), source_.data(), target_.data(), source_begin_.data()};
  bool regular = false;
  call_with_avx512<factor_rows<Elimination>>(&e, &from, n, &regular);
  return regular;
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
  call_with_avx<substitute<Elimination>>(elimination(), n, y_.data());
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
