#include "rigor/collision/axis.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "rigor/collision/core_distance.hpp"
#include "rigor/collision/deepest.hpp"
#include "rigor/collision/gjk.hpp"
#include "rigor/collision/sat.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

bool is_smooth(CoreKind kind) {
  return kind == CoreKind::kCylinder || kind == CoreKind::kCone || kind == CoreKind::kEllipsoid;
}

// A is a point.
Axis point_and_solid(const ConvexPair& pair) {
  const Vector3d x = pair.a->polytope->vertices[0];
  const CoreDistance found = find_point_distance(*pair.b, pair.R_AB.transpose() * (x - pair.p_AB));
  Axis axis;
  axis.n = pair.R_AB * found.n;
  axis.separation = found.distance;
  axis.on_a = x;
  axis.on_b = pair.p_AB + pair.R_AB * found.nearest;
  axis.residual = 0.0;
  return axis;
}

// B is a point.
Axis solid_and_point(const ConvexPair& pair) {
  const Vector3d x = pair.p_AB + pair.R_AB * pair.b->polytope->vertices[0];
  const CoreDistance found = find_point_distance(*pair.a, x);
  Axis axis;
  axis.n = -found.n;
  axis.separation = found.distance;
  axis.on_a = found.nearest;
  axis.on_b = x;
  axis.residual = 0.0;
  return axis;
}

Axis two_segments(const ConvexPair& pair) {
  const SegmentDistance found =
      find_segment_distance(Vector3d::Zero(), pair.a->half_length * Vector3d::UnitZ(), pair.p_AB,
                            pair.b->half_length * pair.R_AB.col(2));
  return {found.n, found.distance, found.on_a, found.on_b, 0.0};
}

Vector3d first_direction(const ConvexPair& pair) {
  const Vector3d d = pair.a->center - (pair.p_AB + pair.R_AB * pair.b->center);
  return d.isZero(0.0) ? Vector3d::UnitZ() : d;
}

// The normals that the nearest features of two separated polytopes have exactly: that of a face, or across
// two edges.
void refine_polytopes(const ConvexPair& pair, const GjkResult& gjk, Axis& axis) {
  const double rounding = 4e-15 * pair.scale();
  const Vector3d between = gjk.on_a - gjk.on_b;
  const auto offer = [&](const Vector3d& n) {
    const double s = pair.separation(n);
    if ((between - s * n).norm() > rounding) return false;
    axis.n = n;
    axis.separation = s;
    return true;
  };
  const auto nearest_face = [](const Polytope& p, const Vector3d& d) {
    const PolytopeFace* best = nullptr;
    for (const PolytopeFace& face : p.faces)
      if (!best || face.normal.dot(d) > best->normal.dot(d)) best = &face;
    return best;
  };
  const PolytopeFace* face_b = nearest_face(*pair.b->polytope, pair.R_AB.transpose() * gjk.n);
  if (face_b && offer(pair.R_AB * face_b->normal)) return;
  const PolytopeFace* face_a = nearest_face(*pair.a->polytope, -gjk.n);
  if (face_a && offer(-face_a->normal)) return;
  // two different points of each polytope in the simplex: an edge of each
  const Simplex& s = gjk.simplex;
  Vector3d u = Vector3d::Zero(), v = Vector3d::Zero();
  for (int i = 1; i < s.size; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (u.isZero(0.0)) u = s.a[k] - s.a[0];
    if (v.isZero(0.0)) v = s.b[k] - s.b[0];
  }
  const Vector3d cross = u.cross(v);
  if (cross.norm() > 1e-10 * u.norm() * v.norm() &&
      offer(cross.normalized() * std::copysign(1.0, cross.dot(gjk.n))))
    return;
  // an edge and a vertex: remove the component along the edge, which is rounding
  Vector3d n = gjk.n;
  for (const Vector3d& e : {u, v})
    if (!e.isZero(0.0)) n -= e * (e.dot(n) / e.squaredNorm());
  n.normalize();
  const double s_edge = pair.separation(n);
  if (s_edge > axis.separation) axis.n = n, axis.separation = s_edge;
}

