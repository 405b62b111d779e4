// Covers box_tree.cpp, clip.cpp, contact_feature.cpp, reduce_points.cpp, collide.cpp, half_space_contact.cpp
// and geometry.cpp.
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <set>

#include "rigor/base/require.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/collision/reduce_points.hpp"
#include "tests/collision/contacts.hpp"
#include "tests/collision/judges.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;
using test::contacts;

Pose at(double x, double y, double z, const Vector3d& axis = Vector3d::UnitZ(), double angle = 0.0) {
  return {{x, y, z}, quaternion_from_axis_angle(axis, angle)};
}

TEST(Manifold, BoxOnBoxHasTheCornersOfTheOverlap) {
  for (const double gap : {1e-6, 0.0, -1e-6, -0.01}) {
    const auto points = contacts(Box{{1, 1, 1}}, at(0.3, 0.2, 1.0 + gap), Box{{1, 1, 1}}, at(0, 0, 0), 1e-3);
    ASSERT_EQ(points.size(), 4u) << gap;
    for (const ContactPoint& p : points) {
      EXPECT_NEAR(p.gap, gap, 1e-15);
      EXPECT_LT((p.normal - Vector3d::UnitZ()).norm(), 1e-15);
    }
    EXPECT_NEAR(support_area(points.data(), points.size(), Vector3d::UnitZ()), 0.7 * 0.8, 1e-14);
  }
}

TEST(Manifold, EdgeOnFaceHasTwoPointsAndCornerOnFaceOne) {
  const double half = std::sqrt(0.5);
  const auto edge = contacts(Box{{1, 1, 1}}, at(0, 0, 0.5 + half, Vector3d::UnitX(), std::numbers::pi / 4),
                             Box{{4, 4, 1}}, at(0, 0, 0), 1e-6);
  ASSERT_EQ(edge.size(), 2u);
  EXPECT_NEAR((edge[0].on_a - edge[1].on_a).norm(), 1.0, 1e-14);
  const Pose tip{{0, 0, 0.5 + std::sqrt(0.75)},
                 Eigen::Quaterniond::FromTwoVectors(Vector3d(1, 1, 1), Vector3d::UnitZ())};
  const auto corner = contacts(Box{{1, 1, 1}}, tip, Box{{4, 4, 1}}, at(0, 0, 0), 1e-6);
  ASSERT_EQ(corner.size(), 1u);
  EXPECT_EQ(corner[0].kind_a, FeatureKind::kVertex);
  EXPECT_EQ(corner[0].kind_b, FeatureKind::kFace);
}

// On a half-space, a box, a hull or a cap; the points do not care how far the cylinder has spun.
TEST(Manifold, StandingCylinderHasFourPointsOrMoreThatSpinDoesNotMove) {
  const Cylinder cylinder{0.5, 1.0};
  const std::pair<Shape, double> grounds[] = {
      {HalfSpace{}, 0.0}, {Box{{4, 4, 1}}, 0.5}, {Cylinder{2.0, 1.0}, 0.5}};
  for (const auto& [ground, top] : grounds) {
    std::vector<ContactPoint> first;
    for (int spin = 0; spin < 20; ++spin) {
      const auto points = contacts(cylinder, at(0.1, 0.2, top + 0.5 + 1e-7, Vector3d::UnitZ(), 0.37 * spin),
                                   ground, at(0, 0, 0), 1e-4);
      ASSERT_GE(points.size(), 4u);
      EXPECT_NEAR(support_area(points.data(), points.size(), Vector3d::UnitZ()), 0.5,
                  1e-6);  // a square in the circle
      if (spin == 0) first = points;
      ASSERT_EQ(points.size(), first.size());
      for (std::size_t k = 0; k < points.size(); ++k) {
        EXPECT_EQ(points[k].id, first[k].id);
        EXPECT_LT((points[k].on_b - first[k].on_b).norm(), 1e-9);
        EXPECT_NEAR(points[k].gap, 1e-7, 1e-14);
      }
    }
  }
}

TEST(Manifold, CylinderOverAnEdgeKeepsTheCrossingsOfItsRim) {
  const auto points =
      contacts(Cylinder{0.5, 1.0}, at(0.25, 0, 1.0), Box{{0.5, 4, 1}}, at(0, 0, 0), 1e-4);  // box: |x| ≤ 0.25
  ASSERT_GE(points.size(), 3u);
  std::set<double> ys;
  for (const ContactPoint& p : points)
    if (std::abs(p.on_b.x() - 0.25) < 1e-12) ys.insert(p.on_b.y());
  EXPECT_EQ(ys.size(), 2u);  // at ±0.5 where the rim crosses the edge through its centre
}

