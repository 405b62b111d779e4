#include "rigor/collision/gjk.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

using Eigen::Vector3d;

void keep(Simplex& s, std::initializer_list<std::pair<int, double>> kept) {
  Simplex out;
  for (const auto& [index, weight] : kept) {
    const auto from = static_cast<std::size_t>(index), to = static_cast<std::size_t>(out.size++);
    out.w[to] = s.w[from];
    out.a[to] = s.a[from];
    out.b[to] = s.b[from];
    out.weight[to] = weight;
  }
  s = out;
}

// The weights of the point of a segment, triangle or tetrahedron nearest to the origin, by Voronoi regions.
struct Nearest {
  std::array<int, 4> index{};
  std::array<double, 4> weight{};
  int size{0};
  Vector3d point{Vector3d::Zero()};

  void set(const std::array<Vector3d, 4>& w, std::initializer_list<std::pair<int, double>> kept) {
    size = 0;
    point.setZero();
    for (const auto& [i, t] : kept) {
      index[static_cast<std::size_t>(size)] = i;
      weight[static_cast<std::size_t>(size++)] = t;
      point += t * w[static_cast<std::size_t>(i)];
    }
  }
};

Nearest nearest_on_segment(const std::array<Vector3d, 4>& w, int i, int j) {
  Nearest out;
  const Vector3d &a = w[static_cast<std::size_t>(i)], &b = w[static_cast<std::size_t>(j)];
  const Vector3d d = b - a;
  const double t = -a.dot(d), length2 = d.squaredNorm();
  if (t <= 0.0 || !(length2 > 0.0))
    out.set(w, {{i, 1.0}});
  else if (t >= length2)
    out.set(w, {{j, 1.0}});
  else
    out.set(w, {{i, 1.0 - t / length2}, {j, t / length2}});
  return out;
}

Nearest nearer(const Nearest& x, const Nearest& y) {
  return y.point.squaredNorm() < x.point.squaredNorm() ? y : x;
}

Nearest nearest_on_triangle(const std::array<Vector3d, 4>& w, int i, int j, int k) {
  const Vector3d &a = w[static_cast<std::size_t>(i)], &b = w[static_cast<std::size_t>(j)],
                 &c = w[static_cast<std::size_t>(k)];
  const Vector3d n = (b - a).cross(c - a);
  const double area2 = n.squaredNorm();
  // signed areas of the origin's projection against the three edges
  const double u = n.dot(b.cross(c)), v = n.dot(c.cross(a)), t = n.dot(a.cross(b));
  if (area2 > 0.0 && u > 0.0 && v > 0.0 && t > 0.0) {
    const double sum = u + v + t;
    Nearest out;
    out.set(w, {{i, u / sum}, {j, v / sum}, {k, t / sum}});
    out.point = n * (n.dot(a + b + c) / (3.0 * area2));  // the nearest point of the plane: loses fewer digits
    return out;
  }
  return nearer(nearer(nearest_on_segment(w, i, j), nearest_on_segment(w, j, k)),
                nearest_on_segment(w, k, i));
}

// True where the origin and the corner `d` lie on different sides of the plane (a, b, c).
bool is_outside(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) {
  const Vector3d n = (b - a).cross(c - a);
  const double origin = -a.dot(n), corner = (d - a).dot(n);
  return origin * corner <= 0.0;
}

Nearest nearest_on_tetrahedron(const std::array<Vector3d, 4>& w) {
  Nearest best;
  bool inside = true;
  constexpr std::array<std::array<int, 4>, 4> kFaces{
      {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}};
  for (const auto& [i, j, k, l] : kFaces) {
    const auto at = [&](int x) -> const Vector3d& { return w[static_cast<std::size_t>(x)]; };
    if (!is_outside(at(i), at(j), at(k), at(l))) continue;
    const Nearest found = nearest_on_triangle(w, i, j, k);
    best = inside ? found : nearer(best, found);
    inside = false;
  }
  if (inside) best.set(w, {{0, 0.25}, {1, 0.25}, {2, 0.25}, {3, 0.25}}), best.point.setZero();
  return best;
}

Nearest find_nearest(const Simplex& s) {
  switch (s.size) {
    case 1: {
      Nearest out;
      out.set(s.w, {{0, 1.0}});
      return out;
    }
    case 2:
      return nearest_on_segment(s.w, 0, 1);
    case 3:
      return nearest_on_triangle(s.w, 0, 1, 2);
    default:
      return nearest_on_tetrahedron(s.w);
  }
}

void reduce(Simplex& s, const Nearest& nearest) {
  const auto& [i, w] = std::tie(nearest.index, nearest.weight);
  switch (nearest.size) {
    case 1:
      return keep(s, {{i[0], w[0]}});
    case 2:
      return keep(s, {{i[0], w[0]}, {i[1], w[1]}});
    case 3:
      return keep(s, {{i[0], w[0]}, {i[1], w[1]}, {i[2], w[2]}});
    default:
      s.weight = w;
  }
}

bool holds(const Simplex& s, const Vector3d& w) {
  for (int i = 0; i < s.size; ++i)
    if (s.w[static_cast<std::size_t>(i)] == w) return true;
  return false;
}

}  // namespace

GjkResult find_distance_gjk(const ConvexPair& pair, const Vector3d& first_direction, double stop_above,
                            double tolerance) {
  constexpr int kMaxIterations = 100;
  const double touching = 1e-14 * pair.scale();
  GjkResult result;
  Simplex& s = result.simplex;
  const auto add = [&](const Vector3d& n) {
    const auto k = static_cast<std::size_t>(s.size);
    s.a[k] = pair.support_a(-n);
    s.b[k] = pair.support_b(n);
    s.w[k] = s.a[k] - s.b[k];
    s.weight[k] = 1.0;
  };
  add(first_direction);
  s.size = 1;
  Vector3d v = s.w[0];
  for (; result.iterations < kMaxIterations; ++result.iterations) {
    const double distance = v.norm();
    if (distance <= touching || s.size == 4) break;

    // the support point in the direction of the origin bounds the distance from below
    add(v);
    const Vector3d w = s.w[static_cast<std::size_t>(s.size)];
    const double bound = v.dot(w) / distance;
    if (bound > stop_above) {
      result.beyond = true;
      break;
    }
    if (distance - bound <= tolerance * distance || holds(s, w)) break;

    // nearest point of the larger simplex; no nearer than before means that rounding is the limit
    Simplex grown = s;
    ++grown.size;
    const Nearest nearest = find_nearest(grown);
    if (nearest.size < 4 && nearest.point.squaredNorm() >= v.squaredNorm()) break;
    reduce(grown, nearest);
    s = grown;
    v = nearest.point;
  }
  for (int i = 0; i < s.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    result.on_a += s.weight[k] * s.a[k];
    result.on_b += s.weight[k] * s.b[k];
  }
  const double distance = v.norm();
  if (s.size == 4 || distance <= touching) return result;
  result.distance = distance;
  result.n = v / distance;
  return result;
}

}  // namespace rigor
