#pragma once

#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/scene_reader.hpp"

namespace rigor {

/// One file of a scene as JSON.
struct SceneFile {
  JsonValue root;
  std::string prefix;                        // put before every name that is given in it
  const JsonValue* set_parameters{nullptr};  // "parameters" of the include that brought it
};

/// A scene's file and all that it includes, parsed, with --set applied; depth first, so that what is
/// included comes before what includes it.
///
/// An include is a path relative to the file that names it. It must lead to a regular file below the folder
/// of the scene, symbolic links resolved; absolute paths, loops and more files than the limits allow are
/// errors.
class SceneFiles {
 public:
  SceneFiles(const SceneReadOptions& options, Sources& sources) : options_(options), sources_(sources) {}

  /// Throws InvalidDocument. `folder` empty: includes are refused.
  void load(SourceId main, const std::filesystem::path& folder);

  [[nodiscard]] const std::deque<SceneFile>& files() const { return files_; }

  /// The scene itself: the last one.
  [[nodiscard]] const SceneFile& main() const { return files_.back(); }

 private:
  void add_file(JsonValue root, std::string prefix, const JsonValue* parameters,
                const std::filesystem::path& folder);
  void add_includes(const JsonValue& root, const std::string& prefix, const std::filesystem::path& folder);
  void add_include(const JsonValue& entry, const std::string& prefix, const std::filesystem::path& folder);
  [[noreturn]] void fail(const JsonValue& at, std::string value, std::string rule,
                         std::string remedy = "") const;

  const SceneReadOptions& options_;
  Sources& sources_;
  std::deque<SceneFile> files_;  // a deque: JSON values must not move
  std::filesystem::path root_folder_;
  std::vector<std::filesystem::path> way_;  // files being read, each includes the next
  std::size_t count_{0};
};

/// Applies "path=value" to a document, see SceneReadOptions::set. The value is JSON, or a bare word.
/// Throws InvalidDocument.
void apply_set(const std::string& assignment, JsonValue& root, Sources& sources);

}  // namespace rigor
