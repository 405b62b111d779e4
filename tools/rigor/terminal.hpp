#pragma once

#include <chrono>
#include <string>

namespace rigor {

/// From now on Ctrl-C only sets a flag, so that work can end where nothing is lost. A second Ctrl-C kills.
void catch_interrupts();
[[nodiscard]] bool was_interrupted();

/// From now on Ctrl-C ends the program at once with a sentence: for work that writes nothing before its end.
void end_at_interrupt();

/// One line on standard error that is drawn over itself while work goes on; only on a terminal, and only
/// after half a second, so that short work shows nothing.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what) : what_(std::move(what)) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// How much is done; with `total` as a bar.
  void show(std::size_t count);
  void show(std::size_t count, std::size_t total);
  void clear();

 private:
  [[nodiscard]] bool is_due() const;
  void draw(const std::string& text);
  [[nodiscard]] double seconds() const;

  using Clock = std::chrono::steady_clock;
  std::string what_;
  Clock::time_point start_{Clock::now()};
  Clock::time_point last_{};
  bool drawn_{false};
};

}  // namespace rigor
