#include "rigor/contact/cone_law.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigor/solvers/contact_lcp/contact_auto.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {
namespace {

constexpr double kNear = 1e-8;   // m/s: from here on the impulses of the last step are mended, not searched
constexpr double kSlips = 1e-5;  // m/s
constexpr double kCompliance = 1e-8;  // of the mean inverse mass, where rows depend on each other
constexpr int kMaxCorrections = 4;
constexpr std::size_t kManyContacts = 8;  // from this many contacts on rest is tried first in planar islands

// r of a block from z = (c, β, λ) of the polyhedral problem with two directions
void read_two_directions(const Eigen::VectorXd& z, Eigen::Index contacts, Eigen::VectorXd& r) {
  r.resize(2 * contacts);
  for (Eigen::Index c = 0; c < contacts; ++c) {
    r[2 * c] = z[c];
    r[2 * c + 1] = z[contacts + 2 * c] - z[contacts + 2 * c + 1];
  }
}

}  // namespace

ConeLaw::ConeLaw(const RunSettings& settings, bool is_convex)
    : tolerance_(settings.tolerance), is_convex_(is_convex), large_(settings, is_convex) {
  options_.tolerance = tolerance_;
  options_.resumes = true;
}

bool ConeLaw::needs_matrix(const ContactRows& rows, const ContactIsland& island) const {
  return !LargeConeLaw::takes(rows, island);
}

void ConeLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  if (!LargeConeLaw::takes(question.rows, question.island)) {
    problem_ = question.problem;
    return solve_dense(question, answer);
  }
  if (question.island.blocks.size() > LargeConeLaw::kMostDense) return large_.solve(question, answer);
  // one solver, then the other from the same start; the better of two that fail is taken
  start_answer_ = answer;
  const bool is_dense_first = may_rest_in_a_plane(question, answer);
  is_dense_first ? solve_by_matrix(question, answer) : large_.solve(question, answer);
  if (answer.status == Status::kSolved) return;
  std::swap(answer, start_answer_);
  is_dense_first ? large_.solve(question, answer) : solve_by_matrix(question, answer);
  if (answer.status != Status::kSolved && start_answer_.residual < answer.residual)
    std::swap(answer, start_answer_);
}

void ConeLaw::solve_by_matrix(const ContactQuestion& question, ContactAnswer& answer) {
  question.rows.assemble(question.island, question.u_free, problem_);
  solve_dense(question, answer);
}

// Where impulses lie at the edges of their cones, sparse factors leave 1e-15 m/s at rest, which adds up over the steps;
// the dense solver's answers lose it in the next step. In motion nothing needs that, and sparse factors are faster.
bool ConeLaw::may_rest_in_a_plane(const ContactQuestion& question, const ContactAnswer& answer) const {
  const int first = question.island.blocks.front();
  return !is_convex_ && question.rows.blocks()[static_cast<std::size_t>(first)].size == 2 &&
         !(answer.has_start && answer.start_slid);
}

// By W, which problem_ has.
void ConeLaw::solve_dense(const ContactQuestion& question, ContactAnswer& answer) {
  const bool is_planar = !is_convex_ && problem_.blocks.front().size == 2;
  const bool is_pile = is_planar && question.island.blocks.size() >= kManyContacts;
  problem_.associated = is_convex_;
  if (answer.has_start && keep_start(answer)) return;
  if (is_pile && solve_structured(question, answer)) return;

  options_.warm = answer.has_start;
  options_.slid = answer.start_slid;
  if (answer.has_start) result_.r = answer.r;
  solve_cone(problem_, options_, workspace_, result_);
  answer.status = result_.status;
  answer.r = result_.r;
  answer.residual = result_.residual;
  answer.iterations = result_.sweeps + result_.newton_steps;
  if (answer.residual > tolerance_) accept_rounding(answer);
  answer.force_freedom = result_.force_freedom;
  answer.velocity = result_.velocity;
  answer.method = result_.method;
  answer.cone_violation = compute_cone_violation(problem_, answer.r);
  if (answer.status != Status::kSolved && is_planar && !is_pile) (void)solve_structured(question, answer);
}

// Accepts the best point where its residual is no more than rounding.
void ConeLaw::accept_rounding(ContactAnswer& answer) {
  const double mean = mean_inverse_mass(problem_.W);
  const double rounding = cone_rounding(problem_.blocks, problem_.q, answer.r, mean);
  if (!(answer.residual <= 10.0 * rounding)) return;
  answer.residual = compute_careful_residual(answer.r, mean);
  answer.residual = mend(mean, 0.25 * rounding, answer.residual, answer.r, answer.iterations);
  if (answer.residual <= rounding) answer.status = Status::kSolved;
}

// The residual of the scaled problem: r and u as velocities.
double ConeLaw::compute_residual(const Eigen::VectorXd& r, double mean) {
  u_ = problem_.q;
  u_.noalias() += problem_.W * r;
  return compute_residual_at_velocity(r, mean);
}

// The same with sums of more digits: under a heavy body large impulses cancel.
double ConeLaw::compute_careful_residual(const Eigen::VectorXd& r, double mean) {
  u_.resize(r.size());
  for (Eigen::Index i = 0; i < r.size(); ++i) {
    long double sum = problem_.q[i];
    for (Eigen::Index j = 0; j < r.size(); ++j) sum += static_cast<long double>(problem_.W(i, j)) * r[j];
    u_[i] = static_cast<double>(sum);
  }
  return compute_residual_at_velocity(r, mean);
}

