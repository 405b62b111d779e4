#include "tests/collision/judges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigor::judges {
namespace {

using Eigen::Vector3d;

double across(const Vector3d& v) {
  return std::hypot(v.x(), v.y());
}

struct Support {
  const Vector3d& d;
  double operator()(const Sphere& s) const { return s.radius; }
  double operator()(const Disk& s) const { return s.radius; }
  double operator()(const Point&) const { return 0.0; }
  double operator()(const Capsule& s) const { return s.radius + 0.5 * s.length * std::abs(d.z()); }
  double operator()(const Cylinder& s) const {
    return s.radius * across(d) + 0.5 * s.length * std::abs(d.z());
  }
  double operator()(const Cone& s) const {
    return std::max(0.5 * s.length * d.z(), s.radius * across(d) - 0.5 * s.length * d.z());
  }
  double operator()(const Box& s) const { return 0.5 * s.size.dot(d.cwiseAbs()); }
  double operator()(const Ellipsoid& s) const { return s.radii.cwiseProduct(d).norm(); }
  double operator()(const Hull& s) const {
    double best = -1e300;
    for (const Vector3d& p : s.points) best = std::max(best, d.dot(p));
    return best;
  }
  double operator()(const Polygon& s) const {  // along the plane
    double best = -1e300;
    for (const Eigen::Vector2d& p : s.points) best = std::max(best, d.head<2>().dot(p));
    return best;
  }
  double operator()(const HalfSpace&) const { return d.z() > 1.0 - 1e-14 ? 0.0 : 1e300; }
  template <class T>
  double operator()(const T&) const {
    return 1e300;
  }
};

struct Surface {
  const Vector3d& x;
  double operator()(const Sphere& s) const { return x.norm() - s.radius; }
  double operator()(const Disk& s) const { return x.norm() - s.radius; }
  double operator()(const Point&) const { return x.norm(); }
  double operator()(const Capsule& s) const {
    return (x - Vector3d(0, 0, std::clamp(x.z(), -0.5 * s.length, 0.5 * s.length))).norm() - s.radius;
  }
  double operator()(const Cylinder& s) const {
    return std::max(across(x) - s.radius, std::abs(x.z()) - 0.5 * s.length);
  }
  double operator()(const Cone& s) const {
    const double side =
        (across(x) * s.length + (x.z() - 0.5 * s.length) * s.radius) / std::hypot(s.radius, s.length);
    return std::max(side, -x.z() - 0.5 * s.length);
  }
  double operator()(const Box& s) const { return (x.cwiseAbs() - 0.5 * s.size).maxCoeff(); }
  double operator()(const Ellipsoid& s) const {
    const Vector3d y = x.cwiseQuotient(s.radii);
    return (y.squaredNorm() - 1.0) / (2.0 * y.cwiseQuotient(s.radii).norm());
  }
  double operator()(const HalfSpace&) const { return x.z(); }
  template <class T>
  double operator()(const T&) const {
    return 0.0;
  }
};

}  // namespace

double support_value(const Shape& shape, const Vector3d& d) {
  return std::visit(Support{d}, shape);
}
double surface_value(const Shape& shape, const Vector3d& x) {
  return std::visit(Surface{x}, shape);
}

double separation(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, const Vector3d& n) {
  return n.dot(X_WA.position - X_WB.position) - support_value(a, X_WA.rotation.conjugate() * -n) -
         support_value(b, X_WB.rotation.conjugate() * n);
}

double search_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB) {
  constexpr int kGrid = 1000;
  const auto value = [&](const Vector3d& n) { return separation(a, X_WA, b, X_WB, n); };
  std::vector<std::pair<double, Vector3d>> grid;
  for (int i = 0; i < kGrid; ++i) {  // Fibonacci's spiral
    const double z = 1.0 - (2 * i + 1.0) / kGrid, r = std::sqrt(1 - z * z),
                 phi = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const Vector3d n(r * std::cos(phi), r * std::sin(phi), z);
    grid.emplace_back(value(n), n);
  }
  std::partial_sort(grid.begin(), grid.begin() + 6, grid.end(),
                    [](const auto& x, const auto& y) { return x.first > y.first; });
  double best = -1e300;
  for (int k = 0; k < 6; ++k) {
    auto [s, n] = grid[static_cast<std::size_t>(k)];
    int moves = 0;
    for (double step = 0.05; step > 1e-8 && moves < 100; ++moves) {
      const Vector3d u = n.unitOrthogonal(), v = n.cross(u);
      bool moved = false;
      for (int j = 0; j < 8; ++j) {
        const double phi = 2 * std::numbers::pi * j / 8;
        const Vector3d trial = (n + step * (std::cos(phi) * u + std::sin(phi) * v)).normalized();
        const double found = value(trial);
        if (found > s) s = found, n = trial, moved = true;
      }
      if (!moved) step *= 0.5;
    }
    best = std::max(best, s);
  }
  return best;
}

double extent(const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) return 0.0;
  double size = 0.0;
  for (int i = 0; i < 3; ++i)
    for (const double sign : {-1.0, 1.0})
      size = std::max(size, support_value(shape, sign * Vector3d::Unit(i)));
  return size;
}

std::vector<Vector3d> random_points(Random& random, int count, double size) {
  std::vector<Vector3d> points;
  for (int i = 0; i < count; ++i) points.push_back(size * random.real(0.7, 1.0) * random.direction());
  return points;
}

Shape random_shape(int kind, Random& random) {
  const auto size = [&] { return random.real(0.3, 1.0); };
  switch (kind) {
    case 0:
      return Sphere{size()};
    case 1:
      return Capsule{0.5 * size(), size()};
    case 2:
      return Box{{size(), size(), size()}};
    case 3:
      return Cylinder{0.5 * size(), size()};
    case 4:
      return Cone{0.5 * size(), size()};
    case 5:
      return Ellipsoid{{size(), size(), size()}};
    case 6:
      return Hull{random_points(random, 12, size())};
    case 7:
      return Point{};
    default:
      return HalfSpace{};
  }
}

}  // namespace rigor::judges
