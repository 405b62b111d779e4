#include "rigor/collision/normal_newton.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNear = 0.25;        // rad: how far a rough normal may be from that of the right piece
constexpr double kVeryNear = 0.9999;  // cosine: the rough normal has been found exactly
constexpr int kMaxPieces = 16;        // of one shape

// A smooth piece of a support function, in A's frame; d is the direction of support, −n for A and n for B.
struct Piece {
  enum class Form : std::uint8_t { kVertex, kRim, kEllipsoid, kFace } form{Form::kVertex};
  Vector3d base{Vector3d::Zero()};   // vertex, centre of the rim or of the ellipsoid
  Vector3d axis{Vector3d::UnitZ()};  // of a rim; outward normal of a face
  double radius{0.0};                // of a rim
  Matrix3d Q{Matrix3d::Zero()};      // of an ellipsoid
  bool constrained{false};           // d·e = c
  Vector3d e{Vector3d::Zero()};
  double c{0.0};
  double low{0.0}, high{0.0};  // along the generator, where constrained
  bool cone{false};            // the generator runs from the tip to the rim, else along e

  // the point of support, and its derivative with respect to d
  [[nodiscard]] Vector3d point(const Vector3d& d) const {
    switch (form) {
      case Form::kRim:
        return base + radius * (d - axis * axis.dot(d)).normalized();
      case Form::kEllipsoid:
        return base + Q * d / std::sqrt(d.dot(Q * d));
      default:
        return base;
    }
  }
  [[nodiscard]] Matrix3d derivative(const Vector3d& d) const {
    switch (form) {
      case Form::kRim: {
        const Vector3d across = d - axis * axis.dot(d);
        const double length = across.norm();
        const Vector3d u = across / length;
        return radius / length * (Matrix3d::Identity() - axis * axis.transpose() - u * u.transpose());
      }
      case Form::kEllipsoid: {
        const Vector3d Qd = Q * d;
        const double h = std::sqrt(d.dot(Qd));
        return Q / h - Qd * Qd.transpose() / (h * h * h);
      }
      default:
        return Matrix3d::Zero();
    }
  }
  [[nodiscard]] Vector3d generator(const Vector3d& d) const {
    if (!cone) return e;
    // the side's outward normals are √(1−c²) u + c e with u across the axis
    return c * (d - e * e.dot(d)).normalized() - std::sqrt(1.0 - c * c) * e;
  }
};

struct Pieces {
  std::array<Piece, kMaxPieces> piece;
  int count{0};
  bool overflow{false};
  void add(const Piece& p) {
    if (count < kMaxPieces)
      piece[static_cast<std::size_t>(count++)] = p;
    else
      overflow = true;
  }
};

// Where a shape's own frame S lies in A's.
struct Frame {
  Matrix3d R;
  Vector3d p;
};

void add_cylinder(const Convex& shape, const Frame& X, const Vector3d& d_S, Pieces& out) {
  const double across = portable::hypot(d_S.x(), d_S.y());
  const Vector3d axis = X.R.col(2);
  const double side = std::copysign(1.0, d_S.z());
  if (across < kNear) out.add({.form = Piece::Form::kFace, .axis = side * axis});
  if (std::abs(d_S.z()) < kNear)
    out.add({.form = Piece::Form::kRim,
             .base = X.p,
             .axis = axis,
             .radius = shape.radius,
             .constrained = true,
             .e = axis,
             .low = -shape.half_length,
             .high = shape.half_length});
  for (const double s : {side, -side}) {
    if (s != side && std::abs(d_S.z()) > kNear) continue;
    out.add({.form = Piece::Form::kRim,
             .base = X.p + s * shape.half_length * axis,
             .axis = axis,
             .radius = shape.radius});
  }
}

void add_cone(const Convex& shape, const Frame& X, const Vector3d& d_S, Pieces& out) {
  const double length = 2.0 * shape.half_length, side = portable::hypot(shape.radius, length);
  const double c = shape.radius / side;  // z of the outward normals of the side
  const double across = portable::hypot(d_S.x(), d_S.y());
  const double angle = portable::atan2(d_S.z(), across) - portable::asin(c);
  const Vector3d axis = X.R.col(2), tip = X.p + shape.half_length * axis;
  if (d_S.z() < 0.0 && across < kNear) out.add({.form = Piece::Form::kFace, .axis = -axis});
  if (std::abs(angle) < kNear)
    out.add({.base = tip, .constrained = true, .e = axis, .c = c, .low = 0.0, .high = side, .cone = true});
  if (angle > -kNear) out.add({.base = tip});
  if (angle < kNear)
    out.add({.form = Piece::Form::kRim,
             .base = X.p - shape.half_length * axis,
             .axis = axis,
             .radius = shape.radius});
}

