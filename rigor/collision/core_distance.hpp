#pragma once

#include <Eigen/Core>

#include "rigor/collision/convex.hpp"

namespace rigor {

/// A point against a solid, or a segment against a segment, in closed form.
struct CoreDistance {
  double distance{0.0};                              // m; negative inside
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};       // unit: gradient of the distance, away from the solid
  Eigen::Vector3d nearest{Eigen::Vector3d::Zero()};  // point of the surface, m
};

/// The point x [m], in the solid's frame, against its core. Where several surface points are equally near (a
/// centre, an axis) one of them is taken, always the same.
///
///  - Box: the clamped point outside, the nearest face inside.
///  - Cylinder and cone: their cut through x and the axis is a convex polygon, the solid its revolution.
///  - Ellipsoid: nearest = r² x/(t + r²) by components, where t > −min r² is the only root of
///    Σ (r x/(t + r²))² = 1, a function that falls with t; found by Newton inside a bracket [1].
///
/// [1] D. Eberly. Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid. Geometric Tools,
///     2013.
[[nodiscard]] CoreDistance find_point_distance(const Convex& solid, const Eigen::Vector3d& x);

/// Nearest points of the segments x ± u and y ± v (half lengths u, v) by clamping [2, §5.1.9]. n points from
/// the second to the first; `crossing` says that both nearest points are inside, where n is ± u × v.
///
/// [2] C. Ericson. Real-Time Collision Detection. Morgan Kaufmann, 2005.
struct SegmentDistance {
  double distance{0.0};
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};
  Eigen::Vector3d on_a{Eigen::Vector3d::Zero()}, on_b{Eigen::Vector3d::Zero()};
};
[[nodiscard]] SegmentDistance find_segment_distance(const Eigen::Vector3d& x, const Eigen::Vector3d& u,
                                                    const Eigen::Vector3d& y, const Eigen::Vector3d& v);

}  // namespace rigor
