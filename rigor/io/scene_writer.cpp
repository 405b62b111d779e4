#include "rigor/io/scene_writer.hpp"

#include "rigor/io/scene_to_json.hpp"

namespace rigor {
namespace scene_json {

JsonValue to_value(const Pose& pose) {
  JsonValue value{JsonValue::Object{}};
  if (pose.position != Eigen::Vector3d::Zero()) value.add("position", to_value(pose.position));
  const Eigen::Quaterniond& r = pose.rotation;
  if (r.coeffs() != Eigen::Quaterniond::Identity().coeffs())
    value.add("quaternion", JsonValue::Array{r.w(), r.x(), r.y(), r.z()});
  return value;
}

JsonValue to_value(const Mu& mu) {
  if (mu.along == mu.across) return mu.along;
  return JsonValue::Array{mu.along, mu.across};
}

JsonValue to_value(const TimeFunction& function) {
  if (const double* constant = std::get_if<double>(&function)) return *constant;
  if (const auto* expression = std::get_if<Expression>(&function)) return expression->text();
  JsonValue value{JsonValue::Object{}};
  if (const auto* sine = std::get_if<SineFunction>(&function))
    value.add(kind_name(Kind<SineFunction>{}), to_value(*sine));
  else
    value.add(kind_name(Kind<TableFunction>{}), to_value(std::get<TableFunction>(function)));
  return value;
}

}  // namespace scene_json

JsonValue to_json(const Scene& scene) {
  JsonValue value{JsonValue::Object{}};
  value.add("rigor", 1);
  scene_json::FieldWriter<Scene> fields{scene, value};
  describe(fields, Kind<Scene>{});
  return value;
}

std::string write_scene(const Scene& scene) {
  return write_json(to_json(scene)) + '\n';
}

}  // namespace rigor