// The vertices that can become the furthest when d turns by `turn` [rad], the edges between them, and the
// faces that nearly face d.
void add_polytope(const Polytope& p, const Frame& X, const Vector3d& d_S, double turn, Pieces& out) {
  for (const PolytopeFace& face : p.faces)
    if (face.normal.dot(d_S) > portable::cos(turn))
      out.add({.form = Piece::Form::kFace, .axis = X.R * face.normal});
  const Vector3d top = p.vertices[static_cast<std::size_t>(p.find_support(d_S))];
  const auto is_near = [&](int v) {
    const Vector3d down = top - p.vertices[static_cast<std::size_t>(v)];
    return d_S.dot(down) <= turn * down.norm();
  };
  for (const PolytopeEdge& edge : p.edges) {
    if (!is_near(edge.v0) || !is_near(edge.v1)) continue;
    const Vector3d a = p.vertices[static_cast<std::size_t>(edge.v0)],
                   b = p.vertices[static_cast<std::size_t>(edge.v1)];
    const double length = (b - a).norm();
    if (!(length > 0.0)) continue;
    out.add({.base = X.p + X.R * (0.5 * (a + b)),
             .constrained = true,
             .e = X.R * ((b - a) / length),
             .low = -0.5 * length,
             .high = 0.5 * length});
  }
  for (std::size_t v = 0; v < p.vertices.size(); ++v)
    if (is_near(static_cast<int>(v))) out.add({.base = X.p + X.R * p.vertices[v]});
}

void find_pieces(const Convex& shape, const Frame& X, const Vector3d& d, Pieces& out) {
  const Vector3d d_S = X.R.transpose() * d;
  switch (shape.kind) {
    case CoreKind::kCylinder:
      return add_cylinder(shape, X, d_S, out);
    case CoreKind::kCone:
      return add_cone(shape, X, d_S, out);
    case CoreKind::kEllipsoid: {
      const Vector3d r2 = shape.radii.cwiseAbs2();
      return out.add(
          {.form = Piece::Form::kEllipsoid, .base = X.p, .Q = X.R * r2.asDiagonal() * X.R.transpose()});
    }
    default:
      // of a hull with many small faces only the nearest pieces
      for (double turn = kNear; turn > 1e-4; turn *= 0.25) {
        out.count = 0;
        out.overflow = false;
        add_polytope(*shape.polytope, X, d_S, turn, out);
        if (!out.overflow) return;
      }
  }
}

// The point of a rim moves quickly where n is nearly along its axis: the largest turn [rad] for which a
// Newton step is trusted.
double trusted_turn(const Piece& piece, const Vector3d& n) {
  constexpr double kMost = 0.3;
  if (piece.form != Piece::Form::kRim) return kMost;
  return std::min(kMost, 0.5 * n.cross(piece.axis).norm());
}

constexpr int kMaxIterations = 40;

// Two constraints fix n up to the sign of its component across both: the n nearer to the start is taken.
bool solve_both_constrained(const Piece& a, const Piece& b, Vector3d& n) {
  const Vector3d cross = a.e.cross(b.e);
  const double ab = a.e.dot(b.e), det = 1.0 - ab * ab;
  if (!(det > 1e-20)) return false;
  // n·e_a = −c_a and n·e_b = c_b
  const double alpha = (-a.c - ab * b.c) / det, beta = (b.c + ab * a.c) / det;
  const Vector3d within = alpha * a.e + beta * b.e;
  const double rest = 1.0 - within.squaredNorm();
  if (rest < 0.0) return false;
  n = within + std::copysign(std::sqrt(rest / det), n.dot(cross)) * cross;
  // nearly parallel e lose digits: Newton's method on the three conditions brings them back
  for (int i = 0; i < 2 && rest > 1e-6; ++i) {
    const double miss_a = -a.c - n.dot(a.e), miss_b = b.c - n.dot(b.e);
    const Vector3d turn = ((miss_a - ab * miss_b) * a.e + (miss_b - ab * miss_a) * b.e) / det;
    n += turn + cross * ((0.5 * (1.0 - n.squaredNorm()) - n.dot(turn)) / n.dot(cross));
  }
  n.normalize();
  return true;
}

