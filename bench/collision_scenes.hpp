#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rigor/collision/shape.hpp"
#include "rigor/math/pose.hpp"

/// What the collision benchmark measures: shapes at rest, and small motions of them from step to step.
namespace rigor::bench {

struct Scene {
  std::string name;
  std::vector<Shape> shapes;
  std::vector<Pose> poses;
  double margin{0.0};  // m

  /// The poses of step k: each shape sways by 1e-4 of its size, as in a pile that has nearly settled.
  [[nodiscard]] std::vector<Pose> poses_at(int step) const;
};

/// Spheres of radius 0.5 m in a box, in the densest cubic packing with gaps from −1e-3 to 1e-3 m.
[[nodiscard]] Scene spheres(int count);
/// Boxes of 1 x 0.5 x 0.5 m laid in courses, each joint over the middle of the brick below.
[[nodiscard]] Scene wall(int count);
/// Random hulls of 32 points, about 0.5 m in radius, at random turns, packed until neighbours touch.
[[nodiscard]] Scene hulls(int count);

/// Pairs with a gap below 0, and seconds per step over `steps` steps after one that warms up.
struct Measurement {
  std::vector<std::pair<int, int>> touching;
  double seconds{0.0};
  std::size_t points{0};
};
[[nodiscard]] Measurement measure_rigor(const Scene& scene, int steps);
[[nodiscard]] Measurement measure_bullet(const Scene& scene, int steps);
[[nodiscard]] Measurement measure_fcl(const Scene& scene, int steps);

}  // namespace rigor::bench
