#include "rigor/analysis/least_friction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;

constexpr int kMaxQuestions = 120;
constexpr double kPrecision = 1e-11;  // relative width of [below, mu] that ends the search
constexpr double kJump = 1e-6;        // of the scale: a margin this far below zero just under mu is a jump
constexpr double kLargest = 1e9;      // coefficients above count as none
constexpr double kSmallest = 1e-6;    // coefficients below are not told from none where forces have no bound

// Whether any coefficient works, and one that does for certain: forces without limit on friction, contacts that
// cannot be loaded losing theirs, until nothing changes.
struct SomeFriction {
  Answer exists{Answer::kUndecided};
  double mu{0.0};
};

SomeFriction find_some_mu(const StickingSet& set, const std::vector<std::size_t>& contacts) {
  const AccelerationProblem& problem = set.problem();
  std::vector<char> is_asked(problem.contacts.size(), 0);
  for (const std::size_t i : contacts) is_asked[i] = 1;
  std::vector<char> is_idle(problem.contacts.size(), 0);
  const ForceSet whole = set.make_force_set(std::vector<int>(problem.contacts.size(), 0));
  for (std::size_t round = 0; round <= problem.contacts.size(); ++round) {
    std::vector<ForceBlock> blocks;
    for (const ForceBlock& block : whole.blocks()) {
      const auto i = static_cast<std::size_t>(std::max(0, block.contact));
      if (block.contact < 0 || !is_asked[i] || block.is_free || block.columns.cols() < 2) {
        blocks.push_back(block);
        continue;
      }
      if (is_idle[i]) continue;
      const Eigen::Index k = block.columns.cols() - 1;
      ForceBlock normal = block, tangents = block;
      normal.columns = block.columns.leftCols(1);
      normal.to_contact = block.to_contact.leftCols(1);
      tangents.columns = block.columns.rightCols(k);
      tangents.to_contact = block.to_contact.rightCols(k);
      tangents.is_free = true;
      blocks.push_back(std::move(normal));
      blocks.push_back(std::move(tangents));
    }
    const ForceSet relaxed(std::move(blocks), whole.load());
    std::optional<ForceSet> face;
    const ForceVerdict verdict = relaxed.decide(&face);
    if (verdict.answer != Answer::kYes) return {verdict.answer, 0.0};
    std::vector<char> is_loaded(problem.contacts.size(), 0);
    for (const ForceBlock& block : face->blocks())
      if (block.contact >= 0 && !block.is_free) is_loaded[static_cast<std::size_t>(block.contact)] = 1;
    bool changed = false;
    double ratio = 0.0;
    for (const std::size_t i : contacts) {
      if (is_idle[i]) continue;
      if (!is_loaded[i]) {
        is_idle[i] = 1;
        changed = true;
        continue;
      }
      const Vector force =
          relaxed.contact_force(static_cast<int>(i), verdict.forces, 1 + problem.contacts[i].tangents());
      ratio = std::max(ratio, force.tail(force.size() - 1).norm() / force[0]);
    }
    if (!changed) return {Answer::kYes, ratio};
  }
  return {};
}

// Narrows the coefficient from both sides: low_ is not enough, high_ is.
class LeastFrictionSearch {
 public:
  LeastFrictionSearch(StickingSet set, const std::vector<std::size_t>& contacts)
      : set_(std::move(set)), contacts_(contacts) {}

  LeastFriction run() {
    // without friction already?
    const StickingAnswer without = ask(0.0);
    if (without.answer == Answer::kYes) {
      result_.exists = Answer::kYes;
      result_.attained = true;
      return result_;
    }
    if (!set_.is_consistent() || contacts_.empty()) {
      result_.exists = without.answer;
      return result_;
    }
    low_margin_ = without.verdict.margin / without.verdict.scale;
    if (without.answer == Answer::kNo) result_.motion = without.verdict.motion;

    // with any?
    if (const Answer enough = find_enough(); enough != Answer::kYes) {
      result_.exists = enough;
      return result_;
    }
    if (!measure_enough()) return result_;
    close_in();
    look_below();
    result_.exists = Answer::kYes;
    result_.mu = high_;
    result_.below = proved_;
    result_.attained = !(low_margin_ < -kJump) && !(is_jump_ && high_ - low_ < 1e-3 * high_);
    // a refusal says that forces up to its bound do not help: with coefficients this small they may be larger
    if (!result_.attained && high_ < kSmallest) result_.below = 0.0;
    return result_;
  }

