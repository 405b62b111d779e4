#include "rigor/contact/phantom_law.hpp"

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

constexpr double kLeastTolerance = 1e-10;  // relative, for the solvers: the residual here decides

}  // namespace

PhantomLaw::PhantomLaw(const RunSettings& settings)
    : sliding_(settings.sliding),
      form_(settings.form),
      k_(settings.directions / 2),
      rho_(settings.phantom_inertia),
      tolerance_(settings.tolerance),
      choice_(settings) {
  require(settings.directions >= 4 && settings.directions % 2 == 0,
          "run.directions = {}, must be an even number of at least 4; in a plane two are used anyway.",
          settings.directions);
}

void PhantomLaw::set_up(const ContactQuestion& question) {
  const bool turns = sliding_ != RunSettings::Sliding::kDirections;
  rows_.build(question, {turns, sliding_ == RunSettings::Sliding::kLateral});
  const std::vector<ConeBlock>& blocks = rows_.problem().blocks;
  directions_.resize(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    PhantomLcp::Directions& of = directions_[b];
    const bool along_slip = rows_.slides(b) && turns;
    const int count = blocks[b].size == 1 ? 0 : blocks[b].size == 2 ? 1 : along_slip ? 2 : k_;
    of.E.setZero(2, count);
    of.mu.setConstant(count, blocks[b].mu);
    for (int j = 0; j < count; ++j) {
      const double angle = M_PI * j / count;
      if (count == 2)
        of.E(j, j) = 1.0;  // exactly
      else
        of.E.col(j) << portable::cos(angle), portable::sin(angle);
    }
    if (along_slip && sliding_ == RunSettings::Sliding::kTangent && count == 2) of.mu[1] = 0.0;
  }
}

// All unknowns are velocities: impulses are multiplied by the mean inverse mass.
bool PhantomLaw::build(double mean) {
  W_ = rows_.problem().W / mean;
  soft_ = W_;
  soft_.diagonal() += rows_.alpha();
  q_ = rows_.problem().q;
  none_.setZero(q_.size());
  return phantom_.build(soft_, rows_.problem().blocks, directions_, rho_ * mean);
}

MlcpProblem PhantomLaw::make_mixed(const ContactQuestion& question, double mean) {
  question.rows.compute_half_rows(question.island, Y_);
  // Y is turned as W is, so that Yᵀ Y + ε = W in the axes of the slip
  rows_.turn_columns(Y_);
  Y_ /= std::sqrt(mean);
  const Eigen::VectorXd epsilon = soft_.diagonal() - Y_.colwise().squaredNorm().transpose();
  return phantom_.make_mixed(Y_, epsilon.cwiseMax(0.0), shifted_);
}

bool PhantomLaw::solve_once(const ContactQuestion& question, ContactAnswer& answer) {
  const auto tolerance_for = [&](const Eigen::VectorXd& q) {
    return std::max(0.1 * tolerance_ / std::max(q.cwiseAbs().maxCoeff(), 1e-300), kLeastTolerance);
  };
  const auto is_good = [&] { return phantom_.polish(soft_, none_, shifted_, r_) <= tolerance_; };
  if (form_ == RunSettings::Form::kMixed) {
    const MlcpProblem mixed = make_mixed(question, rows_.mean());
    return choice_.solve(mixed, tolerance_for(mixed.q), answer, [&](const LcpResult& result) {
      phantom_.read_mixed(result.z, r_);
      return is_good();
    });
  }
  phantom_.set_q(shifted_);
  return choice_.solve(phantom_.lcp(), tolerance_for(phantom_.lcp().q), answer, [&](const LcpResult& result) {
    phantom_.read(result.z, r_);
    return is_good();
  });
}

void PhantomLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  set_up(question);
  const double mean = rows_.mean();
  answer.status = Status::kNumericalTrouble;
  answer.residual = INFINITY;
  answer.iterations = 0;
  answer.force_freedom = -1;
  answer.velocity = VelocityVerdict::kUnknown;
  answer.fell_back = false;
  answer.r.setZero(question.problem.q.size());

  answer.residual = rows_.solve_without_alpha(tolerance_, best_,
                                              [&](const Eigen::VectorXd& q, bool is_new, Eigen::VectorXd& r) {
                                                if (is_new && !build(mean))
                                                  return std::numeric_limits<double>::infinity();
                                                shifted_ = q;
                                                if (!solve_once(question, answer))
                                                  return std::numeric_limits<double>::infinity();
                                                r = r_;
                                                return phantom_.polish(W_, rows_.alpha(), q_, r);
                                              });
  answer.phantom_inertia = phantom_.least_inertia() / mean;
  answer.phantom_limit = phantom_.limit() / mean;
  if (answer.residual <= tolerance_) answer.status = Status::kSolved;
  answer.r = best_ / mean;
  rows_.turn_back(answer.r);
  answer.cone_violation = compute_cone_violation(question.problem, answer.r);
}

Problem PhantomLaw::make_problem(const ContactQuestion& question) {
  set_up(question);
  const bool built = build(1.0);
  require(built, "phantom: the tangential rows of {} contacts could not be eliminated.",
          rows_.problem().blocks.size());
  shifted_ = q_;
  if (form_ == RunSettings::Form::kMixed) return make_mixed(question, 1.0);
  phantom_.set_q(q_);
  return phantom_.lcp();
}

}  // namespace rigor
