#include "rigor/collision/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/collision/convex_hull.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

void require_size(const char* what, const char* name, double value) {
  require(std::isfinite(value) && value >= 0.0, "{}: {} = {} m, must be finite and >= 0.", what, name, value);
}

void set_polytope(Geometry& g, CoreKind kind, Polytope polytope) {
  g.polytope = std::make_shared<const Polytope>(std::move(polytope));
  g.convex.polytope = g.polytope.get();
  g.convex.kind = kind;
  g.convex.center = g.polytope->center;
  g.convex.thickness = g.polytope->inradius;
  double far = 0.0, wide = 0.0;
  for (const Vector3d& v : g.polytope->vertices) {
    far = std::max(far, v.norm());
    wide = std::max(wide, (v - g.polytope->center).norm());
  }
  g.convex.reach = far + g.convex.rounding;
  g.convex.size = wide + g.convex.rounding;
}

void set_round(Geometry& g, CoreKind kind, double radius, double length) {
  g.convex.kind = kind;
  g.convex.radius = radius;
  g.convex.half_length = 0.5 * length;
  g.convex.reach = g.convex.size = portable::hypot(radius, 0.5 * length);
  g.convex.thickness = 0.25 * std::min(radius, length);
}

struct Maker {
  Geometry g;

  void ball(const char* what, double radius) {
    require_size(what, "radius", radius);
    g.convex.rounding = radius;
    set_polytope(g, CoreKind::kPoint, make_point_polytope());
  }
  void operator()(const Sphere& s) { ball("sphere", s.radius); }
  void operator()(const Disk& s) { ball("disk", s.radius); }
  void operator()(const Point&) { ball("point", 0.0); }
  void operator()(const Capsule& s) {
    require_size("capsule", "radius", s.radius);
    require_size("capsule", "length", s.length);
    g.convex.rounding = s.radius;
    g.convex.half_length = 0.5 * s.length;
    if (s.length > 0.0)
      set_polytope(g, CoreKind::kSegment, make_segment_polytope(0.5 * s.length));
    else
      set_polytope(g, CoreKind::kPoint, make_point_polytope());
  }
  void operator()(const Cylinder& s) {
    require_size("cylinder", "radius", s.radius);
    require_size("cylinder", "length", s.length);
    require(s.radius > 0.0, "cylinder: radius = 0 m, must be > 0. Use a capsule for a line.");
    set_round(g, CoreKind::kCylinder, s.radius, s.length);
  }
  void operator()(const Cone& s) {
    require_size("cone", "radius", s.radius);
    require_size("cone", "length", s.length);
    require(s.radius > 0.0 && s.length > 0.0,
            "cone: radius = {} m, length = {} m, must be > 0. Use a cylinder for a plate, "
            "a capsule for a line.",
            s.radius, s.length);
    set_round(g, CoreKind::kCone, s.radius, s.length);
    g.convex.center = Vector3d(0.0, 0.0, -0.25 * s.length);
  }
  void operator()(const Box& s) {
    for (int i = 0; i < 3; ++i) require_size("box", "size", s.size[i]);
    g.convex.radii = 0.5 * s.size;
    set_polytope(g, CoreKind::kBox, make_box_polytope(0.5 * s.size));
  }
  void operator()(const Ellipsoid& s) {
    for (int i = 0; i < 3; ++i) require_size("ellipsoid", "radius", s.radii[i]);
    require(s.radii.minCoeff() > 0.0,
            "ellipsoid: its smallest radius is 0 m, must be > 0. Use a thin cylinder.");
    g.convex.kind = CoreKind::kEllipsoid;
    g.convex.radii = s.radii;
    g.convex.reach = g.convex.size = s.radii.maxCoeff();
    g.convex.thickness = s.radii.minCoeff();
  }
  void operator()(const HalfSpace&) { g.kind = Geometry::Kind::kHalfSpace; }
  void operator()(const Hull& s) { set_polytope(g, CoreKind::kPolytope, make_convex_hull(s.points)); }
  void operator()(const Polygon& s) {
    const std::size_t n = s.points.size();
    require(n >= 3, "polygon: has {} corners, must have at least 3.", n);
    double extent = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      require(s.points[i].allFinite(), "polygon: corner {} is not finite. Check the data it came from.", i);
      const Eigen::Vector2d u = s.points[(i + 1) % n] - s.points[i],
                            v = s.points[(i + 2) % n] - s.points[(i + 1) % n];
      require(u.x() * v.y() - u.y() * v.x() > 0.0,
              "polygon: does not turn left at corner {}, must be convex and "
              "counter-clockwise.",
              (i + 1) % n);
      extent = std::max(extent, (s.points[i] - s.points[0]).norm());
    }
    set_polytope(g, CoreKind::kPolytope, make_prism_polytope(s.points, 4.0 * extent));
  }
  void operator()(const TriangleMesh& s) { triangles(make_triangle_set(s)); }
  void operator()(const HeightField& s) { triangles(make_triangle_set(s)); }
  void triangles(TriangleSet set) {
    g.kind = Geometry::Kind::kTriangles;
    g.triangles = std::make_shared<const TriangleSet>(std::move(set));
  }
};