 private:
  StickingAnswer ask(double mu) {
    StickingAnswer answer;
    // a program that could not be solved is asked again a little beside
    for (const double beside : {0.0, 3e-8, -3e-8}) {
      for (const std::size_t i : contacts_) set_.set_mu(i, mu * (1.0 + beside));
      ++result_.questions;
      answer = set_.decide();
      if (!std::isnan(answer.verdict.raw_margin)) break;
    }
    return answer;
  }

  // (1) of the forces found, where it gains.
  [[nodiscard]] double ratio_of(const StickingAnswer& answer, double most) const {
    double ratio = 0.0;
    for (const std::size_t i : contacts_) {
      const Vector& force = answer.forces[i];
      const double tangential = force.tail(force.size() - 1).norm();
      if (tangential > 1e-12 * answer.verdict.scale) ratio = std::max(ratio, tangential / std::abs(force[0]));
    }
    return std::min(ratio, most);
  }

  // A first high_; no where no coefficient is enough.
  Answer find_enough() {
    const AccelerationProblem& problem = set_.problem();
    const bool is_one_sided = std::all_of(contacts_.begin(), contacts_.end(),
                                          [&](std::size_t i) { return problem.contacts[i].is_unilateral(); });
    if (is_one_sided) {
      for (const std::size_t i : contacts_) set_.set_mu(i, 1.0);
      const SomeFriction some = find_some_mu(set_, contacts_);
      if (some.exists == Answer::kYes) high_ = std::max(some.mu, 1e-12) * (1.0 + 1e-9);
      return some.exists;
    }
    bool is_refused = true;
    for (high_ = 1.0; high_ < kLargest; high_ *= 4.0) {
      const Answer answer = ask(high_).answer;
      if (answer == Answer::kYes) return answer;
      is_refused = answer == Answer::kNo;  // the last one speaks for all that are smaller
    }
    return is_refused ? Answer::kNo : Answer::kUndecided;
  }

  // Something that works, with its margin; false where it remains undecided.
  bool measure_enough() {
    StickingAnswer answer = ask(high_);
    for (double step = 1e-9; answer.answer != Answer::kYes && high_ < kLargest;
         step = std::min(1.0, 10.0 * step))
      answer = ask(high_ *= 1.0 + step);  // what worked for certain was on the boundary
    if (answer.answer != Answer::kYes) return false;
    high_ = ratio_of(answer, high_);
    high_margin_ = answer.verdict.margin / answer.verdict.scale;
    is_flat_ = answer.verdict.is_face;
    is_jump_ = answer.verdict.is_capped;
    return true;
  }

  // The zero of the margin between two coefficients by false position (Illinois), halved where that is slow.
  void close_in() {
    int same_side = 0;
    while (high_ - low_ > kPrecision * high_ && result_.questions < kMaxQuestions) {
      double next = 0.5 * (low_ + high_);
      if (!is_flat_ && std::abs(same_side) < 3 && high_margin_ > low_margin_)
        next = high_ - (high_ - low_) * high_margin_ / (high_margin_ - low_margin_);
      else
        same_side = 0;
      next = std::clamp(next, low_ + 1e-3 * (high_ - low_), high_ - 1e-3 * (high_ - low_));
      const StickingAnswer answer = ask(next);
      const double margin = answer.verdict.raw_margin / answer.verdict.scale;
      const bool is_enough = is_flat_ ? answer.answer == Answer::kYes : margin > 0.0;
      if (std::isnan(margin)) break;  // no further digits to be had
      if (!is_flat_ && std::abs(margin) < 1e-13) {
        low_ = high_ = next;
        low_margin_ = 0.0;
        break;
      }
      if (is_enough) {
        same_side = same_side > 0 ? same_side + 1 : 1;
        lower_high(next, answer);
        if (same_side > 1) low_margin_ *= 0.5;
      } else {
        same_side = same_side < 0 ? same_side - 1 : -1;
        raise_low(next, answer);
        if (same_side < -1) high_margin_ *= 0.5;
      }
    }
  }

