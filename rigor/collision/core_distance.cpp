#include "rigor/collision/core_distance.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

CoreDistance to_box(const Vector3d& half, const Vector3d& x) {
  CoreDistance out;
  const Vector3d clamped = x.cwiseMax(-half).cwiseMin(half);
  const Vector3d away = x - clamped;
  if (!away.isZero(0.0)) {
    out.distance = away.stableNorm();
    out.n = away / out.distance;
    out.nearest = clamped;
    return out;
  }
  int axis = 0;
  (x.cwiseAbs() - half).maxCoeff(&axis);
  out.distance = std::abs(x[axis]) - half[axis];
  out.n = std::copysign(1.0, x[axis]) * Vector3d::Unit(axis);
  out.nearest = x;
  out.nearest[axis] = std::copysign(half[axis], x[axis]);
  return out;
}

// Signed distance to a convex polygon of n corners, counter-clockwise, in the half-plane (across, axial). The
// side that lies on the axis of revolution is inside the solid and is left out: corners run from axis to
// axis.
struct PlaneDistance {
  double distance;
  Vector2d n, nearest;
};

PlaneDistance to_profile(const Vector2d* corner, int count, const Vector2d& x) {
  // the side with the largest signed distance decides inside, and outside where the foot of x lies within it
  PlaneDistance best{-std::numeric_limits<double>::infinity(), Vector2d::UnitX(), x};
  double scale = 0.0;
  for (int i = 0; i + 1 < count; ++i) {
    const Vector2d along = corner[i + 1] - corner[i];
    const double length = along.norm();
    if (!(length > 0.0)) continue;
    scale = std::max(scale, length);
    const Vector2d normal(along.y() / length, -along.x() / length);
    const double s = normal.dot(x - corner[i]);
    if (s > best.distance) best = {s, normal, x - s * normal};
  }
  if (best.distance <= 0.0) return best;
  // a foot within a side is nearer than any corner, and has the side's exact normal
  PlaneDistance nearest{std::numeric_limits<double>::infinity(), best.n, x};
  for (int i = 0; i + 1 < count; ++i) {
    const Vector2d along = corner[i + 1] - corner[i];
    const double length = along.norm();
    if (!(length > 0.0)) continue;
    const Vector2d normal(along.y() / length, -along.x() / length);
    const double s = normal.dot(x - corner[i]), t = along.dot(x - corner[i]) / length;
    if (s > 0.0 && t >= 0.0 && t <= length && s < nearest.distance) nearest = {s, normal, x - s * normal};
  }
  if (std::isfinite(nearest.distance)) return nearest;
  for (int i = 1; i < count; ++i) {
    const double distance = (x - corner[i]).norm();
    if (distance < nearest.distance) nearest = {distance, (x - corner[i]) / distance, corner[i]};
  }
  // on the corner to rounding, where the direction to it is noise: take the side's normal
  return nearest.distance > 1e-14 * scale ? nearest : best;
}

CoreDistance to_revolved(const Vector2d* corner, int count, const Vector3d& x) {
  const double across = portable::hypot(x.x(), x.y());
  const Vector3d u = across > 0.0 ? Vector3d(x.x() / across, x.y() / across, 0.0) : Vector3d::UnitX();
  const PlaneDistance flat = to_profile(corner, count, {across, x.z()});
  const auto lift = [&](const Vector2d& p) -> Vector3d { return p.x() * u + p.y() * Vector3d::UnitZ(); };
  return {flat.distance, lift(flat.n), lift(flat.nearest)};
}

// The root of f(τ) = Σ (r_i x_i/(τ + m_i))² − 1, τ = t + min r², m_i = r_i² − min r²: convex and falling
// right of its last pole. With τ in place of t nothing cancels where the nearest point is far from x's
// direction.
double find_root(const Vector3d& r, const Vector3d& m, const Vector3d& x) {
  // each term alone gives a lower bound, all of them over the smallest m an upper one
  double low = 0.0;
  for (int i = 0; i < 3; ++i)
    if (x[i] != 0.0) low = std::max(low, r[i] * std::abs(x[i]) - m[i]);
  const double high = std::max(low, r.cwiseProduct(x).norm());
  double tau = low;  // Newton from the left on a convex falling function never overshoots
  for (int k = 0; k < 200; ++k) {
    double value = -1.0, slope = 0.0;
    for (int i = 0; i < 3; ++i) {
      if (x[i] == 0.0) continue;
      const double q = tau + m[i], z = r[i] * x[i] / q;
      value += z * z;
      slope -= 2.0 * z * z / q;
    }
    if (!std::isfinite(value) || !(slope < 0.0)) break;
    const double next = std::clamp(tau - value / slope, low, high);
    if (k > 3 && !(next - tau > 1e-16 * tau)) return next;
    tau = next;
  }
  return tau;
}