// Below a height field: a body that has fallen through is still found, down to ten times the field's
// extent.
void include_below(const Vector3d& up, Bounds& bounds) {
  const Vector3d down = -10.0 * (bounds.high - bounds.low).norm() * up;
  bounds.include(Bounds{bounds.low + down, bounds.high + down});
}

}  // namespace

Geometry make_geometry(const Shape& shape) {
  Maker maker;
  std::visit([&](const auto& s) { maker(s); }, shape);
  return maker.g;
}

Geometry make_compound(std::vector<Geometry::Part> parts) {
  require(!parts.empty(), "compound: has no parts, must have at least 1.");
  for (std::size_t i = 0; i < parts.size(); ++i)
    require(parts[i].geometry.kind != Geometry::Kind::kCompound,
            "compound: part {} is a compound itself. Give its parts.", i);
  std::vector<Bounds> boxes;
  for (const Geometry::Part& part : parts) boxes.push_back(compute_bounds(part.geometry, part.pose));
  Geometry g;
  g.kind = Geometry::Kind::kCompound;
  g.part_tree = std::make_shared<const BoxTree>(make_box_tree(boxes));
  g.parts = std::make_shared<const std::vector<Geometry::Part>>(std::move(parts));
  return g;
}

Bounds compute_rough_bounds(const Geometry& geometry, const Pose& X_WS) {
  const BoxTree* tree = geometry.kind == Geometry::Kind::kTriangles  ? &geometry.triangles->tree
                        : geometry.kind == Geometry::Kind::kCompound ? geometry.part_tree.get()
                                                                     : nullptr;
  if (!tree) return compute_bounds(geometry, X_WS);
  const Eigen::Matrix3d R = X_WS.rotation.toRotationMatrix();
  const Bounds& box = tree->nodes[0].bounds;
  const Vector3d middle = X_WS.position + R * box.middle(),
                 half = R.cwiseAbs() * (0.5 * (box.high - box.low));
  Bounds out{middle - half, middle + half};
  if (geometry.kind == Geometry::Kind::kTriangles && geometry.triangles->solid_below)
    include_below(R.col(2), out);
  return out;
}

Bounds compute_bounds(const Geometry& geometry, const Pose& X_WS) {
  Bounds out;
  switch (geometry.kind) {
    case Geometry::Kind::kConvex: {
      const Extent extent = compute_extent(geometry.convex, X_WS.rotation.toRotationMatrix());
      const Vector3d middle = X_WS.position + extent.middle;
      return {middle - extent.half, middle + extent.half};
    }
    case Geometry::Kind::kHalfSpace:
      return {Vector3d::Constant(-1e300), Vector3d::Constant(1e300)};
    case Geometry::Kind::kTriangles: {
      const Eigen::Matrix3d R = X_WS.rotation.toRotationMatrix();
      for (const Vector3d& v : geometry.triangles->vertices) out.include(X_WS.position + R * v);
      if (geometry.triangles->solid_below) include_below(R.col(2), out);
      return out;
    }
    case Geometry::Kind::kCompound:
      for (const Geometry::Part& part : *geometry.parts)
        out.include(compute_bounds(part.geometry, X_WS * part.pose));
      return out;
  }
  return out;
}

}  // namespace rigor
