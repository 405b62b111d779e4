// Invariance, degenerate inputs, extreme sizes, and no allocation: collide.cpp as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rigor/collision/collide.hpp"
#include "rigor/collision/ray.hpp"
#include "tests/collision/contacts.hpp"
#include "tests/collision/judges.hpp"
#include "tests/support/allocation_count.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::kShapeKinds;
using judges::Random;
using judges::random_shape;
using test::contacts;

Shape mirrored(const Shape& shape) {  // in the plane y = 0 of its own frame
  Shape out = shape;
  if (auto* hull = std::get_if<Hull>(&out))
    for (Vector3d& p : hull->points) p.y() = -p.y();
  return out;
}
Pose mirrored(const Pose& X) {
  const Eigen::Quaterniond& q = X.rotation;
  return {{X.position.x(), -X.position.y(), X.position.z()},
          Eigen::Quaterniond(q.w(), -q.x(), q.y(), -q.z())};
}

// Point sets compared as sets: each point has a partner at the same place.
void expect_same_points(const std::vector<ContactPoint>& found, const std::vector<ContactPoint>& expected,
                        double tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (const ContactPoint& p : expected) {
    double best = 1e300;
    for (const ContactPoint& q : found)
      best = std::min(best, (p.on_a - q.on_a).norm() + (p.on_b - q.on_b).norm() +
                                (p.normal - q.normal).norm() + std::abs(p.gap - q.gap));
    EXPECT_LT(best, tolerance) << what;
  }
}

TEST(Invariance, TurningMirroringAndMovingEverythingChangesNothing) {
  Random random(41);
  for (int kind_a = 0; kind_a < kShapeKinds; ++kind_a) {
    for (int kind_b = 0; kind_b < kShapeKinds; ++kind_b) {
      if (kind_a == 8 && kind_b == 8) continue;
      for (int i = 0; i < std::max(2, 30 / judges::kFewer); ++i) {
        const Shape a = random_shape(kind_a, random), b = random_shape(kind_b, random);
        const Geometry ga = make_geometry(a), gb = make_geometry(b);
        const Pose X{random.vector(0.5), random.rotation()}, Y{random.vector(0.5), random.rotation()},
            G{random.vector(3), random.rotation()};
        const std::string what =
            std::to_string(kind_a) + " " + std::to_string(kind_b) + " " + std::to_string(i);
        const auto plain = contacts(ga, X, gb, Y, 0.3);
        auto turned = contacts(ga, G * X, gb, G * Y, 0.3);
        for (ContactPoint& p : turned) {
          const auto back = [&](const Vector3d& x) -> Vector3d {
            return G.rotation.conjugate() * (x - G.position);
          };
          p.on_a = back(p.on_a), p.on_b = back(p.on_b), p.normal = G.rotation.conjugate() * p.normal;
        }
        expect_same_points(turned, plain, 1e-9, "turned " + what);
        auto seen =
            contacts(make_geometry(mirrored(a)), mirrored(X), make_geometry(mirrored(b)), mirrored(Y), 0.3);
        for (ContactPoint& p : seen)
          for (Vector3d* v : {&p.on_a, &p.on_b, &p.normal}) v->y() = -v->y();
        expect_same_points(seen, plain, 1e-9, "mirrored " + what);
      }
    }
  }
}

