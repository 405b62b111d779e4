#include "rigor/solvers/equilibrate.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr int kMaxSweeps = 6;

// the power of two nearest to 1/√top; `moved` is set where it is not 1
double half_inverse(double top, bool& moved) {
  if (!(top > 0.0)) return 1.0;
  if (top >= 0.25 && top < 4.0) return 1.0;
  moved = true;
  return std::exp2(-std::round(0.5 * std::log2(top)));
}

}  // namespace

// are the largest entries of all rows and columns near 1 as they are? One pass, without any factor
bool Equilibration::is_balanced(const Eigen::MatrixXd& M) {
  row_top_.setZero();
  bool moved = false;
  for (Eigen::Index j = 0; j < M.cols() && !moved; ++j) {
    row_top_ = row_top_.cwiseMax(M.col(j).cwiseAbs());
    (void)half_inverse(M.col(j).cwiseAbs().maxCoeff(), moved);
  }
  for (Eigen::Index i = 0; i < row_top_.size() && !moved; ++i) (void)half_inverse(row_top_[i], moved);
  return !moved;
}

void Equilibration::compute(const LcpProblem& problem, bool wanted) {
  const auto& [M, q] = problem;
  const Eigen::Index n = q.size();
  row.setOnes(n);
  column.setOnes(n);
  entries_.resize(n);
  row_top_.resize(n);
  bool moved = wanted && !is_balanced(M);
  is_identity = !moved;
  for (int sweep = 0; sweep < kMaxSweeps && moved; ++sweep) {
    // largest entries of R M C; the columns are scaled on the way, the rows at the end of the sweep
    moved = false;
    row_top_.setZero();
    for (Eigen::Index j = 0; j < n; ++j) {
      entries_ = (M.col(j).cwiseAbs().cwiseProduct(row)) * column[j];
      row_top_ = row_top_.cwiseMax(entries_);
      column[j] *= half_inverse(entries_.maxCoeff(), moved);
    }
    for (Eigen::Index i = 0; i < n; ++i) row[i] *= half_inverse(row_top_[i], moved);
  }
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
