#include "rigor/analysis/opening.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;

Vector normal_accelerations(const AccelerationProblem& problem, const Vector& a) {
  Vector rates(static_cast<Eigen::Index>(problem.contacts.size()));
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    rates[static_cast<Eigen::Index>(i)] = problem.contacts[i].normal.dot(a) + problem.contacts[i].normal_bias;
  return rates;
}

// All solutions of the LCP with sliding contacts, until one of them is within the cones.
void try_solutions(const AccelerationProblem& problem, OpeningAnswer& result) {
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  if (!normal_lcp.exists) {
    result.note =
        "the contact LCP does not exist: a motion without inertia, or a bilateral contact that slides";
    return;
  }
  if (normal_lcp.lcp.q.size() > NormalLcp::kMaxListed) {
    result.note = "too many contacts to list all solutions of a problem with sliding contacts";
    return;
  }
  EnumerateOptions options;
  options.max_size = NormalLcp::kMaxListed;
  const std::vector<SolutionPiece> pieces = enumerate_all(normal_lcp.lcp, options);
  result.without_cones = pieces.empty() ? Answer::kNo : Answer::kYes;
  result.answer = Answer::kNo;
  if (pieces.empty())
    result.note = "no solution of the contact LCP: sliding friction is too large (Painlevé)";
  for (const SolutionPiece& piece : pieces) {
    const Vector a = normal_lcp.acceleration(piece.z);
    const Vector rates = normal_accelerations(problem, a);
    const double size = normal_lcp.lcp.q.size() > 0 ? normal_lcp.lcp.q.cwiseAbs().maxCoeff() : 0.0;
    std::vector<char> closed(problem.contacts.size(), 1);
    for (std::size_t i = 0; i < closed.size(); ++i)
      if (problem.contacts[i].is_unilateral() && rates[static_cast<Eigen::Index>(i)] > 1e-8 * size)
        closed[i] = 0;
    StickingAnswer sticking = StickingSet(problem, FrictionKind::kCones, closed).decide();
    const bool is_first = result.is_closed.empty();
    if (sticking.answer == Answer::kNo && !is_first) continue;
    const Answer answer = sticking.answer;
    result.sticking = std::move(sticking);
    result.is_closed = closed;
    result.normal = rates;
    result.answer = answer;
    if (answer == Answer::kYes) return;
  }
}

}  // namespace

OpeningAnswer decide_opening(const AccelerationProblem& problem, const StickingAnswer& closed) {
  OpeningAnswer result;
  // all closed is one of the ways
  if (closed.answer == Answer::kYes) {
    result.answer = result.without_cones = Answer::kYes;
    result.is_closed.assign(problem.contacts.size(), 1);
    result.normal = Vector::Zero(static_cast<Eigen::Index>(problem.contacts.size()));
    result.sticking = closed;
    return result;
  }
  const bool slides = std::any_of(problem.contacts.begin(), problem.contacts.end(),
                                  [](const AccelerationContact& contact) { return contact.slides(); });
  if (slides) {
    try_solutions(problem, result);
    return result;
  }
  const GaussAcceleration gauss = find_gauss_acceleration(problem);
  switch (gauss.status) {
    case GaussAcceleration::Status::kUndecided:
      return result;
    case GaussAcceleration::Status::kContradiction:
      result.answer = result.without_cones = Answer::kNo;
      result.note = "no accelerations obey all contacts (Assumption 2 fails)";
      return result;
    case GaussAcceleration::Status::kUnbounded:
      result.answer = result.without_cones = Answer::kNo;
      result.note = "the load drives a motion that meets neither inertia nor a contact";
      return result;
    case GaussAcceleration::Status::kSolved:
      break;
  }
  result.without_cones = Answer::kYes;
  result.is_closed = gauss.is_closed;
  result.normal = gauss.normal;
  result.sticking = StickingSet(problem, FrictionKind::kCones, gauss.is_closed).decide();
  result.answer = result.sticking.answer;
  return result;
}

}  // namespace rigor
