#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <random>

#include "rigor/collision/geometry.hpp"

/// What the tests of this room judge by: support functions and implicit surfaces written straight from the
/// shapes' definitions, without a line of the library's searches, and random shapes and poses.
namespace rigor::judges {

/// The sanitized build runs the same tests with this many times fewer random cases: each costs some 20 times
/// more there.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int kFewer = 50;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int kFewer = 50;
#else
inline constexpr int kFewer = 1;
#endif
#else
inline constexpr int kFewer = 1;
#endif

/// max over the shape of d·x [m], d of unit length, in the shape's frame.
[[nodiscard]] double support_value(const Shape& shape, const Eigen::Vector3d& d);

/// How far x is from the surface, to first order in the distance [m]: 0 on it, < 0 inside.
[[nodiscard]] double surface_value(const Shape& shape, const Eigen::Vector3d& x);

/// Separation of A and B along n (unit, world, from B to A) by the support functions.
[[nodiscard]] double separation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                const Eigen::Vector3d& n);

/// Largest separation over a grid of directions, each of the best improved by pattern search: a lower bound
/// of the signed distance of two convex shapes, near to it where the distance is smooth. Slow.
[[nodiscard]] double search_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double real(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
  double normal() { return std::normal_distribution<double>()(engine_); }
  Eigen::Vector3d direction() { return Eigen::Vector3d(normal(), normal(), normal()).normalized(); }
  Eigen::Quaterniond rotation() {
    return Eigen::Quaterniond(normal(), normal(), normal(), normal()).normalized();
  }
  Eigen::Vector3d vector(double size) {
    return size * Eigen::Vector3d(real(-1, 1), real(-1, 1), real(-1, 1));
  }
  std::mt19937& engine() { return engine_; }

 private:
  std::mt19937 engine_;
};

/// Extent of the shape, m.
[[nodiscard]] double extent(const Shape& shape);

/// The corners of a random hull: `count` points on a sphere of radius `size` pulled in at random.
[[nodiscard]] std::vector<Eigen::Vector3d> random_points(Random& random, int count, double size);

/// A shape of the kind 0 … kShapeKinds − 1, its sizes from 0.3 to 1 m. The last kind is the half-space.
[[nodiscard]] Shape random_shape(int kind, Random& random);
inline constexpr int kShapeKinds = 9;

}  // namespace rigor::judges
