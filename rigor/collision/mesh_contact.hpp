#pragma once

#include <vector>

#include "rigor/collision/convex_contact.hpp"
#include "rigor/collision/triangle_set.hpp"

namespace rigor {

/// Appends the points of a convex shape A against a static surface B, at most 8 for each direction of the
/// normal.
///
/// Triangle by triangle, A would be pushed sideways where it slides over a seam to the next triangle. So a
/// contact on an edge or a corner counts only where the surface bends outwards over it and the normal lies
/// between those of the two faces; else the triangle's own normal is taken, with the points over the
/// triangle. A shape that is wholly behind a triangle does not touch it, unless the surface is solid below.
void collide_triangles(const Convex& a, const Pose& X_WA, const TriangleSet& b, const Pose& X_WB,
                       double margin, CollisionScratch& scratch, std::vector<ContactPoint>& out);

/// The nearest pair of points at any distance, triangles seen from both sides; `plane` as in find_nearest().
[[nodiscard]] ContactPoint find_nearest_triangle(const Convex& a, const Pose& X_WA, const TriangleSet& b,
                                                 const Pose& X_WB, const Eigen::Vector3d& plane,
                                                 CollisionScratch& scratch);

}  // namespace rigor
