#include "rigor/collision/sat.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rigor/collision/box_axis.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// An edge with the outward normals of its two faces, in A's frame.
struct EdgeArc {
  Vector3d from, along;  // along: not of unit length
  Vector3d left, right;  // normals
  Vector3d cross;        // left × right, along ± `along`
};

// Scratch for the edges that survive the bound; keeps its room from call to call.
struct Scratch {
  std::vector<EdgeArc> a, b;
};

// Points of two lines x + t u and y + s v, t and s in [0, 1], that differ by the separation; solved three
// times over, because nearly parallel lines lose digits.
void set_edge_witness(const Vector3d& x, const Vector3d& u, const Vector3d& y, const Vector3d& v,
                      Axis& axis) {
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), det = uu * vv - uv * uv;
  if (!(det > 0.0)) return;
  double t = 0.0, s = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vector3d miss = x + t * u - y - s * v - axis.separation * axis.n;
    t = std::clamp(t + (uv * v.dot(miss) - vv * u.dot(miss)) / det, 0.0, 1.0);
    s = std::clamp(s + (uu * v.dot(miss) - uv * u.dot(miss)) / det, 0.0, 1.0);
  }
  axis.on_a = x + t * u;
  axis.on_b = y + s * v;
  axis.residual = (axis.on_a - axis.on_b - axis.separation * axis.n).norm();
}

bool is_thin(const Polytope& p) {
  return p.faces.size() < 4;
}

// Faces of one polytope against the vertices of the other. sign = +1: faces of B, normal n = face normal;
// sign = −1: faces of A, n = −normal.
void try_faces(const ConvexPair& pair, bool of_b, double bias, Axis& best) {
  const Polytope& own = of_b ? *pair.b->polytope : *pair.a->polytope;
  const Polytope& other = of_b ? *pair.a->polytope : *pair.b->polytope;
  // the other polytope's centre in the frame of the faces
  const Matrix3d R = of_b ? Matrix3d(pair.R_AB.transpose()) : pair.R_AB;  // other → own
  const Vector3d p = of_b ? Vector3d(-(pair.R_AB.transpose() * pair.p_AB)) : pair.p_AB;
  const Vector3d center = R * other.center + p;
  int found = -1, found_vertex = 0;
  double found_s = 0.0;
  for (std::size_t f = 0; f < own.faces.size(); ++f) {
    const PolytopeFace& face = own.faces[f];
    const double limit = best.separation + bias;
    if (face.normal.dot(center) - face.offset - other.inradius <= limit) continue;
    const int v = other.find_support(R.transpose() * -face.normal);
    const double s = face.normal.dot(R * other.vertices[static_cast<std::size_t>(v)] + p) - face.offset;
    if (s <= limit || !pair.is_allowed(of_b ? Vector3d(pair.R_AB * face.normal) : face.normal)) continue;
    best.separation = found_s = s;
    found = static_cast<int>(f);
    found_vertex = v;
  }
  if (found < 0) return;
  const Vector3d normal = own.faces[static_cast<std::size_t>(found)].normal;
  const Vector3d vertex = other.vertices[static_cast<std::size_t>(found_vertex)];
  best.n = of_b ? Vector3d(pair.R_AB * normal) : Vector3d(-normal);
  if (of_b) {
    best.on_a = vertex;
    best.on_b = vertex - found_s * best.n;
  } else {
    best.on_b = pair.p_AB + pair.R_AB * vertex;
    best.on_a = best.on_b + found_s * best.n;
  }
  best.residual = 0.1 * pair.scale();  // whether the witness lies within the face, the manifold will know
}

// Whether a direction on the arc of an edge's outward normals can separate by more than `limit` from a ball
// about y (measured from the edge): the largest m·y over the arc, at one of its ends or where y itself
// points to the arc.
bool reaches(const Vector3d& left, const Vector3d& right, const Vector3d& along, const Vector3d& y,
             double limit) {
  if (std::max(left.dot(y), right.dot(y)) > limit) return true;
  if (limit < 0.0) limit = 0.0;
  const double y2 = y.squaredNorm();
  if (y2 <= limit * limit) return false;
  const double ay = along.dot(y);
  if ((y2 - limit * limit) * along.squaredNorm() <= ay * ay) return false;
  const Vector3d cross = left.cross(right);
  return cross.dot(left.cross(y)) > 0.0 && cross.dot(y.cross(right)) > 0.0;
}

// The edges of `own` that may beat `best`, in A's frame by R and p. The other polytope's centre is given in
// own's frame, in which most edges are excluded.
void collect_edges(const Polytope& own, const Matrix3d& R, const Vector3d& p, const Vector3d& other_center,
                   double other_inradius, double best, std::vector<EdgeArc>& out) {
  out.clear();
  const double limit = best + other_inradius;
  for (const PolytopeEdge& edge : own.edges) {
    const Vector3d &v0 = own.vertices[static_cast<std::size_t>(edge.v0)],
                   &v1 = own.vertices[static_cast<std::size_t>(edge.v1)];
    const Vector3d &left = own.faces[static_cast<std::size_t>(edge.f0)].normal,
                   &right = own.faces[static_cast<std::size_t>(edge.f1)].normal;
    if (!reaches(left, right, v1 - v0, other_center - v0, limit)) continue;
    const Vector3d from = R * v0 + p, along = R * v1 + p - from, left_A = R * left, right_A = R * right;
    out.push_back({from, along, left_A, right_A, left_A.cross(right_A)});
  }
}

