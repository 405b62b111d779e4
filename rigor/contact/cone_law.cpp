#include "rigor/contact/cone_law.hpp"

#include <algorithm>

#include "rigor/solvers/contact_auto.hpp"

namespace rigor {
namespace {

constexpr std::size_t kManyContacts = 8;  // planar islands from here on are asked for rest first

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
    : tolerance_(settings.tolerance), is_convex_(is_convex) {
  options_.tolerance = tolerance_;
}

void ConeLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  const bool is_planar = !is_convex_ && question.problem.blocks.front().size == 2;
  const bool is_pile = is_planar && question.island.blocks.size() >= kManyContacts;
  if (is_pile && solve_structured(question, answer)) return;

  problem_ = question.problem;
  problem_.associated = is_convex_;
  options_.warm = answer.has_start;
  if (answer.has_start) result_.r = answer.r;
  solve_cone(problem_, options_, workspace_, result_);
  answer.status = result_.status;
  answer.r = result_.r;
  answer.residual = result_.residual;
  answer.iterations = result_.sweeps + result_.newton_steps;
  answer.force_freedom = result_.force_freedom;
  answer.method = result_.method;
  answer.cone_violation = compute_cone_violation(problem_, answer.r);
  if (answer.status != Status::kSolved && is_planar && !is_pile) (void)solve_structured(question, answer);
}

Problem ConeLaw::make_problem(const ConeProblem& problem) {
  ConeProblem own = problem;
  own.associated = is_convex_;
  return own;
}

bool ConeLaw::solve_structured(const ContactQuestion& question, ContactAnswer& answer) {
  const auto structured =
      question.rows.make_contact_lcp(question.island, question.u_free, question.f, 2);
  if (!structured) return false;
  ContactAutoOptions options;
  options.tolerance = 0.1 * tolerance_ / std::max(question.problem.q.cwiseAbs().maxCoeff(), 1e-300);
  const LcpResult result = rigor::solve(*structured, options);
  if (result.z.size() == 0) return false;
  Eigen::VectorXd r;
  read_two_directions(result.z, structured->contacts(), r);
  const double mean = mean_inverse_mass(question.problem.W);
  problem_ = question.problem;
  problem_.W /= mean;
  r *= mean;
  const double residual = cone_residual(problem_, r);
  if (!(residual <= tolerance_)) return false;
  answer.status = Status::kSolved;
  answer.r = r / mean;
  answer.residual = residual;
  answer.iterations = result.iterations;
  answer.force_freedom = -1;
  answer.method = "structured";
  answer.cone_violation = compute_cone_violation(question.problem, answer.r);
  return true;
}

}  // namespace rigor
