#include "rigor/collision/collide.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/collision/box_box.hpp"
#include "rigor/collision/half_space_contact.hpp"
#include "rigor/collision/mesh_contact.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using Kind = Geometry::Kind;

void swap_roles(ContactPoint& p) {
  p.normal = -p.normal;
  std::swap(p.on_a, p.on_b);
  std::swap(p.kind_a, p.kind_b);
  std::swap(p.curvature_a, p.curvature_b);
  std::swap(p.id.a, p.id.b);
  std::swap(p.id.part_a, p.id.part_b);
}

bool is_spatial(const CollideOptions& options) {
  const Vector3d& n = options.plane_normal;
  return n[0] == 0.0 && n[1] == 0.0 && n[2] == 0.0;
}

// Where the frame B is in the frame A.
Pose seen_from(const Pose& X_WA, const Pose& X_WB) {
  const Eigen::Quaterniond back = X_WA.rotation.conjugate();
  return {back * (X_WB.position - X_WA.position), back * X_WB.rotation};
}

// Two balls need no frames and no features.
void collide_balls(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB, double margin,
                   std::vector<ContactPoint>& out) {
  const Vector3d d = X_WA.position - X_WB.position;
  const double reach = a.rounding + b.rounding + margin, distance2 = d.squaredNorm();
  if (distance2 > reach * reach) return;
  const double distance = std::sqrt(distance2);
  static const ContactPoint blank;
  out.push_back(blank);
  ContactPoint& p = out.back();
  p.gap = distance - a.rounding - b.rounding;
  p.normal = distance > 0.0 ? Vector3d(d / distance) : Vector3d::UnitZ();
  p.on_a = X_WA.position - a.rounding * p.normal;
  p.on_b = X_WB.position + b.rounding * p.normal;
  const Vector3d tangent = p.normal.unitOrthogonal();
  const double k_a = 1.0 / a.rounding, k_b = 1.0 / b.rounding;  // a point is infinitely sharp
  p.curvature_a = {tangent, k_a, k_a};
  p.curvature_b = {tangent, k_b, k_b};
  p.kind_a = a.rounding > 0.0 ? FeatureKind::kSmooth : FeatureKind::kVertex;
  p.kind_b = b.rounding > 0.0 ? FeatureKind::kSmooth : FeatureKind::kVertex;
}

void collide_parts(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                   const CollideOptions& options, CollisionScratch& scratch, std::vector<ContactPoint>& out);

// The parts of a compound A whose boxes meet B's, in their order, against B; the points remember their part.
void collide_compound(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                      const CollideOptions& options, CollisionScratch& scratch,
                      std::vector<ContactPoint>& out) {
  // B may be a compound too and use the same room above `base`
  std::vector<int>& near = scratch.parts;
  const std::size_t base = near.size();
  const Bounds bounds = compute_rough_bounds(b, seen_from(X_WA, X_WB)).grown(options.margin);
  a.part_tree->visit([&](const Bounds& box) { return box.overlaps(bounds); },
                     [&](int part) { near.push_back(part); });
  std::sort(near.begin() + static_cast<std::ptrdiff_t>(base), near.end());
  const std::size_t end = near.size();
  for (std::size_t i = base; i < end; ++i) {
    const Geometry::Part& part = (*a.parts)[static_cast<std::size_t>(near[i])];
    const std::size_t first = out.size();
    collide_parts(part.geometry, X_WA * part.pose, b, X_WB, options, scratch, out);
    for (std::size_t k = first; k < out.size(); ++k) out[k].id.part_a = static_cast<std::uint32_t>(near[i]);
  }
  near.resize(base);
}

// The table of pairs; the mirrored half of it by swapping roles.
void collide_parts(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                   const CollideOptions& options, CollisionScratch& scratch, std::vector<ContactPoint>& out) {
  if ((a.kind != Kind::kConvex || b.kind != Kind::kConvex) && !can_meet(a, b)) return;
  const double margin = options.margin;
  if (a.kind == Kind::kCompound) return collide_compound(a, X_WA, b, X_WB, options, scratch, out);
  if (a.kind == Kind::kConvex && b.kind == Kind::kConvex) {
    if (a.convex.kind == CoreKind::kPoint && b.convex.kind == CoreKind::kPoint)
      return collide_balls(a.convex, X_WA, b.convex, X_WB, margin, out);
    if (a.convex.kind == CoreKind::kBox && b.convex.kind == CoreKind::kBox && is_spatial(options) &&
        collide_boxes(a.convex, X_WA, b.convex, X_WB, margin, out) != BoxContact::kOpen)
      return;
    Manifold& manifold = scratch.manifold;
    collide_convex(a.convex, X_WA, b.convex, X_WB, margin, options.plane_normal, scratch, manifold);
    out.insert(out.end(), manifold.begin(), manifold.end());
    return;
  }
  if (a.kind == Kind::kConvex && b.kind == Kind::kHalfSpace)
    return collide_half_space(a.convex, X_WA, X_WB, margin, scratch.points, out);
  if (a.kind == Kind::kConvex && b.kind == Kind::kTriangles)
    return collide_triangles(a.convex, X_WA, *b.triangles, X_WB, margin, scratch, out);
  const std::size_t first = out.size();
  collide_parts(b, X_WB, a, X_WA, options, scratch, out);
  for (std::size_t k = first; k < out.size(); ++k) swap_roles(out[k]);
}

