#include "rigor/collision/broad_phase.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

constexpr double kHuge = 1e200;  // beyond this a box has no size to pad by

// A tenth of the box's size on each side: at rest nothing is searched, in motion a shape every few steps.
Bounds pad(const Bounds& bounds) {
  const Eigen::Vector3d size = bounds.high - bounds.low;
  if (!(size.maxCoeff() < kHuge)) return bounds;
  return bounds.grown(0.1 * size.maxCoeff());
}

}  // namespace

int BroadPhase::add(const Bounds& bounds, const PairFilter& filter) {
  tight_.push_back(bounds);
  padded_.push_back(pad(bounds));
  filters_.push_back(filter);
  alive_.push_back(1);
  moved_.push_back(0);
  leaf_.push_back(-1);
  stale_ = true;
  return static_cast<int>(tight_.size()) - 1;
}

void BroadPhase::remove(int shape) {
  require(shape >= 0 && shape < static_cast<int>(tight_.size()) && alive_[static_cast<std::size_t>(shape)],
          "BroadPhase::remove: there is no shape {}.", shape);
  alive_[static_cast<std::size_t>(shape)] = 0;
  stale_ = true;
}

void BroadPhase::set_bounds(int shape, const Bounds& bounds) {
  const auto i = static_cast<std::size_t>(shape);
  tight_[i] = bounds;
  if (padded_[i].contains(bounds)) return;
  padded_[i] = pad(bounds);
  if (!moved_[i]) moved_[i] = 1, movers_.push_back(shape);
}

void BroadPhase::exclude_owners(int one, int other) {
  const std::pair<int, int> pair = std::minmax(one, other);
  const auto place = std::lower_bound(excluded_.begin(), excluded_.end(), pair);
  if (place == excluded_.end() || *place != pair) excluded_.insert(place, pair);
  stale_ = true;
}

bool BroadPhase::may_meet(int a, int b) const {
  const PairFilter &x = filters_[static_cast<std::size_t>(a)], &y = filters_[static_cast<std::size_t>(b)];
  if (!(x.group & y.mask) || !(y.group & x.mask)) return false;
  if (x.owner < 0 || y.owner < 0) return true;
  if (x.owner == y.owner) return false;
  const std::pair<int, int> owners = std::minmax(x.owner, y.owner);
  return excluded_.empty() || !std::binary_search(excluded_.begin(), excluded_.end(), owners);
}

void BroadPhase::rebuild() {
  order_.clear();
  nodes_.clear();
  for (std::size_t i = 0; i < tight_.size(); ++i) {
    moved_[i] = 0;
    if (!alive_[i]) continue;
    padded_[i] = pad(tight_[i].grown(0.5 * margin_));
    order_.push_back(static_cast<int>(i));
  }
  movers_.clear();
  if (!order_.empty()) build(0, static_cast<int>(order_.size()), -1);
  stale_ = false;
}

// Halves at the median along the widest side; equal middles are ordered by number, so that the tree is
// always the same.
void BroadPhase::build(int first, int last, int parent) {
  const int at = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  nodes_.back().parent = parent;
  if (last - first == 1) {
    const int shape = order_[static_cast<std::size_t>(first)];
    leaf_[static_cast<std::size_t>(shape)] = at;
    nodes_.back().shape = shape;
    nodes_.back().bounds = padded_[static_cast<std::size_t>(shape)];
    nodes_.back().skip = at + 1;
    return;
  }
  Bounds middles;
  for (int i = first; i < last; ++i)
    middles.include(padded_[static_cast<std::size_t>(order_[static_cast<std::size_t>(i)])].middle());
  int axis = 0;
  (middles.high - middles.low).maxCoeff(&axis);
  const int half = (first + last) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + half, order_.begin() + last, [&](int a, int b) {
    const Bounds &p = padded_[static_cast<std::size_t>(a)], &q = padded_[static_cast<std::size_t>(b)];
    const double x = p.low[axis] + p.high[axis], y = q.low[axis] + q.high[axis];
    return x != y ? x < y : a < b;
  });
  build(first, half, at);
  const int right = static_cast<int>(nodes_.size());
  build(half, last, at);
  Node& node = nodes_[static_cast<std::size_t>(at)];
  node.bounds = nodes_[static_cast<std::size_t>(at + 1)].bounds;
  node.bounds.include(nodes_[static_cast<std::size_t>(right)].bounds);
  node.skip = static_cast<int>(nodes_.size());
}

