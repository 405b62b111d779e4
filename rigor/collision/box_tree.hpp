#pragma once

#include <vector>

#include "rigor/collision/bounds.hpp"

namespace rigor {

/// A tree of boxes over numbered things that do not move against each other: the triangles of a mesh, the
/// parts of a compound. Built once, by halving at the median along the longest side.
struct BoxTree {
  /// Nodes in preorder; a leaf has count > 0 things from order[first].
  struct Node {
    Bounds bounds;
    int first{0}, count{0};
    int skip{0};  // the node that follows when this one is left out
  };
  std::vector<Node> nodes;
  std::vector<int> order;

  /// Calls visit(thing) for the things of all leaves whose box, and every box above it, fulfils `meets`. That
  /// function takes Bounds, and its answer may change during the walk. In a fixed order without a meaning.
  template <class Meets, class Visit>
  void visit(Meets&& meets, Visit&& visit) const {
    for (std::size_t i = 0; i < nodes.size();) {
      const Node& node = nodes[i];
      const bool enter = meets(node.bounds);
      for (int k = node.first; enter && k < node.first + node.count; ++k)
        visit(order[static_cast<std::size_t>(k)]);
      i = enter ? i + 1 : static_cast<std::size_t>(node.skip);
    }
  }
};

[[nodiscard]] BoxTree make_box_tree(const std::vector<Bounds>& things);

}  // namespace rigor
