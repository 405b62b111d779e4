#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/collision/polytope.hpp"

namespace rigor {

/// The convex hull of points [m] as a polytope, by qhull [1]. Corners within rounding of a common plane make
/// one face; points inside or within rounding of the surface are left out.
///
/// Throws InvalidInput, naming the rule, where there are fewer than 4 points, a coordinate is not finite, or
/// the points lie in a plane, on a line or in one place to within 1e-10 of their extent.
///
/// [1] C. B. Barber, D. P. Dobkin, H. Huhdanpaa. The Quickhull algorithm for convex hulls. ACM Transactions
///     on Mathematical Software 22 (4), 1996.
[[nodiscard]] Polytope make_convex_hull(const std::vector<Eigen::Vector3d>& points);

}  // namespace rigor