// Pulls the cores apart along the normal n found, to a small distance t, and finds the nearest points
// there: a problem with one solution n'. It separates no worse, s(n') ≥ s(n) + t (1 − n·n'), and where n' =
// n its witness points prove n for the cores in their original place.
void pull_apart(const ConvexPair& pair, Axis& axis) {
  double distance = 0.05 * std::min(pair.a->size, pair.b->size);
  for (int i = 0; i < 60 && axis.residual > 1e-14 * pair.scale(); ++i) {
    const double pull = distance - axis.separation;
    ConvexPair apart = pair;
    apart.p_AB -= pull * axis.n;
    const GjkResult gjk = find_distance_gjk(apart, axis.n, std::numeric_limits<double>::infinity(), 1e-10);
    if (!(gjk.distance > 0.0)) return;
    Axis found;
    improve_normal(apart, gjk.n, found);
    const double s = pair.separation(found.n);
    const Vector3d on_b = found.on_b + pull * axis.n;
    const double residual = (found.on_a - on_b - s * found.n).norm();
    const double before = axis.separation, residual_before = axis.residual;
    if (s > axis.separation + 1e-15 * pair.scale() ||
        (s > axis.separation - 1e-15 * pair.scale() && residual < axis.residual))
      axis = {found.n, s, found.on_a, on_b, residual};
    improve_normal(pair, found.n, axis);
    // stalled: a shorter pull ties the answer less to n
    if (axis.separation <= before && axis.residual >= residual_before) distance *= 0.03;
    if (distance < 1e-12 * pair.scale()) return;
  }
}

// Tries the normal of every plane face, however far from the one found.
void try_faces(const ConvexPair& pair, Axis& axis) {
  for (const bool of_b : {true, false}) {
    const Convex& shape = of_b ? *pair.b : *pair.a;
    const auto offer = [&](const Vector3d& m) {
      value_normal(pair, of_b ? Vector3d(pair.R_AB * m) : Vector3d(-m), of_b, axis);
    };
    if (shape.kind == CoreKind::kCylinder) offer(Vector3d::UnitZ()), offer(-Vector3d::UnitZ());
    if (shape.kind == CoreKind::kCone) offer(-Vector3d::UnitZ());
    if (shape.is_polytope())
      for (const PolytopeFace& face : shape.polytope->faces) offer(face.normal);
  }
}

Axis any_two(const ConvexPair& pair, double stop_above) {
  Axis axis;
  const GjkResult gjk = find_distance_gjk(pair, first_direction(pair), stop_above, 1e-10);
  if (gjk.beyond) {
    axis.n = gjk.n.isZero(0.0) ? Vector3d::UnitZ() : gjk.n;
    axis.separation = std::max(stop_above, pair.separation(axis.n));
    if (axis.separation <= stop_above) axis.separation = std::nextafter(stop_above, 1e300);
    return axis;
  }
  // apart: a proof is final
  const bool apart = gjk.distance > 0.01 * std::min(pair.a->size, pair.b->size);
  if (gjk.distance > 0.0) {
    improve_normal(pair, gjk.n, axis);
    if (axis.separation > 0.0 && axis.residual <= 1e-14 * pair.scale()) return axis;
  }
  if (!pair.plane.isZero(0.0)) return axis;  // the directions of the plane are searched afterwards
  if (!apart) {
    try_faces(pair, axis);
    find_deepest(pair, axis);
  }
  pull_apart(pair, axis);
  // a line or a face along the other: the witness of GJK lies in the overlap
  if (apart && axis.residual > 1e-13 * pair.scale()) {
    const Vector3d moved = gjk.on_a - gjk.on_b - axis.separation * axis.n;
    if (moved.norm() < 1e-9 * pair.scale()) {
      axis.on_a = gjk.on_a;
      axis.on_b = gjk.on_a - axis.separation * axis.n;
    }
  }
  return axis;
}

