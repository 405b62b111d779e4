#pragma once

#include <Eigen/Core>

#include "rigor/collision/convex.hpp"
#include "rigor/collision/normal_newton.hpp"

namespace rigor {

/// The best of the directions among which two overlapping polytopes have the maximum of their separation: the
/// normals of the faces of both, and the cross products of edges whose arcs of normals cross on the sphere of
/// directions [1, 2]. For polytopes that are apart the value is a lower bound of the distance. Edges and
/// faces that cannot beat the best value so far are left out by the bound
///
///     s(n) ≤ n·(x − c) − r,    x on the one polytope, a ball of radius r about c inside the other.
///
/// Flat polytopes (segments, triangles), whose edges have no arc, are tried in full. Between equal values a
/// face comes before edges, and B's face before A's, so that a resting pair keeps its normal.
///
/// [1] S. Gottschalk. Separating axis theorem. TR96-024, UNC Chapel Hill, 1996.
/// [2] D. Gregorius. The separating axis test between convex polyhedra. GDC 2013.
void find_axis_sat(const ConvexPair& pair, Axis& best);

/// The same for two boxes: 15 directions in closed form.
void find_axis_boxes(const ConvexPair& pair, double stop_above, Axis& best);

}  // namespace rigor
