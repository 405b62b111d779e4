#pragma once

#include <string>

#include "rigor/base/work.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// What one step may take, in multiplications (work.hpp), by RunSettings::work and RunSettings::budget:
///
///     limit = work · max(3, rows / 100)                                   always
///     limit ≤ budget · max(usual, 5000) · rows                            where there is a budget
///
/// `usual` is a running median of what steps took for every contact row: it belongs to the state (State::usual_work), so
/// that a run that is resumed takes the same steps. What rests takes hardly anything: hence the least of 5000.
class StepWork {
 public:
  explicit StepWork(const RunSettings& settings) : settings_(settings) {}

  /// A step begins; `usual` is that of the state.
  void begin(double usual);
  /// From now on a caller's meter counts, for steps that share one; null: each its own.
  void share(WorkMeter* meter) { shared_ = meter; }
  [[nodiscard]] WorkMeter& meter() { return shared_ ? *shared_ : own_; }
  [[nodiscard]] const WorkMeter& meter() const { return shared_ ? *shared_ : own_; }

  /// The limit, once the number of contact rows is known.
  void bound(int rows);
  /// The usual work after a step that took `work` for `rows` contact rows: up where it took more, else down.
  [[nodiscard]] double follow_usual(double work, int rows) const;
  /// For the message of a step that was not solved when its work was spent.
  [[nodiscard]] std::string describe_spent() const;

 private:
  RunSettings settings_;
  double usual_{0.0};
  WorkMeter own_;
  WorkMeter* shared_{nullptr};
};

}  // namespace rigor
