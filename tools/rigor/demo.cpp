#include <fmt/format.h>

#include <filesystem>

#include "rigor/io/scene_writer.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/command_line.hpp"
#include "tools/rigor/describe_scene.hpp"

namespace rigor {
namespace {

int demo(SceneArguments& arguments, const std::string& output) {
  arguments.scene = "demo";
  const Scene scene = arguments.load();
  write_text_file(output, write_scene(scene));
  const std::string path = std::filesystem::absolute(output).string();
  if (arguments.json) {
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

}  // namespace

void add_demo(CLI::App& app, int& status) {
  CLI::App& command = add_command(app, "demo", "Describe the built-in scene and write it to a file",
                                  "rigor demo -o crates.json --set parameters.rows=6");
  auto arguments = std::make_shared<SceneArguments>();
  auto output = std::make_shared<std::string>("rigor-demo.json");
  command.add_option("-o,--output", *output, "File to write")->capture_default_str();
  arguments->add_changes_to(command);
  command.callback([arguments, output, &status] { status = demo(*arguments, *output); });
}

}  // namespace rigor
