#pragma once

#include <vector>

#include "rigor/collision/contact_point.hpp"
#include "rigor/collision/convex.hpp"

namespace rigor {

/// Appends the points of a convex shape A whose gap to the half-space B (solid below z = 0 of its frame) is
/// at most `margin` [m]: the corners of a polytope; of a cylinder or cone the lowest point of each rim, the
/// tip, and where a cap faces the plane the three quarters of its rim from there (from the half-space's x
/// axis where the cap is flat to 1e-9, so that spin about the axis changes nothing); the lowest point of an
/// ellipsoid. At most 8.
void collide_half_space(const Convex& a, const Pose& X_WA, const Pose& X_WB, double margin,
                        std::vector<ContactPoint>& scratch, std::vector<ContactPoint>& out);

}  // namespace rigor
