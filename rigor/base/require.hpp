#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace rigor {

/// A caller's mistake. The message names the object, the value found, the rule it breaks and a remedy.
/// Numerics never throw this: a solve that does not converge is a status in its result.
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Throws InvalidInput with the formatted message unless `condition` holds. Always on; meant for the
/// boundary of the library, not for inner loops (there, `assert` guards our own invariants).
///
///     require(h > 0.0, "step: h = {} s, must be > 0.", h);
template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw InvalidInput(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace rigor
