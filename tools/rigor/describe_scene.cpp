#include "tools/rigor/describe_scene.hpp"

#include <fmt/format.h>

#include <cmath>

#include "rigor/model/scene_fields.hpp"
#include "rigor/model/scene_summary.hpp"

namespace rigor {
namespace {

template <class T>
std::string_view name_of(T value) {
  return names_of(Kind<T>{})[static_cast<std::size_t>(value)];
}

// Calls visit(key, count) for every list of the scene except bodies and shapes.
template <class Visit>
struct ListCounter {
  const Scene& scene;
  Visit visit;

  template <class T>
  void operator()(const char* key, std::vector<T> Scene::*member, const FieldInfo&) {
    if constexpr (!std::is_same_v<T, Body> && !std::is_same_v<T, ShapeInstance>)
      visit(key, (scene.*member).size());
  }
};

template <class Visit>
void for_each_list(const Scene& scene, Visit visit) {
  ListCounter<Visit> counter{scene, visit};
  describe_lists(counter);
}

long step_count(const RunSettings& run) {
  return std::lround(std::ceil(run.until / run.dt - 1e-9));
}

}  // namespace

std::string describe_scene(const Scene& scene) {
  const SceneSummary summary = summarize(scene);
  std::string joints;
  for (std::size_t type = 0; type < summary.joints.size(); ++type)
    if (summary.joints[type] > 0)
      joints += fmt::format("{}{} {}", joints.empty() ? "" : ", ", summary.joints[type],
                            names_of(Kind<JointType>{})[type]);

  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", key, value);
  };
  if (!scene.name.empty()) line("name", scene.name);
  if (!scene.description.empty()) line("description", scene.description);
  line("dimension", summary.dimension);
  line("bodies", summary.bodies == 0 ? "0" : fmt::format("{} ({})", summary.bodies, joints));
  line("mass", fmt::format("{:.6g} kg", summary.mass));
  line("coordinates", fmt::format("{} positions, {} velocities", summary.position_coordinates,
                                  summary.velocity_coordinates));
  line("shapes", fmt::format("{}", summary.shapes));
  for_each_list(scene, [&](const char* key, std::size_t count) {
    if (count > 0) line(key, fmt::format("{}", count));
  });
  line("gravity", fmt::format("[{}] m/s^2", fmt::join(scene.gravity.begin(), scene.gravity.end(), ", ")));
  line("run", fmt::format("until {} s, dt {} s ({} steps), {}, {}, solver {}", scene.run.until, scene.run.dt,
                          step_count(scene.run), name_of(scene.run.method), name_of(scene.run.formulation),
                          name_of(scene.run.solver)));
  return text;
}

JsonValue scene_to_summary(const Scene& scene) {
  const SceneSummary summary = summarize(scene);
  JsonValue value{JsonValue::Object{}};
  value.add("name", scene.name);
  value.add("description", scene.description);
  value.add("dimension", summary.dimension);
  value.add("bodies", static_cast<double>(summary.bodies));
  JsonValue& joints = value.add("joints", JsonValue::Object{});
  for (std::size_t type = 0; type < summary.joints.size(); ++type)
    joints.add(std::string(names_of(Kind<JointType>{})[type]), static_cast<double>(summary.joints[type]));
  value.add("mass", summary.mass);
  value.add("position_coordinates", summary.position_coordinates);
  value.add("velocity_coordinates", summary.velocity_coordinates);
  value.add("shapes", static_cast<double>(summary.shapes));
  for_each_list(scene,
                [&](const char* key, std::size_t count) { value.add(key, static_cast<double>(count)); });
  value.add("steps", static_cast<double>(step_count(scene.run)));
  return value;
}

}  // namespace rigor
