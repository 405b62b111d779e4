#pragma once

#include <Eigen/Core>

namespace rigor {

/// A box with sides along the axes [m]. Empty where a lower end is above the upper one.
struct Bounds {
  Eigen::Vector3d low{Eigen::Vector3d::Constant(1e300)};
  Eigen::Vector3d high{Eigen::Vector3d::Constant(-1e300)};

  void include(const Eigen::Vector3d& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  void include(const Bounds& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  [[nodiscard]] bool overlaps(const Bounds& other) const {
    return low.x() <= other.high.x() && other.low.x() <= high.x() && low.y() <= other.high.y() &&
           other.low.y() <= high.y() && low.z() <= other.high.z() && other.low.z() <= high.z();
  }
  [[nodiscard]] bool contains(const Bounds& other) const {
    return low.x() <= other.low.x() && low.y() <= other.low.y() && low.z() <= other.low.z() &&
           high.x() >= other.high.x() && high.y() >= other.high.y() && high.z() >= other.high.z();
  }
  /// 0 where they overlap.
  [[nodiscard]] double distance(const Bounds& other) const {
    return (low - other.high).cwiseMax(other.low - high).cwiseMax(0.0).norm();
  }
  [[nodiscard]] Bounds grown(double by) const { return {low.array() - by, high.array() + by}; }
  [[nodiscard]] Eigen::Vector3d middle() const { return 0.5 * (low + high); }

  /// Whether the ray origin + t direction (1/direction given) is inside the box for some t in [t0, t1].
  [[nodiscard]] bool meets_ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& inverse, double t0,
                               double t1) const {
    for (int i = 0; i < 3; ++i) {
      double a = (low[i] - origin[i]) * inverse[i], b = (high[i] - origin[i]) * inverse[i];
      if (a > b) std::swap(a, b);
      // a NaN comes from 0 · ∞: the ray runs inside that slab's wall, which counts as inside
      if (a > t0) t0 = a;
      if (b < t1) t1 = b;
    }
    return t0 <= t1;
  }
};

}  // namespace rigor
