#include "rigor/collision/polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>

namespace rigor {
namespace {

// Newell's normal: the sum of the cross products of the corners, taken from the first for accuracy.
Eigen::Vector3d newell_normal(const Polytope& p, const PolytopeFace& face) {
  const Eigen::Vector3d& origin =
      p.vertices[static_cast<std::size_t>(p.loop[static_cast<std::size_t>(face.first)])];
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (int k = 1; k + 1 < face.count; ++k) {
    const auto at = [&](int i) -> Eigen::Vector3d {
      return p.vertices[static_cast<std::size_t>(p.loop[static_cast<std::size_t>(face.first + i)])] - origin;
    };
    sum += at(k).cross(at(k + 1));
  }
  return sum.stableNormalized();
}

void set_plane(const Polytope& p, PolytopeFace& face) {
  face.normal = newell_normal(p, face);
  face.offset = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < face.count; ++k) {
    const auto v = static_cast<std::size_t>(p.loop[static_cast<std::size_t>(face.first + k)]);
    face.offset = std::max(face.offset, face.normal.dot(p.vertices[v]));
  }
}

// An edge is met twice, once from each side; the first meeting makes it.
void set_edges(Polytope& p) {
  std::map<std::pair<int, int>, int> known;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const PolytopeFace& face = p.faces[f];
    for (int k = 0; k < face.count; ++k) {
      const int from = p.loop[static_cast<std::size_t>(face.first + k)];
      const int to = p.loop[static_cast<std::size_t>(face.first + (k + 1) % face.count)];
      const auto [place, is_new] = known.try_emplace(std::minmax(from, to), static_cast<int>(p.edges.size()));
      if (is_new)
        p.edges.push_back({from, to, static_cast<int>(f), -1});
      else
        p.edges[static_cast<std::size_t>(place->second)].f1 = static_cast<int>(f);
      p.loop_edges.push_back(place->second);
    }
  }
}

void set_center(Polytope& p) {
  p.center.setZero();
  for (const Eigen::Vector3d& v : p.vertices) p.center += v;
  p.center /= static_cast<double>(p.vertices.size());
  p.inradius = p.faces.empty() ? 0.0 : std::numeric_limits<double>::infinity();
  for (const PolytopeFace& face : p.faces)
    p.inradius = std::min(p.inradius, std::max(0.0, face.offset - face.normal.dot(p.center)));
}

}  // namespace

Polytope make_polytope(std::vector<Eigen::Vector3d> vertices,
                       const std::vector<std::vector<int>>& face_loops) {
  Polytope p;
  p.vertices = std::move(vertices);
  for (const std::vector<int>& loop : face_loops) {
    p.faces.push_back({.first = static_cast<int>(p.loop.size()), .count = static_cast<int>(loop.size())});
    p.loop.insert(p.loop.end(), loop.begin(), loop.end());
    set_plane(p, p.faces.back());
  }
  set_edges(p);
  set_center(p);
  return p;
}

Polytope make_box_polytope(const Eigen::Vector3d& half) {
  std::vector<Eigen::Vector3d> vertices;
  for (int i = 0; i < 8; ++i)
    vertices.emplace_back(i & 1 ? half.x() : -half.x(), i & 2 ? half.y() : -half.y(),
                          i & 4 ? half.z() : -half.z());
  Polytope p =
      make_polytope(std::move(vertices),
                    {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}});
  for (int axis = 0; axis < 3; ++axis) {  // exact, also where an edge has no length
    for (int side = 0; side < 2; ++side) {
      PolytopeFace& face = p.faces[static_cast<std::size_t>(2 * axis + side)];
      face.normal = (side ? 1.0 : -1.0) * Eigen::Vector3d::Unit(axis);
      face.offset = half[axis];
    }
  }
  p.inradius = half.minCoeff();
  return p;
}

Polytope make_prism_polytope(const std::vector<Eigen::Vector2d>& corners, double half) {
  const int n = static_cast<int>(corners.size());
  std::vector<Eigen::Vector3d> vertices;
  std::vector<std::vector<int>> loops(2);
  for (const double z : {-half, half})
    for (const Eigen::Vector2d& c : corners) vertices.emplace_back(c.x(), c.y(), z);
  for (int i = 0; i < n; ++i) {
    loops[0].push_back(n - 1 - i);
    loops[1].push_back(n + i);
    const int j = (i + 1) % n;
    loops.push_back({i, j, n + j, n + i});
  }
  return make_polytope(std::move(vertices), loops);
}

Polytope make_segment_polytope(double half) {
  Polytope p;
  p.vertices = {{0.0, 0.0, -half}, {0.0, 0.0, half}};
  p.edges = {{0, 1, -1, -1}};
  return p;
}

Polytope make_point_polytope() {
  Polytope p;
  p.vertices = {Eigen::Vector3d::Zero()};
  return p;
}

void set_triangle(Polytope& p, const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  p.vertices.assign({a, b, c});
  p.faces.assign({PolytopeFace{.first = 0, .count = 3}, PolytopeFace{.first = 3, .count = 3}});
  p.edges.assign({PolytopeEdge{0, 1, 0, 1}, PolytopeEdge{1, 2, 0, 1}, PolytopeEdge{2, 0, 0, 1}});
  p.loop.assign({0, 1, 2, 0, 2, 1});
  p.loop_edges.assign({0, 1, 2, 2, 1, 0});
  set_plane(p, p.faces[0]);
  p.faces[1].normal = -p.faces[0].normal;
  p.faces[1].offset = -p.faces[0].normal.dot(a);
  p.center = (a + b + c) / 3.0;
  p.inradius = 0.0;
}

MassProperties compute_unit_mass(const Polytope& p) {
  // moments of the tetrahedra (center, first corner, k, k + 1), in coordinates from `center`
  double volume = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();
  for (const PolytopeFace& face : p.faces) {
    const auto at = [&](int i) -> Eigen::Vector3d {
      return p.vertices[static_cast<std::size_t>(p.loop[static_cast<std::size_t>(face.first + i)])] -
             p.center;
    };
    for (int k = 1; k + 1 < face.count; ++k) {
      const Eigen::Vector3d a = at(0), b = at(k), c = at(k + 1), sum = a + b + c;
      const double v = a.cross(b).dot(c) / 6.0;
      volume += v;
      first += v / 4.0 * sum;
      second +=
          v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
  }
  if (!(volume > 0.0)) return {0.0, p.center, Eigen::Matrix3d::Zero()};
  const Eigen::Vector3d center = first / volume;
  const Eigen::Matrix3d C = second - volume * center * center.transpose();
  Eigen::Matrix3d inertia = C.trace() * Eigen::Matrix3d::Identity() - C;
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  return {volume, p.center + center, inertia};
}

}  // namespace rigor
