#include "rigor/solvers/lcp/active_block.hpp"

#include <algorithm>

#include "rigor/base/work.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kMaxBorder = 24;  // more changes cost as much as a new factor

// ratio of pivots below which a block counts as singular
template <class Scalar>
constexpr Scalar kSingular = Scalar(sizeof(Scalar) == 8 ? 1e-14 : 1e-6);

// the same of the Schur complement: then the set is factored afresh
template <class Scalar>
constexpr Scalar kSingularBorder = Scalar(sizeof(Scalar) == 8 ? 1e-10 : 1e-4);

}  // namespace

template <class Scalar>
bool looks_symmetric(const Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>& M) {
  const Eigen::Index n = M.cols();
  for (Eigen::Index i = 0; i < n; ++i)
    for (const Eigen::Index j : {(i + 1) % n, (7 * i + 3) % n})
      if (M(i, j) != M(j, i)) return false;
  return true;
}

template <class Scalar>
void ActiveBlock<Scalar>::start(const Matrix& M, bool symmetric) {
  M_ = &M;
  const Eigen::Index n = M.cols();
  symmetric_ = symmetric;
  factorisations_ = 0;
  base_.clear();
  base_.reserve(static_cast<std::size_t>(n));
  place_.assign(static_cast<std::size_t>(n), -1);
  added_.reserve(static_cast<std::size_t>(n));
  removed_.reserve(static_cast<std::size_t>(n));
  border_.resize(n, kMaxBorder);
  rows_.resize(n, kMaxBorder);
  b_.resize(n);
  t_.resize(kMaxBorder);
  cholesky_.reserve(n);  // room for the largest set
  lu_.reserve(n);
  small_.reserve(kMaxBorder);
}

template <class Scalar>
bool ActiveBlock<Scalar>::set(const std::vector<char>& member) {
  added_.clear();
  removed_.clear();
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (member[i] && place_[i] < 0) added_.push_back(static_cast<int>(i));
    if (!member[i] && place_[i] >= 0) removed_.push_back(static_cast<int>(i));
  }
  const auto changes = static_cast<Eigen::Index>(added_.size() + removed_.size());
  const auto size = static_cast<Eigen::Index>(base_.size());
  if (changes == 0 && size > 0) return true;
  if (changes <= kMaxBorder && 10 * changes <= size && update()) return true;
  return factor(member);
}

// rows of what is factored are columns of M: contiguous, and for LU the transpose, solved as such
template <class Scalar>
bool ActiveBlock<Scalar>::factor(const std::vector<char>& member) {
  base_.clear();
  added_.clear();
  removed_.clear();
  for (std::size_t i = 0; i < member.size(); ++i) {
    place_[i] = member[i] ? static_cast<int>(base_.size()) : -1;
    if (member[i]) base_.push_back(static_cast<int>(i));
  }
  const auto size = static_cast<Eigen::Index>(base_.size());
  if (size == 0) return true;
  const auto work = static_cast<double>(size);
  if (!may_work(work * work * work / 3.0)) return forget_base();
  const auto column = [&](Eigen::Index a) {
    return M_->data() + base_[static_cast<std::size_t>(a)] * M_->rows();
  };
  ++factorisations_;
  cholesky_used_ = false;
  if (symmetric_) {
    auto A = cholesky_.start(size);
    for (Eigen::Index a = 0; a < size; ++a)
      for (Eigen::Index b = a; b < size; ++b) A(a, b) = column(a)[base_[static_cast<std::size_t>(b)]];
    cholesky_used_ = cholesky_.factor() && cholesky_.pivot_ratio() >= kSingular<Scalar>;
    if (cholesky_used_) return true;
  }
  auto A = lu_.start(size);
  for (Eigen::Index a = 0; a < size; ++a)
    for (Eigen::Index b = 0; b < size; ++b) A(a, b) = column(a)[base_[static_cast<std::size_t>(b)]];
  if (lu_.factor() && lu_.pivot_ratio() >= kSingular<Scalar>) return true;
  return forget_base();
}

// There is nothing to build on.
template <class Scalar>
bool ActiveBlock<Scalar>::forget_base() {
  std::fill(place_.begin(), place_.end(), -1);
  base_.clear();
  return false;
}

