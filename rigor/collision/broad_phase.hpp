#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "rigor/collision/bounds.hpp"

namespace rigor {

/// Which shapes may meet. Two shapes are a pair where each one's group is in the other's mask, their owners
/// differ, and the owners are not an excluded pair (parent and child, for example).
struct PairFilter {
  std::uint32_t group{1};
  std::uint32_t mask{0xffffffffu};
  int owner{-1};  // shapes of one owner never meet; −1: none
};

/// Finds the pairs of shapes whose boxes overlap. Incremental: each shape keeps a padded box in a tree, and
/// only shapes that have left theirs are searched for again; where many have, the tree is built again, by
/// halving at the median. The pairs are sorted by the shapes' numbers and depend on the present boxes only:
/// not on the order of insertion, the past, addresses or threads.
class BroadPhase {
 public:
  /// Adds a shape and returns its number: 0, 1, …; bounds must be finite or reach to ±1e300.
  int add(const Bounds& bounds, const PairFilter& filter = {});
  /// Removes a shape; its number is not used again.
  void remove(int shape);
  void set_bounds(int shape, const Bounds& bounds);
  /// Shapes of these two owners do not meet.
  void exclude_owners(int one, int other);

  /// Pairs (a, b), a < b, in increasing order, of shapes whose boxes, grown by half of `margin` [m] each,
  /// overlap. Valid until the next call.
  [[nodiscard]] const std::vector<std::pair<int, int>>& find_pairs(double margin);

  /// Calls visit(shape) for all shapes whose boxes overlap `bounds`, in no particular order; after
  /// find_pairs().
  template <class Visit>
  void query(const Bounds& bounds, Visit&& visit) const {
    for (std::size_t i = 0; i < nodes_.size();) {
      const bool meets = nodes_[i].bounds.overlaps(bounds);
      if (meets && nodes_[i].shape >= 0 && tight_[static_cast<std::size_t>(nodes_[i].shape)].overlaps(bounds))
        visit(nodes_[i].shape);
      i = meets ? i + 1 : static_cast<std::size_t>(nodes_[i].skip);
    }
  }

  /// The same for the shapes whose boxes the ray origin + t direction meets with 0 ≤ t ≤ `reach`.
  template <class Visit>
  void query_ray(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double reach,
                 Visit&& visit) const {
    const Eigen::Vector3d inverse = direction.cwiseInverse();
    for (std::size_t i = 0; i < nodes_.size();) {
      const bool meets = nodes_[i].bounds.meets_ray(origin, inverse, 0.0, reach);
      if (meets && nodes_[i].shape >= 0) visit(nodes_[i].shape);
      i = meets ? i + 1 : static_cast<std::size_t>(nodes_[i].skip);
    }
  }

 private:
  struct Node {
    Bounds bounds;
    int shape{-1};  // of a leaf
    int skip{0};    // the node that follows when this one is left out
    int parent{-1};
  };

  [[nodiscard]] bool may_meet(int a, int b) const;
  void rebuild();
  void build(int first, int last, int parent);
  void refit_above(int node);
  void collect(int shape, bool later_only);
  void update_pairs();

  std::vector<Bounds> tight_, padded_;
  std::vector<PairFilter> filters_;
  std::vector<char> alive_, moved_;
  std::vector<int> leaf_, order_, movers_;
  std::vector<Node> nodes_;  // preorder
  std::vector<std::pair<int, int>> excluded_;
  std::vector<std::pair<int, int>> candidates_, found_, merged_, pairs_;  // padded, new, scratch, answer
  double margin_{0.0};
  bool stale_{true};
};

}  // namespace rigor
