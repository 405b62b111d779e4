#pragma once

#include "rigor/collision/convex.hpp"
#include "rigor/collision/normal_newton.hpp"

namespace rigor {

/// The signed distance of two convex cores with its normal and witness points: the maximum of the separation
/// s(n) over all normals n (ConvexPair). A core is a shape without its rounding (convex.hpp). The method
/// depends on the cores:
///
/// | cores | method |
/// | --- | --- |
/// | points and segments; a point and a box, cylinder, cone, ellipsoid | closed form, core_distance.hpp |
/// | two boxes | 15 separating axes, sat.hpp; GJK decides where they are apart by an edge or a corner |
/// | two polytopes | GJK where apart, all separating axes where they overlap or touch |
/// | all others | GJK and Newton, normal_newton.hpp; where they overlap all directions, deepest.hpp |
///
/// In a planar scene (ConvexPair::plane) only normals in the plane count, where that of space leaves it.
///
/// With `stop_above` [m] the search may end early once the separation is known to exceed it; then
/// `separation` is a lower bound and the witness points mean nothing.
[[nodiscard]] Axis find_axis(const ConvexPair& pair, double stop_above);

/// The same for two polytopes in space, in two parts, for callers who may find a proof themselves: a point of
/// each at the distance of the axis. The first part writes into `rough` the normal near which to look for it,
/// or zero where no proof is needed.
[[nodiscard]] Axis find_unproved_axis(const ConvexPair& pair, double stop_above, Eigen::Vector3d& rough);
void prove_axis(const ConvexPair& pair, const Eigen::Vector3d& rough, Axis& axis);

}  // namespace rigor
