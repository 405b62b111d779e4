// Covers sat.cpp, polytope.cpp, convex_hull.cpp, convex_contact.cpp and gjk.cpp for polytopes.
#include <gmock/gmock.h>

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/collision/convex_hull.hpp"
#include "tests/collision/judges.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;

// Judge without topology: the signed distance of two point sets' hulls is the largest separation, and its
// direction is one of: across two lines of points, across a plane of three, from a point to a point, from a
// point to a line. All of them are tried, for any points.
double exhaustive_distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double best = -1e300;
  const auto offer = [&](const Vector3d& direction) {
    const double length = direction.norm();
    if (!(length > 1e-9)) return;
    const Vector3d n = direction / length;
    double low_a = 1e300, high_a = -1e300, low_b = 1e300, high_b = -1e300;
    for (const Vector3d& p : a) low_a = std::min(low_a, n.dot(p)), high_a = std::max(high_a, n.dot(p));
    for (const Vector3d& p : b) low_b = std::min(low_b, n.dot(p)), high_b = std::max(high_b, n.dot(p));
    best = std::max({best, low_a - high_b, low_b - high_a});
  };
  const auto lines = [](const std::vector<Vector3d>& p, auto&& visit) {
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = i + 1; j < p.size(); ++j) visit(p[i], Vector3d(p[j] - p[i]), i, j);
  };
  for (const auto* set : {&a, &b}) {
    lines(*set, [&](const Vector3d& p, const Vector3d& d, std::size_t, std::size_t j) {
      for (std::size_t k = j + 1; k < set->size(); ++k) offer(d.cross((*set)[k] - p));
      for (const Vector3d& q : set == &a ? b : a) offer((q - p) - d * (d.dot(q - p) / d.squaredNorm()));
    });
  }
  lines(a, [&](const Vector3d&, const Vector3d& d, std::size_t, std::size_t) {
    lines(b, [&](const Vector3d&, const Vector3d& e, std::size_t, std::size_t) { offer(d.cross(e)); });
  });
  for (const Vector3d& p : a)
    for (const Vector3d& q : b) offer(p - q);
  return best;
}

std::vector<Vector3d> moved(const std::vector<Vector3d>& points, const Pose& X) {
  std::vector<Vector3d> out;
  for (const Vector3d& p : points) out.push_back(X.position + X.rotation * p);
  return out;
}

