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

/// The same for a problem.
Problem load_problem(const std::string& file_or_name);

}  // namespace rigor
