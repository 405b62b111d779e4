#include "rigor/collision/mesh_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/collision/axis.hpp"
#include "rigor/collision/reduce_points.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

Convex triangle_shape(const TriangleSet& set, int index, Polytope& room) {
  const auto& t = set.triangles[static_cast<std::size_t>(index)];
  const auto v = [&](std::size_t k) -> const Vector3d& {
    return set.vertices[static_cast<std::size_t>(t[k])];
  };
  set_triangle(room, v(0), v(1), v(2));
  room.faces[0].normal = set.normals[static_cast<std::size_t>(index)];
  room.faces[1].normal = -room.faces[0].normal;
  Convex shape;
  shape.kind = CoreKind::kPolytope;
  shape.polytope = &room;
  shape.center = room.center;
  for (std::size_t k = 0; k < 3; ++k) {
    shape.reach = std::max(shape.reach, v(k).norm());
    shape.size = std::max(shape.size, (v(k) - room.center).norm());
  }
  return shape;
}

// Whether the surface really has the normal n (in its frame) at the point x of this triangle.
bool is_own_normal(const TriangleSet& set, int index, const Vector3d& n, const Vector3d& x,
                   double tolerance) {
  const auto i = static_cast<std::size_t>(index);
  const Vector3d& face = set.normals[i];
  if (n.dot(face) > 1.0 - 1e-9) return true;
  if (n.dot(face) <= 0.0) return false;
  for (int k = 0; k < 3; ++k) {
    const Vector3d
        &from = set.vertices[static_cast<std::size_t>(set.triangles[i][static_cast<std::size_t>(k)])],
        &to = set.vertices[static_cast<std::size_t>(set.triangles[i][static_cast<std::size_t>((k + 1) % 3)])];
    const Vector3d e = (to - from).normalized();
    if ((x - from).cross(e).norm() > tolerance) continue;
    if (!set.is_ridge(index, k)) return false;
    // between the two faces: not beyond the planes that are perpendicular to them at the edge
    if (n.dot(e.cross(face)) < -1e-9) return false;
    const int next = set.neighbours[i][static_cast<std::size_t>(k)];
    if (next >= 0 && n.dot(set.normals[static_cast<std::size_t>(next)].cross(e)) < -1e-9) return false;
  }
  return true;
}

// The triangle's own normal: A measured against its plane. False where A lies wholly behind it.
bool set_face_axis(const ConvexPair& pair, const Vector3d& face_A, const Vector3d& on_plane, bool solid_below,
                   Axis& axis) {
  axis = Axis{};
  axis.n = face_A;
  axis.separation = face_A.dot(pair.support_a(-face_A) - on_plane);
  axis.residual = std::numeric_limits<double>::infinity();
  return solid_below || face_A.dot(pair.support_a(face_A) - on_plane) + pair.a->rounding > 0.0;
}

// The box around A in the frame of the surface.
Bounds bounds_in(const Convex& a, const Pose& X_WA, const Pose& X_WB, double margin) {
  const Eigen::Matrix3d R_WB = X_WB.rotation.toRotationMatrix();
  const Extent extent = compute_extent(a, R_WB.transpose() * X_WA.rotation.toRotationMatrix());
  const Vector3d middle = R_WB.transpose() * (X_WA.position - X_WB.position) + extent.middle;
  return Bounds{middle - extent.half, middle + extent.half}.grown(margin);
}

