#include <fmt/format.h>

#include <filesystem>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/describe_scene.hpp"

namespace rigor {
int run_demo(SceneRequest request, const std::string& output) {
  request.scene = "demo";
  const Scene scene = request.load();
  write_text_file(output, write_scene(scene));
  const std::string path = std::filesystem::absolute(output).string();
  if (request.json) {
    JsonValue value = scene_to_summary(scene);
    value.add("output", path);
    print_json(value);
    return kAnswered;
  }
  fmt::print("{}", describe_scene(scene));
  fmt::print("\nNothing moves yet in this version: there is no step, and so no certificate.\n");
  fmt::print("The scene was written to {}\n", path);
  fmt::print("Change it and ask again:  rigor check {}\n", output);
  return kAnswered;
}

}  // namespace rigor
