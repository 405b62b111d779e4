#include "rigor/analysis/coulomb_solutions.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;

constexpr double kLawHolds = 1e-7;  // acceleration_residual() of what counts as a solution
constexpr double kSameSolution = 1e-6;
constexpr int kMaxModeQuestions = 6000;  // verdicts before the search gives up

// A mode of one contact, with the sign of its slip.
struct Mode {
  AccelerationMode mode{AccelerationMode::kOpens};
  double slip{0.0};
};

std::vector<Mode> list_modes(const AccelerationContact& contact) {
  std::vector<Mode> modes;
  if (contact.is_unilateral()) modes.push_back({AccelerationMode::kOpens, 0.0});
  if (contact.slides()) {
    modes.push_back({AccelerationMode::kSlips, contact.slip[0]});
    return modes;
  }
  modes.push_back({AccelerationMode::kSticks, 0.0});
  if (contact.tangents() > 0 && contact.mu > 0.0) {
    modes.push_back({AccelerationMode::kSlips, 1.0});
    modes.push_back({AccelerationMode::kSlips, -1.0});
  }
  return modes;
}

// A problem whose solutions are those with the modes chosen so far; contacts in their order, more after them.
struct ModeProblem {
  AccelerationProblem problem;
  std::vector<char> states;

  void add(AccelerationContact contact, ContactState state) {
    states.push_back(contact.is_unilateral() ? state : kContactClosed);
    problem.contacts.push_back(std::move(contact));
  }
};

AccelerationContact without_tangent(AccelerationContact contact) {
  contact.tangent.resize(0, contact.normal.size());
  contact.tangent_bias.resize(0);
  contact.slip.resize(0);
  contact.motion = ContactMotion::kStick;
  return contact;
}

AccelerationContact with_slip(AccelerationContact contact, double slip) {
  contact.motion = ContactMotion::kSlide;
  contact.slip = Vector::Constant(1, slip);
  return contact;
}

// s a_t ≥ 0: a row that may open and carries nothing.
AccelerationContact make_slip_row(const AccelerationContact& contact, double slip) {
  AccelerationContact row;
  row.tangent.resize(0, contact.normal.size());
  row.normal = slip * contact.tangent.row(0).transpose();
  row.normal_bias = slip * contact.tangent_bias[0];
  return row;
}

class CoulombSearch {
 public:
  explicit CoulombSearch(const AccelerationProblem& problem)
      : problem_(problem), modes_(problem.contacts.size()) {}

  CoulombSolutions run() {
    found_.is_complete = true;
    search(0);
    drop_repeated_points();
    judge_uniqueness();
    return std::move(found_);
  }

 private:
  void search(std::size_t at) {
    if (questions_ >= kMaxModeQuestions) {
      found_.is_complete = false;
      return;
    }
    if (at == modes_.size()) return add_choice();
    if (at > 0 && is_refused(at)) return;
    for (const Mode& mode : list_modes(problem_.contacts[at])) {
      modes_[at] = mode;
      search(at + 1);
    }
  }

  // Contacts from `chosen` on have any force of their cone and do not close.
  [[nodiscard]] bool is_refused(std::size_t chosen) {
    const ModeProblem relaxed = make_problem(chosen);
    const StickingSet set(relaxed.problem, FrictionKind::kCones, relaxed.states);
    ++questions_;
    if (!set.is_consistent()) return true;
    const std::vector<int> signs(relaxed.states.size(), 0);
    return set.make_force_set(signs).decide().answer == Answer::kNo;
  }

  [[nodiscard]] ModeProblem make_problem(std::size_t chosen) const {
    ModeProblem own;
    own.problem.M = problem_.M;
    own.problem.F = problem_.F;
    std::vector<AccelerationContact> more, rows;
    for (std::size_t i = 0; i < modes_.size(); ++i) {
      const AccelerationContact& contact = problem_.contacts[i];
      const bool has_friction = contact.tangents() > 0 && contact.mu > 0.0;
      if (i >= chosen) {
        if (!has_friction) {
          own.add(without_tangent(contact), kContactEither);
        } else if (contact.slides()) {
          own.add(contact, kContactEither);
        } else {
          // the cone is what its two edges span
          own.add(with_slip(contact, 1.0), kContactEither);
          more.push_back(with_slip(contact, -1.0));
        }
        continue;
      }
      const auto& [mode, slip] = modes_[i];
      if (mode == AccelerationMode::kOpens) {
        own.add(without_tangent(contact), kContactOpen);
      } else if (!has_friction) {
        own.add(without_tangent(contact), kContactClosed);
      } else if (mode == AccelerationMode::kSticks) {
        own.add(contact, kContactClosed);
      } else {
        own.add(with_slip(contact, slip), kContactClosed);
        if (!contact.slides()) rows.push_back(make_slip_row(contact, slip));
      }
    }
    for (AccelerationContact& contact : more) own.add(std::move(contact), kContactEither);
    for (AccelerationContact& row : rows) own.add(std::move(row), kContactOpen);
    return own;
  }

