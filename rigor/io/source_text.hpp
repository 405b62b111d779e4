#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/base/diagnostic.hpp"

namespace rigor {

using SourceId = std::uint32_t;

/// A range of characters of one source, in bytes: [begin, end).
struct TextSpan {
  SourceId source{0};
  std::uint32_t begin{0};
  std::uint32_t end{0};
};

/// The texts that a document was read from: the scene, its includes, the values of --set. Spans point
/// into them, so a message can be given file, line and column long after parsing.
class Sources {
 public:
  /// `name` is what messages call it: a path as the user gave it, or "--set run.dt".
  SourceId add(std::string name, std::string text);

  [[nodiscard]] const std::string& name(SourceId id) const { return sources_[id].name; }
  [[nodiscard]] const std::string& text(SourceId id) const { return sources_[id].text; }
  [[nodiscard]] std::size_t size() const { return sources_.size(); }
  [[nodiscard]] std::string_view slice(const TextSpan& span) const;

  /// Fills file, line and column of a diagnostic.
  void locate(const TextSpan& span, Diagnostic& diagnostic) const;

 private:
  struct Source {
    std::string name;
    std::string text;
  };
  std::vector<Source> sources_;
};

/// The whole of a regular file. Throws InvalidDocument, naming path and reason, when it cannot be read, is
/// no regular file, or is larger than `max_bytes` (looked up before anything is read).
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes a file so that either the old content or the whole new one is there: to a temporary file in the
/// same folder, flushed to disk, then renamed. Throws std::runtime_error naming path and reason.
void write_text_file(const std::filesystem::path& path, std::string_view text);

}  // namespace rigor
