#include <fmt/format.h>

#include "tools/rigor/commands.hpp"
#include "tools/rigor/describe_scene.hpp"

namespace rigor {
int run_check(const SceneRequest& request) {
  try {
    const Scene scene = request.load();
    if (!request.json) {
      fmt::print("{}: valid\n{}", request.scene, describe_scene(scene));
      return kAnswered;
    }
    JsonValue value = scene_to_summary(scene);
    auto& members = std::get<JsonValue::Object>(value.data);
    members.insert(members.begin(), {"valid", true, {}});
    print_json(value);
    return kAnswered;
  } catch (const InvalidDocument& error) {
    if (!request.json) throw;
    JsonValue value{JsonValue::Object{}};
    value.add("valid", false);
    value.add("errors", errors_to_json(error.diagnostics()));
    print_json(value);
    fmt::print(stderr, "{}\n", error.what());
    return kBadInput;
  }
}

}  // namespace rigor
