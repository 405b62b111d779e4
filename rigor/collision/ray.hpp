#pragma once

#include <Eigen/Core>
#include <optional>

#include "rigor/collision/geometry.hpp"

namespace rigor {

struct RayHit {
  double t{0.0};                                   // m along the ray, 0 where it starts inside
  Eigen::Vector3d point{Eigen::Vector3d::Zero()};  // m, world
  Eigen::Vector3d normal{
      Eigen::Vector3d::UnitZ()};  // outward normal of the surface there; −direction where t = 0
};

/// Where the ray origin + t direction (unit), 0 ≤ t ≤ reach [m], first meets the shape; none where it does
/// not.
///
/// Half-space and triangles by their planes; convex shapes by support mappings: the ray's start is moved
/// forward to each plane that separates it from the shape, until it is on the surface to 1e-14 of the sizes
/// (van den Bergen's ray cast [1], with the exact signed distance of a point in place of GJK's simplex).
/// Triangles are met from both sides; meshes and compounds are searched by their trees. Allocates nothing
/// after the first call.
///
/// [1] G. van den Bergen. Ray casting against general convex objects with application to continuous collision
///     detection. 2004.
[[nodiscard]] std::optional<RayHit> cast_ray(const Geometry& geometry, const Pose& X_WS,
                                             const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
                                             double reach);

}  // namespace rigor
