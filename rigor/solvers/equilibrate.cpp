#include "rigor/solvers/equilibrate.hpp"

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

void Equilibration::compute(const LcpProblem& problem, bool wanted) {
  const auto& [M, q] = problem;
  const Eigen::Index n = q.size();
  row.setOnes(n);
  column.setOnes(n);
  entries_.resize(n);
  row_top_.resize(n);
  bool moved = wanted;
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
  const double top = n == 0 ? 0.0 : q.cwiseProduct(row).cwiseAbs().maxCoeff();
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
