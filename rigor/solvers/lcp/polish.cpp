#include "rigor/solvers/lcp/polish.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rigor/base/work.hpp"
#include "rigor/math/factor_work.hpp"

namespace rigor {
namespace {

// K restricted to the equations and the set F, with ρ on the diagonal of F
class ActiveSystem {
 public:
  bool factor(const MlcpProblem& problem, const std::vector<char>& positive, double rho) {
    const Eigen::Index n = problem.q.size();
    place_.assign(static_cast<std::size_t>(n), -1);
    size_ = 0;
    for (Eigen::Index i = 0; i < n; ++i)
      if (i < problem.free_count || positive[static_cast<std::size_t>(i)])
        place_[static_cast<std::size_t>(i)] = size_++;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(static_cast<std::size_t>(problem.K.nonZeros() + size_));
    for (Eigen::Index j = 0; j < n; ++j) {
      const int column = place_[static_cast<std::size_t>(j)];
      if (column < 0) continue;
      for (SparseMatrix::InnerIterator it(problem.K, j); it; ++it)
        if (const int row = place_[static_cast<std::size_t>(it.row())]; row >= 0)
          entries.emplace_back(row, column, it.value());
      if (j >= problem.free_count) entries.emplace_back(column, column, rho);
    }
    if (size_ == 0) return true;
    SparseMatrix A(size_, size_);
    A.setFromTriplets(entries.begin(), entries.end());
    lu_.compute(A);
    return lu_.info() == Eigen::Success;
  }

  // x with the equations and the rows of F as near to zero as the corrections bring them, z = 0 outside F
  [[nodiscard]] Eigen::VectorXd solve(const MlcpProblem& problem, const Eigen::VectorXd& start,
                                      int corrections) const {
    Eigen::VectorXd x = start, best = start, rhs(size_);
    for (Eigen::Index i = problem.free_count; i < x.size(); ++i)
      if (place_[static_cast<std::size_t>(i)] < 0) x[i] = 0.0;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= corrections; ++k) {
      const Eigen::VectorXd w = problem.K * x + problem.q;
      for (Eigen::Index i = 0; i < x.size(); ++i)
        if (const int row = place_[static_cast<std::size_t>(i)]; row >= 0) rhs[row] = -w[i];
      const double error = size_ > 0 ? rhs.cwiseAbs().maxCoeff() : 0.0;
      if (!std::isfinite(error)) break;
      if (error < last) best = x;
      if (k == corrections || size_ == 0 || (k > 0 && error > 0.9 * last)) break;
      last = error;
      const Eigen::VectorXd step = lu_.solve(rhs);
      for (Eigen::Index i = 0; i < x.size(); ++i)
        if (const int row = place_[static_cast<std::size_t>(i)]; row >= 0) x[i] += step[row];
    }
    return best;
  }

 private:
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu_;
  std::vector<int> place_;
  int size_{0};
};

}  // namespace

double polish(const MlcpProblem& problem, const PolishOptions& options, Eigen::VectorXd& x) {
  const Eigen::Index n = problem.q.size(), f = problem.free_count;
  Eigen::VectorXd here = x;
  double best = natural_residual(problem, x), current = best;
  std::vector<char> positive(static_cast<std::size_t>(n), 0);
  ActiveSystem system;
  int without_progress = 0;
  const double turn = sparse_factor_work(problem.K.nonZeros());
  for (int step = 0; step < options.max_steps && best > options.target && may_work(turn); ++step) {
    const Eigen::VectorXd w = problem.K * here + problem.q;
    for (Eigen::Index i = f; i < n; ++i) positive[static_cast<std::size_t>(i)] = here[i] > w[i] ? 1 : 0;
    if (!system.factor(problem, positive, options.rho)) break;
    Eigen::VectorXd next = system.solve(problem, here, options.corrections);
    double residual = natural_residual(problem, next);
    // shorter steps while the residual would grow
    const Eigen::VectorXd direction = next - here;
    double length = 0.5;
    for (int halving = 0; halving < 6 && residual > current; ++halving, length *= 0.5) {
      const Eigen::VectorXd shorter = here + length * direction;
      if (const double candidate = natural_residual(problem, shorter); candidate < residual) {
        residual = candidate;
        next = shorter;
      }
    }
    if (!std::isfinite(residual)) break;
    if (residual < best) {
      best = residual;
      x = next;
      without_progress = 0;
    } else if (++without_progress > options.patience) {
      break;
    }
    here = next;
    current = residual;
  }
  // negatives of the size of the residual are zero
  Eigen::VectorXd clipped = x;
  clipped.tail(n - f) = clipped.tail(n - f).cwiseMax(0.0);
  if (const double residual = natural_residual(problem, clipped); residual <= best) {
    x = clipped;
    best = residual;
  }
  return best;
}

}  // namespace rigor
