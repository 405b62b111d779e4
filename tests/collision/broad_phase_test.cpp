// Covers broad_phase.cpp and ray.cpp.
#include "rigor/collision/broad_phase.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "rigor/base/require.hpp"
#include "rigor/collision/ray.hpp"
#include "tests/collision/judges.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;
using Pairs = std::vector<std::pair<int, int>>;

Bounds random_bounds(Random& random) {
  const Vector3d middle = random.vector(5.0), half = Vector3d::Constant(0.5) + random.vector(0.4);
  return {middle - half, middle + half};
}

Pairs brute_force(const std::vector<Bounds>& bounds, double margin) {
  Pairs out;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    for (std::size_t j = i + 1; j < bounds.size(); ++j)
      if (bounds[i].grown(margin).overlaps(bounds[j]))
        out.emplace_back(static_cast<int>(i), static_cast<int>(j));
  return out;
}

TEST(BroadPhase, FindsThePairsOfBruteForceStepByStep) {
  for (const int count : {1, 2, 3, 50, 400}) {
    Random random(static_cast<unsigned>(count));
    BroadPhase broad_phase;
    std::vector<Bounds> bounds;
    for (int i = 0; i < count; ++i) bounds.push_back(random_bounds(random)), broad_phase.add(bounds.back());
    for (int step = 0; step < 30; ++step) {
      const double margin = step % 3 * 0.1;
      EXPECT_EQ(broad_phase.find_pairs(margin), brute_force(bounds, margin)) << count << ", step " << step;
      // few move in most steps, now and then all of them
      for (int i = 0; i < count; ++i) {
        if (step % 7 != 6 && random.below(20) != 0) continue;
        const Vector3d by = random.vector(random.below(3) == 0 ? 3.0 : 0.05);
        Bounds& box = bounds[static_cast<std::size_t>(i)];
        box = {box.low + by, box.high + by};
        broad_phase.set_bounds(i, box);
      }
    }
  }
}

// The same boxes reached by another way, and a broad phase that never saw the past, give the same list.
TEST(BroadPhase, DoesNotRememberThePast) {
  Random random(7);
  std::vector<Bounds> now;
  BroadPhase old, fresh;
  for (int i = 0; i < 300; ++i) now.push_back(random_bounds(random)), old.add(random_bounds(random));
  for (int step = 0; step < 5; ++step) {
    (void)old.find_pairs(0.01);
    for (int i = 0; i < 300; ++i) old.set_bounds(i, random_bounds(random));
  }
  for (int i = 0; i < 300; ++i)
    old.set_bounds(i, now[static_cast<std::size_t>(i)]), fresh.add(now[static_cast<std::size_t>(i)]);
  EXPECT_EQ(old.find_pairs(0.01), fresh.find_pairs(0.01));
}

TEST(BroadPhase, GroupsMasksOwnersAndRemovalAreObeyed) {
  const Bounds box{Vector3d::Zero(), Vector3d::Ones()};
  BroadPhase broad_phase;
  broad_phase.add(box, {.group = 1, .mask = 2, .owner = 0});
  broad_phase.add(box, {.group = 2, .mask = 3, .owner = 1});
  broad_phase.add(box, {.group = 1, .mask = 3, .owner = 2});
  broad_phase.add(box, {.group = 2, .mask = 3, .owner = 2});
  EXPECT_EQ(broad_phase.find_pairs(0.0), (Pairs{{0, 1}, {0, 3}, {1, 2}, {1, 3}}));
  broad_phase.exclude_owners(2, 1);
  EXPECT_EQ(broad_phase.find_pairs(0.0), (Pairs{{0, 1}, {0, 3}}));
  broad_phase.remove(1);
  EXPECT_EQ(broad_phase.find_pairs(0.0), (Pairs{{0, 3}}));
  EXPECT_THROW(broad_phase.remove(1), InvalidInput);
}

TEST(BroadPhase, UnboundedShapesMeetEverything) {
  BroadPhase broad_phase;
  broad_phase.add(compute_bounds(make_geometry(HalfSpace{}), {}));
  for (int i = 0; i < 10; ++i) broad_phase.add({Vector3d(10.0 * i, 0, 0), Vector3d(10.0 * i + 1, 1, 1)});
  EXPECT_EQ(broad_phase.find_pairs(0.0).size(), 10u);
}

