#include "rigor/analysis/solution_set.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/analysis/normal_lcp.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double kHolds = 1e-7;      // solution_residual() of what counts as a solution
constexpr double kSamePoint = 1e-6;  // of the sizes: solutions closer than this are one

bool has_sliding(const AccelerationProblem& problem) {
  return std::any_of(problem.contacts.begin(), problem.contacts.end(),
                     [](const AccelerationContact& contact) { return contact.slides(); });
}

// The rank of some columns, each measured by its own length.
Eigen::Index rank_of_columns(const Matrix& all, const std::vector<Eigen::Index>& chosen) {
  if (chosen.empty() || all.rows() == 0) return 0;
  Matrix K(all.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t j = 0; j < chosen.size(); ++j) K.col(static_cast<Eigen::Index>(j)) = all.col(chosen[j]);
  OrthogonalFactor factor;
  factor.compute(K, ForceSet::kRank);
  return factor.rank();
}

// Inside a face every unknown may move that its cone does not hold: what keeps the balance is the kernel of
// the columns, and its parts in forces and in x are counted by ranks.
void count_dimensions(ContactPiece& piece) {
  const ForceSet& face = *piece.face;
  piece.force_dimension = piece.acceleration_dimension = 0;
  if (face.size() == 0) return;
  Matrix all(face.load().size(), face.size());
  std::vector<Eigen::Index> forces, slacks, inertia;
  for (std::size_t b = 0; b < face.blocks().size(); ++b) {
    const ForceBlock& block = face.blocks()[b];
    const Eigen::Index k = block.columns.cols(), first = face.first_of(b);
    all.middleCols(first, k) = block.columns;
    const Eigen::Index moving = block.is_free || block.is_cone() ? k : std::min<Eigen::Index>(1, k);
    std::vector<Eigen::Index>& own = block.contact >= 0 ? forces : block.is_free ? inertia : slacks;
    for (Eigen::Index j = 0; j < moving; ++j) own.push_back(first + j);
  }
  for (Eigen::Index i = 0; i < all.rows(); ++i)
    if (const double length = all.row(i).norm(); length > 0.0) all.row(i) /= length;
  const auto nullity = [&](std::initializer_list<const std::vector<Eigen::Index>*> groups) {
    std::vector<Eigen::Index> chosen;
    for (const auto* group : groups) chosen.insert(chosen.end(), group->begin(), group->end());
    return static_cast<int>(static_cast<Eigen::Index>(chosen.size()) - rank_of_columns(all, chosen));
  };
  const int whole = nullity({&forces, &slacks, &inertia});
  piece.force_dimension = whole - nullity({&slacks, &inertia});
  piece.acceleration_dimension = whole - nullity({&forces, &slacks});
}

// Which unilateral contacts carry a force in some solution without cones; nothing where that is undecided,
// or where there is no solution (then `has_none`).
std::optional<std::vector<char>> find_loadable(const AccelerationProblem& problem, bool& has_none) {
  const GaussAcceleration gauss = find_gauss_acceleration(problem);
  has_none = gauss.status == GaussAcceleration::Status::kContradiction ||
             gauss.status == GaussAcceleration::Status::kUnbounded;
  if (gauss.status != GaussAcceleration::Status::kSolved) return std::nullopt;
  const StickingAnswer answer = StickingSet(problem, FrictionKind::kUnlimited, gauss.is_closed).decide();
  if (answer.answer != Answer::kYes) return std::nullopt;
  std::vector<char> states(problem.contacts.size(), kContactOpen);
  for (std::size_t i = 0; i < states.size(); ++i)
    if (!problem.contacts[i].is_unilateral()) states[i] = kContactClosed;
  for (const ForceBlock& block : answer.face->blocks())
    if (block.contact >= 0 && !block.is_free)
      states[static_cast<std::size_t>(block.contact)] = kContactClosed;
  return states;
}

