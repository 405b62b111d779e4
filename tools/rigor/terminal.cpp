#include "tools/rigor/terminal.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "rigor/base/interruption.hpp"
#include "rigor/base/visible_text.hpp"
#include "rigor/io/temporary_file.hpp"
#include "tools/rigor/commands.hpp"

namespace rigor {
namespace {

constexpr suseconds_t kPatience = 700'000;  // microseconds for work to notice that it shall end

// Asks the work to end, and sets the clock for work that does not listen.
extern "C" void on_interrupt(int) {
  request_interruption();
  const itimerval once{{0, 0}, {0, kPatience}};
  ::setitimer(ITIMER_REAL, &once, nullptr);
}

// Nobody has listened. Files are whole or not there, recordings end with a whole frame: nothing is spoiled.
extern "C" void on_no_answer(int) {
  constexpr char kText[] = "rigor: interrupted in the middle of a computation; nothing more was written.\n";
  remove_temporary_files();
  if (::write(STDERR_FILENO, kText, sizeof kText - 1) < 0) ::_exit(kNotAnswered);
  ::_exit(kNotAnswered);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGALRM, on_no_answer);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which says so
}

bool was_interrupted() {
  if (!is_interrupted()) return false;
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &never, nullptr);  // the work ends as it should
  return true;
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
  std::fputs(("\r\033[K" + visible_text(text, /*keeps_lines=*/false)).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

}  // namespace rigor