TEST(Degenerate, CoincidentCentresAndAlignedAxesHaveFiniteAnswers) {
  Random random(42);
  CollisionScratch scratch;
  const Pose identity,
      quarter{Vector3d::Zero(), quaternion_from_axis_angle(Vector3d::UnitX(), 1.5707963267948966)};
  for (int kind_a = 0; kind_a < kShapeKinds; ++kind_a) {
    for (int kind_b = 0; kind_b < kShapeKinds; ++kind_b) {
      if (kind_a == 8 && kind_b == 8) continue;
      const Shape a = random_shape(kind_a, random), b = random_shape(kind_b, random);
      const Geometry ga = make_geometry(a), gb = make_geometry(b);
      for (const Pose& X : {identity, quarter}) {
        for (const Vector3d& offset : {Vector3d(0, 0, 0), Vector3d(1, 0, 0), Vector3d(0, 0, 1),
                                       Vector3d(0, 0, 2), Vector3d(1, 1, 0)}) {
          const Pose Y{offset, Eigen::Quaterniond::Identity()};
          const ContactPoint p = find_nearest(ga, X, gb, Y, scratch);
          ASSERT_TRUE(std::isfinite(p.gap) && p.normal.allFinite() && p.on_a.allFinite() &&
                      p.on_b.allFinite())
              << kind_a << " " << kind_b;
          EXPECT_NEAR(p.normal.norm(), 1.0, 1e-12);
          if (kind_a == 8 || kind_b == 8) continue;
          const double below =
              judges::search_distance(a, X, b, Y);  // a lower bound, 1e-2 from the truth at most
          EXPECT_GT(p.gap, below - 1e-12) << kind_a << " " << kind_b << " at " << offset.transpose();
          EXPECT_LT(p.gap, below + 1e-2) << kind_a << " " << kind_b << " at " << offset.transpose();
          EXPECT_NEAR(p.gap, judges::separation(a, X, b, Y, p.normal), 1e-13) << kind_a << " " << kind_b;
        }
      }
    }
  }
}

// Beside each other, 1 m apart, turned out of parallel by less and less; of lengths whose products round.
TEST(Degenerate, NearlyParallelCapsulesKeepTheirDistance) {
  Random random(47);
  CollisionScratch scratch;
  for (int i = 0; i < 1000; ++i) {
    const Capsule a{0.3, random.real(0.1, 1.0)}, b{0.2, random.real(0.1, 1.0)};
    const double tilt = i % 2 ? std::pow(10.0, random.real(-18, -6)) : 0.0;
    const Pose Y{{1, 0, 0}, quaternion_from_axis_angle(Vector3d::UnitX(), tilt)};
    const ContactPoint p = find_nearest(make_geometry(a), {}, make_geometry(b), Y, scratch);
    EXPECT_NEAR(p.gap, 0.5, 1e-15) << i;
    EXPECT_LT((p.normal + Vector3d::UnitX()).norm(), 1e-15) << i;
  }
}

TEST(Degenerate, ZeroThicknessPlatesAndNeedlesMeet) {
  CollisionScratch scratch;
  const Pose above{{0.1, 0.2, 0.3}, Eigen::Quaterniond::Identity()},
      touching{{0.1, 0.2, 0.0}, Eigen::Quaterniond::Identity()};
  const Shape thin[] = {Box{{1, 1, 0}}, Cylinder{0.5, 0.0}, Capsule{0.0, 1.0}, Sphere{0.0}, Box{{1, 0, 0}}};
  for (const Shape& a : thin) {
    for (const Shape& b : thin) {
      const ContactPoint p = find_nearest(make_geometry(a), above, make_geometry(b), {}, scratch);
      const double below = judges::search_distance(a, above, b, {});
      EXPECT_GT(p.gap, below - 1e-12) << a.index() << " " << b.index();
      EXPECT_LT(p.gap, below + 1e-2) << a.index() << " " << b.index();
      const auto points = contacts(make_geometry(a), touching, make_geometry(b), {}, 1e-3);
      for (const ContactPoint& q : points) EXPECT_TRUE(std::isfinite(q.gap) && q.normal.allFinite());
    }
  }
  // a needle of 1 µm across and 1 m long, against a box, in closed form
  const double w = 1e-6;
  const Hull needle{{{-w, -w, 0}, {w, -w, 0}, {0, w, 0}, {0, 0, 1}}};
  const ContactPoint p = find_nearest(make_geometry(needle), {{0, 0, 0.75}, Eigen::Quaterniond::Identity()},
                                      make_geometry(Box{{1, 1, 1}}), {}, scratch);
  EXPECT_NEAR(p.gap, 0.25, 1e-14);
}