CoreDistance to_ellipsoid(const Vector3d& r, const Vector3d& x) {
  int flattest = 0;
  const double smallest = r.minCoeff(&flattest);
  const Vector3d m = (r.array() - smallest) * (r.array() + smallest);
  Vector3d y = Vector3d::Zero();
  // on a symmetry plane, deep inside: no root; the nearest point leaves that plane along the smallest axis
  double rest = 1.0;
  for (int i = 0; i < 3; ++i)
    if (m[i] > 0.0) rest -= (r[i] * x[i] / m[i]) * (r[i] * x[i] / m[i]);
  bool centered = true;
  for (int i = 0; i < 3; ++i) centered &= m[i] > 0.0 || x[i] == 0.0;
  if (centered && rest >= 0.0) {
    for (int i = 0; i < 3; ++i)
      if (m[i] > 0.0) y[i] = r[i] * r[i] * x[i] / m[i];
    y[flattest] = std::copysign(smallest * std::sqrt(rest), x[flattest]);
  } else {
    const double tau = find_root(r, m, x);
    for (int i = 0; i < 3; ++i) y[i] = x[i] == 0.0 ? 0.0 : r[i] * r[i] * x[i] / (tau + m[i]);
  }
  CoreDistance out;
  out.nearest = y;
  out.n = y.cwiseQuotient(r).cwiseQuotient(r).stableNormalized();
  out.distance = out.n.dot(x - y);
  return out;
}

}  // namespace

CoreDistance find_point_distance(const Convex& solid, const Vector3d& x) {
  const double r = solid.radius, l = solid.half_length;
  switch (solid.kind) {
    case CoreKind::kBox:
      return to_box(solid.radii, x);
    case CoreKind::kCylinder: {
      const std::array<Vector2d, 4> corners{Vector2d(0, -l), Vector2d(r, -l), Vector2d(r, l), Vector2d(0, l)};
      return to_revolved(corners.data(), 4, x);
    }
    case CoreKind::kCone: {
      const std::array<Vector2d, 3> corners{Vector2d(0, -l), Vector2d(r, -l), Vector2d(0, l)};
      return to_revolved(corners.data(), 3, x);
    }
    case CoreKind::kEllipsoid:
      return to_ellipsoid(solid.radii, x);
    case CoreKind::kSegment: {
      const Vector3d foot(0.0, 0.0, std::clamp(x.z(), -l, l)), away = x - foot;
      const double distance = away.stableNorm();
      return {distance, distance > 0.0 ? Vector3d(away / distance) : Vector3d::UnitX(), foot};
    }
    default: {
      const Vector3d foot = solid.polytope->vertices[0], away = x - foot;
      const double distance = away.stableNorm();
      return {distance, distance > 0.0 ? Vector3d(away / distance) : Vector3d::UnitZ(), foot};
    }
  }
}

SegmentDistance find_segment_distance(const Vector3d& x, const Vector3d& u, const Vector3d& y,
                                      const Vector3d& v) {
  const Vector3d w = x - y;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
  // |u × v|², not uu vv − uv²: that is rounding alone where the segments are parallel
  const Vector3d cross = u.cross(v);
  const double det = cross.squaredNorm();
  const bool parallel = !(det > 1e-24 * uu * vv);
  // the unclamped s, then t for it, then s again for the clamped t
  double s = parallel ? 0.0 : std::clamp((uv * vw - vv * uw) / det, -1.0, 1.0);
  double t = vv > 0.0 ? (uv * s + vw) / vv : 0.0;
  if (std::abs(t) > 1.0) {
    t = std::clamp(t, -1.0, 1.0);
    s = uu > 0.0 ? std::clamp((uv * t - uw) / uu, -1.0, 1.0) : 0.0;
  }
  SegmentDistance out;
  out.on_a = x + s * u;
  out.on_b = y + t * v;
  const Vector3d away = out.on_a - out.on_b;
  out.distance = away.stableNorm();
  if (!parallel && std::abs(s) < 1.0 && std::abs(t) < 1.0) {
    // both inside: the common perpendicular, exact also where the segments nearly touch
    out.n = cross.stableNormalized();
    out.distance = out.n.dot(w);
    if (out.distance < 0.0) out.distance = -out.distance, out.n = -out.n;
  } else if (out.distance > 0.0) {
    out.n = away / out.distance;
  } else {
    const Vector3d any = cross.norm() > 0.0 ? cross : (uu > 0.0 ? u : v).unitOrthogonal();
    out.n = any.norm() > 0.0 ? any.stableNormalized() : Vector3d::UnitZ();
  }
  return out;
}

}  // namespace rigor
