#include "rigor/dynamics/free_top.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Matrix3d make_inertia(double a, double b, double c) {
  const Quaterniond turned = Quaterniond(0.5, 0.3, -0.7, 0.2).normalized();
  return turned.toRotationMatrix() * Vector3d(a, b, c).asDiagonal() * turned.toRotationMatrix().transpose();
}

// About a principal axis a body turns evenly: by exp(h ω), for any step.
TEST(FreeTop, TurnsEvenlyAboutAPrincipalAxis) {
  const Matrix3d I = Vector3d(1.0, 2.0, 2.5).asDiagonal();
  const FreeTop top(I);
  for (const double turn : {1e-9, 1e-3, 0.1, 1.0, 30.0, 300.0}) {
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3d n = Vector3d::Unit(axis);
      Quaterniond e = Quaterniond::Identity();
      ASSERT_TRUE(top.turn(I * n * turn, 1.0, e));
      const Quaterniond even(std::cos(0.5 * turn), std::sin(0.5 * turn) * n[0], std::sin(0.5 * turn) * n[1],
                             std::sin(0.5 * turn) * n[2]);
      EXPECT_LT(e.angularDistance(even), 2e-15 * (1.0 + turn)) << turn << " about " << axis;
    }
  }
}

// A symmetric top in closed form: precesses about L at |L|/I₁, and spins about its own axis at (1/I₃ − 1/I₁) π₃.
TEST(FreeTop, FollowsTheClosedFormOfTheSymmetricTop) {
  const double I1 = 0.7, I3 = 1.1;
  const Matrix3d I = Vector3d(I1, I1, I3).asDiagonal();
  const Vector3d L(0.4, -0.3, 1.2);  // at first body axes are those of W
  for (const double t : {0.01, 0.3, 2.0, 50.0}) {
    Quaterniond e = Quaterniond::Identity();
    ASSERT_TRUE(FreeTop(I).turn(L, t, e));
    const Quaterniond precession(Eigen::AngleAxisd(t * L.norm() / I1, L.normalized()));
    const Quaterniond spin(Eigen::AngleAxisd(t * (1.0 / I3 - 1.0 / I1) * L[2], Vector3d::UnitZ()));
    EXPECT_LT(e.angularDistance(precession * spin), 1e-14 * (1.0 + t)) << t;
  }
}

// Energy, with the momentum that is kept by construction, over steps of all lengths, stable and unstable axes.
TEST(FreeTop, KeepsEnergyToRounding) {
  const Matrix3d I = make_inertia(0.0166667, 0.0141667, 0.00416667);
  const FreeTop top(I);
  for (const Vector3d& w : {Vector3d(100.0, 1.0, 0.0), Vector3d(1.0, 100.0, 1.0), Vector3d(3.0, -2.0, 1e-3)})
    for (const double h : {1e-5, 1e-3, 1e-2}) {
      Quaterniond e = Quaterniond::Identity();
      const Vector3d L = I * w;
      double worst = 0.0;
      for (int k = 0; k < 5000; ++k) {
        ASSERT_TRUE(top.turn(L, h, e));
        worst =
            std::max(worst, std::abs(top.angular_velocity(L, e.toRotationMatrix()).dot(L) / w.dot(L) - 1.0));
      }
      EXPECT_LT(worst, 1e-12) << "h = " << h;
      EXPECT_NEAR(e.norm(), 1.0, 1e-15);
    }
}

TEST(FreeTop, OneStepIsAsGoodAsManyShortOnes) {
  const Matrix3d I = make_inertia(1.0, 2.0, 2.9);
  const Vector3d L = I * Vector3d(0.3, 4.0, 0.2);
  Quaterniond once = Quaterniond(0.1, 0.9, 0.3, -0.3).normalized(), often = once;
  ASSERT_TRUE(FreeTop(I).turn(L, 2.0, once));
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(FreeTop(I).turn(L, 2e-3, often));
  EXPECT_LT(once.angularDistance(often), 1e-12);
}

TEST(FreeTop, RefusesATurnThatNoStepMeans) {
  const FreeTop top(Matrix3d::Identity());
  Quaterniond e = Quaterniond::Identity();
  EXPECT_FALSE(top.turn(Vector3d(1e6, 0.0, 0.0), 1.0, e));
  EXPECT_FALSE(top.turn(Vector3d(NAN, 0.0, 0.0), 1.0, e));
  EXPECT_EQ(e.coeffs(), Quaterniond::Identity().coeffs());
}

}  // namespace
}  // namespace rigor
