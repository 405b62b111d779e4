#pragma once

#include <string>
#include <vector>

#include "rigor/collision/shape.hpp"
#include "rigor/math/pose.hpp"

/// What the collision benchmark measures: shapes nearly at rest, and small motions of them from step to step.
namespace rigor::bench {

struct Scene {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  std::size_t moving{0};  // the first so many shapes move, the rest is fixed

  /// The poses of step k: each shape that moves is moved by up to 1e-4 m along and turned by up to 1e-4 rad
  /// about each axis at random, so that no engine can keep what it found in the step before.
  [[nodiscard]] std::vector<Pose> poses_at(int step) const;
};

/// Spheres of radius 0.5 m in a box of five plates, in the densest packing with gaps from −1e-3 to 1e-3 m.
[[nodiscard]] Scene make_spheres(int count);
/// Boxes of 1 x 0.5 x 0.5 m laid in courses, each joint over the middle of the brick below. Bed joints
/// overlap by 5e-4 m, the joints between neighbours are 1e-3 m wide.
[[nodiscard]] Scene make_wall(int count);
/// Random hulls of 32 points, about 0.5 m in radius, at random turns, packed until neighbours touch.
[[nodiscard]] Scene make_hulls(int count);

}  // namespace rigor::bench
