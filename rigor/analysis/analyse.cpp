#include "rigor/analysis/analyse.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/analysis/synthesis.hpp"
#include "rigor/math/orthogonal_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

ContactStanding find_standing(const AccelerationContact& contact, const ContactAnalysis& own, bool is_closed,
                              double scale) {
  if (!is_closed) return ContactStanding::kOpens;
  if (own.force.size() == 0) return ContactStanding::kUndetermined;
  if (contact.slides()) return ContactStanding::kSlides;
  if (!contact.is_unilateral() && contact.tangents() == 0) return ContactStanding::kSticks;
  const double room = contact.tangents() == 0 ? own.force[0] : own.margin;
  return room > ForceSet::kTolerance * scale ? ContactStanding::kSticks : ContactStanding::kOnBoundary;
}

AccelerationProblem without_friction(AccelerationProblem problem) {
  for (AccelerationContact& contact : problem.contacts) contact.mu = 0.0;
  return problem;
}

bool persists(const AccelerationProblem& problem, const StickingSet& set, const StickingAnswer& closed) {
  return closed.answer == Answer::kYes && closed.verdict.margin > 0.0 && !closed.verdict.is_face &&
         std::none_of(problem.contacts.begin(), problem.contacts.end(),
                      [](const AccelerationContact& contact) { return contact.slides(); }) &&
         set.has_unique_acceleration();
}

}  // namespace

Analysis analyse(const AccelerationProblem& problem, const AnalysisOptions& options) {
  Analysis analysis;
  const StickingSet set(problem, FrictionKind::kCones);
  analysis.closed = decide_checked(problem);
  analysis.opening = decide_opening(problem, analysis.closed);
  analysis.frictionless = decide_checked(without_friction(problem));
  analysis.dependence = find_dependence(problem);
  analysis.sliding = analyse_sliding(problem);
  analysis.propositions = check_propositions(problem, analysis.closed, analysis.opening, analysis.sliding);
  analysis.persists = persists(problem, set, analysis.closed);

  // all solutions, and the one that is shown
  const bool is_solved = analysis.opening.answer == Answer::kYes;
  const StickingAnswer& shown = analysis.opening.sticking;
  const SolutionSet& solutions = analysis.opening.solutions;
  analysis.acceleration_unique = solutions.has_unique_acceleration();
  analysis.forces_unique = solutions.has_unique_forces();
  analysis.force_dimension = solutions.force_dimension();
  const bool is_detailed = problem.contacts.size() <= options.max_detailed;
  std::vector<std::vector<Interval>> ranges;
  if (is_solved && options.ranges && is_detailed) {
    ranges = solutions.find_force_ranges();
    analysis.ranges_cover_all = solutions.is_complete && !ranges.empty();
    if (analysis.acceleration_unique == Answer::kNo)
      analysis.acceleration_ranges = solutions.find_acceleration_ranges();
  }
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    ContactAnalysis own;
    if (is_solved) own.force = shown.forces[i];
    if (!ranges.empty()) own.ranges = ranges[i];
    if (own.force.size() > 0 && contact.tangents() > 0)
      own.margin = contact.mu * std::abs(own.force[0]) - own.force.tail(contact.tangents()).norm();
    const bool is_closed = analysis.opening.is_closed.empty() || analysis.opening.is_closed[i];
    own.standing = find_standing(contact, own, is_closed, shown.verdict.scale);
    analysis.contacts.push_back(std::move(own));
  }

  const std::vector<std::size_t> friction = list_friction_contacts(problem);
  if (!options.friction || friction.empty()) return analysis;
  analysis.mu_min = find_least_friction(set, friction);
  if (options.friction_per_contact && is_detailed && friction.size() > 1)
    for (const std::size_t i : friction) analysis.contacts[i].mu = find_least_friction(set, {i});
  return analysis;
}

