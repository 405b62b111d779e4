#include "rigor/math/orthogonal_factor.hpp"

#include <cmath>

namespace rigor {
namespace {

// The reflection 1 − beta u uᵀ, u₀ = 1, that sends x to (alpha, 0, …): u below x₀, alpha in x₀; returns beta.
double make_reflection(Eigen::Ref<Eigen::VectorXd> x) {
  const Eigen::Index n = x.size();
  const double tail = n > 1 ? x.tail(n - 1).squaredNorm() : 0.0;
  if (tail == 0.0) return 0.0;
  const double length = std::sqrt(x[0] * x[0] + tail);
  const double alpha = x[0] > 0.0 ? -length : length;
  const double u0 = x[0] - alpha;
  x.tail(n - 1) /= u0;
  x[0] = alpha;
  return -u0 / alpha;
}

// x ← (1 − beta u uᵀ) x, u = (1, tail), tail of n entries; by pointers, since these columns are short
void reflect(const double* tail, Eigen::Index n, double beta, double* x) {
  if (beta == 0.0) return;
  const Eigen::Map<const Eigen::VectorXd> u(tail, n);
  Eigen::Map<Eigen::VectorXd> below(x + 1, n);
  const double sum = beta * (x[0] + u.dot(below));
  x[0] -= sum;
  below -= sum * u;
}
void reflect(const Eigen::Ref<const Eigen::VectorXd>& tail, double beta, Eigen::Ref<Eigen::VectorXd> x) {
  reflect(tail.data(), tail.size(), beta, x.data());
}

}  // namespace

void OrthogonalFactor::compute(const Eigen::MatrixXd& K, double tolerance) {
  compute_rank(K, tolerance);
  const Eigen::Index m = K.cols();
  // back to the caller's units: only R, the reflections have none
  for (Eigen::Index j = 0; j < m; ++j)
    qr_.col(j).head(std::min(j + 1, rank_)) *= norms_[pivots_[static_cast<std::size_t>(j)]];
  if (rank_ < m) factor_row_space();
}

void OrthogonalFactor::compute_rank(const Eigen::MatrixXd& K, double tolerance) {
  const Eigen::Index m = K.cols();
  qr_ = K;
  norms_.resize(m);
  remaining_.resize(m);
  beta_.setZero(std::min(K.rows(), m));
  work_.resize(std::max(K.rows(), m));
  permuted_.resize(m);
  pivots_.resize(static_cast<std::size_t>(m));
  for (Eigen::Index j = 0; j < m; ++j) {
    pivots_[static_cast<std::size_t>(j)] = j;
    norms_[j] = qr_.col(j).norm();
    remaining_[j] = norms_[j] > 0.0 ? 1.0 : 0.0;
    if (norms_[j] > 0.0) qr_.col(j) /= norms_[j];
  }
  factor(tolerance);
}

void OrthogonalFactor::factor(double tolerance) {
  const Eigen::Index n = qr_.rows(), m = qr_.cols();
  rank_ = 0;
  for (Eigen::Index k = 0; k < std::min(n, m); ++k) {
    // the column of which most is left, measured afresh: updates of the lengths lose digits
    Eigen::Index best = k;
    for (Eigen::Index j = k; j < m; ++j) {
      if (norms_[pivots_[static_cast<std::size_t>(j)]] == 0.0) continue;
      remaining_[j] = Eigen::Map<const Eigen::VectorXd>(qr_.data() + j * n + k, n - k).norm();
      if (remaining_[j] > remaining_[best]) best = j;
    }
    if (!(remaining_[best] > tolerance)) break;
    if (best != k) {
      qr_.col(k).swap(qr_.col(best));
      std::swap(pivots_[static_cast<std::size_t>(k)], pivots_[static_cast<std::size_t>(best)]);
      std::swap(remaining_[k], remaining_[best]);
    }
    beta_[k] = make_reflection(qr_.col(k).tail(n - k));
    const double* const tail = qr_.data() + k * n + k + 1;
    for (Eigen::Index j = k + 1; j < m; ++j) reflect(tail, n - k - 1, beta_[k], qr_.data() + j * n + k);
    ++rank_;
  }
}

// [R₁₁ R₁₂]ᵀ = Y [T; 0]
void OrthogonalFactor::factor_row_space() {
  const Eigen::Index m = qr_.cols();
  wide_.resize(m, m);  // as large as it can get, so that a change of rank takes no memory
  wide_beta_.resize(m);
  for (Eigen::Index i = 0; i < rank_; ++i) {
    wide_.col(i).head(i).setZero();
    wide_.col(i).tail(m - i) = qr_.row(i).tail(m - i).transpose();
  }
  for (Eigen::Index k = 0; k < rank_; ++k) {
    wide_beta_[k] = make_reflection(wide_.col(k).tail(m - k));
    const auto tail = wide_.col(k).tail(m - k - 1);
    for (Eigen::Index j = k + 1; j < rank_; ++j) reflect(tail, wide_beta_[k], wide_.col(j).tail(m - k));
  }
}

void OrthogonalFactor::finish(Eigen::VectorXd& p) {
  const Eigen::Index m = qr_.cols();
  permuted_.setZero();
  permuted_.head(rank_) = work_.head(rank_);
  if (rank_ == m) {
    qr_.topLeftCorner(m, m).triangularView<Eigen::Upper>().solveInPlace(permuted_);
  } else if (rank_ > 0) {
    // [T' 0] Yᵀ Pᵀ p = g
    auto g = permuted_.head(rank_);
    wide_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(g);
    for (Eigen::Index k = rank_ - 1; k >= 0; --k)
      reflect(wide_.col(k).tail(m - k - 1), wide_beta_[k], permuted_.tail(m - k));
  }
  p.resize(m);
  for (Eigen::Index j = 0; j < m; ++j) p[pivots_[static_cast<std::size_t>(j)]] = permuted_[j];
}

void OrthogonalFactor::solve(const Eigen::VectorXd& f, Eigen::VectorXd& p) {
  work_.head(f.size()) = f;
  apply_reflections_transposed(work_.head(f.size()));
  finish(p);
}

void OrthogonalFactor::solve_gram(const Eigen::VectorXd& c, Eigen::VectorXd& p) {
  for (Eigen::Index k = 0; k < rank_; ++k) work_[k] = c[pivots_[static_cast<std::size_t>(k)]];
  auto g = work_.head(rank_);
  qr_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(g);
  finish(p);
}

void OrthogonalFactor::solve_transposed(const Eigen::VectorXd& c, Eigen::VectorXd& y) {
  y.setZero(qr_.rows());
  for (Eigen::Index k = 0; k < rank_; ++k) y[k] = c[pivots_[static_cast<std::size_t>(k)]];
  auto g = y.head(rank_);
  qr_.topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solveInPlace(g);
  apply_reflections(y);
}

void OrthogonalFactor::compute_null_basis(Eigen::MatrixXd& Z) const {
  const Eigen::Index n = qr_.rows();
  Z.setZero(n, n - rank_);
  for (Eigen::Index j = 0; j < n - rank_; ++j) {
    Z(rank_ + j, j) = 1.0;
    apply_reflections(Z.col(j));
  }
}

void OrthogonalFactor::apply_reflections(Eigen::Ref<Eigen::VectorXd> x) const {
  const Eigen::Index n = qr_.rows();
  for (Eigen::Index k = rank_ - 1; k >= 0; --k) reflect(qr_.col(k).tail(n - k - 1), beta_[k], x.tail(n - k));
}

void OrthogonalFactor::apply_reflections_transposed(Eigen::Ref<Eigen::VectorXd> x) const {
  const Eigen::Index n = qr_.rows();
  for (Eigen::Index k = 0; k < rank_; ++k) reflect(qr_.col(k).tail(n - k - 1), beta_[k], x.tail(n - k));
}

}  // namespace rigor
