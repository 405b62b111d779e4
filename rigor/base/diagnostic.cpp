#include "rigor/base/diagnostic.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "rigor/base/visible_text.hpp"

namespace rigor {
namespace {

std::string join_texts(const std::vector<Diagnostic>& diagnostics) {
  std::string all;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!all.empty()) all += '\n';
    all += diagnostic.text();
  }
  return all;
}

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Damerau-Levenshtein distance in its "optimal string alignment" form: insert, delete, replace, swap of
// neighbours, each 1; case is ignored.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      const bool swapped =
          i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string Diagnostic::text() const {
  std::string text = file;
  if (line > 0) text += fmt::format(":{}:{}", line, column);
  if (!text.empty()) text += ": ";
  text += path;
  if (!path.empty()) text += value.empty() ? ": " : " = ";
  text += value;
  if (!value.empty()) text += ", ";
  text += rule + '.';
  if (!remedy.empty()) text += ' ' + remedy;
  return visible_text(text, /*keeps_lines=*/false);
}

InvalidDocument::InvalidDocument(std::vector<Diagnostic> diagnostics)
    : InvalidInput(join_texts(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::string find_similar(const std::string& word, const std::vector<std::string>& known) {
  if (word.size() > 64) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > 2 * word.size() + 2) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string count_text(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string quote_for_message(const std::string& text, std::size_t limit) {
  std::string quoted = "\"";
  std::string_view rest = text;
  for (std::size_t shown = 0; !rest.empty(); ++shown) {
    if (shown == limit) {
      quoted += "…";
      break;
    }
    const Character character = read_character(rest);
    if (is_hidden(character.code)) {
      quoted += show_hidden(rest, character);
    } else {
      if (character.code == '"' || character.code == '\\') quoted += '\\';
      quoted += rest.substr(0, character.bytes);
    }
    rest.remove_prefix(character.bytes);
  }
  return quoted + '"';
}

}  // namespace rigor