// One constraint n·e = c leaves the circle n = c e + √(1−c²)(p cos θ + q sin θ); Newton on s(θ), uphill where
// it is not concave.
bool solve_on_circle(const Piece& a, const Piece& b, const Vector3d& e, double c, Vector3d& n) {
  const double rho = std::sqrt(1.0 - c * c);
  Vector3d radial = n - e * e.dot(n);
  if (!(radial.norm() > 1e-6)) return false;
  radial.normalize();
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    n = c * e + rho * radial;
    const Vector3d tangent = e.cross(radial);
    const Vector3d x = a.point(-n) - b.point(n);
    const double first = rho * tangent.dot(x);
    const double second =
        -rho * radial.dot(x) -
        rho * rho * (tangent.dot(a.derivative(-n) * tangent) + tangent.dot(b.derivative(n) * tangent));
    const double trusted = std::min(trusted_turn(a, n), trusted_turn(b, n));
    double turn = second < 0.0 ? -first / second : std::copysign(trusted, first);
    turn = std::clamp(turn, -trusted, trusted);
    if (!std::isfinite(turn)) return false;
    radial = (radial + portable::tan(turn) * tangent).normalized();
    const bool settled = std::abs(turn) < 1e-12 && std::abs(turn) >= last;
    last = std::abs(turn);
    if (last < 1e-16 || settled) break;
  }
  n = c * e + rho * radial;
  return true;
}

// No constraint: Newton in the two directions across n, uphill along those in which s is not concave.
bool solve_on_sphere(const Piece& a, const Piece& b, Vector3d& n) {
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxIterations; ++i) {
    const Vector3d u = n.unitOrthogonal(), v = n.cross(u);
    const Vector3d x = a.point(-n) - b.point(n);
    const Matrix3d R = a.derivative(-n) + b.derivative(n);
    const double g1 = u.dot(x), g2 = v.dot(x), lambda = n.dot(x);
    // −H = R + λ on the tangent plane; by R's own axes, so that λ is not lost beside large radii
    const double r11 = u.dot(R * u), r12 = u.dot(R * v), r22 = v.dot(R * v);
    const double spread = portable::hypot(0.5 * (r11 - r22), r12), large = 0.5 * (r11 + r22) + spread;
    double small = large - 2.0 * spread;
    if (small < 1e-14 * large) small = 0.0;
    const double phi = 0.5 * portable::atan2(2.0 * r12, r11 - r22), c = portable::cos(phi),
                 s = portable::sin(phi);
    const double g_large = c * g1 + s * g2, g_small = c * g2 - s * g1;
    const double trusted = std::min(trusted_turn(a, n), trusted_turn(b, n));
    double d1 = 0.0, d2 = 0.0;
    if (small + lambda > 0.0) {
      const double along = g_large / (large + lambda), across = g_small / (small + lambda);
      d1 = c * along - s * across;
      d2 = s * along + c * across;
    } else {
      const double slope = portable::hypot(g1, g2);
      if (!(slope > 0.0)) return false;
      d1 = 0.5 * trusted * g1 / slope;
      d2 = 0.5 * trusted * g2 / slope;
    }
    const double turn = portable::hypot(d1, d2);
    if (!std::isfinite(turn)) return false;
    const double part = turn > trusted ? trusted / turn : 1.0;
    n = (n + part * (d1 * u + d2 * v)).normalized();
    if (turn < 1e-16 || (turn < 1e-12 && turn >= last)) return true;
    last = turn;
  }
  return true;  // at a small gap rounding keeps n moving; the witness points decide whether it is good enough
}

// The maximum of (1) with these two pieces in place of the support functions; false where the search does not
// end.
bool solve_normal(const Piece& a, const Piece& b, const Vector3d& plane, Vector3d& n) {
  if (!plane.isZero(0.0)) {
    // in a planar scene n·plane = 0 is a constraint of its own
    const Piece across{.constrained = true, .e = plane};
    if (a.constrained && std::abs(a.e.dot(plane)) < 1.0 - 1e-12) return solve_both_constrained(a, across, n);
    if (b.constrained && std::abs(b.e.dot(plane)) < 1.0 - 1e-12) return solve_both_constrained(across, b, n);
    return solve_on_circle(a, b, plane, 0.0, n);
  }
  if (a.constrained && b.constrained) return solve_both_constrained(a, b, n);
  if (a.constrained) return solve_on_circle(a, b, a.e, -a.c, n);
  if (b.constrained) return solve_on_circle(a, b, b.e, b.c, n);
  return solve_on_sphere(a, b, n);
}

