#pragma once

#include <vector>

#include "rigor/collision/collide.hpp"

namespace rigor::test {

/// What collide() finds, in a list of its own.
inline std::vector<ContactPoint> contacts(const Geometry& a, const Pose& X_WA, const Geometry& b,
                                          const Pose& X_WB, double margin,
                                          const Eigen::Vector3d& plane = Eigen::Vector3d::Zero()) {
  CollisionScratch scratch;
  std::vector<ContactPoint> out;
  collide(a, X_WA, b, X_WB, {margin, plane}, scratch, out);
  return out;
}

inline std::vector<ContactPoint> contacts(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                          double margin,
                                          const Eigen::Vector3d& plane = Eigen::Vector3d::Zero()) {
  return contacts(make_geometry(a), X_WA, make_geometry(b), X_WB, margin, plane);
}

}  // namespace rigor::test
