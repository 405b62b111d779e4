#include "rigor/dynamics/tree_matrix.hpp"

#include <cassert>
#include <cmath>

namespace rigor {
namespace {

// What is left of a diagonal entry after elimination must exceed this part of it: rounding leaves about
// 1e-16 times the number of operations.
constexpr double kSmallestPivot = 1e-14;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

TreePattern make_tree_pattern(const Model& model) {
  // lengths first: a long chain has a full matrix, and its size must be known before memory is taken
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

void TreeMatrix::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const {
  const int n = pattern->size();
  y.setZero(n);
  for (int i = 0; i < n; ++i) {
    const int begin = pattern->start[at(i)], end = pattern->start[at(i) + 1];
    y[i] += values[begin] * x[i];
    for (int k = begin + 1; k < end; ++k) {
      const int j = pattern->columns[at(k)];
      y[i] += values[k] * x[j];
      y[j] += values[k] * x[i];
    }
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
  for (int i = 0; i < n; ++i) {
    values_[start[at(i)]] += extra[i];
    for (int k = start[at(i)]; k < start[at(i) + 1]; ++k)
      if (is_fixed[at(i)] || is_fixed[at(columns[at(k)])]) values_[k] = k == start[at(i)] ? 1.0 : 0.0;
  }

  // leaves to root: take each row out of the rows of its ancestors
  for (int i = n - 1; i >= 0; --i) {
    const int begin = start[at(i)], length = start[at(i) + 1] - begin;
    const double whole = is_fixed[at(i)] ? 1.0 : M.values[begin] + extra[i];
    inverse_[i] = values_[begin] > kSmallestPivot * whole ? 1.0 / values_[begin] : 0.0;
    inverse_root_[i] = std::sqrt(inverse_[i]);
    for (int k = 1; k < length; ++k) {
      const double factor = values_[begin + k] * inverse_[i];
      const int ancestor = start[at(columns[at(begin + k)])];
      values_.segment(ancestor, length - k) -= factor * values_.segment(begin + k, length - k);
      values_[begin + k] = factor;
    }
  }
}

bool TreeFactor::is_singular(int begin, int end) const {
  return end > begin && (inverse_.segment(begin, end - begin).array() == 0.0).any();
}

void TreeFactor::half_solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const {
  assert(begin >= 0 && end <= pattern_->size() && b.size() >= end - begin);
  if (begin == end) return;
  // plain pointers: each row of each contact comes through here, and an index check costs as much as its work
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

// Row i holds i, i − 1, …, 0.
void TreeFactor::half_solve_six(int begin, double* b) const {
  const double* const scale = inverse_root_.data() + begin;
  const double* row = values_.data() + pattern_->start[at(begin)] + 15;
#pragma GCC unroll 6
  for (int i = 5; i >= 0; row -= i, --i) {
#pragma GCC unroll 5
    for (int k = 1; k <= i; ++k) b[i - k] -= row[k] * b[i];
    b[i] *= scale[i];
  }
}

void TreeFactor::solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const {
  half_solve(begin, end, b);
  b.array() *= inverse_root_.segment(begin, end - begin).array();
  const auto& [start, columns] = *pattern_;
  for (int i = begin; i < end; ++i) {
    double sum = b[i - begin];
    for (int k = start[at(i)] + 1; k < start[at(i) + 1]; ++k) sum -= values_[k] * b[columns[at(k)] - begin];
    b[i - begin] = sum;
  }
}

}  // namespace rigor
