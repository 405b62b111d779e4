#include "rigor/collision/epa.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor {
namespace {

using Eigen::Vector3d;

constexpr int kMaxVertices = 96;
constexpr int kMaxFaces = 256;
constexpr int kMaxEdges = 256;

struct Face {
  std::array<int, 3> v;
  Vector3d m;     // unit, outward
  double offset;  // m·x on the plane
};

class ExpandingPolytope {
 public:
  ExpandingPolytope(const ConvexPair& pair, double inflation) : pair_(pair), inflation_(inflation) {}

  bool start() {
    // six support points; a tetrahedron of four that span the most
    std::array<Vector3d, 6> p;
    for (int i = 0; i < 6; ++i)
      p[static_cast<std::size_t>(i)] = support((i % 2 ? -1.0 : 1.0) * Vector3d::Unit(i / 2));
    std::array<std::size_t, 4> best{};
    double volume = 0.0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = i + 1; j < 6; ++j)
        for (std::size_t k = j + 1; k < 6; ++k)
          for (std::size_t l = k + 1; l < 6; ++l) {
            const double v = std::abs((p[j] - p[i]).cross(p[k] - p[i]).dot(p[l] - p[i]));
            if (v > volume) volume = v, best = {i, j, k, l};
          }
    if (!(volume > 0.0)) return false;
    for (const std::size_t i : best) vertices_[static_cast<std::size_t>(vertex_count_++)] = p[i];
    const bool turned =
        (vertices_[1] - vertices_[0]).cross(vertices_[2] - vertices_[0]).dot(vertices_[3] - vertices_[0]) >
        0.0;
    constexpr std::array<std::array<int, 3>, 4> kLoops{{{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
    for (const auto& [a, b, c] : kLoops) turned ? add_face(a, c, b) : add_face(a, b, c);
    return true;
  }

  // Puts the support point beyond the nearest face into the polytope. False: that face is on the boundary.
  bool expand(double tolerance) {
    const Face& nearest = faces_[static_cast<std::size_t>(find_nearest())];
    const Vector3d w = support(nearest.m);
    if (nearest.m.dot(w) - nearest.offset <= tolerance || vertex_count_ == kMaxVertices) return false;

    // remove the faces that see w; edges that lose one of their two faces make the horizon
    const int vertex = vertex_count_;
    vertices_[static_cast<std::size_t>(vertex_count_++)] = w;
    edge_count_ = 0;
    int kept = 0;
    bool overflow = false;
    for (int f = 0; f < face_count_; ++f) {
      const Face face = faces_[static_cast<std::size_t>(f)];
      if (face.m.dot(w) - face.offset > 1e-3 * tolerance)
        for (std::size_t k = 0; k < 3; ++k) overflow |= !toggle_edge(face.v[k], face.v[(k + 1) % 3]);
      else
        faces_[static_cast<std::size_t>(kept++)] = face;
    }
    face_count_ = kept;
    if (overflow || face_count_ + edge_count_ > kMaxFaces) return false;
    for (int e = 0; e < edge_count_; ++e)
      add_face(edges_[static_cast<std::size_t>(e)][0], edges_[static_cast<std::size_t>(e)][1], vertex);
    return face_count_ > 0;
  }

  // The directions of the nearest faces, those within `slack` of the best, no two alike.
  void collect(double slack, EpaResult& out) const {
    out.count = 0;
    std::array<bool, kMaxFaces> used{};
    double best = 0.0;
    while (out.count < static_cast<int>(out.n.size())) {
      int found = -1;
      for (int f = 0; f < face_count_; ++f)
        if (!used[static_cast<std::size_t>(f)] &&
            (found < 0 ||
             faces_[static_cast<std::size_t>(f)].offset < faces_[static_cast<std::size_t>(found)].offset))
          found = f;
      if (found < 0) return;
      used[static_cast<std::size_t>(found)] = true;
      const Face& face = faces_[static_cast<std::size_t>(found)];
      if (out.count == 0) best = face.offset;
      if (face.offset > best + slack) return;
      bool alike = false;
      for (int k = 0; k < out.count; ++k) alike |= out.n[static_cast<std::size_t>(k)].dot(-face.m) > 0.99;
      if (!alike) out.n[static_cast<std::size_t>(out.count++)] = -face.m;
    }
  }

 private:
  Vector3d support(const Vector3d& m) const {
    return pair_.support_a(m) - pair_.support_b(-m) + inflation_ * m;
  }

  void add_face(int a, int b, int c) {
    const Vector3d& p = vertices_[static_cast<std::size_t>(a)];
    const Vector3d n =
        (vertices_[static_cast<std::size_t>(b)] - p).cross(vertices_[static_cast<std::size_t>(c)] - p);
    const double length = n.stableNorm();
    if (!(length > 0.0)) return;  // a sliver without a plane; its neighbours cover it
    faces_[static_cast<std::size_t>(face_count_++)] = {{a, b, c}, n / length, n.dot(p) / length};
  }

  // An edge met a second time, from the other side, is inside the hole and goes.
  bool toggle_edge(int from, int to) {
    for (int e = 0; e < edge_count_; ++e) {
      if (edges_[static_cast<std::size_t>(e)] != std::array<int, 2>{to, from}) continue;
      edges_[static_cast<std::size_t>(e)] = edges_[static_cast<std::size_t>(--edge_count_)];
      return true;
    }
    if (edge_count_ == kMaxEdges) return false;
    edges_[static_cast<std::size_t>(edge_count_++)] = {from, to};
    return true;
  }

  int find_nearest() const {
    int best = 0;
    for (int f = 1; f < face_count_; ++f)
      if (faces_[static_cast<std::size_t>(f)].offset < faces_[static_cast<std::size_t>(best)].offset)
        best = f;
    return best;
  }

  const ConvexPair& pair_;
  double inflation_;
  std::array<Vector3d, kMaxVertices> vertices_;
  std::array<Face, kMaxFaces> faces_;
  std::array<std::array<int, 2>, kMaxEdges> edges_;
  int vertex_count_{0}, face_count_{0}, edge_count_{0};
};

}  // namespace

EpaResult find_directions_epa(const ConvexPair& pair, double inflation) {
  EpaResult out;
  ExpandingPolytope polytope(pair, inflation);
  const double tolerance = 0.004 * inflation;
  if (!polytope.start()) return out;
  while (polytope.expand(tolerance)) ++out.iterations;
  polytope.collect(3.0 * tolerance, out);
  return out;
}

}  // namespace rigor
