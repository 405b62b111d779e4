#include "rigor/collision/shape.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;
using std::numbers::pi;

// ------------------------------------------------------------------------------- the judge: integration

// Gauss-Legendre with 4 points, exact for polynomials up to degree 7.
constexpr int kPoints = 4;
const double kNodes[kPoints]{
    -std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2)), -std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)),
    std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)), std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2))};
const double kWeights[kPoints]{(18 - std::sqrt(30.0)) / 36, (18 + std::sqrt(30.0)) / 36,
                               (18 + std::sqrt(30.0)) / 36, (18 - std::sqrt(30.0)) / 36};

// Calls sample(x, weight) so that the sum of weight f(x) is the integral of f over [a, b].
void integrate(double a, double b, int cells, const std::function<void(double, double)>& sample) {
  const double half = (b - a) / (2 * cells);
  for (int i = 0; i < cells; ++i)
    for (int k = 0; k < kPoints; ++k) sample(a + half * (2 * i + 1 + kNodes[k]), half * kWeights[k]);
}

// Mass properties from the moments of the density 1 over a set of weighted points, by the definitions.
struct Moments {
  double mass{0.0};
  Vector3d first{Vector3d::Zero()};
  Matrix3d second{Matrix3d::Zero()};

  void add(const Vector3d& p, double weight) {
    mass += weight;
    first += weight * p;
    second += weight * p * p.transpose();
  }

  MassProperties properties() const {
    const Vector3d center = first / mass;
    const Matrix3d C = second - mass * center * center.transpose();
    return {mass, center, C.trace() * Matrix3d::Identity() - C};
  }
};

// A solid of revolution about z: radius(s) at height z(s), s from 0 to 1, both smooth on each piece. In
// cylinder coordinates the integrand is a polynomial in r and a trigonometric one in phi, which equidistant
// angles integrate exactly; s goes over cells.
struct Profile {
  std::function<double(double)> z, radius, dz;
};

MassProperties revolve(const std::vector<Profile>& pieces) {
  constexpr int kAngles = 8;
  Moments moments;
  for (const Profile& piece : pieces) {
    integrate(0.0, 1.0, 64, [&](double s, double ws) {
      integrate(0.0, piece.radius(s), 1, [&](double r, double wr) {
        for (int k = 0; k < kAngles; ++k) {
          const double phi = 2 * pi * (k + 0.5) / kAngles;
          moments.add({r * std::cos(phi), r * std::sin(phi), piece.z(s)},
                      ws * piece.dz(s) * wr * r * 2 * pi / kAngles);
        }
      });
    });
  }
  return moments.properties();
}

void expect_mass(const Shape& shape, const MassProperties& expected, double tolerance) {
  const auto computed = compute_unit_mass(shape);
  ASSERT_TRUE(computed.has_value());
  const double length = 1.0 + expected.center.norm();
  EXPECT_NEAR(computed->mass, expected.mass, tolerance * expected.mass);
  EXPECT_LT((computed->center - expected.center).norm(), tolerance * length);
  EXPECT_LT((computed->inertia - expected.inertia).norm(), tolerance * expected.inertia.norm());
  EXPECT_EQ(computed->inertia, computed->inertia.transpose());
}

// Sines and cosines over 64 cells of 4 points are integrated to rounding; so are polynomials.
constexpr double kTolerance = 1e-13;

constexpr struct { double radius, length; } kSizes[] = {{1.0, 1.0}, {0.1, 3.0}, {2.5, 0.2}};

// ------------------------------------------------------------------------------------------------ solids

TEST(ShapeMass, SphereIsItsIntegral) {
  for (const double r : {0.1, 1.0, 2.5}) {
    // z = -r cos(pi s), radius = r sin(pi s)
    expect_mass(Sphere{r},
                revolve({{[=](double s) { return -r * std::cos(pi * s); },
                          [=](double s) { return r * std::sin(pi * s); },
                          [=](double s) { return r * pi * std::sin(pi * s); }}}),
                kTolerance);
  }
}

