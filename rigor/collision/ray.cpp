#include "rigor/collision/ray.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/collision/axis.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

struct Ray {
  Vector3d origin, direction;
  double reach;
};

// Moves along the ray to each plane that separates point and shape; every step is safe, and they end on the
// surface.
std::optional<RayHit> cast(const Convex& shape, const Pose& X_WS, const Ray& ray) {
  static const Polytope point_core = make_point_polytope();
  Convex point;
  point.polytope = &point_core;
  ConvexPair pair(point, {ray.origin, Eigen::Quaterniond::Identity()}, shape, X_WS);
  const Vector3d start = pair.p_AB;
  RayHit hit{0.0, ray.origin, -ray.direction};
  const double close = 1e-14 * (shape.size + (ray.origin - X_WS.position).norm());
  for (int i = 0; i < 200; ++i) {
    const Axis nearest = find_axis(pair, std::numeric_limits<double>::infinity());
    const double gap = nearest.separation - shape.rounding;
    if (gap <= close) return hit;
    const double approach = -nearest.n.dot(ray.direction);
    if (!(approach > 0.0)) return std::nullopt;  // the rest of the ray is separated from the shape
    hit.t += gap / approach;
    if (!(hit.t <= ray.reach)) return std::nullopt;
    pair.p_AB = start - hit.t * ray.direction;
    hit.point = ray.origin + hit.t * ray.direction;
    hit.normal = nearest.n;
  }
  return hit;
}

std::optional<RayHit> cast(const TriangleSet& set, const Pose& X_WS, const Ray& ray) {
  const Eigen::Quaterniond back = X_WS.rotation.conjugate();
  const Vector3d origin = back * (ray.origin - X_WS.position), direction = back * ray.direction;
  const Vector3d inverse = direction.cwiseInverse();
  double best = ray.reach;
  int found = -1;
  const auto meets = [&](const Bounds& box) { return box.meets_ray(origin, inverse, 0.0, best); };
  set.tree.visit(meets, [&](int index) {
    // Möller and Trumbore: barycentric coordinates of the crossing
    const auto& t = set.triangles[static_cast<std::size_t>(index)];
    const Vector3d &a = set.vertices[static_cast<std::size_t>(t[0])],
                   e1 = set.vertices[static_cast<std::size_t>(t[1])] - a,
                   e2 = set.vertices[static_cast<std::size_t>(t[2])] - a;
    const Vector3d p = direction.cross(e2), q = (origin - a).cross(e1);
    const double det = e1.dot(p);
    if (det == 0.0) return;
    const double u = (origin - a).dot(p) / det, v = direction.dot(q) / det, at = e2.dot(q) / det;
    if (u < 0.0 || v < 0.0 || u + v > 1.0 || at < 0.0 || at > best) return;
    best = at;
    found = index;
  });
  if (found < 0) return std::nullopt;
  Vector3d normal = X_WS.rotation * set.normals[static_cast<std::size_t>(found)];
  if (normal.dot(ray.direction) > 0.0) normal = -normal;
  return RayHit{best, ray.origin + best * ray.direction, normal};
}

std::optional<RayHit> cast_half_space(const Pose& X_WS, const Ray& ray) {
  const Vector3d n = X_WS.rotation * Vector3d::UnitZ();
  const double height = n.dot(ray.origin - X_WS.position), approach = -n.dot(ray.direction);
  if (height <= 0.0) return RayHit{0.0, ray.origin, -ray.direction};
  if (!(approach > 0.0) || height > ray.reach * approach) return std::nullopt;
  const double t = height / approach;
  return RayHit{t, ray.origin + t * ray.direction, n};
}

}  // namespace

std::optional<RayHit> cast_ray(const Geometry& geometry, const Pose& X_WS, const Vector3d& origin,
                               const Vector3d& direction, double reach) {
  require(std::abs(direction.squaredNorm() - 1.0) < 1e-9, "cast_ray: |direction| = {}, must be 1.",
          direction.norm());
  const Ray ray{origin, direction, reach};
  switch (geometry.kind) {
    case Geometry::Kind::kConvex:
      return cast(geometry.convex, X_WS, ray);
    case Geometry::Kind::kHalfSpace:
      return cast_half_space(X_WS, ray);
    case Geometry::Kind::kTriangles:
      return cast(*geometry.triangles, X_WS, ray);
    case Geometry::Kind::kCompound: {
      std::optional<RayHit> best;
      const Eigen::Quaterniond back = X_WS.rotation.conjugate();
      const Vector3d from = back * (origin - X_WS.position), inverse = (back * direction).cwiseInverse();
      geometry.part_tree->visit(
          [&](const Bounds& box) { return box.meets_ray(from, inverse, 0.0, best ? best->t : reach); },
          [&](int i) {
            const Geometry::Part& part = (*geometry.parts)[static_cast<std::size_t>(i)];
            const auto hit =
                cast_ray(part.geometry, X_WS * part.pose, origin, direction, best ? best->t : reach);
            if (hit && (!best || hit->t < best->t)) best = hit;
          });
      return best;
    }
  }
  return std::nullopt;
}

}  // namespace rigor
