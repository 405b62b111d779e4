// acceleration_solve.cpp: Coulomb's law at the acceleration level, against formulas and against all modes
// tried.
#include "rigor/solvers/acceleration/acceleration_solve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/acceleration_problems.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

// A block pushed by Fx: rests, or slips with (|Fx| − mu Fy)/m against the push's negative (F is minus the
// force).
TEST(AccelerationSolve, BlockSlipsFromItsConeOn) {
  for (const double push : {1.0, 4.0, 6.0, 9.0}) {
    const AccelerationProblem problem = test::make_block(2.0, 3.0, 0.2, -push, 9.81, 0.5, 0.5);
    const AccelerationResult result = solve_acceleration(problem);
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    const double expected = push > 0.5 * 9.81 ? (push - 0.5 * 9.81) / 2.0 : 0.0;
    EXPECT_NEAR(result.a[0], expected, 1e-8);
    for (const AccelerationMode mode : result.modes)
      EXPECT_EQ(mode, expected > 0.0 ? AccelerationMode::kSlips : AccelerationMode::kSticks);
  }
}

// In space a point slips along the push, whatever the tangents are.
TEST(AccelerationSolve, SlipBeginsAlongThePush) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    const Eigen::Vector2d push(random.gaussian(), random.gaussian());
    AccelerationProblem problem;
    problem.M = 1.5 * Eigen::Matrix3d::Identity();
    problem.F = Eigen::Vector3d(-push.x(), -push.y(), 1.0);
    Eigen::MatrixXd tangent(2, 3);
    tangent << 1, 0, 0, 0, 1, 0;
    problem.contacts.push_back(test::make_contact(Eigen::Vector3d(0, 0, 1), tangent, 0.7));
    const AccelerationResult result = solve_acceleration(problem);
    ASSERT_EQ(result.status, Status::kSolved);
    const double over = push.norm() - 0.7;
    if (std::abs(over) < 1e-6) continue;
    EXPECT_EQ(result.modes[0], over > 0.0 ? AccelerationMode::kSlips : AccelerationMode::kSticks);
    if (over > 0.0) {
      EXPECT_LT((result.tangential[0] - over / 1.5 * push.normalized()).norm(), 1e-7);
    }
  }
}

// Random systems in the plane: every mode of every contact tried. What the solver finds is one of them.
TEST(AccelerationSolve, FindsOneOfAllSolutions) {
  Random random(2);
  int solved = 0, opened = 0, slipped = 0;
  const int count = kSanitized ? 60 : 500;
  for (int k = 0; k < count; ++k) {
    AccelerationProblem problem;
    const int contacts = 1 + random.below(3), n = 2 * contacts + random.below(3);  // independent rows
    Eigen::MatrixXd L(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) L(i, j) = random.gaussian();
    problem.M = L * L.transpose() + 0.5 * Eigen::MatrixXd::Identity(n, n);
    problem.F.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) problem.F[i] = random.gaussian();
    for (int c = 0; c < contacts; ++c) {
      Eigen::VectorXd normal(n), tangent(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        normal[i] = random.gaussian();
        tangent[i] = random.gaussian();
      }
      problem.contacts.push_back(test::make_contact(normal, tangent.transpose(), random.uniform(0.1, 0.6)));
    }
    const std::vector<AccelerationResult> all = list_accelerations(problem);
    const AccelerationResult result = solve_acceleration(problem);
    for (const AccelerationResult& one : all)
      EXPECT_LT(acceleration_residual(problem, one.a, one.forces), 1e-8);
    if (all.empty()) {
      EXPECT_NE(result.status, Status::kSolved) << k;
      continue;
    }
    if (result.status != Status::kSolved) continue;
    ++solved;
    double nearest = 1e300;
    for (const AccelerationResult& one : all) nearest = std::min(nearest, (one.a - result.a).norm());
    EXPECT_LT(nearest, 1e-6 * (1.0 + result.a.norm())) << k;
    for (const AccelerationMode mode : result.modes) {
      opened += mode == AccelerationMode::kOpens ? 1 : 0;
      slipped += mode == AccelerationMode::kSlips ? 1 : 0;
    }
  }
  EXPECT_GT(solved, 95 * count / 100);
  EXPECT_GT(opened, 10);
  EXPECT_GT(slipped, 10);
}

// Case B, Painlevé's rod slipping to −x: no acceleration; to +x: one.
TEST(AccelerationSolve, PainleveRodHasNoneOrOne) {
  const double theta = 72.0 * std::acos(-1.0) / 180.0;
  for (const double direction : {-1.0, 1.0}) {
    test::PlanarSystem rod({{0.0, 0.0}}, 1.0, 1.0 / 16.0);
    rod.touch(0, -1, {std::cos(theta), -std::sin(theta)}, {0.0, 1.0}, 0.75);
    AccelerationContact& tip = rod.problem.contacts[0];
    tip.motion = ContactMotion::kSlide;
    // this tip lies to the right below its centre; the seed's lies to the left: x is mirrored
    tip.slip = Eigen::VectorXd::Constant(1, -direction * (tip.tangent(0, 0) > 0.0 ? 1.0 : -1.0));
    const std::vector<AccelerationResult> all = list_accelerations(rod.problem);
    if (direction < 0.0) {
      EXPECT_TRUE(all.empty());
      EXPECT_NE(solve_acceleration(rod.problem).status, Status::kSolved);
    } else {
      ASSERT_EQ(all.size(), 1u);
      EXPECT_NEAR(all[0].forces[0][0], 1.620262214, 1e-8);
      EXPECT_NEAR(solve_acceleration(rod.problem).forces[0][0], 1.620262214, 1e-7);
    }
  }
}

// A bead on a line: a = (f − mu |f_across|)/m, or at rest (case G).
TEST(AccelerationSolve, BilateralFrictionPushesWithItsNormalForce) {
  for (const double along : {0.5, 2.0, 5.0}) {
    AccelerationProblem problem;
    problem.M = 2.0 * Eigen::Matrix2d::Identity();
    problem.F = Eigen::Vector2d(-along, 3.0);
    AccelerationContact line = test::make_contact(Eigen::Vector2d(0, 1), Eigen::RowVector2d(1, 0), 0.4);
    line.side = ContactSide::kBilateral;
    problem.contacts.push_back(line);
    const AccelerationResult result = solve_acceleration(problem);
    ASSERT_EQ(result.status, Status::kSolved) << result.residual;
    EXPECT_NEAR(result.a[0], std::max(0.0, along - 0.4 * 3.0) / 2.0, 1e-8);
  }
}

TEST(AccelerationSolve, MassThatNothingHoldsIsSaid) {
  AccelerationProblem problem;
  problem.M = Eigen::Vector2d(1.0, 0.0).asDiagonal();
  problem.F = Eigen::Vector2d(0.0, 1.0);
  const AccelerationResult result = solve_acceleration(problem);
  EXPECT_EQ(result.status, Status::kNumericalTrouble);
  EXPECT_EQ(result.note, "a motion meets neither inertia nor a bilateral constraint");
}

}  // namespace
}  // namespace rigor
