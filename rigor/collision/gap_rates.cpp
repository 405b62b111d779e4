#include "rigor/collision/gap_rates.hpp"

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// A principal curvature as a ratio k/m with k² + m² = 1 (lengths in units of `length`), so that flat and
// sharp are ordinary numbers: k · slip = m · turn of the normal.
struct Ratio {
  double k, m;
  Ratio(double curvature, double length) {
    if (std::isinf(curvature)) {
      k = 1.0, m = 0.0;
    } else {
      const double x = curvature * length, norm = portable::hypot(x, 1.0);
      k = x / norm, m = 1.0 / norm;
    }
  }
};

// A length that belongs to the contact: of the smallest finite radius of curvature, or 1 m.
double typical_length(const ContactPoint& p) {
  double k = 0.0;
  for (const double x :
       {p.curvature_a.first, p.curvature_a.second, p.curvature_b.first, p.curvature_b.second})
    if (std::isfinite(x)) k = std::max(k, x);
  return k > 0.0 ? 1.0 / k : 1.0;
}

}  // namespace

GapRates compute_gap_rates(const ContactPoint& point, const MaterialMotion& a, const MaterialMotion& b) {
  GapRates out;
  const Vector3d& n = point.normal;
  const Vector3d u = a.velocity - b.velocity;
  out.velocity = n.dot(u);

  const Vector3d x = n.unitOrthogonal(), y = n.cross(x);
  const auto flat = [&](const Vector3d& v) { return Vector2d(x.dot(v), y.dot(v)); };
  const auto lift = [&](const Vector2d& v) -> Vector3d { return v.x() * x + v.y() * y; };
  const Vector2d turn_a = flat(a.angular_velocity.cross(n)), turn_b = flat(b.angular_velocity.cross(n));
  const double length = typical_length(point);

  // unknowns ṅ, α, β (slips in units of `length`); equations (1) along the principal directions of each
  // surface
  Eigen::Matrix<double, 6, 6> J = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> rhs = Eigen::Matrix<double, 6, 1>::Zero();
  int row = 0;
  const auto add_surface = [&](const SurfaceCurvature& c, const Vector2d& turn, double sign, int slip) {
    const Vector2d first = flat(c.direction).normalized(), second(-first.y(), first.x());
    const std::pair<Vector2d, double> principals[2] = {{first, c.first}, {second, c.second}};
    for (const auto& [direction, curvature] : principals) {
      const Ratio r(curvature, length);
      J.block<1, 2>(row, slip) = r.k * direction.transpose();
      J.block<1, 2>(row, 0) = sign * r.m * direction.transpose();
      rhs[row++] = sign * r.m * direction.dot(turn);
    }
  };
  add_surface(point.curvature_a, turn_a, 1.0, 2);   // K_A α = ω_A × n − ṅ
  add_surface(point.curvature_b, turn_b, -1.0, 4);  // K_B β = ṅ − ω_B × n
  J.block<2, 2>(4, 2).setIdentity();
  J.block<2, 2>(4, 4) = -Eigen::Matrix2d::Identity();
  J.block<2, 2>(4, 0) = -point.gap / length * Eigen::Matrix2d::Identity();
  rhs.tail<2>() = -flat(u) / length;

  const Eigen::FullPivLU<Eigen::Matrix<double, 6, 6>> lu(J);
  out.defined = lu.isInvertible();
  const Eigen::Matrix<double, 6, 1> solution = lu.solve(rhs);
  out.normal_rate = lift(solution.head<2>());
  out.slip_a = lift(length * solution.segment<2>(2));
  out.slip_b = lift(length * solution.tail<2>());
  out.acceleration = n.dot(a.acceleration - b.acceleration) + out.normal_rate.dot(u) -
                     out.slip_a.dot(lift(turn_a)) + out.slip_b.dot(lift(turn_b));
  return out;
}

}  // namespace rigor
