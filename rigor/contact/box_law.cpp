#include "rigor/contact/box_law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

constexpr double kSharp = 1e-2;  // of the tolerance, for the problem with α: else α could not be removed

// `auto` for boxed problems is the method that works on boxes directly, then `auto` for LCPs.
RunSettings prefer_dantzig(RunSettings settings) {
  if (settings.solver == Solver::kAuto) settings.solver = Solver::kDantzig;
  return settings;
}

}  // namespace

BoxLaw::BoxLaw(const RunSettings& settings, bool is_hybrid)
    : is_hybrid_(is_hybrid), tolerance_(settings.tolerance), choice_(prefer_dantzig(settings)) {}

void BoxLaw::build(const ContactQuestion& question, double mean) {
  rows_.build(question, {is_hybrid_, is_hybrid_});
  const ConeProblem& problem = rows_.problem();
  W_ = problem.W / mean;
  q_ = problem.q;
  boxed_.M = W_;
  boxed_.M.diagonal() += rows_.alpha();
  boxed_.lo.setZero(q_.size());
  boxed_.hi.setConstant(q_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const ConeBlock& block = problem.blocks[k];
    const double bound = block.mu * rows_.previous_normal(k) * question.h * mean;
    for (int i = 1; i < block.size; ++i) {
      boxed_.lo[block.first + i] = -bound;
      boxed_.hi[block.first + i] = bound;
    }
  }
}

// ‖r − P(r − u)‖∞
double BoxLaw::judge(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, const Eigen::VectorXd& r) {
  u_ = q;
  u_.noalias() += W * r;
  return (r - (r - u_).cwiseMax(boxed_.lo).cwiseMin(boxed_.hi)).cwiseAbs().maxCoeff();
}

// Keeps the rows that are at a bound there and brings the speeds of the others to zero: solves with W + α
// and corrects until the equations hold for the W given.
double BoxLaw::polish(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
  constexpr int kMaxCorrections = 6;
  double residual = judge(W, q, r);
  inside_.clear();
  for (Eigen::Index i = 0; i < r.size(); ++i)
    if (r[i] - u_[i] > boxed_.lo[i] && r[i] - u_[i] < boxed_.hi[i]) inside_.push_back(static_cast<int>(i));
  const auto n = static_cast<Eigen::Index>(inside_.size());
  auto A = factor_.start(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i; j < n; ++j)
      A(i, j) = boxed_.M(inside_[static_cast<std::size_t>(i)], inside_[static_cast<std::size_t>(j)]);
  if (n == 0 || !factor_.factor()) return residual;
  better_ = r;
  change_.resize(n);
  for (int k = 0; k < kMaxCorrections; ++k) {
    for (Eigen::Index i = 0; i < n; ++i) change_[i] = u_[inside_[static_cast<std::size_t>(i)]];
    factor_.solve_in_place(change_);
    for (Eigen::Index i = 0; i < n; ++i) better_[inside_[static_cast<std::size_t>(i)]] -= change_[i];
    const double after = judge(W, q, better_);
    if (!(after < residual)) break;
    residual = after;
    r = better_;
  }
  return residual;
}

void BoxLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  const double mean = mean_inverse_mass(question.problem.W);
  build(question, mean);
  answer.status = Status::kNumericalTrouble;
  answer.iterations = 0;
  answer.force_freedom = -1;
  answer.velocity = VelocityVerdict::kUnique;  // the bounds are given, and the problem convex
  answer.fell_back = false;

  const double tolerance = 0.1 * tolerance_ / std::max(q_.cwiseAbs().maxCoeff(), 1e-300);
  answer.residual = rows_.solve_without_alpha(
      tolerance_, best_, [&](const Eigen::VectorXd& q, bool is_new, Eigen::VectorXd& r) {
        if (is_new) boxed_.M.diagonal() = W_.diagonal() + rows_.alpha();
        boxed_.q = q;
        const bool solved =
            choice_.solve(boxed_, std::max(tolerance, 1e-14), answer, [&](const LcpResult& result) {
              r = result.z;
              return polish(boxed_.M, q, r) <= kSharp * tolerance_;
            });
        return solved ? polish(W_, q_, r) : std::numeric_limits<double>::infinity();
      });
  if (answer.residual <= tolerance_) answer.status = Status::kSolved;
  answer.r = best_ / mean;
  rows_.turn_back(answer.r);
  answer.cone_violation = compute_cone_violation(question.problem, answer.r);
}

Problem BoxLaw::make_problem(const ContactQuestion& question) {
  build(question, 1.0);
  boxed_.q = q_;
  return boxed_;
}

}  // namespace rigor