  void add_choice() {
    const ModeProblem own = make_problem(modes_.size());
    SolutionSet set;
    set.is_complete = true;
    add_pieces(own.problem, FrictionKind::kCones, own.states, set);
    questions_ += set.questions;
    if (!set.is_complete) found_.is_complete = false;
    for (const ContactPiece& piece : set.pieces) {
      CoulombPiece one;
      for (std::size_t i = 0; i < modes_.size(); ++i) {
        one.modes.push_back(modes_[i].mode);
        one.slips.push_back(modes_[i].slip);
        Vector force = Vector::Zero(1 + problem_.contacts[i].tangents());
        force.head(piece.forces[i].size()) = piece.forces[i];
        one.forces.push_back(std::move(force));
      }
      one.a = piece.acceleration;
      one.acceleration_dimension = piece.acceleration_dimension;
      one.force_dimension = piece.force_dimension;
      one.residual = acceleration_residual(problem_, one.a, one.forces);
      if (one.residual <= kLawHolds)
        found_.pieces.push_back(std::move(one));
      else
        found_.is_complete = false;
    }
  }

  // Whether the solution shown by `point` has the modes of `piece` too: it lies on the boundary of both.
  [[nodiscard]] bool obeys(const CoulombPiece& point, const CoulombPiece& piece) const {
    double force_size = 1e-300;
    for (const Vector& force : point.forces) force_size = std::max(force_size, force.norm());
    const double a_size = std::max(point.a.norm(), typical_acceleration(problem_));
    for (std::size_t i = 0; i < piece.modes.size(); ++i) {
      const AccelerationContact& contact = problem_.contacts[i];
      const Vector& force = point.forces[i];
      const bool has_tangent = contact.tangents() > 0;
      const double rate = contact.normal.dot(point.a) + contact.normal_bias;
      const double slip = has_tangent ? contact.tangent.row(0).dot(point.a) + contact.tangent_bias[0] : 0.0;
      const double nothing = kSameSolution * (1e-300 + contact.normal.norm() * a_size);
      const double no_slip = has_tangent ? kSameSolution * (1e-300 + contact.tangent.norm() * a_size) : 0.0;
      switch (piece.modes[i]) {
        case AccelerationMode::kOpens:
          if (force.norm() > kSameSolution * force_size) return false;
          break;
        case AccelerationMode::kSticks:
          if (std::abs(rate) > nothing) return false;
          if (has_tangent && contact.mu > 0.0 && std::abs(slip) > no_slip) return false;
          break;
        case AccelerationMode::kSlips:
          if (std::abs(rate) > nothing || (!contact.slides() && slip * piece.slips[i] < -no_slip))
            return false;
          if (std::abs(force[1] + contact.mu * std::abs(force[0]) * piece.slips[i]) >
              kSameSolution * force_size)
            return false;
          break;
      }
    }
    return true;
  }

  static bool is_point(const CoulombPiece& piece) {
    return piece.acceleration_dimension == 0 && piece.force_dimension == 0;
  }

  // Modes share boundaries: a point that another piece contains is listed there.
  void drop_repeated_points() {
    std::vector<CoulombPiece> kept;
    for (const CoulombPiece& piece : found_.pieces)
      if (!is_point(piece)) kept.push_back(piece);
    for (const CoulombPiece& piece : found_.pieces) {
      if (!is_point(piece)) continue;
      const bool is_known = std::any_of(kept.begin(), kept.end(), [&](const CoulombPiece& other) {
        return is_point(other) ? is_same(piece, other) : obeys(piece, other);
      });
      if (!is_known) kept.push_back(piece);
    }
    found_.pieces = std::move(kept);
  }

  [[nodiscard]] bool has_same_acceleration(const CoulombPiece& a, const CoulombPiece& b) const {
    const double size = std::max({a.a.norm(), b.a.norm(), typical_acceleration(problem_)});
    return (a.a - b.a).norm() <= kSameSolution * size;
  }

  [[nodiscard]] bool is_same(const CoulombPiece& a, const CoulombPiece& b) const {
    if (!has_same_acceleration(a, b)) return false;
    double size = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < a.forces.size(); ++i) {
      size = std::max({size, a.forces[i].norm(), b.forces[i].norm()});
      difference = std::max(difference, (a.forces[i] - b.forces[i]).norm());
    }
    return difference <= kSameSolution * size;
  }

  void judge_uniqueness() {
    if (found_.pieces.empty()) return;
    found_.acceleration_unique = found_.is_complete ? Answer::kYes : Answer::kUndecided;
    for (const CoulombPiece& piece : found_.pieces)
      if (piece.acceleration_dimension > 0 || !has_same_acceleration(piece, found_.pieces.front()))
        found_.acceleration_unique = Answer::kNo;
  }

  const AccelerationProblem& problem_;
  std::vector<Mode> modes_;
  CoulombSolutions found_;
  int questions_{0};
};

}  // namespace

std::optional<int> CoulombSolutions::count() const {
  for (const CoulombPiece& piece : pieces)
    if (piece.acceleration_dimension > 0 || piece.force_dimension > 0) return std::nullopt;
  return static_cast<int>(pieces.size());
}

CoulombSolutions find_coulomb_solutions(const AccelerationProblem& problem, std::size_t max_contacts) {
  problem.validate();
  require(problem.contacts.size() <= max_contacts,
          "{} contacts, at most {} when all solutions are listed (each has up to four modes).",
          problem.contacts.size(), max_contacts);
  for (const AccelerationContact& contact : problem.contacts)
    require(contact.tangents() <= 1,
            "contact \"{}\" has {} tangents: all solutions are listed in the plane only.", contact.name,
            contact.tangents());
  return CoulombSearch(problem).run();
}

}  // namespace rigor
