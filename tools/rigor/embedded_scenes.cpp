#include "tools/rigor/embedded_scenes.hpp"

#include <algorithm>

namespace rigor {

Scene load_scene(const std::string& file_or_name, const SceneReadOptions& options) {
  const auto& scenes = embedded_scenes();
  const auto it = std::find_if(scenes.begin(), scenes.end(),
                               [&](const EmbeddedScene& scene) { return scene.name == file_or_name; });
  if (it == scenes.end() || std::filesystem::exists(file_or_name)) return read_scene(file_or_name, options);
  return parse_scene(std::string(it->text), fmt::format("(scene {})", it->name), options);
}

}  // namespace rigor
