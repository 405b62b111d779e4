#pragma once

#include <Eigen/Core>
#include <array>

#include "rigor/collision/convex.hpp"

namespace rigor {

/// Up to four points of the difference A − B of a pair's cores, with the points they come from.
struct Simplex {
  std::array<Eigen::Vector3d, 4> w;  // a − b
  std::array<Eigen::Vector3d, 4> a, b;
  std::array<double, 4> weight;  // barycentric, of the point nearest to the origin
  int size{0};
};

struct GjkResult {
  double distance{0.0};                           // of the cores, m; 0 where they overlap or nearly touch
  Eigen::Vector3d n{Eigen::Vector3d::UnitZ()};    // from B to A, meaningful where distance > 0
  Eigen::Vector3d on_a{Eigen::Vector3d::Zero()};  // nearest points of the cores, in A's frame
  Eigen::Vector3d on_b{Eigen::Vector3d::Zero()};
  Simplex simplex;     // carries the nearest point, or encloses the origin
  bool beyond{false};  // stopped early: the distance exceeds `stop_above`
  int iterations{0};
};

/// Distance of the two cores by the algorithm of Gilbert, Johnson and Keerthi [1]: it walks over simplices of
/// support points of A − B towards the origin. The nearest point of a simplex is found by cases over its
/// Voronoi regions. With v that point and w the next support point, it stops where the lower bound v·w/|v|
/// reaches |v| to `tolerance` · |v|, where no support point brings progress, or, with `stop_above` [m], where
/// the bound exceeds it.
///
/// [1] E. G. Gilbert, D. W. Johnson, S. S. Keerthi. A fast procedure for computing the distance between
///     complex objects in three-dimensional space. IEEE Journal of Robotics and Automation 4 (2), 1988.
[[nodiscard]] GjkResult find_distance_gjk(const ConvexPair& pair, const Eigen::Vector3d& first_direction,
                                          double stop_above, double tolerance = 1e-12);

}  // namespace rigor
