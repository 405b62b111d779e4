#pragma once

#include <memory>
#include <vector>

#include "rigor/collision/bounds.hpp"
#include "rigor/collision/box_tree.hpp"
#include "rigor/collision/convex.hpp"
#include "rigor/collision/shape.hpp"
#include "rigor/collision/triangle_set.hpp"

namespace rigor {

/// A shape made ready for queries. Cheap to copy: the heavy parts are shared and never change.
///
/// A point is a ball without radius. In a planar scene a disk is a ball with its centre in the plane, and a
/// polygon a prism across it; collide() keeps their contacts in the plane.
struct Geometry {
  enum class Kind : std::uint8_t { kConvex, kHalfSpace, kTriangles, kCompound } kind{Kind::kConvex};
  Convex convex;                                 // kConvex
  std::shared_ptr<const Polytope> polytope;      // what `convex` points to
  std::shared_ptr<const TriangleSet> triangles;  // kTriangles

  struct Part;
  std::shared_ptr<const std::vector<Part>> parts;  // kCompound
  std::shared_ptr<const BoxTree> part_tree;        // over them, in the compound's frame

  /// Half-spaces, meshes and height fields do not move, so that two of them never meet.
  [[nodiscard]] bool is_static_only() const { return kind == Kind::kHalfSpace || kind == Kind::kTriangles; }
};

struct Geometry::Part {
  Pose pose;  // of the part in the compound's frame
  Geometry geometry;
};

/// Throws InvalidInput naming the shape, the value and the rule: a size that is negative or not finite, a
/// hull without volume, a polygon that is not convex, a mesh that repair_mesh() would have to change.
[[nodiscard]] Geometry make_geometry(const Shape& shape);

/// Several shapes as one; parts keep their order in FeatureId. Throws where there is none, or one is a
/// compound.
[[nodiscard]] Geometry make_compound(std::vector<Geometry::Part> parts);

/// Axis-aligned box around the geometry at a pose [m]; a half-space's reaches to ±1e300.
[[nodiscard]] Bounds compute_bounds(const Geometry& geometry, const Pose& X_WS);

/// A larger box that is found faster, without looking at every triangle or part: around the turned box of the
/// whole.
[[nodiscard]] Bounds compute_rough_bounds(const Geometry& geometry, const Pose& X_WS);

}  // namespace rigor
