#include "rigor/math/mass_properties.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A body of point masses: its mass properties are sums, straight from the definitions.
struct PointMass {
  double mass;
  Vector3d position;
};
using Cloud = std::vector<PointMass>;

MassProperties sum_up(const Cloud& cloud) {
  MassProperties body;
  for (const auto& [mass, position] : cloud) {
    body.mass += mass;
    body.center += mass * position;
  }
  body.center /= body.mass;
  for (const auto& [mass, position] : cloud) {
    const double x = position.x() - body.center.x();
    const double y = position.y() - body.center.y();
    const double z = position.z() - body.center.z();
    body.inertia += mass * Matrix3d{{y * y + z * z, -x * y, -x * z},  //
                                    {-x * y, x * x + z * z, -y * z},
                                    {-x * z, -y * z, x * x + y * y}};
  }
  return body;
}

Cloud random_cloud(std::mt19937_64& random, int n) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> mass(0.1, 3.0);
  Cloud cloud;
  for (int i = 0; i < n; ++i) {
    const double m = mass(random);
    cloud.push_back({m, {normal(random), normal(random), normal(random)}});
  }
  return cloud;
}

void expect_same(const MassProperties& a, const MassProperties& b, double tolerance) {
  EXPECT_NEAR(a.mass, b.mass, tolerance);
  EXPECT_LT((a.center - b.center).norm(), tolerance);
  EXPECT_LT((a.inertia - b.inertia).norm(), tolerance);
}

TEST(MassProperties, TransformMovesEveryPoint) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    const Cloud cloud = random_cloud(random, 2 + i % 10);
    const Pose X_AB{Vector3d(normal(random), normal(random), normal(random)),
                    quaternion_from_rpy(normal(random), normal(random), normal(random))};
    Cloud moved = cloud;
    for (PointMass& point : moved) point.position = X_AB.position + X_AB.rotation * point.position;
    expect_same(transform(X_AB, sum_up(cloud)), sum_up(moved), 1e-11);  // sums of about 100 kg m²
  }
}

TEST(MassProperties, CombineIsTheUnionOfTheirPoints) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    const Cloud a = random_cloud(random, 1 + i % 7), b = random_cloud(random, 1 + i % 5);
    Cloud both = a;
    both.insert(both.end(), b.begin(), b.end());
    expect_same(combine(sum_up(a), sum_up(b)), sum_up(both), 1e-12);
    expect_same(combine(sum_up(b), sum_up(a)), sum_up(both), 1e-12);
  }
}

TEST(MassProperties, CombineWithNothingChangesNothing) {
  std::mt19937_64 random(3);
  const MassProperties body = sum_up(random_cloud(random, 5));
  expect_same(combine(body, MassProperties()), body, 1e-15);
  expect_same(combine(MassProperties(), body), body, 1e-15);
  expect_same(combine(MassProperties(), MassProperties()), MassProperties(), 1e-300);
}

TEST(MassProperties, ScalingTheMassScalesEveryPoint) {
  std::mt19937_64 random(4);
  Cloud cloud = random_cloud(random, 6);
  const MassProperties body = sum_up(cloud);
  for (PointMass& point : cloud) point.mass *= 7.0 / body.mass;
  expect_same(scale_to_mass(body, 7.0), sum_up(cloud), 1e-12);
}

Matrix3d diagonal(double x, double y, double z) {
  return Vector3d(x, y, z).asDiagonal();
}

TEST(InertiaDefect, IsZeroForBodiesThatExist) {
  EXPECT_LT(inertia_defect(diagonal(0, 0, 0)), 1e-15);        // a point
  EXPECT_LT(inertia_defect(diagonal(1, 1, 0)), 1e-15);        // a rod
  EXPECT_LT(inertia_defect(diagonal(1, 2, 3)), 1e-15);        // a plate: Iz = Ix + Iy
  EXPECT_LT(inertia_defect(diagonal(0.4, 0.4, 0.4)), 1e-15);  // a ball
  EXPECT_LT(inertia_defect(diagonal(1e-300, 1e-300, 1e-300)), 1e-15);
  EXPECT_LT(inertia_defect(diagonal(1e308, 1e308, 1e308)), 1e-15);

  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i)
    EXPECT_LT(inertia_defect(sum_up(random_cloud(random, 1 + i % 6)).inertia), 1e-14);
}

// (value by hand from the definition: principal moments over their sum)
TEST(InertiaDefect, MeasuresHowImpossibleABodyIs) {
  EXPECT_NEAR(inertia_defect(diagonal(1, 1, 3)), 1.0 / 5.0, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(3, 1, 1)), 1.0 / 5.0, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(0, 0, 1)), 1.0, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(-1, 2, 3)), 2.0 / 4.0, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(1e308, 1, 1)), 1.0, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(1.5e308, 1.5e308, -1e308)), 0.5,
              1e-15);  // the trace overflows on the way
  EXPECT_NEAR(inertia_defect(diagonal(1.6e308, 0.1e308, 0.3e308)), 0.6, 1e-15);
  EXPECT_NEAR(inertia_defect(diagonal(1e-320, 0, 0)), 1.0, 1e-15);
  // products of inertia count: principal moments 1 + 2, 1 - 2, 1
  EXPECT_NEAR(inertia_defect(Matrix3d{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}}), 3.0 / 3.0, 1e-14);
}

TEST(InertiaDefect, DoesNotDependOnTheAxes) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 200; ++i) {
    const Matrix3d R = quaternion_from_rpy(normal(random), normal(random), normal(random)).toRotationMatrix();
    EXPECT_NEAR(inertia_defect(R * diagonal(1, 1, 3) * R.transpose()), 0.2, 1e-14);
    EXPECT_NEAR(inertia_defect(R * diagonal(1, 2, 3) * R.transpose()), 0.0, 1e-14);
  }
}

TEST(InertiaDefect, IsNeverSmallForWhatIsNoInertiaAtAll) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_GE(inertia_defect(diagonal(-1, -1, -1)), 1.0 / 3.0);
  EXPECT_GE(inertia_defect(diagonal(1, -1, 0)), 1.0);
  EXPECT_GE(inertia_defect(diagonal(kInfinity, 1, 1)), 1.0);
  EXPECT_GE(inertia_defect(diagonal(kInfinity, kInfinity, kInfinity)), 1.0);
  EXPECT_GE(inertia_defect(diagonal(nan, 1, 1)), 1.0);
  EXPECT_GE(inertia_defect(Matrix3d{{1, nan, 0}, {nan, 1, 0}, {0, 0, 1}}), 1.0);
}

}  // namespace
}  // namespace rigor
