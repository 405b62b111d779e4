#include <fmt/format.h>

#include "tools/rigor/command_line.hpp"
#include "tools/rigor/describe_scene.hpp"

namespace rigor {
namespace {

int check(const SceneArguments& arguments) {
  try {
    const Scene scene = arguments.load();
    if (!arguments.json) {
      fmt::print("{}: valid\n{}", arguments.scene, describe_scene(scene));
      return kAnswered;
    }
    JsonValue value = scene_to_summary(scene);
    auto& members = std::get<JsonValue::Object>(value.data);
    members.insert(members.begin(), {"valid", true, {}});
    print_json(value);
    return kAnswered;
  } catch (const InvalidDocument& error) {
    if (!arguments.json) throw;
    JsonValue value{JsonValue::Object{}};
    value.add("valid", false);
    value.add("errors", errors_to_json(error.diagnostics()));
    print_json(value);
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}

}  // namespace

void add_check(CLI::App& app, int& status) {
  CLI::App& command = add_command(app, "check", "Say what a scene contains, or what is wrong with it",
                                  "rigor check scene.json --set run.dt=0.002");
  auto arguments = std::make_shared<SceneArguments>();
  arguments->add_to(command);
  command.callback([arguments, &status] { status = check(*arguments); });
}

}  // namespace rigor
