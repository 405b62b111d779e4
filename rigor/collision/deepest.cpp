#include "rigor/collision/deepest.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

constexpr int kMaxNodes = 512;
constexpr int kMaxCells = 2 * kMaxNodes;
constexpr int kMaxKnown = 48;

// A direction and the support point of D = A − B along it.
struct Node {
  Vector3d m, w;
  double depth;  // m·w
};

// A triangle of directions; the depth along each of them is at least `bound`.
struct Cell {
  std::array<int, 3> v;
  double bound;
};

struct Look {
  Node low;             // the corner that is least deep
  std::size_t longest;  // side, from v[longest] to the next
  double width;         // its length, rad
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
constexpr std::array<std::array<int, 3>, 20> kIcosahedron{
    {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
     {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
     {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};

// Maximises the smallest entry over all mixtures of p and q: at p, at q, or where two entries are equal.
double mix_two(const Vector3d& p, const Vector3d& q) {
  const Vector3d d = q - p;
  double best = std::max(p.minCoeff(), q.minCoeff());
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    const double t = (p[j] - p[i]) / (d[i] - d[j]);
    if (t > 0.0 && t < 1.0) best = std::max(best, (p + t * d).minCoeff());
  }
  return best;
}

// The value of the game (1): its best point is a corner of the triangle w, lies on a side, or inside where
// it is equally good along all three directions. A bound that is `enough` need not be the best.
double compute_bound(const Node& a, const Node& b, const Node& c, double enough) {
  const Vector3d wa(a.depth, b.m.dot(a.w), c.m.dot(a.w)), wb(a.m.dot(b.w), b.depth, c.m.dot(b.w)),
      wc(a.m.dot(c.w), b.m.dot(c.w), c.depth);
  const double corner = std::max({wa.minCoeff(), wb.minCoeff(), wc.minCoeff()});
  if (corner >= enough && corner >= 0.0) return corner;
  const Vector3d bc = wb.cross(wc), ca = wc.cross(wa), ab = wa.cross(wb);
  const double share_a = bc.sum(), share_b = ca.sum(), share_c = ab.sum(), sum = share_a + share_b + share_c;
  const bool inside = share_a * sum > 0.0 && share_b * sum > 0.0 && share_c * sum > 0.0;
  const double bound =
      inside ? wa.dot(bc) / sum : std::max({mix_two(wa, wb), mix_two(wb, wc), mix_two(wc, wa)});
  // combinations of the three directions are shorter than 1, by a fifth at most
  return bound < 0.0 ? 1.3 * bound : bound;
}

class SphereSearch {
 public:
  explicit SphereSearch(const ConvexPair& pair) : pair_(pair) {
    for (const auto& [x, y, z] : kCorners) add_node({x, y, z});
    for (const auto& face : kIcosahedron) push(face, std::numeric_limits<double>::infinity());
  }

  [[nodiscard]] bool is_done() const { return cell_count_ == 0; }
  [[nodiscard]] bool is_full() const { return node_count_ == kMaxNodes; }  // each node makes one more cell
  [[nodiscard]] const Node& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }

  // Takes out the cell with the lowest bound.
  Cell pop() {
    std::pop_heap(cells_.begin(), cells_.begin() + cell_count_, is_later);
    return cells_[static_cast<std::size_t>(--cell_count_)];
  }

  [[nodiscard]] Look look_at(const Cell& cell) const {
    Look look{node(cell.v[0]), 0, 0.0};
    for (std::size_t k = 0; k < 3; ++k) {
      const Node &corner = node(cell.v[k]), &next = node(cell.v[(k + 1) % 3]);
      if (corner.depth < look.low.depth) look.low = corner;
      const double width = (corner.m - next.m).norm();
      if (width > look.width) look.width = width, look.longest = k;
    }
    return look;
  }

  // Halves a cell at its side from v[k] to the next; halves whose bound is above `enough` are dropped.
  void split(const Cell& cell, std::size_t k, double enough) {
    const int a = cell.v[k], b = cell.v[(k + 1) % 3], c = cell.v[(k + 2) % 3];
    const int middle = add_node((node(a).m + node(b).m).normalized());
    push({a, middle, c}, enough);
    push({middle, b, c}, enough);
  }

 private:
  static bool is_later(const Cell& x, const Cell& y) { return x.bound > y.bound; }

  int add_node(const Vector3d& m) {
    const Vector3d w = pair_.support_a(m) - pair_.support_b(-m);
    nodes_[static_cast<std::size_t>(node_count_)] = {m, w, m.dot(w)};
    return node_count_++;
  }
  void push(const std::array<int, 3>& v, double enough) {
    const double bound = compute_bound(node(v[0]), node(v[1]), node(v[2]), enough);
    if (bound >= enough) return;
    cells_[static_cast<std::size_t>(cell_count_++)] = {v, bound};
    std::push_heap(cells_.begin(), cells_.begin() + cell_count_, is_later);
  }

  const ConvexPair& pair_;
  std::array<Node, kMaxNodes> nodes_;
  std::array<Cell, kMaxCells> cells_;
  int node_count_{0}, cell_count_{0};
};

// Directions of the maxima found so far.
struct Known {
  std::array<Vector3d, kMaxKnown> n;
  int count{0};

  [[nodiscard]] bool has_near(const Vector3d& direction, double cosine) const {
    return std::any_of(n.begin(), n.begin() + count,
                       [&](const Vector3d& x) { return x.dot(direction) > cosine; });
  }
  [[nodiscard]] bool is_full() const { return count == kMaxKnown; }
  void add(const Vector3d& direction) {
    if (!is_full()) n[static_cast<std::size_t>(count++)] = direction;
  }
};

// Newton's method from n: the maximum it finds is remembered where it is proved.
void refine(const ConvexPair& pair, const Vector3d& n, Known& maxima, Axis& best) {
  Axis found;
  improve_normal(pair, n, found);
  if (found.residual < 1e-14 * pair.scale() && !maxima.has_near(found.n, 1.0 - 1e-12)) maxima.add(found.n);
  if (is_better(found, best, pair.scale())) best = found;
}

}  // namespace

void find_deepest(const ConvexPair& pair, Axis& best) {
  constexpr double kCoarse = 0.03, kFine = 1e-4;  // between bound and depth, of the depth
  constexpr double kSmall = 0.01;                 // rad
  const double far = portable::cos(0.15), near = portable::cos(1.5 * kSmall);
  const double rounding = 1e-14 * pair.scale(), least = 1e-12 * pair.scale();
  const double smaller = std::min(pair.a->size, pair.b->size);
  SphereSearch search(pair);
  Known maxima, tried;
  if (best.residual < rounding) maxima.add(best.n);
  const auto is_known = [&](const Vector3d& n, double cosine) {
    return maxima.has_near(n, cosine) || tried.has_near(n, cosine);
  };
  while (!search.is_done()) {
    const Cell cell = search.pop();
    // no direction is less deep than the lowest bound; and where points touch nothing can be better
    const double enough = -best.separation - rounding;
    if (cell.bound >= enough) return;
    if (best.separation > -rounding && best.residual < rounding) return;

    const Look look = search.look_at(cell);
    const Vector3d n = -look.low.m;
    const double depth = std::max(look.low.depth, least), height = look.low.depth - cell.bound;
    const bool fine = height <= kFine * depth || look.width < kSmall;
    if (fine && is_known(n, near)) continue;
    // a first answer for this part of the sphere, or the last one for a small triangle; where there is no
    // room to halve, one for each triangle left
    const bool coarse = search.is_full() || height <= std::max(kCoarse * depth, 1e-3 * smaller);
    if (fine || (coarse && !is_known(n, far))) {
      if (tried.is_full()) return;  // a ring of equal maxima, as for coaxial cylinders
      tried.add(n);
      refine(pair, n, maxima, best);
    }
    if (!fine && !search.is_full()) search.split(cell, look.longest, enough);
  }
}

void find_deepest_in_plane(const ConvexPair& pair, Axis& best) {
  constexpr int kFirst = 32, kMaxArcs = 64, kMaxAsked = 64;
  constexpr double kSmall = 1e-3;  // rad
  const double near = portable::cos(2.0 * kSmall), rounding = 1e-14 * pair.scale();
  const auto look = [&](const Vector3d& m) -> Node {
    const Vector3d w = pair.support_a(m) - pair.support_b(-m);
    return {m, w, m.dot(w)};
  };
  // the game (1) with two directions; between them they are shorter than 1, by a hundredth at most
  const auto bound = [](const Node& x, const Node& y) {
    const double xy = x.m.dot(y.w), yx = y.m.dot(x.w), sum = x.depth + y.depth - xy - yx;
    double value = std::max(std::min(x.depth, yx), std::min(xy, y.depth));
    if (x.depth > yx && y.depth > xy && sum > 0.0) value = (x.depth * y.depth - xy * yx) / sum;
    return value < 0.0 ? 1.01 * value : value;
  };
  // around the circle; Newton's method starts where a direction is less deep than its neighbours
  const Vector3d u = pair.plane.unitOrthogonal(), v = pair.plane.cross(u);
  std::array<Node, kFirst> ring;
  for (std::size_t i = 0; i < kFirst; ++i) {
    const double angle = 2.0 * std::numbers::pi / kFirst * static_cast<double>(i);
    ring[i] = look(portable::cos(angle) * u + portable::sin(angle) * v);
  }
  Known maxima;
  for (std::size_t i = 0; i < kFirst; ++i)
    if (ring[i].depth <= ring[(i + 1) % kFirst].depth &&
        ring[i].depth <= ring[(i + kFirst - 1) % kFirst].depth)
      refine(pair, -ring[i].m, maxima, best);
  // arcs that may still contain something better are halved, short ones searched
  std::array<std::pair<Node, Node>, kMaxArcs> arcs;
  int asked = 0;
  for (std::size_t i = 0; i < kFirst; ++i) {
    int count = 0;
    arcs[static_cast<std::size_t>(count++)] = {ring[i], ring[(i + 1) % kFirst]};
    while (count > 0 && asked < kMaxAsked) {
      const auto [x, y] = arcs[static_cast<std::size_t>(--count)];
      if (bound(x, y) >= -best.separation - rounding) continue;
      const Node middle = look((x.m + y.m).normalized());
      if ((x.m - y.m).squaredNorm() > kSmall * kSmall && count + 2 <= kMaxArcs) {
        arcs[static_cast<std::size_t>(count++)] = {x, middle};
        arcs[static_cast<std::size_t>(count++)] = {middle, y};
      } else if (!maxima.has_near(-middle.m, near)) {
        ++asked;
        refine(pair, -middle.m, maxima, best);
      }
    }
  }
}

}  // namespace rigor
