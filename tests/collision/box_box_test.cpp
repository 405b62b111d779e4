// Covers box_box.cpp and box_axis.cpp: the short way of two boxes against the general one, which takes the
// same boxes as hulls of their corners, and against closed forms.
#include "rigor/collision/box_box.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigor/collision/box_axis.hpp"
#include "rigor/collision/collide.hpp"
#include "rigor/collision/contact_feature.hpp"
#include "tests/collision/contacts.hpp"
#include "tests/collision/judges.hpp"

namespace rigor {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;
using judges::Random;
using test::contacts;

Hull hull_of(const Box& box) {
  Hull hull;
  for (int k = 0; k < 8; ++k)
    hull.points.push_back(0.5 *
                          box.size.cwiseProduct(Vector3d(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1)));
  return hull;
}

double least_gap(const std::vector<ContactPoint>& points) {
  double least = 1e300;
  for (const ContactPoint& p : points) least = std::min(least, p.gap);
  return least;
}

// A box, and another laid on one of its faces at a random place, tilted by up to `tilt` rad.
struct Stack {
  Box a, b;
  Pose X, Y;

  Stack(Random& random, double tilt, double gap) {
    const auto size = [&] { return Vector3d(Vector3d::Constant(0.7) + random.vector(0.5)); };
    a.size = size(), b.size = size();
    const int k = random.below(3), m = random.below(3);
    // B's axis m against A's axis k, then turned about it
    const Quaterniond lay = Quaterniond::FromTwoVectors(Vector3d::Unit(m), -Vector3d::Unit(k));
    const Quaterniond spin(Eigen::AngleAxisd(random.real(-3, 3), Vector3d::Unit(k)));
    const Quaterniond lean(Eigen::AngleAxisd(tilt * random.real(0, 1), random.direction()));
    Vector3d at = random.vector(0.4);
    at[k] = 0.5 * (a.size[k] + b.size[m]) + gap;
    const Pose stacked{at, lean * spin * lay};
    X = {random.vector(3), random.rotation()};
    Y = X * stacked;
  }
};

// The corners of two faces, whichever is the reference, are the same set with the same kinds.
TEST(BoxBox, FindsThePointsOfTheSameBoxesAsHulls) {
  Random random(21);
  int several = 0, short_way = 0;
  for (int i = 0; i < 20000 / judges::kFewer; ++i) {
    const double tilt = std::pow(10.0, random.real(-12, -1)), gap = 0.02 * random.real(-1, 1);
    const Stack s(random, tilt, gap);
    const Geometry a = make_geometry(s.a), b = make_geometry(s.b);
    const auto points = contacts(a, s.X, b, s.Y, 0.01);
    const auto judge = contacts(make_geometry(hull_of(s.a)), s.X, make_geometry(hull_of(s.b)), s.Y, 0.01);
    ASSERT_EQ(points.empty(), judge.empty()) << i;
    if (points.empty()) continue;
    std::vector<ContactPoint> own;
    short_way += collide_boxes(a.convex, s.X, b.convex, s.Y, 0.01, own) == BoxContact::kFaces;
    several += points.size() > 2;
    EXPECT_NEAR(least_gap(points), least_gap(judge), 1e-13) << i << ", tilt " << tilt;
    // on a tie of two axes to rounding the two ways may choose differently
    if ((points[0].normal - judge[0].normal).norm() > 1e-9) continue;
    EXPECT_EQ(points.size(), judge.size()) << i << ", tilt " << tilt;
    for (const ContactPoint& p : points) {
      EXPECT_LT((p.on_a - p.on_b - p.gap * p.normal).norm(), 1e-14);
      EXPECT_NEAR(p.curvature_a.direction.norm(), 1.0, 1e-14);
      EXPECT_NEAR(p.curvature_b.direction.dot(p.normal), 0.0, 1e-14);
      const auto same = std::find_if(judge.begin(), judge.end(), [&](const ContactPoint& q) {
        return (p.on_a - q.on_a).norm() + (p.on_b - q.on_b).norm() < 1e-7 && p.kind_a == q.kind_a &&
               p.kind_b == q.kind_b;
      });
      EXPECT_NE(same, judge.end()) << i << ", tilt " << tilt;
    }
  }
  EXPECT_GT(several, 10000 / judges::kFewer);
  EXPECT_GT(short_way, 10000 / judges::kFewer);
}

// The gap is the separation along the normal by the support functions: a bound that no rounding of nearly
// parallel edges may lift, and that random normals near it do not beat. 1e-13: axes that tie to 1e-14 of both
// sizes count as equal.
TEST(BoxBox, NearlyParallelEdgesDoNotSpoilTheGap) {
  Random random(22);
  for (int i = 0; i < 20000 / judges::kFewer; ++i) {
    const double yaw = std::pow(10.0, random.real(-15, -2));
    const Box box{{1.0, 0.8, 0.6}};
    const Geometry g = make_geometry(box);
    const Pose X{random.vector(3), random.rotation()};
    const Vector3d axis = i % 2 ? Vector3d::UnitZ() : random.direction();
    const Pose Y = X * Pose{{0.1, 0.1, 0.6 - 1e-3}, Quaterniond(Eigen::AngleAxisd(yaw, axis))};
    const auto points = contacts(g, X, g, Y, 0.0);
    ASSERT_FALSE(points.empty());
    const double gap = least_gap(points);
    EXPECT_NEAR(gap, judges::separation(box, X, box, Y, points[0].normal), 1e-13) << "yaw " << yaw;
    if (i % 2) {
      EXPECT_NEAR(gap, -1e-3, 2e-15) << "yaw " << yaw;
    }
    for (int k = 0; k < 20; ++k) {
      const Vector3d n = (points[0].normal + random.vector(yaw)).normalized();
      EXPECT_LE(judges::separation(box, X, box, Y, n), gap + 1e-13);
    }
  }
}

TEST(BoxBox, NamesAreThoseOfThePolytope) {
  const Polytope box = make_box_polytope({1, 2, 3});
  for (std::size_t f = 0; f < 6; ++f)
    for (std::size_t q = 0; q < 4; ++q) {
      EXPECT_EQ(static_cast<int>(BoxNames::kCorner[f][q]), box.loop[4 * f + q]);
      EXPECT_EQ(static_cast<int>(BoxNames::kEdge[f][q]), box.loop_edges[4 * f + q]);
    }
}

// An octagon: a square on a square turned by 45 degrees. Each label once; corner of one over the face of the
// other where the other sticks out.
TEST(BoxBox, TwoSquaresCrossInEightEdges) {
  const Geometry g = make_geometry(Box{{1, 1, 1}});
  const Quaterniond turned(Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitZ()));
  const auto points = contacts(g, {}, g, {{0, 0, 1.0 - 1e-4}, turned}, 0.0);
  ASSERT_EQ(points.size(), 8u);
  std::vector<FeatureId> ids;
  for (const ContactPoint& p : points) {
    EXPECT_NEAR(p.gap, -1e-4, 1e-15);
    EXPECT_EQ(p.kind_a, FeatureKind::kEdge);
    EXPECT_EQ(p.kind_b, FeatureKind::kEdge);
    EXPECT_NEAR(p.on_a.head<2>().norm(), std::hypot(0.5, 0.5 * (std::numbers::sqrt2 - 1)), 1e-15);
    ids.push_back(p.id);
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

// Past 0.05 rad two edges meet in one point; corners and edges apart are not the short way's business.
// Bricks whose edges lie in one another: what rounding does to the poses must not rename or split their
// points, or a solver loses the impulses of the last step.
TEST(BoxBox, EdgesThatCoincideKeepTheirNamesUnderRounding) {
  const Box brick{{0.4, 0.2, 0.2}};
  Random random(5);
  for (const bool as_hulls : {false, true}) {
    const Geometry a = as_hulls ? make_geometry(hull_of(brick)) : make_geometry(brick);
    for (const double shift : {0.0, 0.2005, 0.39}) {
      SCOPED_TRACE(testing::Message() << (as_hulls ? "hulls" : "boxes") << " shifted by " << shift);
      std::vector<FeatureId> first;
      for (int k = 0; k < 200; ++k) {
        // turned by 1e-12 either box of a pair becomes the reference
        const double noise = k == 0 ? 0.0 : as_hulls || k % 2 == 0 ? 1e-15 : 1e-12;
        const auto jitter = [&](const Vector3d& at) {
          return Pose{at + random.vector(noise),
                      Quaterniond(Eigen::AngleAxisd(noise * random.real(-1, 1), random.direction()))};
        };
        std::vector<FeatureId> ids;
        for (const ContactPoint& p : contacts(a, jitter({shift, 0.0, 0.3}), a, jitter({0.0, 0.0, 0.1}), 1e-3))
          ids.push_back(p.id);
        std::sort(ids.begin(), ids.end());
        EXPECT_TRUE(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
        if (k == 0) {
          first = ids;
          EXPECT_EQ(ids.size(), 4u);
        }
        ASSERT_EQ(ids, first) << "after " << k << " changes";
      }
    }
  }
}

TEST(BoxBox, LeavesTheRestToTheGeneralWay) {
  const Geometry g = make_geometry(Box{{1, 1, 1}});
  std::vector<ContactPoint> out;
  const Quaterniond x(Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitX())),
      y(Eigen::AngleAxisd(std::numbers::pi / 4, Vector3d::UnitY()));
  const Pose edge_up{Vector3d::Zero(), x}, edge_down{{0, 0, std::numbers::sqrt2 - 1e-3}, y};
  EXPECT_EQ(collide_boxes(g.convex, edge_up, g.convex, edge_down, 0.0, out), BoxContact::kOpen);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(contacts(g, edge_up, g, edge_down, 0.0).size(), 1u);
  const Pose beyond_corner{{1.001, 1.001, 0.2}, Quaterniond::Identity()};
  EXPECT_EQ(collide_boxes(g.convex, {}, g.convex, beyond_corner, 0.01, out), BoxContact::kOpen);
  EXPECT_EQ(collide_boxes(g.convex, {}, g.convex, {{1.5, 0, 0}, Quaterniond::Identity()}, 0.01, out),
            BoxContact::kApart);
}

}  // namespace
}  // namespace rigor