double ConeLaw::compute_residual_at_velocity(const Eigen::VectorXd& r, double mean) {
  start_ = mean * r;
  double squared = 0.0;
  for (const ConeBlock& block : problem_.blocks)
    squared +=
        squared_block_residual(block, is_convex_, start_.data() + block.first, u_.data() + block.first);
  return std::sqrt(squared);
}

// Keeps the impulses of the last step where they still solve the problem: as they are or, at rest,
// corrected by what rounding has added since.
bool ConeLaw::keep_start(ContactAnswer& answer) {
  const double mean = mean_inverse_mass(problem_.W), largest = problem_.q.cwiseAbs().maxCoeff();
  const double rounding = cone_rounding(problem_.blocks, problem_.q, answer.r, mean);
  const double enough = std::max(0.25 * rounding, kSpeedRounding * std::max(1.0, largest) *
                                                      std::sqrt(static_cast<double>(problem_.blocks.size())));
  double residual = compute_residual(answer.r, mean);
  answer.iterations = 0;
  if (!(residual <= enough)) {
    if (!(residual <= std::max(kNear, 10.0 * rounding))) return false;
    kept_ = answer.r;
    residual = mend(mean, enough, residual, kept_, answer.iterations);
    if (!(residual <= enough)) return false;
    answer.r = kept_;
  }
  answer.status = Status::kSolved;
  answer.residual = residual;
  answer.force_freedom = answer.start_freedom;
  answer.velocity = answer.start_velocity;
  answer.method = "kept";
  answer.cone_violation = compute_cone_violation(problem_, answer.r);
  return true;
}

// Corrects r by the least change of the loaded rows (those with an impulse) that brings their speeds to
// zero, repeatedly; does nothing where a contact slides. u_ is the velocity of r. r becomes the best point
// met; returns its residual.
double ConeLaw::mend(double mean, double enough, double residual, Eigen::VectorXd& r, int& iterations) {
  if (!find_loaded_rows(r)) return residual;
  factor_loaded_rows(mean);
  trial_ = r;
  for (int k = 0; k < kMaxCorrections && !(residual <= enough); ++k, ++iterations) {
    for (std::size_t i = 0; i < loaded_.size(); ++i) change_[static_cast<Eigen::Index>(i)] = u_[loaded_[i]];
    factor_.solve_in_place(change_);
    for (std::size_t i = 0; i < loaded_.size(); ++i)
      trial_[loaded_[i]] -= change_[static_cast<Eigen::Index>(i)];
    if (const double reached = compute_careful_residual(trial_, mean); reached < residual) {
      residual = reached;
      r = trial_;
    }
  }
  return residual;
}

// Lists the rows of blocks with an impulse; false where one slides.
bool ConeLaw::find_loaded_rows(const Eigen::VectorXd& r) {
  loaded_.clear();
  for (const ConeBlock& block : problem_.blocks) {
    if (!(r[block.first] > 0.0)) continue;
    if (block.size > 1 && u_.segment(block.first + 1, block.size - 1).norm() > kSlips) return false;
    for (int k = 0; k < block.size; ++k) loaded_.push_back(block.first + k);
  }
  return !loaded_.empty();
}

void ConeLaw::factor_loaded_rows(double mean) {
  const auto n = static_cast<Eigen::Index>(loaded_.size());
  auto A = factor_.start(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i; j < n; ++j)
      A(i, j) = problem_.W(loaded_[static_cast<std::size_t>(i)], loaded_[static_cast<std::size_t>(j)]);
    A(i, i) += kCompliance * mean;
  }
  change_.resize(n);
  (void)factor_.factor();  // of a positive definite matrix; a failure shows in the residual
}

Problem ConeLaw::make_problem(const ContactQuestion& question) {
  ConeProblem own = question.problem;
  own.associated = is_convex_;
  return own;
}

// By the methods for friction LCPs, which are the cone problem itself in a plane.
bool ConeLaw::solve_structured(const ContactQuestion& question, ContactAnswer& answer) {
  const auto structured = question.rows.make_contact_lcp(question.island, question.u_free, question.f, 2);
  if (!structured) return false;
  ContactAutoOptions options = ContactAutoOptions::for_a_step();
  options.tolerance = 0.1 * tolerance_ / std::max(problem_.q.cwiseAbs().maxCoeff(), 1e-300);
  const LcpResult result = rigor::solve(*structured, options);
  if (result.z.size() == 0) return false;
  Eigen::VectorXd r;
  read_two_directions(result.z, structured->contacts(), r);
  const double residual = compute_residual(r, mean_inverse_mass(problem_.W));
  if (!(residual <= tolerance_)) return false;
  answer.status = Status::kSolved;
  answer.r = r;
  answer.residual = residual;
  answer.iterations = result.iterations;
  answer.force_freedom = -1;
  answer.velocity = VelocityVerdict::kUnknown;
  answer.method = "structured";
  answer.cone_violation = compute_cone_violation(problem_, answer.r);
  return true;
}

}  // namespace rigor
