#pragma once

#include <vector>

#include "rigor/collision/clip.hpp"
#include "rigor/collision/contact_point.hpp"
#include "rigor/collision/convex.hpp"
#include "rigor/collision/normal_newton.hpp"

namespace rigor {

/// Storage that the searches reuse: after a few calls of each kind none of them allocates. One per thread.
struct CollisionScratch {
  ContactFeature feature_a, feature_b;
  ClipScratch clip;
  std::vector<OverlapPoint> overlap;
  std::vector<ContactPoint> points;
  Manifold manifold;
  Polytope triangle;
  std::vector<ContactPoint> group;
  std::vector<int> found, parts;
};

/// The points of two convex shapes whose gap is at most `margin` [m], in the world.
///
/// The normal is that of find_axis(). Where a plane face of either shape is perpendicular to it, the points
/// are the corners of the overlap of that face with the facing feature of the other shape (clip.hpp), each
/// with its own gap along the common normal; the same where faces of both are perpendicular to it within 0.05
/// rad. Where two edges or generators are nearly parallel, the points are the ends of their common part; else
/// there is one pair of witness points. More than 8 are reduced by reduce_points().
///
/// `plane`, where not 0 (unit, world), is the normal of a planar scene: contact normals stay in the plane.
void collide_convex(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB, double margin,
                    const Eigen::Vector3d& plane, CollisionScratch& scratch, Manifold& out);

/// The same with a normal that is already known (separation and witness points of the cores in `axis`, in A's
/// frame). Where the residual of `axis` is infinite it has no witness points, and where faces do not overlap
/// there is then no contact point.
void make_manifold(const ConvexPair& pair, const Axis& axis, const Pose& X_WA, double margin,
                   CollisionScratch& scratch, Manifold& out);

/// The nearest (deepest) pair of points of two convex shapes at any distance; `plane` as above.
[[nodiscard]] ContactPoint find_nearest(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                                        const Eigen::Vector3d& plane, CollisionScratch& scratch);

}  // namespace rigor
