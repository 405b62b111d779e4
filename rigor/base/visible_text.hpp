#pragma once

#include <string>
#include <string_view>

/// Text of others that is shown to people: a terminal must not obey it, and it must not look like what it is
/// not.
namespace rigor {

/// A character of UTF-8: its number and how many bytes it takes. Bytes that are no UTF-8 are taken one by one
/// and have the number kNoCharacter.
struct Character {
  static constexpr char32_t kNoCharacter = 0xFFFFFFFF;
  char32_t code{kNoCharacter};
  std::size_t bytes{1};
};
/// The first character of a text that is not empty.
[[nodiscard]] Character read_character(std::string_view text);

/// Whether a character is not seen where it stands: control characters (with which terminals are commanded),
/// marks that turn the direction of what follows, characters without width, tags; and what is no character.
[[nodiscard]] bool is_hidden(char32_t code);

/// What is shown in its place: \u001b, \U000e0041; \x9b for a byte that is no character.
[[nodiscard]] std::string show_hidden(std::string_view text, const Character& character);

/// The text with every hidden character shown. Ends of lines and tabs stay where `keeps_lines`.
[[nodiscard]] std::string visible_text(std::string_view text, bool keeps_lines);

}  // namespace rigor