TEST(Degenerate, SizesFromAMicrometreToAThousandKilometresScale) {
  Random random(43);
  CollisionScratch scratch;
  for (int kind_a = 0; kind_a < 7; ++kind_a) {
    for (int kind_b = 0; kind_b < 7; ++kind_b) {
      const Pose X{random.vector(0.5), random.rotation()}, Y{random.vector(0.5), random.rotation()};
      const unsigned seed = static_cast<unsigned>(10 * kind_a + kind_b);
      const auto scaled = [&](double s, Random& r, int kind) -> Shape {
        Shape shape = random_shape(kind, r);
        std::visit(
            [&](auto& g) {
              if constexpr (requires { g.radius; }) g.radius *= s;
              if constexpr (requires { g.length; }) g.length *= s;
              if constexpr (requires { g.radii; }) g.radii *= s;
              if constexpr (requires { g.points; })
                for (auto& v : g.points) v *= s;
              if constexpr (std::is_same_v<std::remove_cvref_t<decltype(g)>, Box>) g.size *= s;
            },
            shape);
        return shape;
      };
      double one = 0.0;
      for (const double s : {1.0, 1e-6, 1e6}) {
        Random r(seed);
        const Shape a = scaled(s, r, kind_a), b = scaled(s, r, kind_b);
        const ContactPoint p = find_nearest(make_geometry(a), {s * X.position, X.rotation}, make_geometry(b),
                                            {s * Y.position, Y.rotation}, scratch);
        if (s == 1.0) one = p.gap;
        EXPECT_NEAR(p.gap / s, one, 1e-12) << kind_a << " " << kind_b << " at " << s;
      }
    }
  }
  // small on large: a grain of 1 µm on a box of 1000 km, 1 mm from touch
  const ContactPoint p =
      find_nearest(make_geometry(Sphere{1e-6}), {{0, 0, 5e5 + 1e-3}, Eigen::Quaterniond::Identity()},
                   make_geometry(Box{{1e6, 1e6, 1e6}}), {}, scratch);
  EXPECT_NEAR(p.gap, 1e-3 - 1e-6, 1e-9);
}

TEST(Allocation, WarmRaysDistancesAndCompoundsAllocateNothing) {
  Random random(45);
  std::vector<Geometry> shapes;
  std::vector<Geometry::Part> parts;
  for (int kind = 0; kind < kShapeKinds; ++kind) {
    shapes.push_back(make_geometry(random_shape(kind, random)));
    if (kind < 8) parts.push_back({{random.vector(1.0), random.rotation()}, shapes.back()});
  }
  shapes.push_back(
      make_geometry(HeightField{{4, 4}, std::vector<std::vector<double>>(9, std::vector<double>(9, 0.1))}));
  shapes.push_back(make_compound(parts));
  long counted = 0;
  CollisionScratch scratch;
  std::vector<ContactPoint> points;
  for (int round = 0; round < 2; ++round) {
    Random same(46);
    const test::AllocationCount count;
    for (const Geometry& a : shapes) {
      for (int i = 0; i < 20; ++i) {
        const Vector3d origin = 3.0 * same.direction(), to = (same.vector(0.5) - origin).normalized();
        const Pose X{same.vector(0.5), same.rotation()}, Y{same.vector(0.5), same.rotation()};
        (void)cast_ray(a, X, origin, to, 10.0);
        if (can_meet(a, shapes[2])) (void)find_nearest(a, X, shapes[2], Y, scratch);
        points.clear();
        collide(a, X, shapes.back(), Y, {0.1, Vector3d::Zero()}, scratch, points);
      }
    }
    counted = count.since();
  }
  EXPECT_EQ(counted, 0);
}

TEST(Allocation, AWarmQueryAllocatesNothing) {
  Random random(44);
  std::vector<Geometry> shapes;
  for (int kind = 0; kind < kShapeKinds; ++kind) shapes.push_back(make_geometry(random_shape(kind, random)));
  shapes.push_back(
      make_geometry(HeightField{{4, 4}, std::vector<std::vector<double>>(9, std::vector<double>(9, 0.1))}));
  std::vector<std::pair<Pose, Pose>> poses;
  for (int i = 0; i < 40 / std::min(judges::kFewer, 10); ++i)
    poses.push_back({{random.vector(0.5), random.rotation()}, {random.vector(0.5), random.rotation()}});
  CollisionScratch scratch;
  std::vector<ContactPoint> points;
  long counted = 0;
  for (int round = 0; round < 2; ++round) {
    const test::AllocationCount count;
    for (const Geometry& a : shapes)
      for (const Geometry& b : shapes)
        for (const auto& [X, Y] : poses) {
          points.clear();
          collide(a, X, b, Y, {0.1, Vector3d::Zero()}, scratch, points);
        }
    counted = count.since();
  }
  EXPECT_EQ(counted, 0);
}

}  // namespace
}  // namespace rigor