// Points of the two pieces that differ by s n as nearly as they can, each within its generator's ends.
void find_witness(const Piece& a, const Piece& b, const Vector3d& plane, Axis& axis) {
  const Vector3d& n = axis.n;
  if (a.form == Piece::Form::kFace || b.form == Piece::Form::kFace)
    return;  // any point: clipping will decide
  Vector3d on_a = a.point(-n), on_b = b.point(n);
  const Vector3d g_a = a.constrained ? a.generator(-n) : Vector3d::Zero();
  const Vector3d g_b = b.constrained ? b.generator(n) : Vector3d::Zero();
  // least squares for miss + t_a g_a − t_b g_b = 0 within the ends, repeated: nearly parallel generators lose
  // digits in the first round, and where one is clamped the other has to follow
  const double ab = g_a.dot(g_b), det = 1.0 - ab * ab;
  double t_a = 0.0, t_b = 0.0;
  const auto miss = [&]() -> Vector3d { return on_a + t_a * g_a - on_b - t_b * g_b - axis.separation * n; };
  for (int i = 0; i < 3; ++i) {
    if (a.constrained && b.constrained && det > 1e-14) {
      const Vector3d m = miss();
      t_a += (-m.dot(g_a) + ab * m.dot(g_b)) / det;
      t_b += (m.dot(g_b) - ab * m.dot(g_a)) / det;
    }
    t_a = std::clamp(t_a, a.low, a.high);
    if (b.constrained) t_b = std::clamp(t_b + miss().dot(g_b), b.low, b.high);
    if (a.constrained) t_a = std::clamp(t_a - miss().dot(g_a), a.low, a.high);
  }
  on_a += t_a * g_a;
  on_b += t_b * g_b;
  // with n nearly along a rim's axis, n hardly determines the place on the rim. The other witness point
  // does, and where that one can slide along its generator g, it slides to where g crosses the rim.
  const auto steer = [](const Piece& rim, Vector3d shift, const Piece& other, const Vector3d& g, double t,
                        Vector3d& on_rim, Vector3d& on_other) {
    const auto flat = [&](const Vector3d& v) -> Vector3d { return v - rim.axis * rim.axis.dot(v); };
    Vector3d from = flat(on_other + shift - rim.base);
    if (other.constrained) {
      const Vector3d along = flat(g);
      const double gg = along.squaredNorm(), half = from.dot(along),
                   c = from.squaredNorm() - rim.radius * rim.radius,
                   root = std::sqrt(std::max(0.0, half * half - gg * c));
      const double by = -c / (half + std::copysign(root, half));  // the nearer of the two crossings
      if (gg > 1e-6 && std::abs(by) < 1e-6 * rim.radius && t + by >= other.low && t + by <= other.high) {
        on_other += by * g;
        from += by * along;
      }
    }
    if (from.norm() > 0.1 * rim.radius) on_rim = rim.base + rim.radius * from.normalized();
  };
  const auto leans = [&](const Piece& p) {
    return p.form == Piece::Form::kRim && !p.constrained ? n.cross(p.axis).norm() : 1.0;
  };
  if (std::min(leans(a), leans(b)) < 0.1) {
    const Vector3d across = axis.separation * n;
    if (leans(a) < leans(b))
      steer(a, across, b, g_b, t_b, on_a, on_b);
    else
      steer(b, -across, a, g_a, t_a, on_b, on_a);
  }
  axis.on_a = on_a;
  axis.on_b = on_b;
  const Vector3d left = on_a - on_b - axis.separation * n;
  axis.residual = (left - plane * plane.dot(left)).norm();  // in a planar scene heights do not count
}

// A start for a rim whose disk n faces nearly: tilted towards the place of the other shape that hangs over
// the rim. d: direction of support of the rim's shape.
Vector3d tilt_over_rim(const Piece& rim, const Piece& other, const Vector3d& d) {
  const double across = d.cross(rim.axis).norm();
  if (rim.form != Piece::Form::kRim || rim.constrained || across > 0.1) return d;
  Vector3d over = other.point(-d);
  if (other.constrained) {
    const Vector3d g = other.generator(-d);
    over += std::clamp(g.dot(rim.base - over), other.low, other.high) * g;
  }
  const Vector3d from = over - rim.base, u = from - rim.axis * rim.axis.dot(from);
  if (!(u.norm() > 1e-6 * rim.radius)) return d;
  return (std::copysign(1.0, d.dot(rim.axis)) * rim.axis + std::max(across, 0.02) * u.normalized())
      .normalized();
}

