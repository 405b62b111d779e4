#include "rigor/solvers/lcp/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/math/magnitude.hpp"

namespace rigor {
namespace {

constexpr int kMaxSweeps = 6;

// the power of two nearest to 1/√top; `moved` is set where it is not 1
double half_inverse(double top, bool& moved) {
  if (!(top > 0.0)) return 1.0;
  if (top >= 0.25 && top < 4.0) return 1.0;
  moved = true;
  int exponent = 0;  // top = fraction · 2^exponent, fraction in [½, 1)
  const double fraction = std::frexp(top, &exponent);
  const bool is_tie = fraction == 0.5 && exponent <= 0;  // an odd power of two below 1: away from zero
  return std::ldexp(1.0, -((exponent - (is_tie ? 1 : 0)) >> 1));
}

bool is_same(const Eigen::VectorXd& factors) {
  return (factors.array() == factors[0]).all();
}

}  // namespace

// the tops of M as it is, and on the way its rounded copy
void Equilibration::measure(const Eigen::MatrixXd& M, Eigen::MatrixXf* single) {
  row_top_.setZero();
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    float* const rounded = single == nullptr ? nullptr : single->col(j).data();
    column_top_[j] = raise_tops(M.col(j).data(), row_top_.data(), rounded, M.rows());
  }
}

void Equilibration::measure_scaled(const Eigen::MatrixXd& M) {
  row_top_.setZero();
  for (Eigen::Index j = 0; j < M.cols(); ++j) {
    entries_ = (M.col(j).cwiseProduct(row)) * column[j];
    column_top_[j] = raise_tops(entries_.data(), row_top_.data(), nullptr, M.rows());
  }
}

// R M C in single precision; `single` holds M rounded
void Equilibration::round(const Eigen::MatrixXd& M, Eigen::MatrixXf& single) const {
  constexpr double kFar = 0x1p60;  // below, one factor for all loses nothing to the range of a float
  const double factor = row[0] * column[0];
  if (is_same(row) && is_same(column) && factor < kFar && factor > 1.0 / kFar)
    single *= static_cast<float>(factor);
  else
    for (Eigen::Index j = 0; j < M.cols(); ++j)
      single.col(j).head(M.rows()) = (M.col(j).cwiseProduct(row) * column[j]).cast<float>();
}

void Equilibration::compute(const LcpProblem& problem, bool wanted, Eigen::MatrixXf* single) {
  const auto& [M, q] = problem;
  const Eigen::Index n = q.size();
  row.setOnes(n);
  column.setOnes(n);
  entries_.resize(n);
  row_top_.resize(n);
  column_top_.resize(n);
  if (single != nullptr) {
    single->resize((n + 7) / 8 * 8, n);
    single->bottomRows(single->rows() - n).setZero();
  }
  if (wanted || single != nullptr) measure(M, single);
  bool moved = wanted;
  is_identity = true;
  for (int sweep = 0; sweep < kMaxSweeps && moved; ++sweep) {
    moved = false;
    for (Eigen::Index j = 0; j < n; ++j) column[j] *= half_inverse(column_top_[j], moved);
    for (Eigen::Index i = 0; i < n; ++i) row[i] *= half_inverse(row_top_[i], moved);
    if (!moved) break;
    is_identity = false;
    // one factor for all rows and one for all columns: the tops are multiplied by them, no need to look
    if (sweep == 0 && is_same(row) && is_same(column)) {
      row_top_ *= row[0] * column[0];
      column_top_ *= row[0] * column[0];
    } else {
      measure_scaled(M);
    }
  }
  largest = wanted || single != nullptr ? (n == 0 ? 0.0 : row_top_.maxCoeff())
                                        : std::numeric_limits<double>::infinity();
  if (single != nullptr && !is_identity) round(M, *single);
  scale_q(q);
}

void Equilibration::compute(const SparseMatrix& M, const Eigen::VectorXd& q, bool wanted) {
  const Eigen::Index n = q.size();
  row.setOnes(n);
  column.setOnes(n);
  row_top_.resize(n);
  bool moved = wanted;
  for (int sweep = 0; sweep < kMaxSweeps && moved; ++sweep) {
    moved = false;
    row_top_.setZero();
    for (Eigen::Index j = 0; j < n; ++j) {
      double column_top = 0.0;
      for (SparseMatrix::InnerIterator it(M, j); it; ++it) {
        const double entry = std::fabs(it.value()) * row[it.row()] * column[j];
        column_top = std::max(column_top, entry);
        row_top_[it.row()] = std::max(row_top_[it.row()], entry);
      }
      column[j] *= half_inverse(column_top, moved);
    }
    for (Eigen::Index i = 0; i < n; ++i) row[i] *= half_inverse(row_top_[i], moved);
  }
  is_identity = (row.array() == 1.0).all() && (column.array() == 1.0).all();
  scale_q(q);
}

// the power of two above the largest entry of R q
void Equilibration::scale_q(const Eigen::VectorXd& q) {
  const double top = q.size() == 0 ? 0.0 : q.cwiseProduct(row).cwiseAbs().maxCoeff();
  int exponent = 0;
  (void)std::frexp(top, &exponent);
  q_scale = top > 0.0 ? std::ldexp(1.0, exponent) : 1.0;
}

void Equilibration::apply(const LcpProblem& problem, LcpProblem& scaled) const {
  scaled.M.resize(problem.M.rows(), problem.M.cols());
  for (Eigen::Index j = 0; j < problem.M.cols(); ++j)
    scaled.M.col(j) = problem.M.col(j).cwiseProduct(row) * column[j];
  scaled.q = problem.q.cwiseProduct(row) / q_scale;
}

void Equilibration::to_original(const Eigen::VectorXd& z_scaled, Eigen::VectorXd& z) const {
  z = q_scale * column.cwiseProduct(z_scaled);
}

}  // namespace rigor