// Arcs (a, b) and (−c, −d) cross on the sphere.
bool arcs_cross(const EdgeArc& A, const EdgeArc& B) {
  const double c = -B.left.dot(A.cross), d = -B.right.dot(A.cross);
  if (c * d >= 0.0) return false;
  const double a = A.left.dot(-B.cross), b = A.right.dot(-B.cross);
  // −(c × d) has the sign of B.cross: both factors were negated
  return a * b < 0.0 && c * -b > 0.0;
}

void try_edges(const ConvexPair& pair, double bias, Axis& best) {
  thread_local Scratch scratch;
  const Polytope &A = *pair.a->polytope, &B = *pair.b->polytope;
  const Vector3d center_b = pair.p_AB + pair.R_AB * B.center;
  collect_edges(A, Matrix3d::Identity(), Vector3d::Zero(), center_b, B.inradius, best.separation, scratch.a);
  const Vector3d center_a = pair.R_AB.transpose() * (A.center - pair.p_AB);
  collect_edges(B, pair.R_AB, pair.p_AB, center_a, A.inradius, best.separation, scratch.b);
  for (const EdgeArc& a : scratch.a) {
    for (const EdgeArc& b : scratch.b) {
      if (!arcs_cross(a, b)) continue;
      const Vector3d cross = a.along.cross(b.along);
      const double length = cross.norm();
      if (!(length > 0.0)) continue;
      Vector3d n = cross / length;
      if (n.dot(a.left + a.right) > 0.0) n = -n;  // out of B, into A
      const double s = n.dot(a.from - b.from);
      if (s <= best.separation + bias) continue;
      Axis axis;
      axis.n = n;
      axis.separation = pair.separation(n);
      if (axis.separation <= best.separation + bias || !pair.is_allowed(n)) continue;
      set_edge_witness(a.from, a.along, b.from, b.along, axis);
      best = axis;
    }
  }
}

// Without arcs: every cross product, in both directions, with its value by the support functions.
void try_all_edges(const ConvexPair& pair, double bias, Axis& best) {
  const Polytope &A = *pair.a->polytope, &B = *pair.b->polytope;
  for (const PolytopeEdge& ea : A.edges) {
    const Vector3d x = A.vertices[static_cast<std::size_t>(ea.v0)];
    const Vector3d u = A.vertices[static_cast<std::size_t>(ea.v1)] - x;
    for (const PolytopeEdge& eb : B.edges) {
      const Vector3d y = pair.p_AB + pair.R_AB * B.vertices[static_cast<std::size_t>(eb.v0)];
      const Vector3d v = pair.p_AB + pair.R_AB * B.vertices[static_cast<std::size_t>(eb.v1)] - y;
      const Vector3d cross = u.cross(v);
      const double length = cross.norm();
      if (!(length > 1e-14 * u.norm() * v.norm())) continue;
      for (const double sign : {1.0, -1.0}) {
        Axis axis;
        axis.n = sign / length * cross;
        axis.separation = pair.separation(axis.n);
        if (axis.separation <= best.separation + bias || !pair.is_allowed(axis.n)) continue;
        if (std::abs(axis.n.dot(x - y) - axis.separation) > bias) continue;  // a parallel edge carries it
        set_edge_witness(x, u, y, v, axis);
        best = axis;
      }
    }
  }
}

}  // namespace

void find_axis_sat(const ConvexPair& pair, Axis& best) {
  const double bias = 1e-14 * pair.scale();
  try_faces(pair, true, 0.0, best);
  try_faces(pair, false, bias, best);
  if (is_thin(*pair.a->polytope) || is_thin(*pair.b->polytope))
    try_all_edges(pair, bias, best);
  else
    try_edges(pair, bias, best);
}

void find_axis_boxes(const ConvexPair& pair, double stop_above, Axis& best) {
  const Vector3d &half_a = pair.a->radii, &half_b = pair.b->radii;
  const Matrix3d& R = pair.R_AB;
  const BoxAxis found = find_box_axis({half_a, half_b, R, pair.p_AB}, pair.plane, pair.scale(), stop_above);
  best.n = found.n;
  best.separation = found.separation;
  best.residual = 0.1 * pair.scale();  // whether the witness lies within the face, the manifold will know
  if (best.separation > stop_above) return;
  const Vector3d on_a = pair.support_a(-best.n), on_b = pair.support_b(best.n);
  switch (found.kind) {
    case BoxAxis::Kind::kFaceB:
      best.on_a = on_a;
      best.on_b = on_a - best.separation * best.n;
      return;
    case BoxAxis::Kind::kFaceA:
      best.on_b = on_b;
      best.on_a = on_b + best.separation * best.n;
      return;
    case BoxAxis::Kind::kEdges: {
      // the edges through the points of support, from their lower ends
      Vector3d x = on_a, y_B = R.transpose() * (on_b - pair.p_AB);
      x[found.i] = -half_a[found.i];
      y_B[found.j] = -half_b[found.j];
      set_edge_witness(x, 2.0 * half_a[found.i] * Vector3d::Unit(found.i), pair.p_AB + R * y_B,
                       2.0 * half_b[found.j] * R.col(found.j), best);
      return;
    }
  }
}

}  // namespace rigor