// In a planar scene the points that support n project to a point or a segment of the plane. Where the two
// projections overlap, any place of the common part is a witness point, at the height of A's origin.
void set_planar_witness(const ConvexPair& pair, Axis& axis) {
  constexpr double kTilt = 1e-7;  // rad: finds the ends of an edge; a rounded end is missed by as much
  if (axis.residual <= 1e-14 * pair.scale()) return;
  const Vector3d &n = axis.n, t = pair.plane.cross(n);
  const auto ends = [&](const Vector3d& low, const Vector3d& high) {
    return std::pair(t.dot(low), t.dot(high));
  };
  const auto [a0, a1] = ends(pair.support_a(-n - kTilt * t), pair.support_a(-n + kTilt * t));
  const auto [b0, b1] = ends(pair.support_b(n - kTilt * t), pair.support_b(n + kTilt * t));
  const double low = std::max(a0, b0), high = std::min(a1, b1);
  if (low > high + kTilt * pair.scale()) return;
  axis.on_a = n * n.dot(pair.support_a(-n)) + t * (0.5 * (low + high));
  axis.on_b = axis.on_a - axis.separation * n;
  axis.residual = 0.0;
}

Axis two_polytopes(const ConvexPair& pair, double stop_above) {
  Vector3d rough;
  Axis axis = find_unproved_axis(pair, stop_above, rough);
  if (!rough.isZero(0.0)) prove_axis(pair, rough, axis);
  return axis;
}

}  // namespace

// Where rounding leaves GJK's nearest points apart by more than the normal explains, Newton's method
// sharpens them.
void prove_axis(const ConvexPair& pair, const Vector3d& rough, Axis& axis) {
  const double rounding = 1e-14 * pair.scale();
  if (axis.residual > rounding) improve_normal(pair, axis.n, axis);
  if (axis.residual > rounding) improve_normal(pair, rough, axis);
  pull_apart(pair, axis);
}

Axis find_unproved_axis(const ConvexPair& pair, double stop_above, Vector3d& rough) {
  rough.setZero();
  const double touching = 1e-13 * pair.scale();
  Axis axis;
  const bool boxes = pair.a->kind == CoreKind::kBox && pair.b->kind == CoreKind::kBox;
  if (boxes) {
    find_axis_boxes(pair, stop_above, axis);
    if (axis.separation <= -touching || axis.separation > stop_above) return axis;
  }
  const GjkResult gjk = find_distance_gjk(pair, boxes ? axis.n : first_direction(pair), stop_above);
  if (gjk.beyond) return {gjk.n, pair.separation(gjk.n), gjk.on_a, gjk.on_b, 0.0};
  if (gjk.distance > 1e-9 * pair.scale()) {
    const double s = pair.separation(gjk.n);
    const bool known = boxes && s <= axis.separation + 1e-14 * pair.scale();
    if (!known) axis.n = gjk.n, axis.separation = s;
    axis.on_a = gjk.on_a, axis.on_b = gjk.on_b;
    if (!known) refine_polytopes(pair, gjk, axis);
    axis.residual = (axis.on_a - axis.on_b - axis.separation * axis.n).norm();
  } else if (!boxes) {
    find_axis_sat(pair, axis);
  }
  // barely apart: then the nearest points may be on any features, not only those of the axes
  if (axis.separation > -touching && pair.plane.isZero(0.0)) rough = gjk.n;
  return axis;
}

Axis find_axis(const ConvexPair& pair, double stop_above) {
  const CoreKind a = pair.a->kind, b = pair.b->kind;
  const bool smooth = is_smooth(a) || is_smooth(b);
  Axis axis;
  if (a == CoreKind::kPoint && b != CoreKind::kPolytope)
    axis = point_and_solid(pair);
  else if (b == CoreKind::kPoint && a != CoreKind::kPolytope)
    axis = solid_and_point(pair);
  else if (a == CoreKind::kSegment && b == CoreKind::kSegment)
    axis = two_segments(pair);
  else
    axis = smooth ? any_two(pair, stop_above) : two_polytopes(pair, stop_above);
  if (pair.plane.isZero(0.0) || axis.separation > stop_above) return axis;
  // a search in space ignores the plane: for deep overlap its normal may point out of it
  const bool proved = axis.residual <= 1e-14 * pair.scale() || !smooth;
  if (!proved || !pair.is_allowed(axis.n)) {
    axis = Axis{};
    try_faces(pair, axis);
    find_deepest_in_plane(pair, axis);
  }
  set_planar_witness(pair, axis);
  return axis;
}

}  // namespace rigor
