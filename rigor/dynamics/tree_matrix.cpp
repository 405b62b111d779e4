#include "rigor/dynamics/tree_matrix.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

// What is left of a diagonal entry after elimination must exceed this part of it: rounding leaves about
// 1e-16 times the number of operations.
constexpr double kSmallestPivot = 1e-14;

constexpr auto is_not_zero = [](double x) { return x != 0.0; };

// y += A x for six speeds, A by the rows of its lower triangle, backwards each
void add_product_six(const double* row, const double* x, double* y) {
#pragma GCC unroll 6
  for (int i = 0; i < 6; row += i + 1, ++i) {
    y[i] += row[0] * x[i];
#pragma GCC unroll 5
    for (int k = 1; k <= i; ++k) {
      y[i] += row[k] * x[i - k];
      y[i - k] += row[k] * x[i];
    }
  }
}

}  // namespace

TreePattern make_tree_pattern(const Model& model) {
  // lengths first: a long chain has a full matrix, so its size must be known before memory is taken
  std::size_t entries = 0;
  std::vector<int> depth(at(model.nv));
  for (int i = 0; i < model.nv; ++i) {
    const int parent = model.speeds[at(i)].parent;
    depth[at(i)] = parent < 0 ? 1 : depth[at(parent)] + 1;
    entries += at(depth[at(i)]);
  }
  if (entries > kMaxTreeEntries)
    throw TooLarge(fmt::format(
        "The trees of bodies are too deep: their mass matrix would have {} entries, the limit is {}. "
        "Cut long chains into several and join them by constraints.",
        entries, kMaxTreeEntries));
  TreePattern pattern;
  pattern.columns.reserve(entries);
  pattern.start.push_back(0);
  for (int i = 0; i < model.nv; ++i) {
    for (int j = i; j >= 0; j = model.speeds[at(j)].parent) pattern.columns.push_back(j);
    pattern.start.push_back(static_cast<int>(pattern.columns.size()));
  }
  return pattern;
}

void TreeMatrix::multiply(const Eigen::VectorXd& x_all, Eigen::VectorXd& y_all) const {
  const int n = pattern->size();
  assert(x_all.size() == n);
  y_all.setZero(n);
  const int *const start = pattern->start.data(), *const columns = pattern->columns.data();
  const double *const entries = values.data(), *const x = x_all.data();
  double* const y = y_all.data();
  for (int i = 0; i < n;) {
    if (pattern->begins_six(i)) {
      add_product_six(entries + start[i], x + i, y + i);
      i += 6;
      continue;
    }
    const int begin = start[i], end = start[i + 1];
    double y_i = y[i] + entries[begin] * x[i];
    for (int k = begin + 1; k < end; ++k) {
      const int j = columns[k];
      y_i += entries[k] * x[j];
      y[j] += entries[k] * x[i];
    }
    y[i] = y_i;
    ++i;
  }
}

void TreeMatrix::add_to_dense(int begin, int end, int offset, Eigen::MatrixXd& dense) const {
  for (int i = begin; i < end; ++i)
    for (int k = pattern->start[at(i)]; k < pattern->start[at(i) + 1]; ++k) {
      const int j = pattern->columns[at(k)];
      dense(i - begin + offset, j - begin + offset) += values[k];
      if (i != j) dense(j - begin + offset, i - begin + offset) += values[k];
    }
}

Eigen::MatrixXd TreeMatrix::to_dense() const {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(pattern->size(), pattern->size());
  add_to_dense(0, pattern->size(), 0, dense);
  return dense;
}

void TreeFactor::compute(const TreeMatrix& M, const Eigen::VectorXd& extra,
                         const std::vector<char>& is_fixed) {
  pattern_ = M.pattern;
  const int n = pattern_->size();
  const auto& [start, columns] = *pattern_;
  values_ = M.values;
  inverse_.resize(n);
  inverse_root_.resize(n);
  is_apart_.resize(at(n));
  const bool any_fixed = std::any_of(is_fixed.begin(), is_fixed.end(), [](char fixed) { return fixed != 0; });
  for (int i = 0; i < n; ++i) {
    values_.data()[start[at(i)]] += extra.data()[i];
    if (!any_fixed) continue;
    for (int k = start[at(i)]; k < start[at(i) + 1]; ++k)
      if (is_fixed[at(i)] || is_fixed[at(columns[at(k)])]) values_[k] = k == start[at(i)] ? 1.0 : 0.0;
  }

  // leaves to root
  for (int i = n - 1; i >= 0;) {
    if (pattern_->ends_six(i)) {
      factor_six(i - 5, M, extra, is_fixed);
      i -= 6;
    } else {
      factor_row(i, is_fixed[at(i)] ? 1.0 : M.values[start[at(i)]] + extra[i]);
      --i;
    }
  }
}

// Eliminates row i from the rows of its ancestors; `whole` is its diagonal entry before elimination.
void TreeFactor::factor_row(int i, double whole) {
  const int *const start = pattern_->start.data(), *const columns = pattern_->columns.data() + start[i];
  const int length = start[i + 1] - start[i];
  double *const values = values_.data(), *const row = values + start[i];
  const double inverse = row[0] > kSmallestPivot * whole ? 1.0 / row[0] : 0.0;
  inverse_.data()[i] = inverse;
  inverse_root_.data()[i] = std::sqrt(inverse);
  for (int k = 1; k < length; ++k) {
    const double factor = row[k] * inverse;
    double* const ancestor = values + start[columns[k]];  // another row
    const double* const own = row + k;
#pragma GCC ivdep
    for (int j = 0; j < length - k; ++j) ancestor[j] -= factor * own[j];
    row[k] = factor;
  }
}

