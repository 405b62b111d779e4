#include "rigor/solvers/lcp/sparse_block_pivot.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/factor_work.hpp"
#include "rigor/solvers/lcp/pgs.hpp"

namespace rigor {
namespace {

constexpr double kNegativeSparse = 1e-12;  // of the largest value
constexpr Eigen::Index kLeastSize = 200;
constexpr int kCheapSweeps =
    5;  // times as many sweeps as for a dense matrix: a factor costs a hundred of them

bool is_symmetric(const SparseMatrix& K) {
  const SparseMatrix transposed = K.transpose();
  return (K - transposed).norm() == 0.0;
}

// z_i ← max(0, z_i − ω w_i / M_ii) for all i; w follows. Returns how many pairs changed sides.
Eigen::Index sweep(const SparseMatrix& M, const Eigen::VectorXd& diagonal, double relaxation,
                   Eigen::VectorXd& z, Eigen::VectorXd& w) {
  Eigen::Index changes = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double next = std::max(0.0, z[i] - relaxation * w[i] / diagonal[i]), step = next - z[i];
    if (step == 0.0) continue;
    changes += (next > 0.0) != (z[i] > 0.0);
    z[i] = next;
    for (SparseMatrix::InnerIterator it(M, i); it; ++it) w[it.row()] += step * it.value();
  }
  return changes;
}

class Rounds {
 public:
  Rounds(const MlcpProblem& problem, const BlockPivotOptions& options)
      : options_(options), free_(problem.free_count), n_(problem.q.size()) {
    scaling_.compute(problem.K, problem.q, options.equilibrate);
    K_ = scaling_.row.asDiagonal() * problem.K * scaling_.column.asDiagonal();
    q_ = problem.q.cwiseProduct(scaling_.row) / scaling_.q_scale;
    symmetric_ = free_ == 0 && is_symmetric(K_);
    positive_.assign(static_cast<std::size_t>(n_), 0);
    z_.setZero(n_);
  }

  void run(LcpResult& result) {
    guess();
    const int limit = options_.max_rounds > 0 ? options_.max_rounds : 100;
    std::size_t fewest = static_cast<std::size_t>(n_) + 1;
    int patience = options_.patience;
    const double turn = sparse_factor_work(K_.nonZeros());
    while (result.iterations < limit && may_work(turn)) {
      ++result.factorisations;
      ++result.iterations;
      if (!solve_for_set()) {
        result.status = Status::kNumericalTrouble;
        break;
      }
      find_bad();
      if (bad_.empty()) {
        (void)correct();
        result.status = Status::kSolved;
        break;
      }
      // exchange them all while that helps, else only the last one
      if (bad_.size() < fewest) {
        fewest = bad_.size();
        patience = options_.patience;
      } else {
        --patience;
      }
      if (patience >= 0)
        for (const Eigen::Index i : bad_) positive_[static_cast<std::size_t>(i)] ^= 1;
      else
        positive_[static_cast<std::size_t>(bad_.back())] ^= 1;
    }
    z_.tail(n_ - free_) = z_.tail(n_ - free_).cwiseMax(0.0);
    scaling_.to_original(z_, result.z);
  }

 private:
  // the free variables, and what sweeps of Gauss-Seidel say of the others
  void guess() {
    for (Eigen::Index i = 0; i < n_; ++i)
      positive_[static_cast<std::size_t>(i)] = i < free_ || (free_ == 0 && q_[i] < 0.0);
    const Eigen::VectorXd diagonal = K_.diagonal();
    if (free_ > 0 || options_.max_sweeps == 0 || !(diagonal.minCoeff() > 0.0)) return;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n_), w = q_;
    for (int k = 0; k < kCheapSweeps * options_.max_sweeps; ++k)
      if (sweep(K_, diagonal, 1.0, z, w) == 0) break;
    if (!z.allFinite() || !w.allFinite()) return;
    for (Eigen::Index i = 0; i < n_; ++i) positive_[static_cast<std::size_t>(i)] = z[i] > w[i];
  }

