#pragma once

#include <cstddef>
#include <vector>

#include "rigor/collision/contact_point.hpp"

namespace rigor {

/// Reduces points of one normal to at most `limit` ≥ 4. The points of smallest and largest gap stay, and the
/// corners of the outline of all points; of these the corner whose loss costs the least area is removed,
/// again and again. The rest keeps its order.
void reduce_points(std::vector<ContactPoint>& points, std::size_t limit);

/// Area of the convex outline of the points on B, seen along `normal` [m²].
[[nodiscard]] double support_area(const ContactPoint* points, std::size_t count,
                                  const Eigen::Vector3d& normal);

}  // namespace rigor
