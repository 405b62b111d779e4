#include "rigor/solvers/cone/cone_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

// Three chains of sums, one per column of the blocks, added at the end: the same order on every machine.
RIGOR_KERNEL void add_row(const Block3* blocks, const int* columns, int count, const double* x, double* sum) {
  Column3 first = {0, 0, 0, 0}, second = {0, 0, 0, 0}, third = {0, 0, 0, 0};
  for (int k = 0; k < count; ++k) {
    const Column3* const B = columns_of(blocks[k]);
    const double* const y = x + 3 * columns[k];
    first += B[0] * y[0];
    second += B[1] * y[1];
    third += B[2] * y[2];
  }
  first += second;
  first += third;
  for (int r = 0; r < 3; ++r) sum[r] += first[r];
}

// to = B W, block by block
RIGOR_KERNEL void multiply_row(const Block3& B, const Block3* W, int count, Block3* to) {
  const Column3* const own = columns_of(B);
  for (int k = 0; k < count; ++k) {
    Column3* const column = columns_of(to[k]);
    for (int c = 0; c < 3; ++c) {
      const double* const w = W[k].v + 4 * c;
      column[c] = own[0] * w[0] + own[1] * w[1] + own[2] * w[2];
    }
  }
}

// The inverse of 1 + D diag(soft) by its cofactors. False where it is not finite.
bool invert_softened(const Block3& D, const double* soft, Block3& inverse) {
  double c[9];
  for (int k = 0; k < 9; ++k) c[k] = (k % 4 == 0 ? 1.0 : 0.0) + D(k % 3, k / 3) * soft[k / 3];
  const double x = c[4] * c[8] - c[5] * c[7], y = c[5] * c[6] - c[3] * c[8], z = c[3] * c[7] - c[4] * c[6];
  const double over = 1.0 / (c[0] * x + c[1] * y + c[2] * z);
  if (!std::isfinite(over)) return false;
  inverse = {{x * over, (c[2] * c[7] - c[1] * c[8]) * over, (c[1] * c[5] - c[2] * c[4]) * over, 0.0,  //
              y * over, (c[0] * c[8] - c[2] * c[6]) * over, (c[2] * c[3] - c[0] * c[5]) * over, 0.0,  //
              z * over, (c[1] * c[6] - c[0] * c[7]) * over, (c[0] * c[4] - c[1] * c[3]) * over, 0.0}};
  return true;
}

// D = X B
void multiply(const Block3& X, const Block3& B, Block3& D) {
  const Column3* const own = columns_of(X);
  for (int c = 0; c < 3; ++c) columns_of(D)[c] = own[0] * B(0, c) + own[1] * B(1, c) + own[2] * B(2, c);
}

}  // namespace

bool ConeMatrix::soften(const std::vector<Block3>& D, const double* spring) {
  soft_.clear();
  soft_inverse_.clear();
  largest_ = 0.0;
  for (int i = 0; i < contacts(); ++i)
    if (!soften(i, D[at(i)], spring ? spring[i] : 0.0)) return false;
  D_ = &D;
  if (soft_.empty()) return true;
  softened_ = D;
  for (std::size_t k = 0; k < soft_.size(); ++k)
    multiply(soft_inverse_[k], D[at(soft_[k])], softened_[at(soft_[k])]);
  D_ = &softened_;
  return true;
}

bool ConeMatrix::soften(int i, const Block3& D, double spring) {
  const double largest = std::max({std::fabs(D(0, 0)), std::fabs(D(1, 1)), std::fabs(D(2, 2))});
  largest_ = std::max(largest_, largest);
  const double alpha = largest * least_alpha() > 1.0 ? least_alpha() : 0.0;
  if (largest == 0.0 || !(alpha > 0.0 || spring > 0.0)) return true;
  const double soft[3] = {spring + alpha, alpha, alpha};
  Block3 inverse;
  if (!invert_softened(D, soft, inverse)) return false;
  soft_.push_back(i);
  soft_inverse_.push_back(inverse);
  return true;
}

void ConeMatrix::soften(const Eigen::VectorXd& t, Eigen::VectorXd& softened) const {
  softened = t;
  for (std::size_t k = 0; k < soft_.size(); ++k) {
    const double *const soft = soft_inverse_[k].v, *const own = t.data() + 3 * soft_[k];
    for (int r = 0; r < 3; ++r)
      softened.data()[3 * soft_[k] + r] = soft[r] * own[0] + soft[4 + r] * own[1] + soft[8 + r] * own[2];
  }
}

void BlockConeMatrix::set(const SparseConeProblem& problem) {
  const int n = problem.contacts();
  pattern_ = &problem.pattern;
  scale_.resize(n);
  diagonal_.resize(at(n));
  diagonal_at_.resize(at(n));
  double mean = 0.0;
  for (int i = 0; i < n; ++i) {
    const int* const begin = pattern_->column.data() + pattern_->begin[at(i)];
    const int* const end = pattern_->column.data() + pattern_->begin[at(i) + 1];
    diagonal_at_[at(i)] = static_cast<int>(std::lower_bound(begin, end, i) - pattern_->column.data());
    const Block3& own = problem.values[at(diagonal_at_[at(i)])];
    scale_[i] = (own(0, 0) + own(1, 1) + own(2, 2)) / 3.0;
    mean += scale_[i] / n;
  }
  if (!(mean > 0.0)) mean = 1.0;
  for (double& s : scale_) s = 1.0 / std::sqrt(s > kLeastTrace * mean ? s : kLeastTrace * mean);
  values_.resize(problem.values.size());
  for (int i = 0; i < n; ++i)
    for (int k = pattern_->begin[at(i)]; k < pattern_->begin[at(i) + 1]; ++k) {
      const double factor = scale_[i] * scale_[pattern_->column[at(k)]];
      for (int e = 0; e < 12; ++e) values_[at(k)].v[e] = factor * problem.values[at(k)].v[e];
    }
  for (int i = 0; i < n; ++i) diagonal_[at(i)] = values_[at(diagonal_at_[at(i)])];
}