TEST(ShapeMass, CylinderIsItsIntegral) {
  for (const auto& size : kSizes) {
    const double r = size.radius, l = size.length;
    expect_mass(Cylinder{r, l},
                revolve({{[=](double s) { return l * (s - 0.5); }, [=](double) { return r; },
                          [=](double) { return l; }}}),
                kTolerance);
  }
}

TEST(ShapeMass, CapsuleIsItsIntegral) {
  for (const auto& size : kSizes) {
    const double r = size.radius, l = size.length;
    const auto cap = [=](double side) {
      return Profile{[=](double s) { return side * (l / 2 + r * std::sin(pi / 2 * s)); },
                     [=](double s) { return r * std::cos(pi / 2 * s); },
                     [=](double s) { return r * pi / 2 * std::cos(pi / 2 * s); }};
    };
    const Profile shaft{[=](double s) { return l * (s - 0.5); }, [=](double) { return r; },
                        [=](double) { return l; }};
    expect_mass(Capsule{r, l}, revolve({cap(-1.0), shaft, cap(+1.0)}), kTolerance);
  }
}

TEST(ShapeMass, ConeIsItsIntegralWithTheBaseBelow) {
  for (const auto& size : kSizes) {
    const double r = size.radius, l = size.length;
    const MassProperties integral =
        revolve({{[=](double s) { return l * (s - 0.5); }, [=](double s) { return r * (1 - s); },
                  [=](double) { return l; }}});
    expect_mass(Cone{r, l}, integral, kTolerance);
    EXPECT_LT(integral.center.z(), 0.0);
  }
}

TEST(ShapeMass, BoxIsItsIntegral) {
  for (const Vector3d& size : {Vector3d(1.0, 1.0, 1.0), Vector3d(0.2, 3.0, 1.5), Vector3d(5.0, 0.01, 0.3)}) {
    Moments moments;
    integrate(-size.x() / 2, size.x() / 2, 1, [&](double x, double wx) {
      integrate(-size.y() / 2, size.y() / 2, 1, [&](double y, double wy) {
        integrate(-size.z() / 2, size.z() / 2, 1, [&](double z, double wz) {
          moments.add({x, y, z}, wx * wy * wz);
        });
      });
    });
    expect_mass(Box{size}, moments.properties(), kTolerance);
  }
}

TEST(ShapeMass, EllipsoidIsItsIntegral) {
  for (const Vector3d& radii : {Vector3d(1.0, 1.0, 1.0), Vector3d(0.2, 3.0, 1.5), Vector3d(5.0, 0.01, 0.3)}) {
    Moments moments;  // in spherical coordinates of the unit ball, stretched
    integrate(0.0, 1.0, 1, [&](double r, double wr) {
      integrate(0.0, pi, 64, [&](double theta, double wt) {
        for (int k = 0; k < 8; ++k) {
          const double phi = 2 * pi * (k + 0.5) / 8;
          const Vector3d p =
              r * Vector3d(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta));
          moments.add(radii.cwiseProduct(p), wr * wt * r * r * std::sin(theta) * 2 * pi / 8 * radii.prod());
        }
      });
    });
    expect_mass(Ellipsoid{radii}, moments.properties(), kTolerance);
  }
}

TEST(ShapeMass, CapsuleWithoutLengthIsASphereAndEqualRadiiMakeAnEllipsoidOne) {
  const MassProperties sphere = *compute_unit_mass(Sphere{0.7});
  expect_mass(Capsule{0.7, 0.0}, sphere, 1e-15);
  expect_mass(Ellipsoid{Vector3d::Constant(0.7)}, sphere, 1e-15);
}

// ---------------------------------------------------------------------------------------- plane figures

TEST(ShapeMass, DiskIsItsIntegral) {
  for (const double radius : {0.1, 1.0, 4.0}) {
    Moments moments;
    integrate(0.0, radius, 1, [&](double r, double wr) {
      for (int k = 0; k < 8; ++k) {
        const double phi = 2 * pi * (k + 0.5) / 8;
        moments.add({r * std::cos(phi), r * std::sin(phi), 0.0}, wr * r * 2 * pi / 8);
      }
    });
    expect_mass(Disk{radius}, moments.properties(), kTolerance);
  }
}

