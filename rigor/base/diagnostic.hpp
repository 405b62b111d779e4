#pragma once

#include <string>
#include <vector>

#include "rigor/base/require.hpp"

namespace rigor {

/// One thing wrong with what a user gave us, in parts, so that a terminal, an editor and a test can each
/// show what they need:
///
///     crates.json:41:15: bodies.crate_7.mass = -2 kg, must be >= 0. For a body that does not move use …
///     └ file:line:column └ path                └ value └ rule         └ remedy
struct Diagnostic {
  std::string file{};    // empty when the object was built in C++
  int line{0};           // from 1; 0 where there is no text
  int column{0};         // from 1, in characters
  std::string path{};    // where in the document; `--set` takes the same syntax
  std::string value{};   // what was found, with its unit; empty where nothing was
  std::string rule{};    // what should have been, no full stop
  std::string remedy{};  // what to do, a whole sentence; may be empty

  [[nodiscard]] std::string text() const;
};

/// Bad input of which all errors were collected. what() is all of them, one a line.
class InvalidDocument : public InvalidInput {
 public:
  explicit InvalidDocument(std::vector<Diagnostic> diagnostics);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// "Did you mean …?" for a misspelt word: the closest of `known` (edit distance at most a third of the
/// word's length), or "" when nothing is close.
[[nodiscard]] std::string find_similar(const std::string& word, const std::vector<std::string>& known);

/// A text quoted and cut for a message: control characters escaped, at most `limit` characters.
[[nodiscard]] std::string quote_for_message(const std::string& text, std::size_t limit = 60);

}  // namespace rigor
