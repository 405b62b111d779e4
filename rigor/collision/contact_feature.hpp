#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "rigor/collision/contact_point.hpp"
#include "rigor/collision/convex.hpp"

namespace rigor {

/// The part of a core (vertex, edge, face, disk) that faces a direction, in A's frame: what contacts with
/// several points are made of.
struct ContactFeature {
  enum class Form : std::uint8_t { kPoint, kSegment, kPolygon, kDisk } form{Form::kPoint};
  std::vector<Eigen::Vector3d> corners;              // one, two, or counter-clockwise seen from outside
  std::vector<std::uint32_t> corner_labels;          // what FeatureId calls the corners
  std::vector<std::uint32_t> edge_labels;            // the side that starts at the corner
  std::uint32_t label{0};                            // of the whole
  Eigen::Vector3d normal{Eigen::Vector3d::UnitZ()};  // outward, of polygon and disk
  Eigen::Vector3d center{Eigen::Vector3d::Zero()};   // of a disk
  double radius{0.0};                                // of a disk, m
};

/// Labels of FeatureId: vertices count from 0, edges and faces from these.
inline constexpr std::uint32_t kEdgeLabel = 0x40000000u;
inline constexpr std::uint32_t kFaceLabel = 0x80000000u;

/// Writes into `out`, whose storage is kept, the face, generator or vertex of the core that faces d (unit, in
/// A's frame) most, among those that contain the furthest point. R, p: pose of the shape's frame in A's.
void find_facing_feature(const Convex& shape, const Eigen::Matrix3d& R, const Eigen::Vector3d& p,
                         const Eigen::Vector3d& d, ContactFeature& out);

/// The surface at one point: its kind, label, and principal curvatures including those of the rounding. `on`
/// is the point of the core and d the outward normal, both in the shape's own frame S, as is the direction of
/// the answer.
struct SurfacePoint {
  FeatureKind kind{FeatureKind::kSmooth};
  std::uint32_t label{0};
  SurfaceCurvature curvature;
};
[[nodiscard]] SurfacePoint find_surface_point(const Convex& shape, const Eigen::Vector3d& on,
                                              const Eigen::Vector3d& d);

/// The same for a known vertex, edge or face of a polytope by its label, without a search.
[[nodiscard]] SurfacePoint find_surface_point(const Convex& shape, std::uint32_t label,
                                              const Eigen::Vector3d& d);

}  // namespace rigor
