#pragma once

#include <Eigen/Core>
#include <array>

#include "rigor/collision/convex.hpp"

namespace rigor {

/// Directions along which two overlapping or nearly touching cores are least separated from coming apart.
struct EpaResult {
  std::array<Eigen::Vector3d, 4> n;  // from B to A, best first, in A's frame
  int count{0};
  int iterations{0};
};

/// The expanding polytope algorithm [1]: grow a polytope inside the difference A − B at its face nearest to
/// the origin until that face lies on the boundary. We depart from the paper in two ways. A ball of radius
/// `inflation` [m] is added to the difference, which moves no maximum of the separation but keeps the origin
/// well inside, so that touching shapes are no special case. And it stops at a moderate accuracy, returning
/// all directions that may still be the best: normal_newton.hpp makes one of them exact.
///
/// [1] G. van den Bergen. Proximity queries and penetration depth computation on 3D game objects. GDC 2001.
[[nodiscard]] EpaResult find_directions_epa(const ConvexPair& pair, double inflation);

}  // namespace rigor
