#pragma once

#include <chrono>
#include <string_view>
#include <vector>

namespace rigor {

/// What one solve tried, method by method, for those who ask. Solvers that try several methods note each as a tier;
/// whoever wants to know holds a log and a TierLogScope around the call:
///
///     TierLog log;
///     const TierLogScope scope(log);
///     solve(…);
///     for (const TierNote& tier : log.tiers) …
///
/// Nobody is asked for the time, and nothing is kept, where there is no log.
struct TierNote {
  std::string_view name;
  int iterations{0};     // sweeps and steps of all kinds
  double seconds{0.0};   // of the wall's clock
  bool answered{false};  // with it the search ended
};

struct TierLog {
  std::vector<TierNote> tiers;  // in the order in which they were tried
};

/// The log of this thread's solves while it lives.
class TierLogScope {
 public:
  explicit TierLogScope(TierLog& log);
  ~TierLogScope();
  TierLogScope(const TierLogScope&) = delete;
  TierLogScope& operator=(const TierLogScope&) = delete;

 private:
  TierLog* outer_;
};

/// The log of this thread, null where nobody asked.
[[nodiscard]] TierLog* get_tier_log() noexcept;

/// Runs `method`, which says whether it answered, and notes it; `count` gives the iterations so far.
template <class Count, class Method>
bool run_tier(std::string_view name, const Count& count, const Method& method) {
  TierLog* const log = get_tier_log();
  if (!log) return method();
  const int before = count();
  const auto begin = std::chrono::steady_clock::now();
  const bool answered = method();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  log->tiers.push_back({name, count() - before, took.count(), answered});
  return answered;
}

}  // namespace rigor