MotionCheck check_blocking_motion(const AccelerationProblem& problem, const Vector& y) {
  MotionCheck check;
  if (y.size() != problem.size() || !y.allFinite()) return check;
  std::vector<Vector> rows;
  std::vector<double> biases;
  long double outside = 0.0L;
  const auto dot = [](const Vector& a, const Vector& b) {
    long double sum = 0.0L;
    for (Eigen::Index i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
    return sum;
  };
  double column = 1e-300;
  for (const AccelerationContact& contact : problem.contacts) {
    rows.push_back(contact.normal);
    biases.push_back(contact.normal_bias);
    column = std::max(column, contact.normal.norm());
    const long double normal = dot(contact.normal, y);
    long double slip = 0.0L;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
      const long double rate = dot(contact.tangent.row(k).transpose(), y);
      slip += contact.slides() ? rate * contact.slip[k] : rate * rate;
      if (contact.slides()) continue;
      rows.emplace_back(contact.tangent.row(k).transpose());
      biases.push_back(contact.tangent_bias[k]);
    }
    if (!contact.slides()) slip = std::sqrt(slip);
    // a bilateral contact with friction that may have either sign lets nothing pass; without, no normal
    // motion
    if (contact.is_unilateral())
      outside = std::max(outside, contact.mu * slip - normal);
    else
      outside = std::max(outside, std::abs(normal));
  }
  Matrix Jt(problem.size(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) Jt.col(static_cast<Eigen::Index>(r)) = rows[r];
  const Vector My = problem.M * y;
  Vector w = Vector::Zero(Jt.cols());
  if (Jt.cols() > 0) w = solve_least_norm(Jt, My);
  long double power = dot(problem.F, y);
  for (std::size_t r = 0; r < biases.size(); ++r)
    power -= static_cast<long double>(w[static_cast<Eigen::Index>(r)]) * biases[r];
  const double left = Jt.cols() > 0 ? (Jt * w - My).norm() : My.norm();
  check.power = static_cast<double>(power);
  check.outside = static_cast<double>(outside);
  const double violation = check.outside + left;
  check.bound = violation > 0.0 ? -check.power / violation : std::numeric_limits<double>::infinity();
  check.holds = check.power < 0.0 && check.bound >= 1e6 * problem.F.norm() / column;
  return check;
}

bool is_refused(const AccelerationProblem& problem, const StickingAnswer& answer) {
  if (answer.answer != Answer::kNo) return false;
  if (answer.contradiction.size() > 0) {
    // w with Jᵀ w = 0 and w·bias = 1, beside the sizes of their terms
    const StickingSet set(problem, FrictionKind::kCones);
    const Vector& w = answer.contradiction;
    if (w.size() != set.bias().size()) return false;
    const double terms = set.J().rowwise().norm().maxCoeff() * w.norm();
    return std::abs(w.dot(set.bias()) - 1.0) < 1e-6 &&
           (set.J().transpose() * w).norm() <= 1e-8 * (1e-300 + terms);
  }
  AccelerationProblem still = problem;
  still.actuators.clear();
  for (AccelerationContact& contact : still.contacts) {
    contact.normal_min = 0.0;
    contact.normal_max = std::numeric_limits<double>::infinity();
  }
  // the branches' shares of all choices of signs must add up to one
  double share = 0.0;
  const StickingSet set(problem, FrictionKind::kCones);
  for (const StickingAnswer::Refusal& refusal : answer.refusals) {
    if (!check_synthesis(still, refusal.motion, refusal.signs).holds) return false;
    double own = 1.0;
    for (std::size_t i = 0; i < refusal.signs.size(); ++i)
      if (set.needs_sign(i) && refusal.signs[i] != 0) own *= 0.5;
    share += own;
  }
  return share == 1.0;
}

bool is_held(const AccelerationProblem& problem, const StickingAnswer& answer) {
  constexpr double kHolds = 1e-7;
  if (answer.answer != Answer::kYes ||
      !(solution_residual(problem, answer.acceleration, answer.forces, FrictionKind::kCones) <= kHolds))
    return false;
  const Vector& a = answer.acceleration;
  const double typical = std::max(a.norm(), typical_acceleration(problem));
  return std::all_of(
      problem.contacts.begin(), problem.contacts.end(), [&](const AccelerationContact& contact) {
        const double rate = contact.normal.dot(a) + contact.normal_bias;
        return std::abs(rate) <= kHolds * (contact.normal.norm() * typical + std::abs(contact.normal_bias));
      });
}

StickingAnswer decide_checked(const AccelerationProblem& problem) {
  StickingAnswer answer = StickingSet(problem, FrictionKind::kCones).decide();
  // large problems are judged by their sparse measure alone
  const bool is_proved = answer.answer == Answer::kYes
                             ? is_held(problem, answer)
                             : problem.size() > kDenseSize || is_refused(problem, answer);
  if (answer.answer != Answer::kUndecided && !is_proved) answer.answer = Answer::kUndecided;
  return answer;
}

}  // namespace rigor
