#pragma once

#include <cstdint>
#include <vector>

#include "rigor/collision/contact_point.hpp"
#include "rigor/collision/convex.hpp"

namespace rigor {

/// How collide_boxes() ended. kOpen: no two faces meet, nothing was appended, and collide_convex() must be
/// called.
enum class BoxContact : std::uint8_t { kApart, kFaces, kOpen };

/// A fast method for two boxes that touch face to face: appends to `out` the points, in the world, whose gap
/// is at most `margin` [m], the same as collide_convex() finds.
///
/// It works in the frame of the reference box, whose face is a rectangle with sides along the axes. The
/// corners of the other box's face are projected along the normal to the plane of the reference, and their
/// polygon is clipped to the rectangle as by Sutherland and Hodgman, each side being a bound on one
/// coordinate. Each corner remembers the two sides that meet in it, and so its labels. Two rectangles overlap
/// in 8 corners at most. The normal is that of a face, or across two edges of faces that are parallel to 0.05
/// rad.
///
/// Where the boxes are apart, the best of the 15 axes is only a lower bound of the distance; a corner of the
/// overlap at that distance proves it. Where there is none the answer is kOpen.
[[nodiscard]] BoxContact collide_boxes(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                                       double margin, std::vector<ContactPoint>& out);

/// Names of a box's corners and edges in FeatureId, as make_box_polytope() counts them. Face 2 k is the lower
/// one across axis k, 2 k + 1 the upper; its sides in the order of its corners, counter-clockwise.
struct BoxNames {
  static constexpr std::uint32_t kCorner[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  static constexpr std::uint32_t kEdge[6][4] = {{0, 1, 2, 3},   {4, 5, 6, 7},  {8, 7, 9, 0},
                                                {2, 10, 5, 11}, {3, 11, 4, 8}, {9, 6, 10, 1}};
};

}  // namespace rigor
