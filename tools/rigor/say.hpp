#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

#include "rigor/base/visible_text.hpp"

/// What the program tells people. Names and values of files stand in it, so that every character is shown and none is
/// obeyed by the terminal (visible_text.hpp). A stream that cannot be written ends nothing: main() looks at standard
/// output when all is done, and of standard error nobody could be told.
namespace rigor {

/// errno of the first text that standard output did not take; 0 where it took all so far.
inline int output_error = 0;

inline void print_visible(std::FILE* stream, std::string_view text) {
  const std::string shown = visible_text(text, /*keeps_lines=*/true);
  const bool is_whole = std::fwrite(shown.data(), 1, shown.size(), stream) == shown.size();
  if (!is_whole && stream == stdout && output_error == 0) output_error = errno;
}

/// To standard output.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  print_visible(stdout, fmt::format(text, std::forward<Args>(args)...));
}

/// To standard error.
template <class... Args>
void complain(fmt::format_string<Args...> text, Args&&... args) {
  print_visible(stderr, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace rigor