// Split into triangles from the first corner. The three mid-points of a triangle's edges, a third of its area
// each, integrate quadratic functions exactly.
MassProperties split_into_triangles(const std::vector<Vector2d>& points) {
  Moments moments;
  const Vector2d& a = points[0];
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Vector2d &b = points[i], &c = points[i + 1];
    const double area = ((b - a).x() * (c - a).y() - (b - a).y() * (c - a).x()) / 2;
    for (const Vector2d& p : {Vector2d((a + b) / 2), Vector2d((b + c) / 2), Vector2d((c + a) / 2)})
      moments.add({p.x() - a.x(), p.y() - a.y(), 0.0}, area / 3);  // from a corner, for accuracy far away
  }
  MassProperties properties = moments.properties();
  properties.center.head<2>() += a;
  return properties;
}

TEST(ShapeMass, PolygonIsTheSumOfItsTriangles) {
  const std::vector<std::vector<Vector2d>> rows{
      {{0, 0}, {1, 0}, {0, 1}},
      {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
      {{2, 3}, {5, 3.5}, {6, 5}, {4, 7}, {1.5, 5}},
      {{0, 0}, {1e-3, 0}, {1e-3, 1e-3}},
  };
  for (const auto& points : rows) expect_mass(Polygon{points}, split_into_triangles(points), 1e-14);

  std::vector<Vector2d> circle;
  for (int i = 0; i < 100; ++i) circle.emplace_back(3 + std::cos(0.02 * pi * i), std::sin(0.02 * pi * i) - 2);
  expect_mass(Polygon{circle}, split_into_triangles(circle), 1e-13);
}

TEST(ShapeMass, SquarePolygonIsASlice) {
  const MassProperties square = *compute_unit_mass(Polygon{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}});
  EXPECT_DOUBLE_EQ(square.mass, 4.0);
  EXPECT_DOUBLE_EQ(square.inertia(2, 2), 4.0 / 12 * (4 + 4));
  EXPECT_DOUBLE_EQ(square.inertia(0, 0), 4.0 / 12 * 4);
}

// The corners are exact in double; an integral from the far origin would lose all digits.
TEST(ShapeMass, PolygonFarFromItsOriginKeepsItsInertia) {
  const std::vector<Vector2d> near{{0, 0}, {1, 0}, {1.5, 1}, {0, 2}};
  const MassProperties expected = split_into_triangles(near);
  for (const double far : {1e3, 1048576.0, 1073741824.0}) {
    std::vector<Vector2d> points = near;
    for (Vector2d& p : points) p += Vector2d(far, -far);
    const MassProperties computed = *compute_unit_mass(Polygon{points});
    EXPECT_NEAR(computed.mass, expected.mass, 1e-14);
    EXPECT_LT((computed.inertia - expected.inertia).norm(), 1e-14) << far;
    EXPECT_LT((computed.center - expected.center - Vector3d(far, -far, 0)).norm(), 1e-15 * far);
  }
}

TEST(ShapeMass, PolygonWithoutAreaHasNoMass) {
  for (const Polygon& polygon :
       {Polygon{}, Polygon{{{1, 1}}}, Polygon{{{1, 1}, {2, 2}}}, Polygon{{{0, 0}, {1, 1}, {2, 2}}}}) {
    const MassProperties properties = *compute_unit_mass(polygon);
    EXPECT_EQ(properties.mass, 0.0);
    EXPECT_TRUE(properties.center.allFinite());
    EXPECT_TRUE(properties.inertia.allFinite());
  }
}

TEST(ShapeMass, ShapesWithoutVolumeOfTheirOwnHaveNone) {
  EXPECT_FALSE(compute_unit_mass(HalfSpace{}).has_value());
  EXPECT_FALSE(compute_unit_mass(Point{}).has_value());
  EXPECT_FALSE(compute_unit_mass(Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}}).has_value());
  EXPECT_FALSE(compute_unit_mass(TriangleMesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}}).has_value());
  EXPECT_FALSE(compute_unit_mass(HeightField{{1, 1}, {{0, 0}, {0, 0}}}).has_value());
}

}  // namespace
}  // namespace rigor
