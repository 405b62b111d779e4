#include "rigor/analysis/opening.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;

constexpr double kOpens = 1e-7;  // of the accelerations: less is closed

// The solution that is shown, and which contacts open in it.
void show(const AccelerationProblem& problem, const Vector& a, OpeningAnswer& result) {
  const double typical = std::max(a.norm(), typical_acceleration(problem));
  result.is_closed.assign(problem.contacts.size(), 1);
  result.normal = Vector::Zero(static_cast<Eigen::Index>(problem.contacts.size()));
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    if (!contact.is_unilateral()) continue;
    const double rate = contact.normal.dot(a) + contact.normal_bias;
    const double size = contact.normal.norm() * typical + std::abs(contact.normal_bias);
    result.normal[static_cast<Eigen::Index>(i)] = rate;
    result.is_closed[i] = rate > kOpens * size ? 0 : 1;
  }
}

bool has_sliding_contact(const AccelerationProblem& problem) {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const AccelerationContact& contact) { return contact.slides(); });
}

// Why there is none.
std::string explain(const AccelerationProblem& problem) {
  if (has_sliding_contact(problem))
    return "no choice of open and closed contacts has a solution: sliding friction is too large";
  switch (find_gauss_acceleration(problem).status) {
    case GaussAcceleration::Status::kContradiction:
      return "no accelerations obey all contacts (Assumption 2 fails)";
    case GaussAcceleration::Status::kUnbounded:
      return "the load drives a motion that meets neither inertia nor a contact";
    default:
      return "";
  }
}

}  // namespace

OpeningAnswer decide_opening(const AccelerationProblem& problem, const StickingAnswer& closed) {
  OpeningAnswer result;
  result.solutions = find_solutions(problem);
  result.answer = result.solutions.exists();
  if (closed.answer == Answer::kYes) {
    // all closed is one of the ways
    result.answer = result.without_cones = Answer::kYes;
    result.sticking = closed;
    result.is_closed.assign(problem.contacts.size(), 1);
    result.normal = Vector::Zero(static_cast<Eigen::Index>(problem.contacts.size()));
    return result;
  }
  if (result.answer == Answer::kYes) {
    result.without_cones = Answer::kYes;
    const auto& pieces = result.solutions.pieces;
    const ContactPiece& best =
        *std::max_element(pieces.begin(), pieces.end(),
                          [](const ContactPiece& a, const ContactPiece& b) { return a.margin < b.margin; });
    result.sticking.answer = Answer::kYes;
    result.sticking.signs = best.signs;
    result.sticking.acceleration = best.acceleration;
    result.sticking.forces = best.forces;
    result.sticking.verdict.answer = Answer::kYes;
    result.sticking.verdict.margin = best.margin;
    result.sticking.verdict.scale = best.scale;
    show(problem, best.acceleration, result);
    return result;
  }
  result.without_cones = has_sliding_contact(problem)
                             ? find_solutions(problem, FrictionKind::kUnlimited).exists()
                             : result.solutions.without_cones;
  if (result.without_cones == Answer::kNo) result.note = explain(problem);
  if (result.answer == Answer::kUndecided && !result.solutions.is_complete)
    result.note = "not every choice of open and closed contacts could be decided";
  return result;
}

}  // namespace rigor