TEST(Manifold, LyingCylinderAndParallelCapsulesHaveTwoPoints) {
  const Pose lying = at(0, 0, 0.5, Vector3d::UnitY(), std::numbers::pi / 2);
  EXPECT_EQ(contacts(Cylinder{0.5, 2.0}, lying, HalfSpace{}, at(0, 0, 0), 1e-6).size(), 2u);
  EXPECT_EQ(contacts(Cylinder{0.5, 2.0}, lying, Box{{4, 4, 1}}, at(0, 0, -0.5), 1e-6).size(), 2u);
  EXPECT_EQ(contacts(Capsule{0.5, 2.0}, lying, Box{{4, 4, 1}}, at(0, 0, -0.5), 1e-6).size(), 2u);
  const auto points = contacts(Capsule{0.5, 2.0}, lying, Capsule{0.5, 2.0},
                               at(0.4, 0, -0.5, Vector3d::UnitY(), std::numbers::pi / 2), 1e-6);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_NEAR((points[0].on_a - points[1].on_a).norm(), 1.6, 1e-12);
  for (const ContactPoint& p : points) EXPECT_NEAR(p.gap, 0.0, 1e-15);
}

// A prism of 40 sides standing on a box: 40 corners become 8 that keep 90 % of the area (a regular octagon in
// the circle has 2√2/π = 0.9003) and the extreme gaps.
TEST(Manifold, ReductionKeepsAreaAndExtremeGaps) {
  Hull prism;
  for (int i = 0; i < 40; ++i)
    for (const double z : {-0.5, 0.5})
      prism.points.emplace_back(std::cos(0.05 * std::numbers::pi * i), std::sin(0.05 * std::numbers::pi * i),
                                z);
  const double tilt = 1e-5;
  const auto points =
      contacts(prism, at(0, 0, 1.0, Vector3d::UnitX(), tilt), Box{{4, 4, 1}}, at(0, 0, 0), 1e-3);
  ASSERT_EQ(points.size(), 8u);
  const double area = support_area(points.data(), points.size(), Vector3d::UnitZ());
  EXPECT_GT(area, 0.89 * 40 * 0.5 * std::sin(0.05 * std::numbers::pi));
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](auto& x, auto& y) { return x.gap < y.gap; });
  EXPECT_NEAR(high->gap - low->gap, 2 * std::sin(tilt), 1e-12);
}

TEST(Manifold, FeatureIdsOfARockingBoxPersist) {
  const Shape grounds[] = {HalfSpace{}, Box{{4, 4, 1}},
                           Hull{{{-2, -2, -1},
                                 {2, -2, -1},
                                 {-2, 2, -1},
                                 {2, 2, -1},
                                 {-2, -2, 0},
                                 {2, -2, 0},
                                 {-2, 2, 0},
                                 {2, 2, 0}}}};
  for (const Shape& ground : grounds) {
    const double top = std::holds_alternative<Box>(ground) ? 0.5 : 0.0;
    std::set<FeatureId> before;
    int kept = 0;
    constexpr int kSteps = 2000;
    for (int i = 0; i < kSteps; ++i) {
      const double t = 1e-3 * i, a = 1e-4 * std::sin(20 * t), b = 7e-5 * std::sin(13 * t + 1);
      Pose X{{0.1, 0.2, top + 0.5}, quaternion_from_rpy(a, b, 0.3 + 1e-3 * t)};
      X.position.z() += 0.5 * (std::abs(std::sin(a)) + std::abs(std::sin(b))) - 1e-6;
      std::set<FeatureId> now;
      for (const ContactPoint& p : contacts(Box{{1, 1, 1}}, X, ground, at(0, 0, 0), 1e-2)) now.insert(p.id);
      EXPECT_EQ(now.size(), 4u);
      kept += i > 0 && now == before;
      before = now;
    }
    EXPECT_GE(kept, 0.99 * (kSteps - 1));
  }
}

TEST(Manifold, PlanarScenesMergePointsAcrossThePlane) {
  const Vector3d y = Vector3d::UnitY();
  const Pose X = at(0, 0, 0.5);
  EXPECT_EQ(contacts(Box{{1, 1, 1}}, X, HalfSpace{}, at(0, 0, 0), 1e-3, y).size(), 2u);
  // the polygon's plane x, y becomes x, z
  const Eigen::Quaterniond up = quaternion_from_axis_angle(Vector3d::UnitX(), std::numbers::pi / 2);
  const Polygon square{{{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}}};
  const auto on_ground = contacts(square, {{0, 0, 0.5}, up}, HalfSpace{}, at(0, 0, 0), 1e-3, y);
  ASSERT_EQ(on_ground.size(), 2u);
  for (const ContactPoint& p : on_ground) EXPECT_NEAR(p.on_a.y(), 0.0, 1e-15);
  EXPECT_EQ(contacts(square, {{0.2, 0, 1.0}, up}, square, {{0, 0, 0}, up}, 1e-3, y).size(), 2u);
  const auto disk = contacts(Disk{0.5}, {{0.1, 0, 0.9}, up}, square, {{0, 0, 0}, up}, 1e-3, y);
  ASSERT_EQ(disk.size(), 1u);
  EXPECT_NEAR(disk[0].gap, -0.1, 1e-15);
  // deeper than the box is thick: the normal stays in the plane
  const auto deep = contacts(Box{{1, 0.01, 1}}, at(0, 0, 0.8), Box{{1, 0.01, 1}}, at(0, 0, 0), 1e-3, y);
  ASSERT_EQ(deep.size(), 2u);
  EXPECT_LT((deep[0].normal - Vector3d::UnitZ()).norm(), 1e-15);
  EXPECT_NEAR(deep[0].gap, -0.2, 1e-15);
}

