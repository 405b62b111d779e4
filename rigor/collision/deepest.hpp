#pragma once

#include "rigor/collision/convex.hpp"
#include "rigor/collision/normal_newton.hpp"

namespace rigor {

/// The global maximum of the separation s(n) (normal_newton.hpp) of two overlapping or nearly touching cores,
/// which has many local ones, by branch and bound over the sphere of directions. With D = A − B the depth
/// along m = −n is −s(n) = max of m·x over x in D, so that every point of D bounds it from below. A triangle
/// of directions m_i with the points of support w_i has
///
///     depth(m) ≥ max over x in the triangle w of min_i m_i·x,                                        (1)
///
/// the value of a 3 × 3 matrix game. Triangles whose bound is above the least depth known are left out, and
/// the one with the lowest bound is halved; where it is small or its bound tight, Newton's method (which is
/// exact) starts in it. The faces of the expanding polytope algorithm [1] have the same bound; but a division
/// of the sphere has a fixed topology, which flat faces and touching shapes cannot break.
///
/// Improves `best`, whose n may be any start. Ends when all triangles left lie within 0.015 rad of known
/// maxima. Uses room for some 500 directions, on the stack.
///
/// [1] G. van den Bergen. Proximity queries and penetration depth computation on 3D game objects. GDC 2001.
void find_deepest(const ConvexPair& pair, Axis& best);

/// The same among the directions of a planar scene (ConvexPair::plane), apart or overlapping: arcs of a
/// circle in place of triangles.
void find_deepest_in_plane(const ConvexPair& pair, Axis& best);

}  // namespace rigor
