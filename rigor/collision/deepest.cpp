#include "rigor/collision/deepest.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigor {
namespace {

using Eigen::Vector3d;

constexpr int kMaxNodes = 512;
constexpr int kMaxCells = 2 * kMaxNodes;
constexpr int kMaxKnown = 24;

// A direction and what D = A − B reaches along it.
struct Node {
  Vector3d m, w;
  double depth;  // m·w
};

// A triangle of directions; none in it is less deep than `bound`.
struct Cell {
  std::array<int, 3> v;
  double bound;
};

// The twelve corners and twenty faces of an icosahedron.
constexpr double kGolden = 0.5257311121191336, kLong = 0.8506508083520400;  // corners (0, ±golden, ±long)
constexpr std::array<std::array<double, 3>, 12> kCorners{{{-kGolden, kLong, 0},
                                                          {kGolden, kLong, 0},
                                                          {-kGolden, -kLong, 0},
                                                          {kGolden, -kLong, 0},
                                                          {0, -kGolden, kLong},
                                                          {0, kGolden, kLong},
                                                          {0, -kGolden, -kLong},
                                                          {0, kGolden, -kLong},
                                                          {kLong, 0, -kGolden},
                                                          {kLong, 0, kGolden},
                                                          {-kLong, 0, -kGolden},
                                                          {-kLong, 0, kGolden}}};
constexpr std::array<std::array<int, 3>, 20> kFaces{
    {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};

// The value of the game (1), or a bound of it where its best point is not inside the triangle w.
double compute_bound(const Node& a, const Node& b, const Node& c) {
  const Vector3d wa(a.m.dot(a.w), b.m.dot(a.w), c.m.dot(a.w)), wb(a.m.dot(b.w), b.m.dot(b.w), c.m.dot(b.w)),
      wc(a.m.dot(c.w), b.m.dot(c.w), c.m.dot(c.w));
  double bound = std::max({wa.minCoeff(), wb.minCoeff(), wc.minCoeff(), 0.5 * (wa + wb).minCoeff(),
                           0.5 * (wb + wc).minCoeff(), 0.5 * (wc + wa).minCoeff()});
  // the mixture that is equally good along all three
  const Vector3d mu(wb.cross(wc).sum(), wc.cross(wa).sum(), wa.cross(wb).sum());
  const double det = wa.dot(wb.cross(wc)), sum = mu.sum();
  if ((mu.array() * sum >= 0.0).all() && sum != 0.0) bound = std::max(bound, det / sum);
  // directions between the three are shorter than 1, by a fifth at most
  return bound < 0.0 ? 1.3 * bound : bound;
}

class SphereSearch {
 public:
  explicit SphereSearch(const ConvexPair& pair) : pair_(pair) {
    for (const auto& [x, y, z] : kCorners) add_node({x, y, z});
    for (const auto& face : kFaces) push(face);
  }

  [[nodiscard]] bool is_done() const { return cell_count_ == 0; }
  [[nodiscard]] bool is_full() const { return node_count_ == kMaxNodes || cell_count_ + 2 > kMaxCells; }
  [[nodiscard]] const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

  // Takes out the cell with the lowest bound.
  Cell pop() {
    std::pop_heap(cells_.begin(), cells_.begin() + cell_count_, is_later);
    return cells_[static_cast<std::size_t>(--cell_count_)];
  }

  // Halves a cell at its longest side, from v[k] to the next.
  void split(const Cell& cell, std::size_t k) {
    const int a = cell.v[k], b = cell.v[(k + 1) % 3], c = cell.v[(k + 2) % 3];
    const int middle = add_node((node(a).m + node(b).m).normalized());
    push({a, middle, c});
    push({middle, b, c});
  }

 private:
  static bool is_later(const Cell& x, const Cell& y) { return x.bound > y.bound; }

  int add_node(const Vector3d& m) {
    const Vector3d w = pair_.support_a(m) - pair_.support_b(-m);
    nodes_[static_cast<std::size_t>(node_count_)] = {m, w, m.dot(w)};
    return node_count_++;
  }
  void push(const std::array<int, 3>& v) {
    cells_[static_cast<std::size_t>(cell_count_++)] = {v, compute_bound(node(v[0]), node(v[1]), node(v[2]))};
    std::push_heap(cells_.begin(), cells_.begin() + cell_count_, is_later);
  }

  const ConvexPair& pair_;
  std::array<Node, kMaxNodes> nodes_;
  std::array<Cell, kMaxCells> cells_;
  int node_count_{0}, cell_count_{0};
};

// Maxima that Newton's method has found, and where it was started.
struct Known {
  std::array<Vector3d, kMaxKnown> n;
  int count{0};

  [[nodiscard]] bool has_near(const Vector3d& direction, double cosine) const {
    return std::any_of(n.begin(), n.begin() + count,
                       [&](const Vector3d& x) { return x.dot(direction) > cosine; });
  }
  [[nodiscard]] bool is_full() const { return count + 2 > kMaxKnown; }
  void add(const Vector3d& direction) { n[static_cast<std::size_t>(count++)] = direction; }
};

}  // namespace

void find_deepest(const ConvexPair& pair, Axis& best) {
  constexpr double kCoarse = 0.03, kFine = 1e-3;  // between bound and depth, of the depth
  constexpr double kSmall = 0.04;                 // rad
  const double far = std::cos(0.3), near = std::cos(0.05);
  const double rounding = 1e-14 * pair.scale(), least = 1e-12 * pair.scale();
  const double smaller = std::min(pair.a->size, pair.b->size);
  SphereSearch search(pair);
  Known known;
  if (best.residual < rounding) known.add(best.n);
  while (!search.is_done() && !search.is_full()) {
    const Cell cell = search.pop();
    // no direction is less deep than the lowest bound; and where points touch nothing can be better
    if (cell.bound >= -best.separation - rounding) return;
    if (best.separation > -rounding && best.residual < rounding) return;

    // the corner that is least deep, and the longest side
    int low = cell.v[0];
    std::size_t longest = 0;
    double width2 = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Node &corner = search.node(cell.v[k]), &next = search.node(cell.v[(k + 1) % 3]);
      if (corner.depth < search.node(low).depth) low = cell.v[k];
      const double length2 = (corner.m - next.m).squaredNorm();
      if (length2 > width2) width2 = length2, longest = k;
    }
    const Vector3d n = -search.node(low).m;
    const double depth = std::max(search.node(low).depth, least),
                 height = search.node(low).depth - cell.bound;
    const bool fine = height <= kFine * depth || width2 < kSmall * kSmall;
    if (fine && known.has_near(n, near)) continue;
    if (fine || (height <= std::max(kCoarse * depth, 1e-3 * smaller) && !known.has_near(n, far))) {
      if (known.is_full()) return;  // a ring of equals, as of coaxial cylinders: all were alike
      Axis found;
      improve_normal(pair, n, found);
      if (found.residual < rounding) known.add(found.n);
      known.add(n);
      if (is_better(found, best, pair.scale())) best = found;
    }
    if (!fine) search.split(cell, longest);
  }
}

}  // namespace rigor
