// Covers axis.cpp, core_distance.cpp, normal_newton.cpp, gjk.cpp, deepest.cpp, convex.cpp,
// half_space_contact.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rigor/collision/collide.hpp"
#include "tests/collision/judges.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using judges::Random;

const char* const kNames[] = {"sphere",   "point", "capsule",   "box",
                              "cylinder", "cone",  "ellipsoid", "half-space"};

// Of the kind kNames[kind].
Shape random_named_shape(int kind, Random& random) {
  const auto size = [&] { return random.real(0.2, 1.0); };
  switch (kind) {
    case 0:
      return Sphere{size()};
    case 1:
      return Point{};
    case 2:
      return Capsule{0.5 * size(), size()};
    case 3:
      return Box{{size(), size(), size()}};
    case 4:
      return Cylinder{0.5 * size(), size()};
    case 5:
      return Cone{0.5 * size(), size()};
    case 6:
      return Ellipsoid{{size(), size(), size()}};
    default:
      return HalfSpace{};
  }
}

// The certificate of a signed distance: witness points on both surfaces, which support the normal, and differ
// by gap · normal. For shapes apart this proves the distance: no points can be nearer than a separating slab
// is wide. For overlap it proves a local maximum of the separation; that it is the global one is the next
// test.
double certificate_defect(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                          const ContactPoint& p) {
  const auto local = [](const Pose& X, const Vector3d& x) -> Vector3d {
    return X.rotation.conjugate() * (x - X.position);
  };
  double defect = std::abs(p.normal.norm() - 1.0);
  defect = std::max(defect, (p.on_a - p.on_b - p.gap * p.normal).norm());
  defect = std::max(defect, std::abs(judges::surface_value(a, local(X_WA, p.on_a))));
  defect = std::max(defect, std::abs(judges::surface_value(b, local(X_WB, p.on_b))));
  if (std::holds_alternative<HalfSpace>(b)) {
    const double s = p.normal.dot(X_WA.position - X_WB.position) -
                     judges::support_value(a, X_WA.rotation.conjugate() * -p.normal);
    return std::max({defect, std::abs(s - p.gap), (p.normal - X_WB.rotation * Vector3d::UnitZ()).norm()});
  }
  return std::max(defect, std::abs(judges::separation(a, X_WA, b, X_WB, p.normal) - p.gap));
}

class AnalyticPair : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(AnalyticPair, GapsAndNormalsAreProvedTo1e13OfTheSize) {
  const auto [kind_a, kind_b] = GetParam();
  Random random(static_cast<unsigned>(100 * kind_a + kind_b));
  CollisionScratch scratch;
  const int count = 100000 / judges::kFewer;
  int apart = 0, touching = 0, overlapping = 0;
  int unproved = 0;
  double worst = 0.0;
  Shape a, b;
  Geometry geometry_a, geometry_b;
  Pose X_WA, X_WB;
  ContactPoint p;
  for (int i = 0; i < count; ++i) {
    if (i % 20 == 0) {
      a = random_named_shape(kind_a, random), b = random_named_shape(kind_b, random);
      geometry_a = make_geometry(a), geometry_b = make_geometry(b);
    }
    if (i % 2 == 0) {
      X_WA = {random.vector(0.5), random.rotation()}, X_WB = {random.vector(0.5), random.rotation()};
    } else {
      // the same pair again, moved along its normal until it touches, or to a gap of either sign between
      // 1e-12 and 1e-2
      const double small = std::pow(10.0, random.real(-12, -2)), sign = random.below(2) ? 1.0 : -1.0;
      const double wanted = i % 4 == 1 ? 0.0 : sign * small;
      X_WA.position += (wanted - p.gap) * p.normal;
    }
    p = find_nearest(geometry_a, X_WA, geometry_b, X_WB, scratch);
    (std::abs(p.gap) < 1e-12 ? touching : p.gap > 0.0 ? apart : overlapping)++;
    const double size = judges::extent(a) + judges::extent(b) + 0.1;
    const double defect = certificate_defect(a, X_WA, b, X_WB, p) / size;
    worst = std::max(worst, defect);
    if (!(defect < 1e-13)) ++unproved;
  }
  EXPECT_EQ(unproved, 0) << kNames[kind_a] << ", " << kNames[kind_b] << ", worst " << worst;
  RecordProperty("worst_defect", testing::PrintToString(worst));
  EXPECT_GT(apart, count / 20);
  EXPECT_GT(touching, count / 20);
  EXPECT_GT(overlapping, kind_a == 1 && kind_b == 1 ? -1 : count / 20);
}

TEST_P(AnalyticPair, NoDirectionSeparatesBetter) {
  const auto [kind_a, kind_b] = GetParam();
  if (kind_b == 7) return;  // the half-space has one direction only
  Random random(static_cast<unsigned>(7000 + 100 * kind_a + kind_b));
  CollisionScratch scratch;
  for (int i = 0; i < std::max(2, 40 / judges::kFewer); ++i) {
    const Shape a = random_named_shape(kind_a, random), b = random_named_shape(kind_b, random);
    const Geometry geometry_a = make_geometry(a), geometry_b = make_geometry(b);
    Pose X_WA{random.vector(0.2), random.rotation()};
    const Pose X_WB{random.vector(0.2), random.rotation()};
    ContactPoint p = find_nearest(geometry_a, X_WA, geometry_b, X_WB, scratch);
    if (i % 2 == 1) {  // shallow, down to 1e-9
      X_WA.position -= (p.gap + std::pow(10.0, random.real(-9, -1))) * p.normal;
      p = find_nearest(geometry_a, X_WA, geometry_b, X_WB, scratch);
    }
    EXPECT_LT(judges::search_distance(a, X_WA, b, X_WB), p.gap + 1e-13)
        << kNames[kind_a] << ", " << kNames[kind_b] << ", case " << i;
  }
}

std::vector<std::pair<int, int>> all_pairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < 7; ++a)
    for (int b = a; b < 8; ++b) pairs.emplace_back(a, b);
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(All, AnalyticPair, testing::ValuesIn(all_pairs()), [](const auto& row) {
  std::string name = std::string(kNames[row.param.first]) + "_" + kNames[row.param.second];
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace rigor
