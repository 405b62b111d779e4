#include "rigor/model/scene_summary.hpp"

#include <algorithm>
#include <unordered_set>

#include "rigor/model/body_mass.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor {

SceneSummary summarize(const Scene& scene) {
  std::unordered_set<std::string_view> in_plane;
  for (const Group& group : scene.groups) in_plane.insert(group.bodies.begin(), group.bodies.end());

  SceneSummary summary;
  summary.bodies = scene.bodies.size();
  summary.shapes = scene.shapes.size();
  for (const Body& body : scene.bodies) {
    const JointType type = body.joint.type;
    const bool planar = scene.planar.has_value() || in_plane.contains(body.name);
    const JointSize size = joint_size(moving_type(type, planar));
    ++summary.joints[static_cast<std::size_t>(type)];
    summary.position_coordinates += size.q;
    summary.velocity_coordinates += size.v;
    summary.shapes += body.shapes.size();
    (planar ? summary.has_planar_bodies : summary.has_spatial_bodies) = true;
    const bool in_world = type == JointType::kFixed && body.joint.parent == kWorld;
    if (!in_world) summary.mass += compute_mass_properties(body, scene.materials, {}).mass;
  }
  if (scene.planar)
    summary.dimension =
        fmt::format("in the plane {}", names_of(Kind<Plane>{})[static_cast<std::size_t>(*scene.planar)]);
  else if (!summary.has_planar_bodies)
    summary.dimension = "in space";
  else
    summary.dimension = summary.has_spatial_bodies ? "partly in planes, partly in space" : "in planes";
  return summary;
}

}  // namespace rigor