// Every choice of open and closed contacts, contacts in their order.
class StateSearch {
 public:
  StateSearch(const AccelerationProblem& problem, FrictionKind friction, SolutionSet& set)
      : problem_(problem), friction_(friction), set_(set), states_(problem.contacts.size(), kContactEither) {
    Eigen::Index unknowns = problem.size();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      unknowns += 1 + problem.contacts[i].tangents();
      if (!problem.contacts[i].is_unilateral()) states_[i] = kContactClosed;
    }
    // a question costs about the third power of its unknowns: seconds in all
    const double size = static_cast<double>(unknowns);
    most_ = static_cast<int>(std::clamp(3e7 / (size * size * size), 30.0, 6000.0));
  }

  void run() {
    set_.is_complete = true;
    search(0);
  }

 private:
  void search(std::size_t at) {
    while (at < states_.size() && states_[at] != kContactEither) ++at;
    if (set_.questions >= most_) {
      set_.is_complete = false;
      return;
    }
    if (at == states_.size()) return add_pieces(problem_, friction_, states_, set_);
    const StickingSet relaxed(problem_, friction_, states_);
    ++set_.questions;
    if (!relaxed.is_consistent() ||
        relaxed.make_force_set(std::vector<int>(states_.size(), 0)).decide().answer == Answer::kNo)
      return;
    for (const ContactState state : {kContactClosed, kContactOpen}) {
      states_[at] = state;
      search(at + 1);
    }
    states_[at] = kContactEither;
  }

  const AccelerationProblem& problem_;
  FrictionKind friction_;
  SolutionSet& set_;
  std::vector<char> states_;
  int most_{0};
};

double force_size(const std::vector<Vector>& forces) {
  double size = 0.0;
  for (const Vector& force : forces)
    if (force.size() > 0) size = std::max(size, force.norm());
  return size;
}

bool has_same_acceleration(const ContactPiece& a, const ContactPiece& b, double size) {
  return (a.acceleration - b.acceleration).norm() <=
         kSamePoint * std::max({a.acceleration.norm(), b.acceleration.norm(), size});
}

bool has_same_forces(const ContactPiece& a, const ContactPiece& b, double typical) {
  const double size = std::max({force_size(a.forces), force_size(b.forces), typical});
  for (std::size_t i = 0; i < a.forces.size(); ++i)
    if ((a.forces[i] - b.forces[i]).norm() > kSamePoint * size) return false;
  return true;
}

// The forces that the load, or the inertia of typical accelerations, asks for.
double find_typical_force(const AccelerationProblem& problem, double acceleration) {
  double row = 0.0;
  for (const AccelerationContact& contact : problem.contacts) row = std::max(row, contact.normal.norm());
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  return row > 0.0 ? std::max(problem.F.norm(), mass * acceleration) / row : 0.0;
}

// Yes where every piece is one point in `dimension` and all agree by `same`.
template <class Dimension, class Same>
Answer judge_uniqueness(const SolutionSet& set, Dimension dimension, Same same) {
  if (set.pieces.empty()) return Answer::kUndecided;
  for (const ContactPiece& piece : set.pieces)
    if (dimension(piece) > 0 || !same(piece, set.pieces.front())) return Answer::kNo;
  return set.is_complete ? Answer::kYes : Answer::kUndecided;
}

void widen(Interval& hull, const Interval& by) {
  // NaN wins: a bound that is not known is not known of the hull
  hull.min = std::isnan(by.min) || by.min < hull.min ? by.min : hull.min;
  hull.max = std::isnan(by.max) || by.max > hull.max ? by.max : hull.max;
}

}  // namespace