// In a planar scene the signed distance is that of the shadows: no direction in the plane separates better,
// and the witness points prove it. The shapes stand in the plane y = 0 of the world.
TEST(Manifold, PlanarDistancesAreThoseOfTheShadows) {
  Random random(8);
  CollisionScratch scratch;
  const Vector3d y = Vector3d::UnitY();
  const auto size = [&] { return random.real(0.2, 1.0); };
  const auto make = [&](int kind) -> Shape {
    switch (kind) {
      case 0:
        return Disk{0.5 * size()};
      case 1:
        return Polygon{{{-size(), -size()}, {size(), -size()}, {0.1, size()}}};
      case 2:
        return Box{{size(), size(), size()}};
      case 3:
        return Capsule{0.2 * size(), size()};
      case 4:
        return Cylinder{0.5 * size(), size()};
      case 5:
        return Cone{0.5 * size(), size()};
      default:
        return Ellipsoid{{size(), size(), size()}};
    }
  };
  // turned about y, and polygons first from their plane x, y into x, z
  const auto place = [&](const Shape& shape, double far) -> Pose {
    Eigen::Quaterniond q = quaternion_from_axis_angle(y, random.real(-3, 3));
    if (std::holds_alternative<Polygon>(shape) || random.below(3) == 0)
      q = q * quaternion_from_axis_angle(Vector3d::UnitX(), std::numbers::pi / 2);
    return {{random.real(-far, far), 0.0, random.real(-far, far)}, q};
  };
  for (int kind_a = 0; kind_a < 7; ++kind_a) {
    for (int kind_b = 0; kind_b < 7; ++kind_b) {
      for (int i = 0; i < std::max(4, 40 / judges::kFewer); ++i) {
        const Shape a = make(kind_a), b = make(kind_b);
        const Pose X = place(a, i % 2 ? 0.2 : 1.0), Y = place(b, i % 2 ? 0.2 : 1.0);
        const ContactPoint p = find_nearest(make_geometry(a), X, make_geometry(b), Y, scratch, y);
        const std::string what =
            std::to_string(kind_a) + ", " + std::to_string(kind_b) + ", case " + std::to_string(i);
        EXPECT_LT(std::abs(p.normal.y()), 1e-12) << what;
        EXPECT_NEAR(judges::separation(a, X, b, Y, p.normal), p.gap, 1e-13) << what;
        EXPECT_LT((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-12) << what;
        double judge = -1e300;
        for (int k = 0; k < 720; ++k) {
          const double phi = k * std::numbers::pi / 360;
          judge = std::max(judge, judges::separation(a, X, b, Y, {std::cos(phi), 0.0, std::sin(phi)}));
        }
        EXPECT_LT(judge, p.gap + 1e-13) << what;
        EXPECT_GT(judge, p.gap - 0.01) << what;
      }
    }
  }
}

TEST(Manifold, CompoundsAreTheirParts) {
  const Geometry dumbbell =
      make_compound({{at(-1, 0, 0), make_geometry(Sphere{0.5})}, {at(1, 0, 0), make_geometry(Sphere{0.5})}});
  CollisionScratch scratch;
  std::vector<ContactPoint> points;
  collide(dumbbell, at(0, 0, 0.5), make_geometry(HalfSpace{}), at(0, 0, 0), {1e-6, Vector3d::Zero()}, scratch,
          points);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].id.part_a, 0u);
  EXPECT_EQ(points[1].id.part_a, 1u);
  EXPECT_NEAR(find_nearest(dumbbell, at(0, 0, 5), make_geometry(Box{{1, 1, 1}}), at(0, 0, 0), scratch).gap,
              std::hypot(0.5, 4.5) - 0.5, 1e-14);
}

