#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bench/collision_scenes.hpp"

namespace rigor::bench {

/// Broad and narrow phase of one engine over one scene.
class CollisionEngine {
 public:
  CollisionEngine() = default;
  CollisionEngine(const CollisionEngine&) = delete;
  CollisionEngine& operator=(const CollisionEngine&) = delete;
  virtual ~CollisionEngine() = default;

  /// Moves all shapes and finds all contacts anew. This is what is timed.
  virtual void step(const std::vector<Pose>& poses) = 0;

  /// What the last step found: pairs (a, b), a < b, with a gap below 0, in any order, and all points.
  struct Found {
    std::vector<std::pair<int, int>> touching;
    std::size_t points{0};
  };
  [[nodiscard]] virtual Found get_found() const = 0;
};

/// Defined where FCL was found.
[[nodiscard]] std::unique_ptr<CollisionEngine> make_fcl(const Scene& scene);

}  // namespace rigor::bench