// Removes points that two triangles both report, and reduces those of one normal to 8.
void merge(double tolerance, std::size_t first, std::vector<ContactPoint>& group,
           std::vector<ContactPoint>& out) {
  const auto same_normal = [](const ContactPoint& x, const ContactPoint& y) {
    return x.normal.dot(y.normal) > 1.0 - 1e-9;
  };
  std::size_t end = first;
  for (std::size_t i = first; i < out.size(); ++i) {
    const bool seen =
        std::any_of(out.begin() + static_cast<std::ptrdiff_t>(first),
                    out.begin() + static_cast<std::ptrdiff_t>(end), [&](const ContactPoint& x) {
                      return same_normal(x, out[i]) && (x.on_a - out[i].on_a).norm() < tolerance;
                    });
    if (!seen) out[end++] = out[i];
  }
  out.resize(end);
  for (std::size_t start = first; start < out.size();) {
    // gather the points with the normal of the first one left
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(start);
    const ContactPoint lead = *begin;
    const auto middle =
        std::stable_partition(begin, out.end(), [&](const ContactPoint& x) { return same_normal(x, lead); });
    const auto count = static_cast<std::size_t>(middle - begin);
    if (count > Manifold::kCapacity) {
      group.assign(begin, middle);
      reduce_points(group, Manifold::kCapacity);
      std::copy(group.begin(), group.end(), begin);
      out.erase(begin + static_cast<std::ptrdiff_t>(group.size()), middle);
      start += group.size();
    } else {
      start += count;
    }
  }
}

}  // namespace

void collide_triangles(const Convex& a, const Pose& X_WA, const TriangleSet& b, const Pose& X_WB,
                       double margin, CollisionScratch& scratch, std::vector<ContactPoint>& out) {
  const std::size_t first = out.size();
  Bounds bounds = bounds_in(a, X_WA, X_WB, margin);
  if (b.solid_below) bounds.high.z() = std::numeric_limits<double>::infinity();
  b.find_overlapping(bounds, scratch.found);
  Manifold& manifold = scratch.manifold;
  for (const int index : scratch.found) {
    const Convex triangle = triangle_shape(b, index, scratch.triangle);
    const ConvexPair pair(a, X_WA, triangle, X_WB);
    Axis axis = find_axis(pair, margin + pair.rounding());
    if (axis.separation > margin + pair.rounding()) continue;
    const Vector3d n_B = pair.R_AB.transpose() * axis.n,
                   on_B = pair.R_AB.transpose() * (axis.on_b - pair.p_AB);
    const bool apart = axis.separation > 0.0;
    if (!apart || !is_own_normal(b, index, n_B, on_B, 1e-9 * triangle.size)) {
      const Vector3d face_A = pair.R_AB * b.normals[static_cast<std::size_t>(index)];
      const Vector3d on_plane = pair.p_AB + pair.R_AB * scratch.triangle.vertices[0];
      // overlapping: the way out is the face's, unless a ridge offers a nearer one
      const bool ridge = !apart && axis.n.dot(face_A) < 1.0 - 1e-9 && axis.residual < 1e-9 * pair.scale() &&
                         is_own_normal(b, index, n_B, on_B, 1e-9 * triangle.size);
      if (!ridge && !set_face_axis(pair, face_A, on_plane, b.solid_below, axis)) continue;
    }
    make_manifold(pair, axis, X_WA, margin, scratch, manifold);
    for (ContactPoint& point : manifold) {
      point.id.part_b = static_cast<std::uint32_t>(index);
      out.push_back(point);
    }
  }
  merge(1e-9 * a.size, first, scratch.group, out);
}

ContactPoint find_nearest_triangle(const Convex& a, const Pose& X_WA, const TriangleSet& b, const Pose& X_WB,
                                   const Vector3d& plane, CollisionScratch& scratch) {
  const Bounds bounds = bounds_in(a, X_WA, X_WB, 0.0);
  ContactPoint best;
  best.gap = std::numeric_limits<double>::infinity();
  // the boxes' distance bounds that of all triangles inside, but not that of their shadows on a plane
  const bool flat = !plane.isZero(0.0);
  b.tree.visit([&](const Bounds& box) { return flat || box.distance(bounds) <= std::max(best.gap, 0.0); },
               [&](int index) {
                 const Convex triangle = triangle_shape(b, index, scratch.triangle);
                 ContactPoint point = find_nearest(a, X_WA, triangle, X_WB, plane, scratch);
                 point.id.part_b = static_cast<std::uint32_t>(index);
                 if (point.gap < best.gap) best = point;
               });
  return best;
}

}  // namespace rigor
