#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/collision/contact_point.hpp"
#include "rigor/collision/convex_contact.hpp"
#include "rigor/collision/geometry.hpp"

namespace rigor {

struct CollideOptions {
  double margin{0.0};  // m, ≥ 0: points with a larger gap are not reported
  /// Planar scenes: unit normal of the plane, in the world, in which all origins lie; 0 in space. Contact
  /// normals stay in the plane, and points that coincide in it are one, at the height of A's origin.
  Eigen::Vector3d plane_normal{Eigen::Vector3d::Zero()};
};

/// Whether the pair can have contacts. Two shapes that never move (half-space, mesh, height field) have none.
[[nodiscard]] bool can_meet(const Geometry& a, const Geometry& b);

/// Appends the contact points of A and B, in the world, to `out`, always in the same order. Each pair of
/// convex parts has at most 8. A pair that cannot meet has none. After the first calls nothing is allocated
/// but the room of `out`.
///
///  - Box, box: collide_boxes() where faces meet, else as convex.
///  - Convex, convex: collide_convex().
///  - Convex, half-space: its corners, the lowest points and quarters of its rims, its lowest point.
///  - Convex, mesh or height field: each triangle near. A contact on an edge counts where the surface bends
///    outwards there and the normal lies between the two faces', else the triangle's own normal is taken.
///  - Compound, any: the parts whose boxes meet, found by a tree, in their order.
void collide(const Geometry& a, const Pose& X_WA, const Geometry& b, const Pose& X_WB,
             const CollideOptions& options, CollisionScratch& scratch, std::vector<ContactPoint>& out);

/// The nearest (deepest) pair of points at any distance; its gap is the signed distance of the pair. Throws
/// InvalidInput for a pair that cannot meet. In a planar scene give the unit normal of the plane, as in
/// CollideOptions: the distance is then that of the shadows on the plane.
[[nodiscard]] ContactPoint find_nearest(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                        const Pose& X_WB, CollisionScratch& scratch,
                                        const Eigen::Vector3d& plane_normal = Eigen::Vector3d::Zero());

}  // namespace rigor
