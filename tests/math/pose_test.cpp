#include "rigor/math/pose.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::Vector4d;
using std::numbers::pi;

constexpr std::array kAngles{-2 * pi, -3.0, -pi / 2, -0.4, 0.0, 1e-9, 0.7, pi / 2, 2.5, pi, 5.0};

// The matrices of a textbook, written out.
Matrix3d Rx(double a) {
  return Matrix3d{{1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}};
}
Matrix3d Ry(double a) {
  return Matrix3d{{std::cos(a), 0, std::sin(a)}, {0, 1, 0}, {-std::sin(a), 0, std::cos(a)}};
}
Matrix3d Rz(double a) {
  return Matrix3d{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}};
}

// R = 1 + sin(a) K + (1 - cos(a)) K²  (Rodrigues), K the cross product with the axis
Matrix3d rodrigues(const Vector3d& axis, double a) {
  const Matrix3d K{{0, -axis.z(), axis.y()}, {axis.z(), 0, -axis.x()}, {-axis.y(), axis.x(), 0}};
  return Matrix3d::Identity() + std::sin(a) * K + (1 - std::cos(a)) * K * K;
}

double difference(const Matrix3d& a, const Matrix3d& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

Vector3d random_vector(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}

TEST(Pose, RollPitchYawIsTheProductOfThreeMatrices) {
  for (const double roll : kAngles)
    for (const double pitch : kAngles)
      for (const double yaw : kAngles) {
        const Matrix3d R = Rz(yaw) * Ry(pitch) * Rx(roll);
        EXPECT_LT(difference(quaternion_from_rpy(roll, pitch, yaw).toRotationMatrix(), R), 2e-15)
            << roll << ' ' << pitch << ' ' << yaw;
      }
}

TEST(Pose, AxisAngleIsRodriguesFormula) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d axis = random_vector(random).normalized();
    const double angle = kAngles[random() % kAngles.size()];
    EXPECT_LT(difference(quaternion_from_axis_angle(axis, angle).toRotationMatrix(), rodrigues(axis, angle)),
              2e-15);
  }
}

TEST(Pose, QuarterTurnAboutZTakesXToY) {
  const Quaterniond q = quaternion_from_axis_angle(Vector3d::UnitZ(), pi / 2);
  EXPECT_LT((q * Vector3d::UnitX() - Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_NEAR(q.w(), std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(q.z(), std::sqrt(0.5), 1e-15);
}

TEST(Pose, ProductIsTheProductOfHomogeneousMatrices) {
  const auto matrix = [](const Pose& pose) {
    Eigen::Matrix4d X = Eigen::Matrix4d::Identity();
    X.topLeftCorner<3, 3>() = pose.rotation.toRotationMatrix();
    X.topRightCorner<3, 1>() = pose.position;
    return X;
  };
  std::mt19937_64 random(2);
  for (int i = 0; i < 100; ++i) {
    const Pose X_AB{random_vector(random),
                    quaternion_from_axis_angle(random_vector(random).normalized(), 1.0 + i)};
    const Pose X_BC{random_vector(random),
                    quaternion_from_axis_angle(random_vector(random).normalized(), 2.0 - i)};
    EXPECT_LT((matrix(X_AB * X_BC) - matrix(X_AB) * matrix(X_BC)).cwiseAbs().maxCoeff(), 1e-14);
  }
  EXPECT_TRUE(Pose() * Pose() == Pose());
}

// --------------------------------------------------------------------------------------- normalized_once

template <int n>
bool same_bits(const Eigen::Matrix<double, n, 1>& a, const Eigen::Matrix<double, n, 1>& b) {
  for (int i = 0; i < n; ++i)
    if (std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) return false;
  return true;
}

// Lengths from the smallest to the largest that double has, and lengths that are 1 to rounding.
double random_length(std::mt19937_64& random) {
  constexpr std::array kLengths{1.0,    1.0,  1.0, 0.1,   3.0,   1e-320, 1e-308,
                                1e-200, 1e-9, 1e9, 1e200, 1e300, 1e308};
  std::uniform_real_distribution<double> factor(0.5, 1.5);
  std::uniform_int_distribution<int> ulps(-8, 8);
  const double length = kLengths[random() % kLengths.size()];
  return length == 1.0 ? 1.0 + 1.1e-16 * ulps(random) : length * factor(random);
}

// The length in long double, scaled first; exact enough to judge a double.
template <int n>
double length_error(const Eigen::Matrix<double, n, 1>& v) {
  long double sum = 0.0L;
  for (int i = 0; i < n; ++i) sum += static_cast<long double>(v[i]) * v[i];
  return static_cast<double>(std::abs(std::sqrt(sum) - 1.0L));
}

TEST(NormalizedOnce, VectorsHaveUnitLengthAndNormalisingAgainChangesNoBit) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100'000; ++i) {
    Vector3d v = random_vector(random).normalized() * random_length(random);
    if (i % 7 == 0) v[i % 3] = 0.0;
    if (v.isZero(0.0)) continue;
    const Vector3d once = normalized_once(v);
    ASSERT_TRUE(same_bits<3>(normalized_once(once), once)) << v.transpose();
    ASSERT_LE(length_error<3>(once), 1e-15) << v.transpose();
  }
}

TEST(NormalizedOnce, QuaternionsHaveUnitLengthAndNormalisingAgainChangesNoBit) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 100'000; ++i) {
    Vector4d v = Vector4d(normal(random), normal(random), normal(random), normal(random)).normalized();
    v *= random_length(random);
    if (i % 7 == 0) v[i % 4] = 0.0;
    if (v.isZero(0.0)) continue;
    const Quaterniond once = normalized_once(Quaterniond(v));
    ASSERT_TRUE(same_bits<4>(normalized_once(once).coeffs(), once.coeffs())) << v.transpose();
    ASSERT_LE(length_error<4>(once.coeffs()), 1e-15) << v.transpose();
  }
}

TEST(NormalizedOnce, KeepsTheDirection) {
  for (const double length : {1e-300, 1e-9, 1.0, 5.0, 1e300}) {
    const Vector3d unit = normalized_once(Vector3d(Vector3d(1.0, -2.0, 2.0) * length));
    EXPECT_LT((unit - Vector3d(1.0, -2.0, 2.0) / 3.0).norm(), 2e-16) << length;
  }
  EXPECT_EQ(normalized_once(Vector3d(0.0, 0.0, -1e-320)), Vector3d(0.0, 0.0, -1.0));
}

TEST(NormalizedOnce, LeavesUnitVectorsAsTheyAre) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 10'000; ++i) {
    const Vector3d v = random_vector(random).normalized();  // by Eigen, not by us
    ASSERT_TRUE(same_bits<3>(normalized_once(v), v));
  }
}

}  // namespace
}  // namespace rigor
