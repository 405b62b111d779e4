#include "rigor/collision/shape.hpp"

#include <numbers>

#include "rigor/base/require.hpp"
#include "rigor/collision/convex_hull.hpp"

namespace rigor {
namespace {

constexpr double kPi = std::numbers::pi;

MassProperties centered(double mass, double Ixx, double Iyy, double Izz) {
  return {mass, Eigen::Vector3d::Zero(), Eigen::Vector3d(Ixx, Iyy, Izz).asDiagonal()};
}

MassProperties unit_mass(const Ellipsoid& ellipsoid) {
  const Eigen::Vector3d r2 = ellipsoid.radii.cwiseAbs2();
  const double m = 4.0 / 3.0 * kPi * ellipsoid.radii.prod();
  return centered(m, m / 5 * (r2.y() + r2.z()), m / 5 * (r2.x() + r2.z()), m / 5 * (r2.x() + r2.y()));
}

MassProperties unit_mass(const Sphere& sphere) {
  return unit_mass(Ellipsoid{Eigen::Vector3d::Constant(sphere.radius)});
}

MassProperties unit_mass(const Box& box) {
  const Eigen::Vector3d s2 = box.size.cwiseAbs2();
  const double m = box.size.prod();
  return centered(m, m / 12 * (s2.y() + s2.z()), m / 12 * (s2.x() + s2.z()), m / 12 * (s2.x() + s2.y()));
}

MassProperties unit_mass(const Cylinder& cylinder) {
  const double r2 = cylinder.radius * cylinder.radius, l2 = cylinder.length * cylinder.length;
  const double m = kPi * r2 * cylinder.length;
  const double across = m / 12 * (3 * r2 + l2);
  return centered(m, across, across, m / 2 * r2);
}

MassProperties unit_mass(const Capsule& capsule) {
  const double r = capsule.radius, l = capsule.length;
  const MassProperties shaft = unit_mass(Cylinder{r, l});
  // both caps make a sphere of mass m; the centre of a half-sphere is 3r/8 from its flat side, so moving
  // them apart by l adds m (l²/4 + 3 l r/8) about the transverse axes
  const MassProperties ball = unit_mass(Sphere{r});
  const double across = shaft.inertia(0, 0) + ball.inertia(0, 0) + ball.mass * (l * l / 4 + 3 * l * r / 8);
  return centered(shaft.mass + ball.mass, across, across, shaft.inertia(2, 2) + ball.inertia(2, 2));
}

MassProperties unit_mass(const Cone& cone) {
  const double r2 = cone.radius * cone.radius, l2 = cone.length * cone.length;
  const double m = kPi / 3 * r2 * cone.length;
  const double across = m * (3.0 / 20 * r2 + 3.0 / 80 * l2);
  MassProperties result = centered(m, across, across, 3.0 / 10 * m * r2);
  result.center.z() = -cone.length / 4;  // a quarter of the height above the base
  return result;
}

MassProperties unit_mass(const Disk& disk) {
  const double r2 = disk.radius * disk.radius;
  const double m = kPi * r2;
  return centered(m, m * r2 / 4, m * r2 / 4, m * r2 / 2);
}

// Sum over the triangles (p_0, p_i, p_{i+1}), which count negative where they turn clockwise. Coordinates are
// from p_0: from a far origin, the difference of large moments would lose all digits.
MassProperties unit_mass(const Polygon& polygon) {
  if (polygon.points.empty()) return {};
  const Eigen::Vector2d origin = polygon.points[0];
  double area = 0.0, xx = 0.0, yy = 0.0, xy = 0.0;
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  for (std::size_t i = 1; i + 1 < polygon.points.size(); ++i) {
    const Eigen::Vector2d a = polygon.points[i] - origin;
    const Eigen::Vector2d b = polygon.points[i + 1] - origin;
    const double twice = a.x() * b.y() - a.y() * b.x();
    area += twice / 2;
    first += twice / 6 * (a + b);
    xx += twice / 12 * (a.x() * a.x() + a.x() * b.x() + b.x() * b.x());
    yy += twice / 12 * (a.y() * a.y() + a.y() * b.y() + b.y() * b.y());
    xy += twice / 24 * (2 * a.x() * a.y() + a.x() * b.y() + b.x() * a.y() + 2 * b.x() * b.y());
  }
  if (area == 0.0) return {};
  const Eigen::Vector2d center = first / area;
  xx -= area * center.x() * center.x();
  yy -= area * center.y() * center.y();
  xy -= area * center.x() * center.y();
  MassProperties result = centered(area, yy, xx, xx + yy);
  result.inertia(0, 1) = result.inertia(1, 0) = -xy;
  result.center.head<2>() = origin + center;
  return result;
}

// A flat hull has no volume and no mass of its own.
std::optional<MassProperties> unit_mass(const Hull& hull) {
  try {
    return compute_unit_mass(make_convex_hull(hull.points));
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

template <class S>
concept HasVolume = requires(const S& shape) {
  unit_mass(shape);
};

}  // namespace

std::optional<MassProperties> compute_unit_mass(const Shape& shape) {
  return std::visit(
      [](const auto& geometry) -> std::optional<MassProperties> {
        if constexpr (HasVolume<std::remove_cvref_t<decltype(geometry)>>)
          return unit_mass(geometry);
        else
          return std::nullopt;
      },
      shape);
}

}  // namespace rigor