// Points that coincide in the plane become one; the deepest of each group stays, in the plane of A's
// origin.
void flatten(const Vector3d& m, const Vector3d& origin, std::size_t first, std::vector<ContactPoint>& out) {
  const auto in_plane = [&](const Vector3d& p) -> Vector3d { return p - m * m.dot(p - origin); };
  std::size_t end = first;
  for (std::size_t i = first; i < out.size(); ++i) {
    ContactPoint point = out[i];
    point.on_a = in_plane(point.on_a);
    point.on_b = in_plane(point.on_b);
    const double size = 1e-9 * (1.0 + (point.on_a - origin).norm());
    const auto same =
        std::find_if(out.begin() + static_cast<std::ptrdiff_t>(first),
                     out.begin() + static_cast<std::ptrdiff_t>(end), [&](const ContactPoint& x) {
                       return (x.on_a - point.on_a).norm() < size && x.normal.dot(point.normal) > 0.5;
                     });
    if (same == out.begin() + static_cast<std::ptrdiff_t>(end))
      out[end++] = point;
    else if (point.gap < same->gap || (point.gap == same->gap && point.id < same->id))
      *same = point;
  }
  out.resize(end);
}

ContactPoint nearest_parts(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                           const Vector3d& plane, CollisionScratch& scratch) {
  if (a.kind == Kind::kCompound) {
    ContactPoint best;
    best.gap = std::numeric_limits<double>::infinity();
    const Bounds bounds = compute_rough_bounds(b, seen_from(X_WA, X_WB));
    // the boxes' distance bounds that of all parts inside; seen along a plane's normal they may be nearer
    const auto may_hold = [&](const Bounds& box) {
      return !plane.isZero(0.0) || box.distance(bounds) <= std::max(best.gap, 0.0);
    };
    a.part_tree->visit(may_hold, [&](int i) {
      const Geometry::Part& part = (*a.parts)[static_cast<std::size_t>(i)];
      if (!can_meet(part.geometry, b)) return;
      ContactPoint point = nearest_parts(part.geometry, X_WA * part.pose, b, X_WB, plane, scratch);
      point.id.part_a = static_cast<std::uint32_t>(i);
      if (point.gap < best.gap || (point.gap == best.gap && point.id.part_a < best.id.part_a)) best = point;
    });
    return best;
  }
  if (a.kind == Kind::kConvex && b.kind == Kind::kConvex)
    return find_nearest(a.convex, X_WA, b.convex, X_WB, plane, scratch);
  if (a.kind == Kind::kConvex && b.kind == Kind::kTriangles)
    return find_nearest_triangle(a.convex, X_WA, *b.triangles, X_WB, plane, scratch);
  if (a.kind == Kind::kConvex && b.kind == Kind::kHalfSpace) {
    std::vector<ContactPoint>& points = scratch.group;
    points.clear();
    collide_half_space(a.convex, X_WA, X_WB, std::numeric_limits<double>::infinity(), scratch.points, points);
    return *std::min_element(points.begin(), points.end(),
                             [](const auto& x, const auto& y) { return x.gap < y.gap; });
  }
  ContactPoint point = nearest_parts(b, X_WB, a, X_WA, plane, scratch);
  swap_roles(point);
  return point;
}

}  // namespace

bool can_meet(const Geometry& a, const Geometry& b) {
  const auto can = [](const Geometry& x, const Geometry& y) {
    return !(x.is_static_only() && y.is_static_only());
  };
  const auto any = [&](const Geometry& x, const Geometry& y, auto&& self) -> bool {
    if (x.kind == Kind::kCompound)
      return std::any_of(x.parts->begin(), x.parts->end(),
                         [&](const Geometry::Part& p) { return self(p.geometry, y, self); });
    if (y.kind == Kind::kCompound) return self(y, x, self);
    return can(x, y);
  };
  return any(a, b, any);
}

void collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
             const CollideOptions& options, CollisionScratch& scratch, std::vector<ContactPoint>& out) {
  const std::size_t first = out.size();
  collide_parts(a, X_WA, b, X_WB, options, scratch, out);
  if (!is_spatial(options)) flatten(options.plane_normal, X_WA.position, first, out);
}

ContactPoint find_nearest(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
                          CollisionScratch& scratch, const Vector3d& plane_normal) {
  require(can_meet(a, b),
          "find_nearest: neither of the two shapes can move, so that they have no distance. Ask with a shape "
          "that moves.");
  ContactPoint point = nearest_parts(a, X_WA, b, X_WB, plane_normal, scratch);
  for (Vector3d* x : {&point.on_a, &point.on_b})
    *x -= plane_normal * plane_normal.dot(*x - X_WA.position);  // to the height of A's origin
  return point;
}

}  // namespace rigor
