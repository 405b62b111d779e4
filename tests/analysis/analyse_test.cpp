// analyse.cpp, scene_problem.cpp: the whole report on problems and scenes with known answers.
#include "rigor/analysis/analyse.hpp"

#include <gtest/gtest.h>

#include "rigor/analysis/scene_problem.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "tests/analysis/random_problems.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

TEST(Analyse, BlockOfExampleOne) {
  const AccelerationProblem problem = test::make_block(1.0, 1.0, 0.5, 3.0, 9.81, 0.5, 0.5);
  const Analysis analysis = analyse(problem);
  EXPECT_EQ(analysis.closed.answer, Answer::kYes);
  EXPECT_EQ(analysis.opening.answer, Answer::kYes);
  EXPECT_EQ(analysis.frictionless.answer, Answer::kNo);
  EXPECT_TRUE(analysis.persists);
  EXPECT_EQ(analysis.acceleration_unique, Answer::kYes);
  EXPECT_EQ(analysis.force_dimension, 1);
  ASSERT_TRUE(analysis.mu_min);
  EXPECT_NEAR(analysis.mu_min->mu, 3.0 / 9.81, 1e-7);
  EXPECT_TRUE(analysis.mu_min->attained);
  EXPECT_EQ(analysis.contacts[0].standing, ContactStanding::kSticks);
  // one alone: 3 = mu1 4.155 + 0.5 · 5.655
  EXPECT_NEAR(analysis.contacts[0].mu->mu, (3.0 - 0.5 * 5.655) / 4.155, 1e-7);
  EXPECT_EQ(analysis.dependence.dependent.size(), 1u);
}

TEST(Analyse, MotionsThatProveNoAreCheckedAndFalseOnesRefused) {
  const AccelerationProblem problem = test::make_block(3.0, 2.0, 1.0, 9.0, 29.43, 0.4, 0.2);
  const Analysis analysis = analyse(problem);
  ASSERT_EQ(analysis.closed.answer, Answer::kNo);
  const MotionCheck check = check_blocking_motion(problem, analysis.closed.verdict.motion);
  EXPECT_TRUE(check.holds);
  EXPECT_LT(check.power, 0.0);
  EXPECT_FALSE(check_blocking_motion(problem, -analysis.closed.verdict.motion).holds);
  EXPECT_FALSE(check_blocking_motion(problem, Eigen::Vector3d(0.0, 1.0, 0.0)).holds);
}

// Case F, Ex. 2: one corner, the same numbers from a scene-free problem.
TEST(Analyse, OneCornerOfExampleTwo) {
  const double theta = 0.3, L = 1.0, l = 0.5;
  const double a = l / 2 * std::sin(theta) - L / 2 * std::cos(theta),
               b = l / 2 * std::cos(theta) + L / 2 * std::sin(theta);
  AccelerationProblem problem;
  problem.M = Eigen::Vector3d(1.0, 1.0, (l * l + L * L) / 12).asDiagonal();
  problem.F = Eigen::Vector3d(2.0, 9.81, 0.0);
  problem.contacts.push_back(
      test::make_contact(Eigen::Vector3d(0.0, 1.0, a), Eigen::RowVector3d(1.0, 0.0, b), 0.5));
  const Analysis analysis = analyse(problem);
  EXPECT_EQ(analysis.closed.answer, Answer::kNo);
  EXPECT_NEAR(analysis.mu_min->mu, 0.7377189457679607, 1e-7);
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  EXPECT_NEAR(normal_lcp.lcp.M(0, 0), 1.6428663828929504, 1e-12);
  EXPECT_NEAR(normal_lcp.lcp.q[0], -11.04098414385604, 1e-12);
}

// A block on an incline as a scene: holds iff tan ≤ mu, the least friction is the slope.
TEST(Analyse, InclineSceneSticksUpToItsFriction) {
  for (const double slope : {0.1, 0.4, 0.6}) {
    const Scene scene = test::make_incline(slope, 0.5);
    const Model model = make_model(scene);
    const State state = assemble(model).state;
    const SceneProblem problem = make_scene_problem(model, state);
    ASSERT_FALSE(problem.problem.contacts.empty());
    const Analysis analysis = analyse(problem.problem);
    EXPECT_EQ(analysis.closed.answer, slope < 0.5 ? Answer::kYes : Answer::kNo);
    EXPECT_NEAR(analysis.mu_min->mu, slope, 1e-7);
    EXPECT_LT((problem.rest + problem.per_gravity * problem.gravity - problem.problem.F).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace rigor