// Two clouds of 300 balls against each other: the tree finds what all pairs of parts find, in their order.
TEST(Manifold, CompoundsOfManyPartsAreAllTheirPairs) {
  Random random(6);
  std::vector<Geometry::Part> parts_a, parts_b;
  for (auto* parts : {&parts_a, &parts_b})
    for (int i = 0; i < 300; ++i)
      parts->push_back({{random.vector(1.0), random.rotation()}, make_geometry(Sphere{0.06})});
  const Geometry a = make_compound(parts_a), b = make_compound(parts_b);
  const Pose X{{0.9, 0.3, 0}, random.rotation()}, Y{{-0.2, 0.1, 0.3}, random.rotation()};
  CollisionScratch scratch;
  std::vector<ContactPoint> found, expected;
  collide(a, X, b, Y, {0.01, Vector3d::Zero()}, scratch, found);
  double nearest = 1e300;
  for (std::size_t i = 0; i < parts_a.size(); ++i)
    for (std::size_t j = 0; j < parts_b.size(); ++j) {
      const Pose X_i = X * parts_a[i].pose, Y_j = Y * parts_b[j].pose;
      const std::size_t first = expected.size();
      collide(parts_a[i].geometry, X_i, parts_b[j].geometry, Y_j, {0.01, Vector3d::Zero()}, scratch,
              expected);
      for (std::size_t k = first; k < expected.size(); ++k) {
        expected[k].id.part_a = static_cast<std::uint32_t>(i);
        expected[k].id.part_b = static_cast<std::uint32_t>(j);
      }
      nearest =
          std::min(nearest, find_nearest(parts_a[i].geometry, X_i, parts_b[j].geometry, Y_j, scratch).gap);
    }
  ASSERT_GT(expected.size(), 10u);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].id, expected[k].id);
    EXPECT_NEAR(found[k].gap, expected[k].gap, 1e-14);
  }
  EXPECT_NEAR(find_nearest(a, X, b, Y, scratch).gap, nearest, 1e-14);
}

// Every pair of shape types, at rest and at random: an answer without NaN, or none because neither can move.
TEST(Manifold, EveryPairThatCanMeetHasAnAnswer) {
  const Shape shapes[] = {Sphere{0.5},
                          Capsule{0.3, 1},
                          Cylinder{0.5, 1},
                          Box{{1, 1, 1}},
                          Ellipsoid{{0.5, 0.6, 0.7}},
                          Cone{0.5, 1},
                          HalfSpace{},
                          Point{},
                          Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                          TriangleMesh{{{-5, -5, 0}, {5, -5, 0}, {0, 5, 0}}, {{{0, 1, 2}}}},
                          HeightField{{10, 10}, {{0, 0}, {0, 0}}},
                          Disk{0.5},
                          Polygon{{{0, 0}, {1, 0}, {0, 1}}}};
  Random random(5);
  CollisionScratch scratch;
  for (const Shape& a : shapes) {
    for (const Shape& b : shapes) {
      const Geometry ga = make_geometry(a), gb = make_geometry(b);
      EXPECT_EQ(can_meet(ga, gb), !(ga.is_static_only() && gb.is_static_only()));
      for (int i = 0; i < 20; ++i) {
        std::vector<ContactPoint> points, swapped;
        const Pose X{random.vector(0.6), random.rotation()}, Y{random.vector(0.2), random.rotation()};
        collide(ga, X, gb, Y, {0.1, Vector3d::Zero()}, scratch, points);
        collide(gb, Y, ga, X, {0.1, Vector3d::Zero()}, scratch, swapped);
        EXPECT_EQ(points.empty(), swapped.empty());
        double low = 1e300, low_swapped = 1e300;
        for (const ContactPoint& p : points) {
          ASSERT_TRUE(std::isfinite(p.gap) && p.normal.allFinite() && p.on_a.allFinite() &&
                      p.on_b.allFinite());
          EXPECT_LT((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-12);
          low = std::min(low, p.gap);
        }
        for (const ContactPoint& p : swapped) low_swapped = std::min(low_swapped, p.gap);
        EXPECT_NEAR(low, low_swapped, 1e-10);
        EXPECT_TRUE(can_meet(ga, gb) || points.empty());
      }
    }
  }
}

TEST(Geometry, BadSizesAreNamedErrors) {
  const auto message = [](const Shape& shape) {
    return test::message_of([&] { (void)make_geometry(shape); });
  };
  EXPECT_EQ(message(Sphere{-1}), "sphere: radius = -1 m, must be finite and >= 0.");
  EXPECT_EQ(message(Box{{1, std::nan(""), 1}}), "box: size = nan m, must be finite and >= 0.");
  EXPECT_THAT(message(Ellipsoid{{1, 0, 1}}), testing::HasSubstr("smallest radius is 0 m"));
  EXPECT_THAT(message(Cone{1, 0}), testing::HasSubstr("must be > 0. Use a cylinder"));
  EXPECT_THAT(message(Polygon{{{0, 0}, {0, 1}, {1, 0}}}),
              testing::HasSubstr("does not turn left at corner 1"));
}

}  // namespace
}  // namespace rigor
