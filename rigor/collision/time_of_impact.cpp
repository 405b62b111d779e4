#include "rigor/collision/time_of_impact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

// Radius of a ball about the origin that holds the shape.
double reach_of(const Geometry& g) {
  switch (g.kind) {
    case Geometry::Kind::kConvex:
      return g.convex.reach;
    case Geometry::Kind::kHalfSpace:
      return 0.0;
    case Geometry::Kind::kTriangles: {
      double reach = 0.0;
      for (const Vector3d& v : g.triangles->vertices) reach = std::max(reach, v.norm());
      return reach;
    }
    case Geometry::Kind::kCompound: {
      double reach = 0.0;
      for (const Geometry::Part& part : *g.parts)
        reach = std::max(reach, part.pose.position.norm() + reach_of(part.geometry));
      return reach;
    }
  }
  return 0.0;
}

}  // namespace

Pose Motion::at(double t) const {
  const double speed = angular_velocity.norm();
  if (!(speed > 0.0)) return {start.position + t * velocity, start.rotation};
  return {start.position + t * velocity,
          quaternion_from_axis_angle(angular_velocity / speed, speed * t) * start.rotation};
}

ImpactResult find_time_of_impact(const Geometry& a, const Motion& motion_a, const Geometry& b,
                                 const Motion& motion_b, const ImpactOptions& options,
                                 CollisionScratch& scratch) {
  require(
      options.duration >= 0.0 && options.target_gap >= 0.0 && options.tolerance > 0.0,
      "find_time_of_impact: duration = {} s, target gap = {} m, must be >= 0, tolerance = {} m, must be > 0.",
      options.duration, options.target_gap, options.tolerance);
  require(b.kind != Geometry::Kind::kHalfSpace || motion_b.angular_velocity.isZero(0.0),
          "find_time_of_impact: a half-space cannot turn; its reach has no end.");
  require(a.kind != Geometry::Kind::kHalfSpace || motion_a.angular_velocity.isZero(0.0),
          "find_time_of_impact: a half-space cannot turn; its reach has no end.");
  const double turn =
      motion_a.angular_velocity.norm() * reach_of(a) + motion_b.angular_velocity.norm() * reach_of(b);
  const Vector3d relative = motion_a.velocity - motion_b.velocity;
  // the plane between the shapes may turn with them, so that the full relative speed counts once the normal
  // is let go; for a held normal the approach along it is the bound
  ImpactResult result;
  for (; result.iterations < options.max_iterations; ++result.iterations) {
    result.point = find_nearest(a, motion_a.at(result.time), b, motion_b.at(result.time), scratch);
    const double left = result.point.gap - options.target_gap;
    if (left <= options.tolerance) {
      const bool at_start = result.iterations == 0 && left < -options.tolerance;
      result.status = at_start ? ImpactStatus::kOverlapAtStart : ImpactStatus::kImpact;
      return result;
    }
    const double approach = -result.point.normal.dot(relative) + turn;
    if (!(approach > 0.0)) return result;  // the fixed plane separates them for ever
    // half the tolerance beyond the target: the last step ends within target ± tolerance
    result.time += (left + 0.5 * options.tolerance) / approach;
    if (result.time >= options.duration) {
      result.time = options.duration;
      return result;
    }
  }
  result.status = ImpactStatus::kIterationLimit;
  return result;
}

}  // namespace rigor
