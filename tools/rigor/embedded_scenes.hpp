#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/io/problem_file.hpp"
#include "rigor/io/scene_reader.hpp"

namespace rigor {

/// A scene of scenes/ or a problem of scenes/problems/ that is part of the program.
struct EmbeddedText {
  std::string_view name;
  std::string_view text;
};

/// All of them; made at build time by cmake/EmbedScenes.cmake.
const std::vector<EmbeddedText>& embedded_scenes();
const std::vector<EmbeddedText>& embedded_problems();

/// Reads a scene that the user names: a file, or else one of the embedded scenes.
Scene load_scene(const std::string& file_or_name, const SceneReadOptions& options);

/// The same for a problem of 'rigor solve'. One of 'rigor analyse' is refused.
Problem load_problem(const std::string& file_or_name);

/// The text of an embedded problem of 'rigor analyse' (M, F and contacts); none where there is no such name, or
/// a file of that name.
const EmbeddedText* find_acceleration_text(const std::string& name);

/// Whether an embedded problem is one of 'rigor analyse'.
[[nodiscard]] bool is_acceleration_text(const EmbeddedText& problem);

/// Its "comment": what it is.
[[nodiscard]] std::string describe_acceleration_text(const EmbeddedText& problem);

}  // namespace rigor
