#pragma once

#include <chrono>
#include <string>

namespace rigor {

/// From now on Ctrl-C and SIGTERM ask the work to end where nothing is lost (interruption.hpp). Work that has not
/// noticed within 0.7 s is ended with one sentence; a second Ctrl-C kills.
void catch_interrupts();
/// Whether that happened. Who asks has noticed: the program then ends as its commands say, however long that takes.
[[nodiscard]] bool was_interrupted();

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
