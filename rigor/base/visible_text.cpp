#include "rigor/base/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rigor {
namespace {

struct CharacterRange {
  char32_t first, last;
};
constexpr CharacterRange kHidden[] = {
    {0x0000, 0x001F},    // control characters, the first block
    {0x007F, 0x009F},    // delete, and the second block
    {0x061C, 0x061C},    // Arabic letter mark
    {0x200B, 0x200F},    // without width; marks of direction
    {0x2028, 0x202E},    // ends of lines and paragraphs; embeddings and overrides of direction
    {0x2060, 0x206F},    // without width; isolates of direction
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // annotations
    {0xE0000, 0xE007F},  // tags
};

}  // namespace

Character read_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < bytes) return {};
  char32_t code = first & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  // written longer than need be, halves of pairs, beyond the last one
  const bool is_short = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (is_short || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
  return {code, bytes};
}

bool is_hidden(char32_t code) {
  return code == Character::kNoCharacter ||
         std::any_of(std::begin(kHidden), std::end(kHidden),
                     [&](const CharacterRange& range) { return code >= range.first && code <= range.last; });
}

std::string show_hidden(std::string_view text, const Character& character) {
  const auto code = static_cast<std::uint32_t>(character.code);
  if (character.code == Character::kNoCharacter)
    return fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
  return code > 0xFFFF ? fmt::format("\\U{:08x}", code) : fmt::format("\\u{:04x}", code);
}

std::string visible_text(std::string_view text, bool keeps_lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const Character character = read_character(text);
    const bool is_kept = keeps_lines && (character.code == '\n' || character.code == '\t');
    if (is_hidden(character.code) && !is_kept)
      shown += show_hidden(text, character);
    else
      shown += text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return shown;
}

}  // namespace rigor