// The box around a shape is what its support function says, and holds the shape tightly.
TEST(Bounds, AreTight) {
  Random random(9);
  for (const Shape& shape : {Shape{Sphere{0.5}}, Shape{Capsule{0.3, 1}}, Shape{Cylinder{0.5, 1}},
                             Shape{Box{{1, 2, 3}}}, Shape{Ellipsoid{{0.5, 0.6, 0.7}}}, Shape{Cone{0.5, 1}}}) {
    for (int i = 0; i < 50; ++i) {
      const Pose X{random.vector(2), random.rotation()};
      const Bounds bounds = compute_bounds(make_geometry(shape), X);
      for (int k = 0; k < 3; ++k) {
        const Vector3d d = X.rotation.conjugate() * Vector3d::Unit(k);
        EXPECT_NEAR(bounds.high[k], X.position[k] + judges::support_value(shape, d), 1e-14);
        EXPECT_NEAR(bounds.low[k], X.position[k] - judges::support_value(shape, -d), 1e-14);
      }
    }
  }
}

TEST(Ray, MeetsTheSurfaceWhereTheImplicitFunctionChangesSign) {
  Random random(10);
  int hits = 0;
  for (const Shape& shape :
       {Shape{Sphere{0.5}}, Shape{Capsule{0.3, 1}}, Shape{Cylinder{0.5, 1}}, Shape{Box{{1, 2, 1.5}}},
        Shape{Ellipsoid{{0.5, 0.6, 0.7}}}, Shape{Cone{0.5, 1}}}) {
    const Geometry geometry = make_geometry(shape);
    for (int i = 0; i < 100; ++i) {
      const Pose X{random.vector(0.3), random.rotation()};
      const Vector3d origin = 3.0 * random.direction(),
                     direction = (random.vector(0.6) - origin).normalized();
      const auto inside = [&](double t) {
        return judges::surface_value(shape, X.rotation.conjugate() * (origin + t * direction - X.position)) <
               0.0;
      };
      const auto hit = cast_ray(geometry, X, origin, direction, 10.0);
      // the judge: march, then halve
      double low = 0.0;
      while (low < 6.0 && !inside(low + 1e-3)) low += 1e-3;
      if (low >= 6.0) continue;  // passes by, or grazes
      ++hits;
      double high = low + 1e-3;
      for (int k = 0; k < 60; ++k) (inside(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
      ASSERT_TRUE(hit.has_value());
      EXPECT_NEAR(hit->t, high, 1e-9);
      EXPECT_LT(hit->normal.dot(direction), 0.0);
    }
  }
  EXPECT_GT(hits, 200);
}

TEST(Ray, MeetsTrianglesHalfSpacesAndCompounds) {
  const Vector3d down(0, 0, -1), origin(0.2, 0.1, 5);
  const TriangleMesh floor{{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, {{{0, 1, 2}}, {{0, 2, 3}}}};
  EXPECT_NEAR(cast_ray(make_geometry(floor), {}, origin, down, 10)->t, 5.0, 1e-14);
  EXPECT_FALSE(cast_ray(make_geometry(floor), {}, {3, 0, 5}, down, 10).has_value());
  EXPECT_NEAR(cast_ray(make_geometry(HeightField{{2, 2}, {{1, 1}, {1, 1}}}), {}, origin, down, 10)->t, 4.0,
              1e-14);
  EXPECT_NEAR(cast_ray(make_geometry(HalfSpace{}), {}, origin, down, 10)->t, 5.0, 1e-14);
  EXPECT_FALSE(cast_ray(make_geometry(HalfSpace{}), {}, origin, down, 4).has_value());
  const Geometry two =
      make_compound({{{}, make_geometry(Sphere{0.5})},
                     {{{0, 0, 2}, Eigen::Quaterniond::Identity()}, make_geometry(Box{{1, 1, 1}})}});
  EXPECT_NEAR(cast_ray(two, {}, origin, down, 10)->t, 2.5, 1e-13);
  EXPECT_THROW((void)cast_ray(two, {}, origin, 2 * down, 10), InvalidInput);
}

}  // namespace
}  // namespace rigor
