#include "tools/rigor/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "tools/rigor/commands.hpp"

namespace rigor {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void on_interrupt(int) {
  interrupted = 1;
}

// Only what a signal handler may call.
extern "C" void on_final_interrupt(int) {
  constexpr char kWords[] = "rigor: interrupted; nothing was written.\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords, sizeof kWords - 1);
  ::_exit(kNotAnswered);
}

}  // namespace

void end_at_interrupt() {
  struct sigaction action {};
  action.sa_handler = on_final_interrupt;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which says so
}

bool was_interrupted() {
  return interrupted != 0;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void ProgressLine::show(std::size_t count) {
  if (is_due()) draw(fmt::format("{} {}, {:.0f} s", what_, count, seconds()));
}

void ProgressLine::show(std::size_t count, std::size_t total) {
  if (!is_due()) return;
  constexpr std::size_t kBarWidth = 30;
  const std::size_t full = total > 0 ? kBarWidth * count / total : kBarWidth;
  const double left =
      count > 0 ? seconds() * static_cast<double>(total - count) / static_cast<double>(count) : 0.0;
  draw(fmt::format("[{}{}] {} {} of {}, {:.0f} s left", std::string(full, '#'),
                   std::string(kBarWidth - full, '.'), what_, count, total, left));
}

bool ProgressLine::is_due() const {
  static const bool kTerminal = ::isatty(STDERR_FILENO) == 1;
  return kTerminal && seconds() > 0.5 && Clock::now() - last_ > std::chrono::milliseconds(100);
}

void ProgressLine::draw(const std::string& text) {
  last_ = Clock::now();
  drawn_ = true;
  fmt::print(stderr, "\r\033[K{}", text);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace rigor