void BlockConeMatrix::add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  for (int i = 0; i < contacts(); ++i) {
    const int begin = pattern_->begin[at(i)];
    call_with_avx<add_row>(values_.data() + begin, pattern_->column.data() + begin,
                           pattern_->begin[at(i) + 1] - begin, r.data(), u.data() + 3 * i);
  }
}

bool BlockConeMatrix::sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local,
                            Eigen::VectorXd& r) {
  bool all = true;
  for (int i = 0; i < contacts(); ++i) {
    double* const own = r.data() + 3 * i;
    const double before[3] = {own[0], own[1], own[2]};
    own[0] = own[1] = own[2] = 0.0;
    double velocity[3] = {q[3 * i], q[3 * i + 1], q[3 * i + 2]};
    const int begin = pattern_->begin[at(i)];
    call_with_avx<add_row>(values_.data() + begin, pattern_->column.data() + begin,
                           pattern_->begin[at(i) + 1] - begin, r.data(), velocity);
    if (local[at(i)].solve(velocity, false, own, ConeLocal::kSwept)) continue;
    std::copy_n(before, 3, own);
    all = false;
  }
  return all;
}

bool ConeMatrix::factor_shifted(double alpha) {
  shift_ = alpha;
  const double D = 1.0 / alpha;
  shifted_.assign(at(contacts()), {{D, 0, 0, 0, 0, D, 0, 0, 0, 0, D, 0}});
  return factor(shifted_);
}

void ConeMatrix::solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d) {
  scaled_ = b / shift_;
  solve(scaled_, d, speeds_);
}

void BlockConeMatrix::use(FactorLibrary library) {
  if (library == library_) return;
  library_ = library;
  cholesky_ = SparseCholesky(library);
}

bool BlockConeMatrix::is_symmetric() const {
  constexpr double kRounding = 1e-13;  // of the diagonal, which is 1
  for (int i = 0; i < contacts(); ++i)
    for (int k = pattern_->begin[at(i)]; k < pattern_->begin[at(i) + 1]; ++k) {
      const int j = pattern_->column[at(k)];
      if (j > i) break;
      const int* const begin = pattern_->column.data() + pattern_->begin[at(j)];
      const int* const end = pattern_->column.data() + pattern_->begin[at(j) + 1];
      const auto mirror = at(static_cast<int>(std::lower_bound(begin, end, i) - pattern_->column.data()));
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          if (std::fabs(values_[at(k)](r, c) - values_[mirror](c, r)) > kRounding) return false;
    }
  return true;
}

bool BlockConeMatrix::factor_shifted(double alpha) {
  if (library_ == FactorLibrary::kEigen || !is_symmetric()) return ConeMatrix::factor_shifted(alpha);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < contacts(); ++i)
    for (int k = pattern_->begin[at(i)]; k < pattern_->begin[at(i) + 1]; ++k) {
      const int j = pattern_->column[at(k)];
      if (j > i) break;
      for (int c = 0; c < 3; ++c)
        for (int r = j == i ? c : 0; r < 3; ++r)
          entries.emplace_back(3 * i + r, 3 * j + c, values_[at(k)](r, c) + (j == i && r == c ? alpha : 0.0));
    }
  Eigen::SparseMatrix<double> lower(3 * contacts(), 3 * contacts());
  lower.setFromTriplets(entries.begin(), entries.end());
  by_cholesky_ = cholesky_.factor(lower);
  return by_cholesky_ || ConeMatrix::factor_shifted(alpha);
}

void BlockConeMatrix::solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d) {
  if (by_cholesky_)
    cholesky_.solve(b, d);
  else
    ConeMatrix::solve_shifted(b, d);
}

// 1 + D' W: rows with D = 0 are those of the identity.
bool BlockConeMatrix::factor(const std::vector<Block3>& D) {
  by_cholesky_ = false;
  if (!soften(D, nullptr)) return false;
  lu_.analyse(*pattern_);
  is_open_.resize(at(contacts()));
  std::vector<Block3>& values = lu_.values();
  for (int i = 0; i < contacts(); ++i) {
    is_open_[at(i)] = is_zero((*D_)[at(i)]);
    if (is_open_[at(i)]) continue;
    const int begin = pattern_->begin[at(i)];
    call_with_avx<multiply_row>((*D_)[at(i)], values_.data() + begin, pattern_->begin[at(i) + 1] - begin,
                                values.data() + begin);
    Block3& own = values[at(diagonal_at_[at(i)])];
    for (int k = 0; k < 3; ++k) own(k, k) += 1.0;
  }
  return lu_.factor(&is_open_);
}

void BlockConeMatrix::solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) {
  soften(t, dr);
  lu_.solve(dr, dr);
  du.setZero(dr.size());
  add_product(dr, du);
}

double BlockConeMatrix::factor_work() {
  lu_.analyse(*pattern_);
  return lu_.flops();
}

double BlockConeMatrix::sweep_work() const {
  return 18.0 * static_cast<double>(values_.size()) + 100.0 * contacts();
}

}  // namespace rigor
