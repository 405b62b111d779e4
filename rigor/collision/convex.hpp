#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>

#include "rigor/collision/polytope.hpp"
#include "rigor/math/pose.hpp"

namespace rigor {

/// The kind of a convex core. Points, segments, boxes and triangles are polytopes for which there are faster
/// methods.
enum class CoreKind : std::uint8_t { kPoint, kSegment, kBox, kPolytope, kCylinder, kCone, kEllipsoid };

/// A convex shape: a core, and a ball of radius `rounding` swept over it. Sphere and capsule are a rounded
/// point and a rounded segment. Rounding shifts every separation by a constant, so all searches work on the
/// core.
struct Convex {
  CoreKind kind{CoreKind::kPoint};
  double rounding{0.0};                             // m
  double radius{0.0};                               // cylinder, cone, m
  double half_length{0.0};                          // segment, cylinder, cone, m
  Eigen::Vector3d radii{Eigen::Vector3d::Zero()};   // half edges of a box, semi-axes of an ellipsoid, m
  const Polytope* polytope{nullptr};                // point, segment, box, polytope
  Eigen::Vector3d center{Eigen::Vector3d::Zero()};  // a point inside, m
  double reach{0.0};      // of a ball about the origin that holds core and rounding, m
  double size{0.0};       // typical extent, to judge rounding by, m
  double thickness{0.0};  // radius of a ball about `center` inside the core, m

  [[nodiscard]] bool is_polytope() const { return polytope != nullptr; }
};

/// The point of the core furthest along d (any length, not 0).
[[nodiscard]] Eigen::Vector3d find_support(const Convex& shape, const Eigen::Vector3d& d);

/// Half the extent of the axis-aligned box around the shape (with rounding) turned by R; `middle` is its
/// centre.
struct Extent {
  Eigen::Vector3d middle, half;
};
[[nodiscard]] Extent compute_extent(const Convex& shape, const Eigen::Matrix3d& R);

/// Two convex shapes and where B's frame is in A's. All vectors of a pair are in A's frame, so that a far
/// away origin costs no digits.
struct ConvexPair {
  const Convex* a{nullptr};
  const Convex* b{nullptr};
  Eigen::Matrix3d R_AB{Eigen::Matrix3d::Identity()};
  Eigen::Vector3d p_AB{Eigen::Vector3d::Zero()};   // m
  Eigen::Vector3d plane{Eigen::Vector3d::Zero()};  // planar scenes: normal of the plane; else 0

  ConvexPair(const Convex& shape_a, const Pose& X_WA, const Convex& shape_b, const Pose& X_WB);

  [[nodiscard]] Eigen::Vector3d support_a(const Eigen::Vector3d& d) const { return find_support(*a, d); }
  [[nodiscard]] Eigen::Vector3d support_b(const Eigen::Vector3d& d) const {
    return p_AB + R_AB * find_support(*b, R_AB.transpose() * d);
  }

  /// s(n) = min over A of n·x − max over B of n·x, of the cores, for unit n [m]. The signed distance of the
  /// cores is the maximum of s over all n: every n gives a lower bound, so no search can report a gap too
  /// large.
  [[nodiscard]] double separation(const Eigen::Vector3d& n) const {
    return n.dot(support_a(-n) - support_b(n));
  }
  /// In a planar scene contact normals stay in the plane.
  [[nodiscard]] bool is_allowed(const Eigen::Vector3d& n) const { return std::abs(plane.dot(n)) < 1e-6; }
  [[nodiscard]] double rounding() const { return a->rounding + b->rounding; }
  /// What rounding errors are relative to.
  [[nodiscard]] double scale() const { return a->size + b->size; }
};

}  // namespace rigor
