#include "rigor/collision/half_space_contact.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "rigor/collision/contact_feature.hpp"
#include "rigor/collision/reduce_points.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kReachRounding = 1e-12;  // relative: what is farther than its reach is far

struct Ground {
  const Convex& a;
  Matrix3d R_WA;
  Vector3d p_WA, n, origin;  // n: the half-space's normal, in the world
  Vector3d d_A;              // −n in A's frame: the direction that the shape faces
  double height;             // of A's origin over the plane
  double margin;
  std::vector<ContactPoint>& out;

  [[nodiscard]] double gap_of(const Vector3d& on_A) const { return height - d_A.dot(on_A) - a.rounding; }

  // label: which point it is; surface: what A's surface is there, or searched for
  void add(const Vector3d& on_A, std::uint32_t label, const SurfacePoint& surface) {
    const double gap = gap_of(on_A);
    if (gap > margin) return;
    ContactPoint& point = out.emplace_back();
    point.gap = gap;
    point.normal = n;
    point.on_a = p_WA + R_WA * (on_A + a.rounding * d_A);
    point.on_b = point.on_a - gap * n;
    point.id.a = label;
    point.id.b = kFaceLabel;
    point.kind_a = surface.kind;
    point.kind_b = FeatureKind::kFace;
    point.curvature_a = surface.curvature;
    point.curvature_a.direction = R_WA * surface.curvature.direction;
    point.curvature_b.direction = point.curvature_a.direction;
  }
};

void add_round(Ground& ground, const Vector3d& x_B) {
  const Convex& a = ground.a;
  const Vector3d& d = ground.d_A;
  const double across = portable::hypot(d.x(), d.y());
  // where the rims are lowest; flat: along the half-space's x axis
  Vector3d u(d.x(), d.y(), 0.0);
  if (across < 1e-9) u = (x_B - d * d.dot(x_B)), u.z() = 0.0;
  u.normalize();
  const Vector3d v = d.cross(u).normalized();
  const bool cone = a.kind == CoreKind::kCone;
  for (const double side : {-1.0, 1.0}) {
    const Vector3d center(0.0, 0.0, side * a.half_length);
    if (cone && side > 0.0) {
      ground.add(center, 2, find_surface_point(a, center, d));
      continue;
    }
    const std::uint32_t rim = side > 0.0 ? 1 : 0;
    const Vector3d lowest = center + a.radius * u;
    ground.add(lowest, rim, find_surface_point(a, lowest, d));
    if (side * d.z() < across) continue;
    // the cap faces the plane: three more places of its rim, which move with the material
    const Vector3d w = Vector3d(v.x(), v.y(), 0.0).normalized();
    const SurfacePoint fixed{
        FeatureKind::kVertex, rim, {d.unitOrthogonal(), SurfaceCurvature::kSharp, SurfaceCurvature::kSharp}};
    ground.add(center + a.radius * w, 4 + rim, fixed);
    ground.add(center - a.radius * u, 6 + rim, fixed);
    ground.add(center - a.radius * w, 8 + rim, fixed);
  }
}

}  // namespace

void collide_half_space(const Convex& a, const Pose& X_WA, const Pose& X_WB, double margin,
                        std::vector<ContactPoint>& scratch, std::vector<ContactPoint>& out) {
  scratch.clear();
  const Matrix3d R_WB = X_WB.rotation.toRotationMatrix();
  const Vector3d n = R_WB.col(2);
  const double height = n.dot(X_WA.position - X_WB.position);
  if (height - a.reach > margin + kReachRounding * (std::abs(height) + a.reach)) return;
  Ground ground{a,      X_WA.rotation.toRotationMatrix(), X_WA.position, n, X_WB.position, {}, height, margin,
                scratch};
  ground.d_A = -(ground.R_WA.transpose() * ground.n);
  if (a.is_polytope()) {
    for (std::size_t v = 0; v < a.polytope->vertices.size(); ++v)
      if (!(ground.gap_of(a.polytope->vertices[v]) > margin))
        ground.add(a.polytope->vertices[v], static_cast<std::uint32_t>(v),
                   find_surface_point(a, static_cast<std::uint32_t>(v), ground.d_A));
  } else if (a.kind == CoreKind::kEllipsoid) {
    const Vector3d lowest = find_support(a, ground.d_A);
    ground.add(lowest, 0, find_surface_point(a, lowest, ground.d_A));
  } else {
    add_round(ground, ground.R_WA.transpose() * R_WB.col(0));
  }
  reduce_points(scratch, Manifold::kCapacity);
  out.insert(out.end(), scratch.begin(), scratch.end());
}

}  // namespace rigor