void add_pieces(const AccelerationProblem& problem, FrictionKind friction, const std::vector<char>& states,
                SolutionSet& set) {
  const StickingSet sticking(problem, friction, states);
  if (!sticking.is_consistent()) return;
  ++set.questions;
  const StickingAnswer answer = sticking.decide();
  if (!answer.is_complete) set.is_complete = false;
  for (const std::vector<int>& signs : answer.all_signs) {
    ContactPiece piece;
    piece.states = states;
    piece.signs = signs;
    ForceVerdict verdict = answer.verdict;
    piece.face = answer.face;
    const ForceSet own = sticking.make_force_set(signs);
    if (signs != answer.signs) verdict = own.decide(&piece.face);
    if (verdict.answer != Answer::kYes || !piece.face) {
      set.is_complete = false;
      continue;
    }
    piece.margin = verdict.margin;
    piece.scale = verdict.scale;
    piece.acceleration = sticking.acceleration_of(verdict.forces);
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      piece.tangents.push_back(problem.contacts[i].tangents());
      piece.forces.push_back(
          own.contact_force(static_cast<int>(i), verdict.forces, 1 + problem.contacts[i].tangents()));
    }
    if (!(solution_residual(problem, piece.acceleration, piece.forces, friction) <= kHolds)) {
      set.is_complete = false;
      continue;
    }
    piece.Z = sticking.Z();
    piece.a0 = sticking.a0();
    count_dimensions(piece);
    set.pieces.push_back(std::move(piece));
  }
}

SolutionSet find_solutions(const AccelerationProblem& problem, FrictionKind friction) {
  SolutionSet set;
  set.acceleration_size = typical_acceleration(problem);
  set.typical_force = find_typical_force(problem, set.acceleration_size);
  if (has_sliding(problem)) {
    StateSearch(problem, friction, set).run();
    return set;
  }
  bool has_none = false;
  const std::optional<std::vector<char>> states = find_loadable(problem, has_none);
  set.is_complete = states.has_value() || has_none;
  set.without_cones = states ? Answer::kYes : has_none ? Answer::kNo : Answer::kUndecided;
  if (states) add_pieces(problem, friction, *states, set);
  return set;
}

Answer SolutionSet::exists() const {
  if (!pieces.empty()) return Answer::kYes;
  return is_complete ? Answer::kNo : Answer::kUndecided;
}

Answer SolutionSet::has_unique_acceleration() const {
  return judge_uniqueness(
      *this, [](const ContactPiece& piece) { return piece.acceleration_dimension; },
      [&](const ContactPiece& a, const ContactPiece& b) {
        return has_same_acceleration(a, b, acceleration_size);
      });
}

Answer SolutionSet::has_unique_forces() const {
  return judge_uniqueness(
      *this, [](const ContactPiece& piece) { return piece.force_dimension; },
      [&](const ContactPiece& a, const ContactPiece& b) { return has_same_forces(a, b, typical_force); });
}

int SolutionSet::force_dimension() const {
  int most = -1;
  for (const ContactPiece& piece : pieces) most = std::max(most, piece.force_dimension);
  return most;
}

std::optional<int> SolutionSet::count() const {
  std::vector<const ContactPiece*> found;
  for (const ContactPiece& piece : pieces) {
    if (!piece.is_point()) return std::nullopt;
    if (std::none_of(found.begin(), found.end(), [&](const ContactPiece* other) {
          return has_same_acceleration(*other, piece, acceleration_size) &&
                 has_same_forces(*other, piece, typical_force);
        }))
      found.push_back(&piece);
  }
  return static_cast<int>(found.size());
}

std::vector<std::vector<Interval>> SolutionSet::find_force_ranges() const {
  std::vector<std::vector<Interval>> ranges;
  for (const ContactPiece& piece : pieces) {
    ranges.resize(piece.tangents.size());
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (ranges[i].empty())
        ranges[i].assign(static_cast<std::size_t>(1 + piece.tangents[i]), {kInfinity, -kInfinity});
      for (std::size_t row = 0; row < ranges[i].size(); ++row) {
        Vector c = Vector::Zero(piece.face->size());
        for (std::size_t b = 0; b < piece.face->blocks().size(); ++b) {
          const ForceBlock& block = piece.face->blocks()[b];
          if (block.contact != static_cast<int>(i)) continue;
          c.segment(piece.face->first_of(b), block.columns.cols()) =
              block.to_contact.row(static_cast<Eigen::Index>(row)).transpose();
        }
        widen(ranges[i][row], piece.face->find_range(c));
      }
    }
  }
  return ranges;
}