  void lower_high(double mu, const StickingAnswer& answer) {
    high_ = !is_flat_ && answer.answer == Answer::kYes && !answer.verdict.is_face ? ratio_of(answer, mu) : mu;
    high_margin_ = answer.verdict.raw_margin / answer.verdict.scale;
    is_jump_ = answer.verdict.is_capped;
  }

  void raise_low(double mu, const StickingAnswer& answer) {
    low_ = mu;
    low_margin_ = answer.verdict.raw_margin / answer.verdict.scale;
    if (answer.answer == Answer::kNo) note_proof(mu, answer);
  }

  // A refusal at mu is one of everything below.
  void note_proof(double mu, const StickingAnswer& answer) {
    proved_ = mu;
    result_.motion = answer.verdict.motion;
  }

  // How it is just below: a jump of the margin, or a proof as close as rounding lets it be.
  void look_below() {
    for (double gap = 1e-9; gap < 1e-4; gap *= 10.0) {
      const StickingAnswer answer = ask(high_ * (1.0 - gap));
      if (gap == 1e-9)
        low_margin_ = answer.answer == Answer::kNo ? answer.verdict.raw_margin / answer.verdict.scale : 0.0;
      if (answer.answer != Answer::kNo) continue;
      low_ = high_ * (1.0 - gap);
      note_proof(low_, answer);
      break;
    }
  }

  StickingSet set_;
  const std::vector<std::size_t>& contacts_;
  LeastFriction result_;
  double low_{0.0}, high_{kLargest};
  double proved_{0.0};                         // not enough: refused by a motion
  double low_margin_{0.0}, high_margin_{0.0};  // of the scale
  // Where forces lie on a face for every coefficient the margin says nothing: then bisection by verdicts.
  bool is_flat_{false};
  bool is_jump_{false};  // at a jump, where forces grow without bound, the margin above stays large
};

}  // namespace

std::vector<std::size_t> list_friction_contacts(const AccelerationProblem& problem) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i)
    if (problem.contacts[i].tangents() > 0 && !problem.contacts[i].slides()) list.push_back(i);
  return list;
}

LeastFriction find_least_friction(StickingSet set, const std::vector<std::size_t>& contacts) {
  return LeastFrictionSearch(std::move(set), contacts).run();
}

LoadRange find_load_range(const StickingSet& set, const Vector& direction) {
  LoadRange range;
  const StickingAnswer now = set.decide();
  if (!set.is_consistent()) {
    range.exists = Answer::kNo;
    return range;
  }
  std::vector<ForceBlock> blocks = set.make_force_set(now.signs).blocks();
  ForceBlock load;
  load.columns = -direction;
  load.is_free = true;
  blocks.push_back(std::move(load));
  const ForceSet extended(std::move(blocks), set.make_force_set(now.signs).load());
  std::optional<ForceSet> face;
  const ForceVerdict verdict = extended.decide(&face);
  range.exists = verdict.answer;
  if (verdict.answer != Answer::kYes) return range;
  Vector c = Vector::Zero(face->size());
  c[face->size() - 1] = 1.0;
  range.factor = face->find_range(c);
  return range;
}

Tilt find_tilt(StickingSet set, const Vector& F, const Vector& down, const Vector& side) {
  Tilt tilt;
  const auto holds = [&](double angle) {
    set.set_load(F + portable::cos(angle) * down + portable::sin(angle) * side);
    return set.decide().answer;
  };
  tilt.exists = holds(0.0);
  if (tilt.exists != Answer::kYes) return tilt;
  // first exit: steps of 5 degrees, then bisection
  constexpr int kSteps = 36;
  double low = 0.0, high = 0.0;
  for (int k = 1; k <= kSteps; ++k) {
    high = std::numbers::pi * k / kSteps;
    if (holds(high) != Answer::kYes) break;
    low = high;
  }
  for (int k = 0; k < 40 && low < high; ++k) {
    const double middle = 0.5 * (low + high);
    (holds(middle) == Answer::kYes ? low : high) = middle;
  }
  tilt.angle = low;
  return tilt;
}

}  // namespace rigor
