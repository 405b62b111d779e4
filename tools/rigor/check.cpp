#include <fmt/format.h>

#include "rigor/analysis/redundancy.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/stepping/stepper.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/describe_scene.hpp"
#include "tools/rigor/say.hpp"

namespace rigor {
namespace {

constexpr std::size_t kShownRows = 20;
constexpr int kLargeMechanism = 3000;  // speeds: seconds of work

// The scene as a mechanism: assembled, its equations counted.
struct Mechanism {
  Assembly assembly;
  RedundancyReport redundancy;
  std::string too_large;  // why it was not looked at, or ""
};

// What `rigor run` would do before its first step is done here, too: a scene that is called valid can start.
Mechanism examine(const Scene& scene, const std::string& name) {
  try {
    const Model model = make_model(scene);
    if (model.nv > kLargeMechanism)
      complain("rigor: {} speeds and {} constraints are examined; this may take a while, Ctrl-C ends it.\n",
               model.nv, model.constraints.size());
    Mechanism mechanism{assemble(model), {}, ""};
    (void)make_stepper(model, scene.run);
    try {
      mechanism.redundancy = find_redundancy(model, mechanism.assembly.state);
    } catch (const TooLarge& error) {
      mechanism.too_large = error.what();
    }
    return mechanism;
  } catch (const InvalidDocument&) {
    throw;
  } catch (const InvalidInput& error) {
    std::string message = error.what();
    if (message.ends_with('.')) message.pop_back();
    throw InvalidDocument({Diagnostic{.file = name, .rule = message}});
  }
}

std::string describe(const Mechanism& mechanism) {
  std::string text;
  const auto line = [&](const char* key, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", key, value);
  };
  if (!mechanism.too_large.empty()) {
    line("mechanism", "not examined. " + mechanism.too_large);
    return text;
  }
  const RedundancyReport& report = mechanism.redundancy;
  if (report.equations == 0) {
    line("mechanism",
         fmt::format("{} to move freely", count_text(static_cast<std::size_t>(report.speeds), "speed")));
    return text;
  }
  line(
      "mechanism",
      fmt::format("{}, {} of which {} independent: {}",
                  count_text(static_cast<std::size_t>(report.speeds), "free speed"),
                  count_text(static_cast<std::size_t>(report.equations), "equation"), report.independent,
                  count_text(static_cast<std::size_t>(report.degrees_of_freedom), "degree") + " of freedom"));
  for (std::size_t i = 0; i < std::min(report.redundant.size(), kShownRows); ++i) {
    const RedundantRow& row = report.redundant[i];
    line(i == 0 ? "redundant" : "",
         fmt::format("{}, {}", row.row,
                     row.follows.empty()
                         ? "which joints and motions hold already"
                         : fmt::format("which follows from {}", fmt::join(row.follows, ", "))));
  }
  if (report.redundant.size() > kShownRows)
    line("", fmt::format("… and {} more: see --json", report.redundant.size() - kShownRows));
  if (report.is_singular())
    line("singular", fmt::format("here {} of the equations are independent, nearby {}: the mechanism can "
                                 "leave this position in more ways "
                                 "than it has degrees of freedom",
                                 report.independent, report.independent_nearby));
  if (mechanism.assembly.moved > 1e-9)
    line("assembled", fmt::format("coordinates moved by up to {:.3g} m or rad to meet the constraints",
                                  mechanism.assembly.moved));
  return text;
}

JsonValue to_json(const Mechanism& mechanism) {
  JsonValue value{JsonValue::Object{}};
  if (!mechanism.too_large.empty()) {
    value.add("not_examined", mechanism.too_large);
    return value;
  }
  const RedundancyReport& report = mechanism.redundancy;
  value.add("free_speeds", report.speeds);
  value.add("equations", report.equations);
  value.add("independent", report.independent);
  value.add("degrees_of_freedom", report.degrees_of_freedom);
  value.add("singular", report.is_singular());
  JsonValue::Array rows;
  for (const RedundantRow& row : report.redundant) {
    JsonValue& entry = rows.emplace_back(JsonValue::Object{});
    entry.add("equation", row.row);
    JsonValue::Array follows(row.follows.begin(), row.follows.end());
    entry.add("follows_from", std::move(follows));
  }
  value.add("redundant", std::move(rows));
  value.add("moved", mechanism.assembly.moved);
  return value;
}

}  // namespace

int run_check(const SceneRequest& request) {
  try {
    const Scene scene = request.load();
    const Mechanism mechanism = examine(scene, request.scene);
    if (!request.json) {
      say("{}: valid\n{}{}", request.scene, describe_scene(scene), describe(mechanism));
      return kAnswered;
    }
    JsonValue value = scene_to_summary(scene);
    auto& members = std::get<JsonValue::Object>(value.data);
    members.insert(members.begin(), {"valid", true, {}});
    value.add("mechanism", to_json(mechanism));
    print_json(value);
    return kAnswered;
  } catch (const InvalidDocument& error) {
    if (!request.json) throw;
    JsonValue value{JsonValue::Object{}};
    value.add("valid", false);
    value.add("errors", errors_to_json(error.diagnostics()));
    print_json(value);
    complain("{}\n", error.what());
    return kBadInput;
  }
}

}  // namespace rigor
