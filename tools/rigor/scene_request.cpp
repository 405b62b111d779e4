#include "tools/rigor/commands.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {

Scene SceneRequest::load() const {
  ProgressLine progress("reading");
  SceneReadOptions options;
  options.set = set;
  options.drops_unused_settings = drops_unused_settings;
  options.on_progress = [&](std::size_t elements) {
    progress.show(elements);
    return !was_interrupted();
  };
  return load_scene(scene, options);
}

}  // namespace rigor
