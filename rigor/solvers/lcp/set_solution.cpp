#include "rigor/solvers/lcp/set_solution.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr double kNegative = 1e-12;     // of the largest value
constexpr double kTrusted = 1e-9;       // of the largest z: rows of F below it are solved
constexpr double kRefineAbove = 1e-13;  // of the largest q: rows of F below it are not worth another solve
constexpr double kRounding = 1e-15;     // of ‖z‖₁: below, the image itself is rounding
constexpr double kSolved = 1e-14;       // the same in single precision, where another solve costs little
constexpr double kContraction = 1e-2;   // what a correction in single precision must achieve
constexpr double kFastSweeps = 0.2;     // sweeps that shrink their steps to this need no factor
constexpr int kMaxCorrections = 12;

double largest_entry(const Eigen::VectorXd& v) {
  return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
}

}  // namespace

void SetSolution::start(const LcpProblem& problem, Eigen::Index free_count, bool equilibrate, bool single) {
  problem_ = &problem;
  free_count_ = free_count;
  const Eigen::Index n = problem.q.size();
  bad_.reserve(static_cast<std::size_t>(n));
  z_.setZero(n);
  w_.resize(n);
  correction_.resize(n);
  scaling_.compute(problem, equilibrate, single ? &single_ : nullptr);
  scaled_.M.resize(n, n);
  scaled_.q = problem.q.cwiseProduct(scaling_.row) / scaling_.q_scale;
  block_.start(scaled_.M, false);  // room for what may be needed later
  began_in_single_ = single;
  precision_ = single ? Precision::kSingle : Precision::kDouble;
  if (!single) return start_double();
  single_correction_.resize(n);
  single_block_.start(single_, looks_symmetric(single_));
}

void SetSolution::start_double() {
  precision_ = Precision::kDouble;
  if (!scaling_.is_identity) scaling_.apply(*problem_, scaled_);
  const Eigen::MatrixXd& M = scaling_.is_identity ? problem_->M : scaled_.M;
  symmetric_ = looks_symmetric(M);
  block_.start(M, symmetric_);
}

int SetSolution::factorisations() const {
  return block_.factorisations() + (began_in_single_ ? single_block_.factorisations() : 0);
}

bool SetSolution::guess(int max_sweeps, std::vector<char>& positive) {
  if (!sweeps_.guess(single_, scaled_.q, max_sweeps, positive)) return false;
  if (sweeps_.rate() > kFastSweeps) return true;
  precision_ = Precision::kSweeps;
  z_ = sweeps_.z().cast<double>();
  return true;
}

bool SetSolution::solve(const std::vector<char>& positive, bool exact) {
  positive_ = &positive;
  if (precision_ == Precision::kSweeps && solve_in_single(exact)) return true;
  if (precision_ == Precision::kSweeps) precision_ = Precision::kSingle;
  if (precision_ == Precision::kSingle && solve_in_single(exact)) return true;
  if (precision_ == Precision::kSingle) start_double();
  return solve_in_double();
}

bool SetSolution::solve_in_single(bool exact) {
  // begin at the last z where sweeps go on from it, else at 0, where w is known
  if (precision_ == Precision::kSweeps) {
    for (Eigen::Index i = 0; i < z_.size(); ++i)
      if (!(*positive_)[static_cast<std::size_t>(i)]) z_[i] = 0.0;
    compute_image();
  } else {
    if (!single_block_.set(*positive_)) return false;
    z_.setZero();
    w_ = scaled_.q;
  }
  const double solved = kSolved * largest_entry(scaled_.q);
  double size = largest_on_set(), rate = 1.0;
  for (int k = 0; k < kMaxCorrections && size > solved; ++k) {
    correct();
    const double step = correction_.lpNorm<1>();
    if (!std::isfinite(step)) return false;
    // w is off by M times the step, z by what the next step will be
    const bool certain = find_bad(rate * correction_.lpNorm<Eigen::Infinity>(), scaling_.largest * step);
    if (!bad_.empty() && !exact) return true;
    if (certain && rate * size <= 1e-2 * solved) return true;
    compute_image();
    const double next = largest_on_set();
    rate = next / size;
    if (!(rate <= kContraction) && !(next <= kRounding * scaling_.largest * z_.lpNorm<1>())) return false;
    size = rate <= kContraction ? next : 0.0;
  }
  (void)find_bad(0.0, 0.0);
  return size <= solved;
}

bool SetSolution::solve_in_double() {
  for (;; symmetric_ = false) {
    if (!block_.set(*positive_)) return false;
    z_ = -scaled_.q;
    block_.solve_in_place(z_);
    if (!z_.allFinite()) return false;
    compute_image();
    if (!symmetric_ || largest_on_set() <= kTrusted * std::max(1.0, largest_entry(z_))) break;
    // M is not symmetric after all, or the block is nearly singular: LU from now on
    block_.start(scaling_.is_identity ? problem_->M : scaled_.M, false);
  }
  (void)find_bad(0.0, 0.0);
  return true;
}

// z_F −= M_FF⁻¹ w_F, as well as the present precision allows
void SetSolution::correct() {
  if (precision_ == Precision::kDouble) {
    correction_ = -w_;
    block_.solve_in_place(correction_);
  } else {
    single_correction_ = -w_.cast<float>();
    if (precision_ == Precision::kSweeps)
      sweeps_.solve_in_place(single_, *positive_, single_correction_);
    else
      single_block_.solve_in_place(single_correction_);
    correction_ = single_correction_.cast<double>();
  }
  z_ += correction_;
}

void SetSolution::refine() {
  if (precision_ != Precision::kDouble) return;  // it was refined on the way
  if (largest_on_set() <= kRefineAbove * largest_entry(scaled_.q)) return;
  correction_ = -w_;
  block_.solve_in_place(correction_);
  if (correction_.allFinite()) z_ += correction_;
}

// w = M z + q, by the columns of F alone; the factors are powers of two, so it is exact to take them out of M
void SetSolution::compute_image() {
  const Eigen::MatrixXd& M = problem_->M;
  const Eigen::Index n = z_.size();
  w_ = scaled_.q.cwiseQuotient(scaling_.row);
  for (Eigen::Index j = 0; j < n; ++j)
    if (z_[j] != 0.0) add_scaled(z_[j] * scaling_.column[j], M.data() + j * n, w_.data(), n);
  w_ = w_.cwiseProduct(scaling_.row);
}

double SetSolution::largest_on_set() const {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < w_.size(); ++i)
    if ((*positive_)[static_cast<std::size_t>(i)]) worst = std::max(worst, std::fabs(w_[i]));
  return worst;
}

// The pairs that are negative whatever the errors are, by z on F and by w elsewhere. True where no other
// pair could be negative.
bool SetSolution::find_bad(double z_error, double w_error) {
  const double z_zero = -kNegative * std::max(1.0, largest_entry(z_));
  const double w_zero = -kNegative * std::max(1.0, largest_entry(w_));
  bool certain = true;
  bad_.clear();
  for (auto i = static_cast<int>(free_count_); i < z_.size(); ++i) {
    const bool on_set = (*positive_)[static_cast<std::size_t>(i)] != 0;
    const double excess = on_set ? z_[i] - z_zero : w_[i] - w_zero, error = on_set ? z_error : w_error;
    if (excess < -error)
      bad_.push_back(i);
    else if (excess < error)
      certain = false;
  }
  return certain;
}

void SetSolution::read_solution(Eigen::VectorXd& z) {
  for (Eigen::Index i = free_count_; i < z_.size(); ++i) z_[i] = std::max(0.0, z_[i]);
  scaling_.to_original(z_, z);
}

}  // namespace rigor
