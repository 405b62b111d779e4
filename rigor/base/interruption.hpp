#pragma once

#include <atomic>
#include <exception>

namespace rigor {

/// Thrown by work that was asked to end before it was done.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

/// Asks all long work of this process to end: a program that catches Ctrl-C calls it from its signal handler.
/// Nothing is lost by it: work ends by Cancelled, or by a status, with what the caller holds as it was.
void request_interruption() noexcept;
/// Forgets the request: for programs that go on afterwards.
void clear_interruption() noexcept;
/// Whether somebody asked. Costs one read of a flag: for loops whose turns take a microsecond or more.
[[nodiscard]] bool is_interrupted() noexcept;
/// Throws Cancelled where somebody asked.
void check_interruption();

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets the flag");

}  // namespace rigor