template <class Scalar>
void ActiveBlock<Scalar>::solve_base(Eigen::Ref<Vector> b) {
  if (b.size() == 0) return;  // the empty set has no factor: what is stored is that of another
  if (cholesky_used_)
    cholesky_.solve_in_place(b);
  else
    lu_.solve_transposed_in_place(b);
}

// Y = M_BB⁻¹ [M_BA E_R] and the Schur complement [M_AA 0; 0 0] − [M_AB; E_Rᵀ] Y
template <class Scalar>
bool ActiveBlock<Scalar>::update() {
  const auto size = static_cast<Eigen::Index>(base_.size());
  const auto plus = static_cast<Eigen::Index>(added_.size()),
             minus = static_cast<Eigen::Index>(removed_.size());
  for (Eigen::Index k = 0; k < plus + minus; ++k) {
    auto y = border_.col(k).head(size);
    if (k < plus) {
      const Scalar* column = M_->data() + added_[static_cast<std::size_t>(k)] * M_->rows();
      for (Eigen::Index a = 0; a < size; ++a) y[a] = column[base_[static_cast<std::size_t>(a)]];
    } else {
      y.setZero();
      y[place_[static_cast<std::size_t>(removed_[static_cast<std::size_t>(k - plus)])]] = Scalar(1);
    }
    solve_base(y);
  }
  // rows of M lie far apart in memory: those of A are gathered once, for S and for the solves
  for (Eigen::Index i = 0; i < plus; ++i) {
    const Scalar* row = M_->data() + added_[static_cast<std::size_t>(i)];
    for (Eigen::Index a = 0; a < size; ++a)
      rows_(a, i) = row[base_[static_cast<std::size_t>(a)] * M_->rows()];
  }
  auto S = small_.start(plus + minus);
  for (Eigen::Index k = 0; k < plus + minus; ++k) {
    const auto y = border_.col(k).head(size);
    for (Eigen::Index i = 0; i < plus; ++i) {
      S(i, k) = -rows_.col(i).head(size).dot(y);
      if (k < plus)
        S(i, k) += (*M_)(added_[static_cast<std::size_t>(i)], added_[static_cast<std::size_t>(k)]);
    }
    for (Eigen::Index i = 0; i < minus; ++i)
      S(plus + i, k) = -y[place_[static_cast<std::size_t>(removed_[static_cast<std::size_t>(i)])]];
  }
  return small_.factor() && small_.pivot_ratio() >= kSingularBorder<Scalar>;
}

template <class Scalar>
void ActiveBlock<Scalar>::solve_in_place(Vector& x) {
  const auto size = static_cast<Eigen::Index>(base_.size());
  const auto plus = static_cast<Eigen::Index>(added_.size()),
             minus = static_cast<Eigen::Index>(removed_.size());
  auto b = b_.head(size);
  for (Eigen::Index a = 0; a < size; ++a) b[a] = x[base_[static_cast<std::size_t>(a)]];
  for (const int i : removed_) b[place_[static_cast<std::size_t>(i)]] = Scalar(0);
  solve_base(b);
  auto t = t_.head(plus + minus);
  if (plus + minus > 0) {
    for (Eigen::Index i = 0; i < plus; ++i)
      t[i] = x[added_[static_cast<std::size_t>(i)]] - rows_.col(i).head(size).dot(b);
    for (Eigen::Index i = 0; i < minus; ++i)
      t[plus + i] = -b[place_[static_cast<std::size_t>(removed_[static_cast<std::size_t>(i)])]];
    small_.solve_in_place(t);
    for (Eigen::Index k = 0; k < plus + minus; ++k) b -= t[k] * border_.col(k).head(size);
  }
  x.setZero();
  for (Eigen::Index a = 0; a < size; ++a) x[base_[static_cast<std::size_t>(a)]] = b[a];
  for (const int i : removed_) x[i] = Scalar(0);
  for (Eigen::Index i = 0; i < plus; ++i) x[added_[static_cast<std::size_t>(i)]] = t[i];
}

template bool looks_symmetric(const Eigen::MatrixXf& M);
template bool looks_symmetric(const Eigen::MatrixXd& M);
template class ActiveBlock<float>;
template class ActiveBlock<double>;

}  // namespace rigor