// The same for the rows of a free body.
void TreeFactor::factor_six(int begin, const TreeMatrix& M, const Eigen::VectorXd& extra,
                            const std::vector<char>& is_fixed) {
  const int first = pattern_->start[at(begin)];
  double* const rows[6] = {values_.data() + first,      values_.data() + first + 1,
                           values_.data() + first + 3,  values_.data() + first + 6,
                           values_.data() + first + 10, values_.data() + first + 15};
  // about the centre of mass translation is coupled with nothing
  const bool is_apart = std::none_of(rows[3] + 1, rows[4], is_not_zero) &&
                        std::none_of(rows[4] + 1, rows[5], is_not_zero) &&
                        std::none_of(rows[5] + 1, rows[5] + 6, is_not_zero);
  is_apart_[at(begin)] = is_apart;
#pragma GCC unroll 6
  for (int i = 5; i >= 0; --i) {
    double* const row = rows[i];
    const double whole =
        is_fixed[at(begin + i)] ? 1.0 : M.values.data()[row - values_.data()] + extra.data()[begin + i];
    const double inverse = row[0] > kSmallestPivot * whole ? 1.0 / row[0] : 0.0;
    inverse_.data()[begin + i] = inverse;
    inverse_root_.data()[begin + i] = std::sqrt(inverse);
    if (i >= 3 && is_apart) continue;
#pragma GCC unroll 5
    for (int k = 1; k <= i; ++k) {
      const double factor = row[k] * inverse;
#pragma GCC unroll 5
      for (int j = 0; j <= i - k; ++j) rows[i - k][j] -= factor * row[k + j];
      row[k] = factor;
    }
  }
}

bool TreeFactor::is_singular(int begin, int end) const {
  assert(begin >= 0 && end <= inverse_.size());
  return std::find(inverse_.data() + begin, inverse_.data() + end, 0.0) != inverse_.data() + end;
}

void TreeFactor::half_solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const {
  assert(begin >= 0 && end <= pattern_->size() && b.size() >= end - begin);
  if (begin == end) return;
  // plain pointers: this runs for each row of each contact, where an index check costs as much as the work
  const int *const start = pattern_->start.data(), *const columns = pattern_->columns.data();
  const double *const values = values_.data(), *const scale = inverse_root_.data();
  double* const x = b.data() - begin;
  for (int i = end - 1; i >= begin; --i) {
    const double value = x[i];
    if (value == 0.0) continue;
    for (int k = start[i] + 1; k < start[i + 1]; ++k) x[columns[k]] -= values[k] * value;
    x[i] = value * scale[i];
  }
}

void TreeFactor::half_solve_three(int begin, int end, double* b) const {
  assert(begin >= 0 && end <= pattern_->size());
  const int *const start = pattern_->start.data(), *const columns = pattern_->columns.data();
  const double *const values = values_.data(), *const scale = inverse_root_.data();
  double *const x = b - begin, *const y = x + (end - begin), *const z = y + (end - begin);
  for (int i = end - 1; i >= begin; --i) {
    const double x_i = x[i], y_i = y[i], z_i = z[i];
    if (x_i == 0.0 && y_i == 0.0 && z_i == 0.0) continue;
    for (int k = start[i] + 1; k < start[i + 1]; ++k) {
      const int j = columns[k];
      const double value = values[k];
      x[j] -= value * x_i;
      y[j] -= value * y_i;
      z[j] -= value * z_i;
    }
    x[i] = x_i * scale[i];
    y[i] = y_i * scale[i];
    z[i] = z_i * scale[i];
  }
}

// Row i holds i, i − 1, …, 0.
void TreeFactor::half_solve_six(int begin, int count, const double* b, double* y) const {
  const double* const scale = inverse_root_.data() + begin;
  const double* const first = values_.data() + pattern_->start[at(begin)];
  if (is_apart_[at(begin)]) {
    for (; count > 0; --count, b += 6, y += 6) {
      const double z = b[2], ly = b[1] - first[4] * z, lx = b[0] - first[5] * z - first[2] * ly;
      y[0] = lx * scale[0];
      y[1] = ly * scale[1];
      y[2] = z * scale[2];
      y[3] = b[3] * scale[3];
      y[4] = b[4] * scale[4];
      y[5] = b[5] * scale[5];
    }
    return;
  }
  for (; count > 0; --count, b += 6, y += 6) {
    double x[6] = {b[0], b[1], b[2], b[3], b[4], b[5]};
    const double* row = first + 15;
#pragma GCC unroll 6
    for (int i = 5; i >= 0; row -= i, --i) {
#pragma GCC unroll 5
      for (int k = 1; k <= i; ++k) x[i - k] -= row[k] * x[i];
      y[i] = x[i] * scale[i];
    }
  }
}

void TreeFactor::solve_six(int begin, double* b) const {
  half_solve_six(begin, b);
  const double* row = values_.data() + pattern_->start[at(begin)];
  const double* const scale = inverse_root_.data() + begin;
#pragma GCC unroll 6
  for (int i = 0; i < 6; row += i + 1, ++i) {
    double sum = b[i] * scale[i];
#pragma GCC unroll 5
    for (int k = 1; k <= i; ++k) sum -= row[k] * b[i - k];
    b[i] = sum;
  }
}

void TreeFactor::solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const {
  if (begin == end) return;  // no entries to point at
  half_solve(begin, end, b);
  const int *const start = pattern_->start.data(), *const columns = pattern_->columns.data();
  const double *const values = values_.data(), *const scale = inverse_root_.data();
  double* const x = b.data() - begin;
  for (int i = begin; i < end; ++i) {
    double sum = x[i] * scale[i];
    for (int k = start[i] + 1; k < start[i + 1]; ++k) sum -= values[k] * x[columns[k]];
    x[i] = sum;
  }
}

}  // namespace rigor
