#include "rigor/model/body_mass.hpp"

#include <algorithm>

namespace rigor {

Eigen::Matrix3d inertia_matrix(const std::vector<double>& entries) {
  Eigen::Matrix3d inertia = Eigen::Vector3d(entries[0], entries[1], entries[2]).asDiagonal();
  if (entries.size() == 6) {
    inertia(0, 1) = inertia(1, 0) = entries[3];
    inertia(0, 2) = inertia(2, 0) = entries[4];
    inertia(1, 2) = inertia(2, 1) = entries[5];
  }
  return inertia;
}

Eigen::Matrix3d plane_axes(Plane plane) {
  using Eigen::Vector3d;
  const Vector3d first = plane == Plane::kYZ ? Vector3d::UnitY() : Vector3d::UnitX();
  const Vector3d second = plane == Plane::kXY ? Vector3d::UnitY() : Vector3d::UnitZ();
  Eigen::Matrix3d axes;
  axes << first, second, first.cross(second);
  return axes;
}

Pose shape_pose(const ShapeInstance& shape, std::optional<Plane> plane) {
  const bool is_flat =
      std::holds_alternative<Disk>(shape.geometry) || std::holds_alternative<Polygon>(shape.geometry);
  if (!is_flat || !plane) return shape.pose;
  return shape.pose * Pose{Eigen::Vector3d::Zero(), Eigen::Quaterniond(plane_axes(*plane))};
}

MassProperties compute_mass_properties(const Body& body, const std::vector<Material>& materials,
                                       std::optional<Plane> plane) {
  if (!body.inertia.empty())
    return {body.mass.value_or(0.0), body.center_of_mass, inertia_matrix(body.inertia)};
  if (body.shapes.empty()) return {body.mass.value_or(0.0), body.center_of_mass, Eigen::Matrix3d::Zero()};

  // shape by shape; where only the body's mass is known, all have the same density
  MassProperties sum;
  for (const ShapeInstance& shape : body.shapes) {
    const auto unit = compute_unit_mass(shape.geometry);
    if (!unit) continue;
    const auto material = std::find_if(materials.begin(), materials.end(),
                                       [&](const Material& m) { return m.name == shape.material; });
    std::optional<double> density = shape.density ? shape.density : body.density;
    if (!density && material != materials.end()) density = material->density;
    if (!density && !body.mass) continue;
    sum = combine(
        sum, transform(shape_pose(shape, plane), scale_to_mass(*unit, unit->mass * density.value_or(1.0))));
  }
  return body.mass && sum.mass > 0.0 ? scale_to_mass(sum, *body.mass) : sum;
}

}  // namespace rigor
