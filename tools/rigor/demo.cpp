#include <fmt/format.h>

#include <filesystem>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/describe_scene.hpp"

namespace rigor {

int run_demo(const RunRequest& request, const std::string& output) {
  RunRequest demo = request;
  demo.scene.scene = "demo";
  const Scene scene = demo.scene.load();
  write_text_file(output, write_scene(scene));
  if (!demo.scene.json) fmt::print("{}\n", describe_scene(scene));
  const int status = simulate_and_report(scene, demo);
  if (!demo.scene.json)
    fmt::print("\nThe scene was written to {}\nChange it and run it again:  rigor run {}\n",
               std::filesystem::absolute(output).string(), output);
  return status;
}

}  // namespace rigor