  // z_F = −K_FF⁻¹ q_F, w = K z + q; false where K_FF is singular
  bool solve_for_set() {
    place_.assign(static_cast<std::size_t>(n_), -1);
    int size = 0;
    for (std::size_t i = 0; i < positive_.size(); ++i)
      if (positive_[i]) place_[i] = size++;
    z_.setZero(n_);
    w_ = q_;
    size_ = 0;
    if (size == 0) return true;
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index j = 0; j < n_; ++j) {
      if (place_[static_cast<std::size_t>(j)] < 0) continue;
      for (SparseMatrix::InnerIterator it(K_, j); it; ++it)
        if (const int row = place_[static_cast<std::size_t>(it.row())]; row >= 0)
          entries.emplace_back(row, place_[static_cast<std::size_t>(j)], it.value());
    }
    SparseMatrix block(size, size);
    block.setFromTriplets(entries.begin(), entries.end());
    definite_ = symmetric_ && factor_symmetric(block);
    if (!definite_) {
      lu_.compute(block);
      if (lu_.info() != Eigen::Success) return false;
    }
    size_ = size;
    return correct();
  }

  // one step from the present z towards w_F = 0, on the last factor
  bool correct() {
    if (size_ == 0) return true;
    Eigen::VectorXd rhs(size_);
    for (Eigen::Index i = 0; i < n_; ++i)
      if (const int row = place_[static_cast<std::size_t>(i)]; row >= 0) rhs[row] = -w_[i];
    const Eigen::VectorXd step =
        definite_ ? Eigen::VectorXd(ldlt_.solve(rhs)) : Eigen::VectorXd(lu_.solve(rhs));
    if (!step.allFinite()) return false;
    for (Eigen::Index i = 0; i < n_; ++i)
      if (const int row = place_[static_cast<std::size_t>(i)]; row >= 0) z_[i] += step[row];
    w_ = K_ * z_ + q_;
    return true;
  }

  bool factor_symmetric(const SparseMatrix& block) {
    ldlt_.compute(block);
    return ldlt_.info() == Eigen::Success && ldlt_.vectorD().minCoeff() > 0.0;
  }

  void find_bad() {
    const double z_zero = -kNegativeSparse * std::max(1.0, z_.cwiseAbs().maxCoeff());
    const double w_zero = -kNegativeSparse * std::max(1.0, w_.cwiseAbs().maxCoeff());
    bad_.clear();
    for (Eigen::Index i = free_; i < n_; ++i)
      if (positive_[static_cast<std::size_t>(i)] ? z_[i] < z_zero : w_[i] < w_zero) bad_.push_back(i);
  }

  const BlockPivotOptions& options_;
  const Eigen::Index free_, n_;
  Equilibration scaling_;
  SparseMatrix K_;
  bool symmetric_{false}, definite_{false};
  int size_{0};  // of the set that is factored
  Eigen::VectorXd q_, z_, w_;
  std::vector<char> positive_;
  std::vector<int> place_;
  std::vector<Eigen::Index> bad_;
  Eigen::SimplicialLDLT<SparseMatrix> ldlt_;
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu_;
};

}  // namespace

bool is_worth_sparse(const SparseMatrix& K) {
  return K.rows() >= kLeastSize && 10 * K.nonZeros() <= K.rows() * K.cols();
}

void solve_sparse_block_pivot(const MlcpProblem& problem, const BlockPivotOptions& options,
                              LcpResult& result) {
  require(options.patience >= 1, "BlockPivotOptions::patience = {}, must be ≥ 1.", options.patience);
  result.solver = "block-pivot";
  result.status = Status::kIterationLimit;
  Rounds(problem, options).run(result);
}

void solve_sparse_pgs(const SparseLcpProblem& problem, const PgsOptions& options, LcpResult& result) {
  require(options.relaxation > 0.0 && options.relaxation < 2.0,
          "PgsOptions::relaxation = {}, must lie in (0, 2).", options.relaxation);
  const Eigen::VectorXd diagonal = problem.M.diagonal();
  for (Eigen::Index i = 0; i < diagonal.size(); ++i)
    require(diagonal[i] > 0.0, "pgs: M({}, {}) = {}, must be > 0. Use block-pivot or auto.", i, i,
            diagonal[i]);
  result.solver = "pgs";
  result.status = Status::kIterationLimit;
  result.z.setZero(problem.q.size());
  Eigen::VectorXd w = problem.q;
  const double scale = residual_scale(problem.q);
  const double turn = 2.0 * static_cast<double>(problem.M.nonZeros());
  for (; result.iterations < options.max_sweeps && may_work(turn); ++result.iterations) {
    // the residual of the running w costs nothing; solve() decides by the data
    if (natural_residual(result.z, w, scale) <= options.tolerance) {
      result.status = Status::kSolved;
      break;
    }
    (void)sweep(problem.M, diagonal, options.relaxation, result.z, w);
  }
}

}  // namespace rigor