// How far x, in the shape's frame and on the plane of one of its faces, is outside the core; 0 within it.
double outside_core(const Convex& shape, const Vector3d& x) {
  double outside = 0.0;
  if (shape.is_polytope())
    for (const PolytopeFace& face : shape.polytope->faces)
      outside = std::max(outside, face.normal.dot(x) - face.offset);
  else
    outside = std::max(0.0, portable::hypot(x.x(), x.y()) - shape.radius);
  return outside;
}

}  // namespace

bool is_better(const Axis& x, const Axis& best, double scale) {
  // a proof needs the last digits
  const double rounding = (x.residual < 1e-2 * best.residual ? 4e-15 : 1e-15) * scale;
  if (x.separation > best.separation + rounding) return true;
  return x.separation > best.separation - rounding && x.residual < best.residual;
}

void value_normal(const ConvexPair& pair, const Vector3d& n, bool face_of_b, Axis& best) {
  Axis axis;
  axis.n = n;
  axis.on_a = pair.support_a(-n);
  axis.on_b = pair.support_b(n);
  axis.separation = n.dot(axis.on_a - axis.on_b);
  if (face_of_b)
    axis.on_b = axis.on_a - axis.separation * n;
  else
    axis.on_a = axis.on_b + axis.separation * n;
  // proved where the witness point lies within the face; where an edge lies along the face, another of its
  // points may prove it
  const double outside = face_of_b ? outside_core(*pair.b, pair.R_AB.transpose() * (axis.on_b - pair.p_AB))
                                   : outside_core(*pair.a, axis.on_a);
  axis.residual = outside < 1e-15 * pair.scale() ? 0.0 : 0.1 * pair.scale() + outside;
  if (pair.is_allowed(n) && is_better(axis, best, pair.scale())) best = axis;
}

void improve_normal(const ConvexPair& pair, const Vector3d& rough, Axis& best) {
  const Frame at_a{Matrix3d::Identity(), Vector3d::Zero()}, at_b{pair.R_AB, pair.p_AB};
  Pieces pieces_a, pieces_b;
  find_pieces(*pair.a, at_a, -rough, pieces_a);
  find_pieces(*pair.b, at_b, rough, pieces_b);
  Axis start;
  start.n = rough;
  start.separation = pair.separation(rough);
  start.on_a = pair.support_a(-rough);
  start.on_b = pair.support_b(rough);
  start.residual = pair.scale();
  if (pair.is_allowed(rough) && is_better(start, best, pair.scale())) best = start;
  for (int i = 0; i < pieces_a.count; ++i) {
    for (int j = 0; j < pieces_b.count; ++j) {
      const Piece &a = pieces_a.piece[static_cast<std::size_t>(i)],
                  &b = pieces_b.piece[static_cast<std::size_t>(j)];
      if (a.form == Piece::Form::kFace || b.form == Piece::Form::kFace) {
        const bool of_b = a.form != Piece::Form::kFace;
        value_normal(pair, of_b ? b.axis : Vector3d(-a.axis), of_b, best);
        continue;
      }
      // from the rough normal, and where a rim's disk faces the other shape, tilted over the rim
      const Vector3d tilted = tilt_over_rim(b, a, -tilt_over_rim(a, b, -rough));
      for (int k = 0; k < (tilted == rough ? 1 : 2); ++k) {
        Axis axis;
        axis.n = k == 0 ? rough : tilted;
        if (!solve_normal(a, b, pair.plane, axis.n)) continue;
        axis.separation = pair.separation(axis.n);
        find_witness(a, b, pair.plane, axis);
        if (pair.is_allowed(axis.n) && is_better(axis, best, pair.scale())) best = axis;
      }
      // proved: apart nothing can do better, overlapping nothing that is very near
      if (best.residual < 1e-14 * pair.scale() &&
          (best.separation > -1e-14 * pair.scale() || best.n.dot(rough) > kVeryNear))
        return;
    }
  }
}

}  // namespace rigor