std::vector<Interval> SolutionSet::find_acceleration_ranges() const {
  std::vector<Interval> ranges;
  for (const ContactPiece& piece : pieces) {
    const Eigen::Index n = piece.acceleration.size();
    ranges.resize(static_cast<std::size_t>(n), {kInfinity, -kInfinity});
    for (Eigen::Index j = 0; j < n; ++j) {
      Interval own{piece.acceleration[j], piece.acceleration[j]};
      if (piece.acceleration_dimension > 0) {
        Vector c = Vector::Zero(piece.face->size());
        c.tail(piece.Z.cols()) = piece.Z.row(j).transpose();
        own = piece.face->find_range(c);
        own.min += piece.a0[j];
        own.max += piece.a0[j];
      }
      widen(ranges[static_cast<std::size_t>(j)], own);
    }
  }
  return ranges;
}

double typical_acceleration(const AccelerationProblem& problem) {
  double size = 0.0;
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  if (mass > 0.0) size = problem.F.norm() / mass;
  const auto add = [&](double bias, double row) {
    if (bias != 0.0 && row > 0.0) size = std::max(size, std::abs(bias) / row);
  };
  for (const AccelerationContact& contact : problem.contacts) {
    add(contact.normal_bias, contact.normal.norm());
    if (contact.tangents() > 0) add(contact.tangent_bias.norm(), contact.tangent.norm());
  }
  return size;
}

double solution_residual(const AccelerationProblem& problem, const Vector& a,
                         const std::vector<Vector>& forces, FrictionKind friction) {
  if (forces.size() != problem.contacts.size() || a.size() != problem.size() || !a.allFinite())
    return kInfinity;
  Vector balance = problem.M * a + problem.F;
  double terms = 0.0, worst = 0.0;
  const double most = force_size(forces), typical = std::max(a.norm(), typical_acceleration(problem));
  // forces that cancel each other do not excuse what is left of the load
  const double mass = problem.size() > 0 ? problem.M.cwiseAbs().maxCoeff() : 0.0;
  const double load = std::max(problem.F.norm(), mass * a.norm());
  const auto over = [](double value, double scale) { return value > 0.0 ? value / (scale + 1e-300) : 0.0; };
  for (std::size_t i = 0; i < forces.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    const Vector& force = forces[i];
    if (force.size() != 1 + contact.tangents() || !force.allFinite()) return kInfinity;
    const Vector tangential = force.tail(contact.tangents());
    balance -= contact.normal * force[0] + contact.tangent.transpose() * tangential;
    terms = std::max(
        {terms, contact.normal.norm() * std::abs(force[0]), contact.tangent.norm() * tangential.norm()});
    // 0 ≤ λn ⊥ a_n ≥ 0, or a_n = 0
    const double rate = contact.normal.dot(a) + contact.normal_bias;
    const double rate_size = contact.normal.norm() * typical + std::abs(contact.normal_bias);
    const double normal = contact.is_unilateral() ? force[0] : std::abs(force[0]);
    worst = std::max(worst, over(-normal, most));
    worst = std::max(worst, over(contact.is_unilateral() ? -rate : std::abs(rate), rate_size));
    if (contact.is_unilateral())
      worst = std::max(worst, std::min(over(rate, rate_size), over(std::abs(normal), most)));
    if (contact.tangents() == 0) continue;
    const double limit = friction == FrictionKind::kNone ? 0.0 : contact.mu * normal;
    if (contact.slides()) {
      worst = std::max(worst, over((tangential + limit * contact.slip).norm(), most));
      continue;
    }
    if (friction != FrictionKind::kUnlimited) worst = std::max(worst, over(tangential.norm() - limit, most));
    worst = std::max(worst, over((contact.tangent * a + contact.tangent_bias).norm(),
                                 contact.tangent.norm() * typical + contact.tangent_bias.norm()));
  }
  return std::max(worst, over(balance.norm(), load > 0.0 ? load : terms));
}

}  // namespace rigor
