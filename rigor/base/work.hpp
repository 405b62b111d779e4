#pragma once

#include <limits>

namespace rigor {

/// Counts what computations cost, in multiplications, and says when that is enough. Counted, never timed: the same
/// input ends at the same place on every machine. Costs are those of the inner loops, to a factor of a few.
///
/// A computation that may be long asks may_work() at every turn and ends with the best that it has where the answer
/// is no. Whoever wants to bound it holds a meter and a WorkScope around the call:
///
///     WorkMeter meter(1e9);
///     const WorkScope scope(meter);
///     solve(…);                       // all of it, whatever tries what in which order
///     if (meter.is_spent()) …
///
/// The library's steppers do: a step has one meter for all its islands, methods, rounds and halves.
class WorkMeter {
 public:
  explicit WorkMeter(double limit = std::numeric_limits<double>::infinity()) : limit_(limit) {}

  [[nodiscard]] double limit() const { return limit_; }
  [[nodiscard]] double spent() const { return spent_; }
  [[nodiscard]] double left() const { return spent_ < limit_ ? limit_ - spent_ : 0.0; }
  /// Whether somebody was told to end.
  [[nodiscard]] bool is_spent() const { return spent_ > limit_; }
  void add(double cost) { spent_ += cost; }
  /// For what turns out to be larger than it was known to be when the meter was made.
  void raise_limit(double limit) { limit_ = limit > limit_ ? limit : limit_; }
  void lower_limit(double limit) { limit_ = limit < limit_ ? limit : limit_; }

 private:
  double limit_;
  double spent_{0.0};
};

/// While it lives, the work of this thread counts for `meter`.
class WorkScope {
 public:
  explicit WorkScope(WorkMeter& meter);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

 private:
  WorkMeter* outer_;
};

/// The meter of this thread's work, null where nobody counts.
[[nodiscard]] WorkMeter* get_work_meter() noexcept;

/// Counts `cost` multiplications that are about to be done. False where the meter is spent, or an interruption was
/// asked for (interruption.hpp): end then, with what there is. A few nanoseconds: for turns that take longer.
[[nodiscard]] bool may_work(double cost) noexcept;

}  // namespace rigor
