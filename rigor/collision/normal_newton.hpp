#pragma once

#include <Eigen/Core>

#include "rigor/collision/convex.hpp"

namespace rigor {

/// The best normal found so far for a pair of cores, in A's frame.
struct Axis {
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};    // unit, from B to A
  double separation{-1e300};                      // of the cores along n, m
  Eigen::Vector3d on_a{Eigen::Vector3d::Zero()};  // witness points of the cores, m
  Eigen::Vector3d on_b{Eigen::Vector3d::Zero()};
  double residual{1e300};  // |on_a − on_b − separation n|, m: the certificate
};

/// Whether x separates more than `best`, or as much and is better proved; `scale` is what rounding is
/// relative to.
[[nodiscard]] bool is_better(const Axis& x, const Axis& best, double scale);

/// Makes a rough normal exact: a local maximum of the separation
///
///     s(n) = −h_A(−n) − h_B(n),   |n| = 1,   h the support functions of the cores,                   (1)
///
/// by Newton's method on its optimality conditions. Each core has smooth pieces of its support function near
/// the rough normal:
///
///     a vertex, the tip of a cone      h = n·v
///     a rim of radius r                h = n·c + r |n⊥|
///     an ellipsoid                     h = √(nᵀQn)
///
/// Between two pieces lie normals for which a whole edge, generator or face supports. There the normal obeys
/// constraints n·e = c: one with c = 0 for an edge or the side of a cylinder, one with c the sine of the half
/// angle for the side of a cone; a face fixes n. The condition for a maximum,
///
///     x_A(n) − x_B(n) = λ n + Σ μ_i e_i,   x the points of support,                                  (2)
///
/// is solved on what the constraints leave: the sphere, a circle, or two points. It stays regular where the
/// shapes touch, since n is an unknown of its own and not a quotient of small differences. Combinations of
/// pieces are tried until one is proved. The result is the value of (1) by the true support functions, so
/// that it is never above the true distance.
///
/// The witness points prove that it is not below either: where on_a, on_b lie on the cores and differ by
/// exactly s n, no separating direction is better [1, §8.1.3] (for overlapping cores: none near this one).
///
/// In a planar scene (ConvexPair::plane) n·plane = 0 is one more constraint, and the residual is that within
/// the plane.
///
/// Updates `best` where something better was found.
///
/// [1] S. Boyd, L. Vandenberghe. Convex Optimization. Cambridge University Press, 2004.
void improve_normal(const ConvexPair& pair, const Eigen::Vector3d& rough, Axis& best);

/// The value of n as it is, by the support functions; the witness point is the other shape's point over the
/// face of A or B that has the normal n.
void value_normal(const ConvexPair& pair, const Eigen::Vector3d& n, bool face_of_b, Axis& best);

}  // namespace rigor
