#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/io/scene_reader.hpp"

namespace rigor {

/// A scene of scenes/ that is part of the program.
struct EmbeddedScene {
  std::string_view name;
  std::string_view text;
};

/// All of them; made at build time by cmake/EmbedScenes.cmake.
const std::vector<EmbeddedScene>& embedded_scenes();

/// Reads a scene that the user names: a file, or else one of the embedded scenes.
Scene load_scene(const std::string& file_or_name, const SceneReadOptions& options);

}  // namespace rigor