void BroadPhase::refit_above(int node) {
  for (int at = nodes_[static_cast<std::size_t>(node)].parent; at >= 0;
       at = nodes_[static_cast<std::size_t>(at)].parent) {
    Node& here = nodes_[static_cast<std::size_t>(at)];
    if (here.bounds.contains(nodes_[static_cast<std::size_t>(node)].bounds)) return;
    here.bounds.include(nodes_[static_cast<std::size_t>(node)].bounds);
  }
}

// The pairs of a shape's padded box. later_only: finds each pair from its smaller number only, for when all
// shapes are searched.
void BroadPhase::collect(int shape, bool later_only) {
  const Bounds& bounds = padded_[static_cast<std::size_t>(shape)];
  const Node* const nodes = nodes_.data();
  const int count = static_cast<int>(nodes_.size());
  // in preorder the leaves after this one are those it has not been compared with
  for (int i = later_only ? leaf_[static_cast<std::size_t>(shape)] + 1 : 0; i < count;) {
    const Node& node = nodes[i];
    if (!node.bounds.overlaps(bounds)) {
      i = node.skip;
      continue;
    }
    if (node.shape >= 0 && node.shape != shape && may_meet(shape, node.shape))
      found_.emplace_back(std::min(shape, node.shape), std::max(shape, node.shape));
    ++i;
  }
}

void BroadPhase::update_pairs() {
  found_.clear();
  if (stale_ || movers_.size() * 4 > nodes_.size() / 2) {
    rebuild();
    for (const int shape : order_) collect(shape, true);
    std::sort(found_.begin(), found_.end());
    candidates_.swap(found_);
    return;
  }
  if (movers_.empty()) return;
  // the boxes of shapes that moved go into the tree, then their pairs are searched again
  for (const int shape : movers_) {
    const int leaf = leaf_[static_cast<std::size_t>(shape)];
    nodes_[static_cast<std::size_t>(leaf)].bounds = padded_[static_cast<std::size_t>(shape)];
    refit_above(leaf);
  }
  for (const int shape : movers_) collect(shape, false);
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  const auto is_old = [&](const std::pair<int, int>& p) {
    return moved_[static_cast<std::size_t>(p.first)] || moved_[static_cast<std::size_t>(p.second)];
  };
  candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), is_old), candidates_.end());
  merged_.resize(candidates_.size() + found_.size());
  std::merge(candidates_.begin(), candidates_.end(), found_.begin(), found_.end(), merged_.begin());
  candidates_.swap(merged_);
  for (const int shape : movers_) moved_[static_cast<std::size_t>(shape)] = 0;
  movers_.clear();
}

const std::vector<std::pair<int, int>>& BroadPhase::find_pairs(double margin) {
  require(margin >= 0.0 && std::isfinite(margin),
          "BroadPhase::find_pairs: margin = {} m, must be finite and >= 0.", margin);
  margin_ = margin;
  // a margin wider than the padding: the padded boxes must hold it
  for (std::size_t i = 0; margin > 0.0 && i < tight_.size(); ++i) {
    const Bounds wanted = tight_[i].grown(0.5 * margin);
    if (!alive_[i] || padded_[i].contains(wanted)) continue;
    padded_[i] = pad(wanted);
    if (!moved_[i] && !stale_) moved_[i] = 1, movers_.push_back(static_cast<int>(i));
  }
  update_pairs();
  pairs_.clear();
  for (const auto& [a, b] : candidates_)
    if (tight_[static_cast<std::size_t>(a)].grown(margin).overlaps(tight_[static_cast<std::size_t>(b)]))
      pairs_.emplace_back(a, b);
  return pairs_;
}

}  // namespace rigor