// Random hulls of `least` to `most` points, apart, overlapping, and near touch, against the judge.
void expect_exhaustive(unsigned seed, int cases, int least, int most) {
  Random random(seed);
  CollisionScratch scratch;
  int apart = 0, overlapping = 0;
  for (int i = 0; i < cases; ++i) {
    const Hull a{judges::random_points(random, least + random.below(most - least + 1), 1.0)},
        b{judges::random_points(random, least + random.below(most - least + 1), 1.0)};
    const Geometry ga = make_geometry(a), gb = make_geometry(b);
    Pose X_WA{random.vector(1.0), random.rotation()};
    const Pose X_WB{random.vector(1.0), random.rotation()};
    if (i % 2) {  // near touch
      const ContactPoint p = find_nearest(ga, X_WA, gb, X_WB, scratch);
      X_WA.position += (1e-3 * random.real(-1, 1) - p.gap) * p.normal;
    }
    const ContactPoint p = find_nearest(ga, X_WA, gb, X_WB, scratch);
    const double judge = exhaustive_distance(moved(a.points, X_WA), moved(b.points, X_WB));
    // the judge's own directions lose digits where points nearly touch, so 1e-9, not rounding
    EXPECT_NEAR(p.gap, judge, 1e-9) << "case " << i;
    EXPECT_LT((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-12);
    (p.gap > 0.0 ? apart : overlapping)++;
  }
  EXPECT_GT(apart, 0);
  EXPECT_GT(overlapping, 0);
}

TEST(Hulls, SignedDistanceIsTheExhaustiveOne) {
  expect_exhaustive(11, 400 / std::min(judges::kFewer, 20), 6, 11);
}

TEST(Hulls, SignedDistanceOfHullsOf32PointsIsTheExhaustiveOne) {
  expect_exhaustive(14, 60 / std::min(judges::kFewer, 20), 32, 32);
}

TEST(Hulls, BoxAsAHullIsABox) {
  Random random(12);
  CollisionScratch scratch;
  for (int i = 0; i < 2000 / judges::kFewer; ++i) {
    const Vector3d size = Vector3d::Constant(1.1) + random.vector(0.9),
                   other = Vector3d::Constant(1.1) + random.vector(0.9);
    Hull hull;
    for (int k = 0; k < 8; ++k)
      hull.points.push_back(0.5 *
                            size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
    const Pose X_WA{random.vector(1.0), random.rotation()}, X_WB{random.vector(1.0), random.rotation()};
    const ContactPoint p =
        find_nearest(make_geometry(Box{size}), X_WA, make_geometry(Box{other}), X_WB, scratch);
    const ContactPoint q = find_nearest(make_geometry(hull), X_WA, make_geometry(Box{other}), X_WB, scratch);
    EXPECT_NEAR(p.gap, q.gap, 1e-13) << i;
  }
}

TEST(Hulls, TopologyIsEulers) {
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    const Polytope hull = make_convex_hull(judges::random_points(random, 4 + random.below(60), 2.0));
    EXPECT_EQ(hull.vertices.size() + hull.faces.size(), hull.edges.size() + 2);
    for (const PolytopeFace& face : hull.faces)
      for (const Vector3d& v : hull.vertices) EXPECT_LT(face.normal.dot(v), face.offset + 1e-13);
  }
  const Polytope cube = make_convex_hull({{0, 0, 0},
                                          {1, 0, 0},
                                          {0, 1, 0},
                                          {1, 1, 0},
                                          {0, 0, 1},
                                          {1, 0, 1},
                                          {0, 1, 1},
                                          {1, 1, 1},
                                          {0.5, 0.5, 0.5},
                                          {0.5, 0.5, 1}});
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.vertices.size(), 8u);
}

// A tetrahedron with corners 0, a, b, c: V = abc/6; and a hull of a box has the box's mass.
TEST(Hulls, MassIsTheClosedForm) {
  const MassProperties tetrahedron = *compute_unit_mass(Hull{{{0, 0, 0}, {2, 0, 0}, {0, 3, 0}, {0, 0, 4}}});
  EXPECT_NEAR(tetrahedron.mass, 4.0, 1e-14);
  EXPECT_LT((tetrahedron.center - Vector3d(0.5, 0.75, 1.0)).norm(), 1e-14);
  EXPECT_NEAR(tetrahedron.inertia(0, 0), 4.0 * (3 * 9.0 + 3 * 16.0) / 80.0, 1e-13);
  EXPECT_NEAR(tetrahedron.inertia(0, 1), 4.0 * 2.0 * 3.0 / 80.0, 1e-13);
  Hull box;
  for (int k = 0; k < 8; ++k)
    box.points.emplace_back(k & 1 ? 1.0 : 0.0, k & 2 ? 2.0 : 0.0, k & 4 ? 3.0 : 0.0);
  const MassProperties hull = *compute_unit_mass(box), closed = *compute_unit_mass(Box{{1, 2, 3}});
  EXPECT_NEAR(hull.mass, closed.mass, 1e-13);
  EXPECT_LT((hull.inertia - closed.inertia).norm(), 1e-13);
}

TEST(Hulls, FlatAndBadPointsAreNamedErrors) {
  const auto message = [](const std::vector<Vector3d>& points) {
    return test::message_of([&] { (void)make_convex_hull(points); });
  };
  EXPECT_EQ(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), "hull: has 3 points, must have at least 4.");
  EXPECT_THAT(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), testing::HasSubstr("lie in a plane"));
  EXPECT_THAT(message({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}), testing::HasSubstr("lie on a line"));
  EXPECT_THAT(message({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}), testing::HasSubstr("coincide"));
  EXPECT_THAT(message({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, std::nan("")}}),
              testing::HasSubstr("point 3 is not finite"));
}

}  // namespace
}  // namespace rigor
