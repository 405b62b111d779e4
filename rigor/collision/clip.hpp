#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "rigor/collision/contact_feature.hpp"

namespace rigor {

/// A corner of the region where two features overlap, seen along the contact normal n. The point of either
/// feature there is at + height n.
struct OverlapPoint {
  Eigen::Vector3d at{Eigen::Vector3d::Zero()};  // ⟂ n, m
  double height_ref{0.0}, height_inc{0.0};      // m
  std::uint32_t label_ref{0}, label_inc{0};
};

/// Storage for the polygons on the way, kept from call to call.
struct ClipScratch {
  struct Corner {
    Eigen::Vector2d p;
    int in, out;  // the sides that meet here: ≥ 0 of the incident polygon, −1 − k of the reference
  };
  std::vector<Corner> polygon, clipped;
  std::vector<Eigen::Vector2d> reference;
};

/// The corners of the overlap of a flat reference feature (polygon or disk, perpendicular to n) and an
/// incident one of any form and tilt, both projected along n.
///
///  - Polygons: Sutherland and Hodgman's clipping [1], where each corner remembers the two sides that meet in
///    it. So a corner of either polygon and a crossing of two sides keep their label whichever polygon is the
///    reference.
///  - A disk: the polygon's corners inside it, the crossings of its rim with the polygon's sides, and four
///    points of its rim inside the polygon: the deepest and each quarter turn from there, or from `tangent`
///    where the disk is flat on the reference to 1e-9. None of this depends on the disk's rotation about its axis.
///  - Two disks: the crossings of the rims, and four points of each rim inside the other disk.
///  - A segment: its part inside the reference.
///
/// [1] I. E. Sutherland, G. W. Hodgman. Reentrant polygon clipping. Communications of the ACM 17 (1), 1974.
void find_overlap(const ContactFeature& reference, const ContactFeature& incident, const Eigen::Vector3d& n,
                  const Eigen::Vector3d& tangent, ClipScratch& scratch, std::vector<OverlapPoint>& out);

/// The two ends of the common part of two nearly parallel segments; none where they do not overlap along
/// their mean direction. The first is the reference.
void find_segment_overlap(const ContactFeature& a, const ContactFeature& b, const Eigen::Vector3d& n,
                          std::vector<OverlapPoint>& out);

}  // namespace rigor
