#include "rigor/collision/box_tree.hpp"

#include <algorithm>
#include <numeric>

namespace rigor {
namespace {

constexpr int kLeaf = 4;

void build(const std::vector<Bounds>& things, int first, int last, BoxTree& tree) {
  const auto box = [&](int thing) -> const Bounds& { return things[static_cast<std::size_t>(thing)]; };
  const std::size_t at = tree.nodes.size();
  tree.nodes.emplace_back();
  Bounds bounds, middles;
  for (int i = first; i < last; ++i) {
    const Bounds& one = box(tree.order[static_cast<std::size_t>(i)]);
    bounds.include(one);
    middles.include(one.middle());
  }
  tree.nodes[at].bounds = bounds;
  if (last - first <= kLeaf) {
    tree.nodes[at].first = first;
    tree.nodes[at].count = last - first;
  } else {
    int axis = 0;
    (middles.high - middles.low).maxCoeff(&axis);
    const int half = (first + last) / 2;
    const auto before = [&](int a, int b) {
      const double x = box(a).middle()[axis], y = box(b).middle()[axis];
      return x != y ? x < y : a < b;
    };
    std::nth_element(tree.order.begin() + first, tree.order.begin() + half, tree.order.begin() + last,
                     before);
    build(things, first, half, tree);
    build(things, half, last, tree);
  }
  tree.nodes[at].skip = static_cast<int>(tree.nodes.size());
}

}  // namespace

BoxTree make_box_tree(const std::vector<Bounds>& things) {
  BoxTree tree;
  tree.order.resize(things.size());
  std::iota(tree.order.begin(), tree.order.end(), 0);
  build(things, 0, static_cast<int>(things.size()), tree);
  return tree;
}

}  // namespace rigor
