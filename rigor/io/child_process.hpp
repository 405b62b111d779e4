#pragma once

#include <functional>
#include <string>

namespace rigor {

/// What a child process may take.
struct ChildLimits {
  int cpu_seconds{60};
  int wall_seconds{300};                           // for work that waits instead of computing
  std::size_t memory_bytes{std::size_t{4} << 30};  // beyond what this process has already
};

/// How it went. `bytes` are all that the work gave back, where it came to its end.
struct ChildResult {
  enum class End {
    kDone,
    kThrew,   // `bytes` is the message of what it threw
    kCrashed  // a signal or a limit ended it
  };
  End end{End::kCrashed};
  std::string bytes;
  int signal{0};  // that ended it; 0 where none did
};

/// Runs `work` in a copy of this process, so that a library that crashes over a hostile file, asks for all
/// memory or never ends takes only the copy with it. The copy prints nothing, leaves no core and runs no
/// handlers at its end; nothing that it changes is seen here but the bytes it gives back.
///
/// Throws std::runtime_error where no process can be made, Cancelled where the work is interrupted.
[[nodiscard]] ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits);

}  // namespace rigor
