// force_set.cpp, force_ranges.cpp, sticking.cpp: closed forms, the simplex method, and witnesses checked from the matrices
// alone.
#include "rigor/analysis/sticking.hpp"

#include <gtest/gtest.h>

#include "rigor/analysis/solution_set.hpp"
#include "tests/analysis/random_problems.hpp"
#include "tests/analysis/witness.hpp"

namespace rigor {
namespace {

using test::kManyProblems;
using test::RandomProblemOptions;

StickingAnswer decide(const AccelerationProblem& problem) {
  return StickingSet(problem, FrictionKind::kCones).decide();
}

// [BKA, Ex. 1, 4], case F: sticks iff Fy ≥ (l/L)|Fx| and |Fx| ≤ mu1 λn1 + mu2 λn2, which are unique.
TEST(Sticking, BlockOnTwoCornersAsOnPaper) {
  Random random(1);
  int yes = 0;
  for (int k = 0; k < kManyProblems; ++k) {
    const double L = random.uniform(0.3, 2.0), l = random.uniform(0.3, 2.0), Fx = random.uniform(-10.0, 10.0),
                 Fy = random.uniform(-2.0, 20.0), mu1 = random.uniform(0.0, 1.0),
                 mu2 = random.uniform(0.0, 1.0);
    const AccelerationProblem problem = test::make_block(1.3, L, l, Fx, Fy, mu1, mu2);
    const double n1 = Fy / 2 - l * Fx / (2 * L), n2 = Fy / 2 + l * Fx / (2 * L);
    const double room = std::min({n1, n2, mu1 * n1 + mu2 * n2 - std::abs(Fx)});
    if (std::abs(room) < 1e-6) continue;
    const StickingSet set(problem, FrictionKind::kCones);
    const StickingAnswer answer = set.decide();
    ASSERT_EQ(answer.answer, room > 0.0 ? Answer::kYes : Answer::kNo) << k;
    EXPECT_TRUE(set.has_unique_acceleration());
    if (room < 0.0) {
      EXPECT_LT(test::check_motion(problem, answer.verdict.motion), 1e-9);
      continue;
    }
    ++yes;
    EXPECT_LT(test::check_sticking(problem, answer), 1e-9);
    const SolutionSet solutions = find_solutions(problem);
    EXPECT_TRUE(solutions.is_complete);
    EXPECT_EQ(solutions.force_dimension(), 1);
    const auto ranges = solutions.find_force_ranges();
    EXPECT_NEAR(ranges[0][0].min, n1, 1e-7);
    EXPECT_NEAR(ranges[0][0].max, n1, 1e-7);
    EXPECT_NEAR(ranges[0][1].min, std::max(-mu1 * n1, Fx - mu2 * n2), 1e-7);
    EXPECT_NEAR(ranges[0][1].max, std::min(mu1 * n1, Fx + mu2 * n2), 1e-7);
  }
  EXPECT_GT(yes, kManyProblems / 5);
}

// Every kind of problem in the plane, singular and redundant too: the simplex method says the same, and both
// kinds of witness hold on the given matrices.
TEST(Sticking, PlanarProblemsAsTheSimplexMethodSays) {
  Random random(2);
  int ends[3] = {0, 0, 0};
  for (int k = 0; k < 4 * kManyProblems; ++k) {
    RandomProblemOptions options;
    options.singular = random.chance(0.3);
    options.redundant = random.chance(0.4);
    options.biased = random.chance(0.4);
    options.sliding = random.chance(0.3) ? 0.4 : 0.0;
    options.frictionless = random.chance(0.3) ? 0.4 : 0.0;
    const AccelerationProblem problem = test::make_random_problem(random, options);
    const StickingAnswer answer = decide(problem);
    const std::vector<int> no_signs(problem.contacts.size(), 0);
    SCOPED_TRACE(k);
    ++ends[static_cast<int>(answer.answer)];
    if (answer.answer == Answer::kUndecided) {
      EXPECT_LT(std::abs(answer.verdict.margin), 1e-9 * answer.verdict.scale);
      continue;
    }
    ASSERT_EQ(answer.answer == Answer::kYes, test::sticks_by_simplex(problem, no_signs))
        << answer.verdict.margin / answer.verdict.scale;
    if (answer.answer == Answer::kYes) {
      EXPECT_LT(test::check_sticking(problem, answer), 1e-8);
    } else if (answer.contradiction.size() == 0) {
      EXPECT_LT(test::check_motion(problem, answer.verdict.motion), 1e-7);
    }
  }
  EXPECT_GT(ends[0], kManyProblems / 3);
  EXPECT_GT(ends[1], kManyProblems / 3);
  EXPECT_LT(ends[2], 5);
}

// In space: forces within exact cones, or a motion that the exact cones let pass.
TEST(Sticking, SpatialProblemsWithWitnesses) {
  Random random(3);
  int ends[3] = {0, 0, 0};
  for (int k = 0; k < 4 * kManyProblems; ++k) {
    RandomProblemOptions options;
    options.tangents = 2;
    options.coordinates = 6;
    options.contacts = 6;
    options.singular = random.chance(0.2);
    options.redundant = random.chance(0.2);
    options.biased = random.chance(0.3);
    options.sliding = random.chance(0.2) ? 0.3 : 0.0;
    const AccelerationProblem problem = test::make_random_problem(random, options);
    const StickingAnswer answer = decide(problem);
    SCOPED_TRACE(k);
    ++ends[static_cast<int>(answer.answer)];
    if (answer.answer == Answer::kYes) {
      ASSERT_LT(test::check_sticking(problem, answer), 1e-8);
    } else if (answer.answer == Answer::kNo) {
      if (answer.contradiction.size() > 0) continue;
      ASSERT_LT(test::check_motion(problem, answer.verdict.motion), 1e-7);
    } else {
      EXPECT_LT(std::abs(answer.verdict.margin), 1e-9 * answer.verdict.scale);
    }
  }
  EXPECT_GT(ends[0], kManyProblems / 3);
  EXPECT_GT(ends[1], kManyProblems / 3);
  EXPECT_LT(ends[2], 5);
}

// Bilateral contacts with friction mu |λn|: every choice of signs by the simplex method.
TEST(Sticking, BilateralFrictionIsSearchedForBothSigns) {
  Random random(4);
  int several = 0, none = 0;
  for (int k = 0; k < kManyProblems; ++k) {
    RandomProblemOptions options;
    options.bilateral = 0.6;
    options.frictionless = 0.2;
    options.redundant = random.chance(0.5);
    options.singular = random.chance(0.3);
    const AccelerationProblem problem = test::make_random_problem(random, options);
    const StickingAnswer answer = decide(problem);
    if (answer.answer == Answer::kUndecided) {
      EXPECT_LT(std::abs(answer.verdict.margin), 1e-9 * answer.verdict.scale) << k;
      continue;
    }
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      if (!problem.contacts[i].is_unilateral() && problem.contacts[i].tangents() > 0) open.push_back(i);
    std::size_t count = 0;
    for (int pattern = 0; pattern < (1 << open.size()); ++pattern) {
      std::vector<int> signs(problem.contacts.size(), 0);
      for (std::size_t b = 0; b < open.size(); ++b) signs[open[b]] = pattern >> b & 1 ? 1 : -1;
      count += test::sticks_by_simplex(problem, signs) ? 1 : 0;
    }
    SCOPED_TRACE(k);
    ASSERT_EQ(answer.answer == Answer::kYes, count > 0);
    EXPECT_EQ(answer.all_signs.size(), count);
    if (answer.answer == Answer::kYes) {
      EXPECT_LT(test::check_sticking(problem, answer), 1e-8);
    }
    several += count > 1 ? 1 : 0;
    none += count == 0 ? 1 : 0;
  }
  EXPECT_GT(several, 5);
  EXPECT_GT(none, kManyProblems / 20);
}

// Case F: guides at heights ±½ hold F = (3, 9.81, 1.5) although the forces of least norm leave the cones.
TEST(Sticking, LeastNormForcesMayLeaveTheConesAndOthersDoNot) {
  AccelerationProblem problem;
  problem.M = Eigen::Vector3d(1.0, 1.0, 0.1).asDiagonal();
  problem.F = Eigen::Vector3d(3.0, 9.81, 1.5);
  for (const double height : {0.5, -0.5}) {
    // both push along y at x = 0, so that normals repeat; tangents at two heights
    AccelerationContact contact =
        test::make_contact(Eigen::Vector3d(0.0, 1.0, 0.0), Eigen::RowVector3d(1.0, 0.0, height), 0.5);
    contact.side = ContactSide::kBilateral;
    problem.contacts.push_back(contact);
  }
  const StickingAnswer answer = decide(problem);
  ASSERT_EQ(answer.answer, Answer::kYes);
  EXPECT_LT(test::check_sticking(problem, answer), 1e-12);
}

// Redundant normals of Prop. 6: the ranges of case F.
TEST(Sticking, ForceRangesOfThreeNormals) {
  AccelerationProblem problem;
  problem.M = Eigen::Vector3d(1.0, 1.0, 1.25 / 12).asDiagonal();
  problem.F = Eigen::Vector3d(2.0, 9.81, 0.0);
  const Eigen::RowVector3d tangent(1.0, 0.0, 0.25);
  for (const double x : {0.5, 0.0, -0.5}) {
    problem.contacts.push_back(test::make_contact(Eigen::Vector3d(0.0, 1.0, x), Eigen::MatrixXd(0, 3), 0.0));
    problem.contacts.back().tangent.resize(0, 3);
  }
  AccelerationContact guide = test::make_contact(tangent.transpose(), Eigen::MatrixXd(0, 3), 0.0);
  guide.side = ContactSide::kBilateral;
  problem.contacts.push_back(guide);
  const StickingSet set(problem, FrictionKind::kCones);
  const StickingAnswer answer = set.decide();
  ASSERT_EQ(answer.answer, Answer::kYes);
  const SolutionSet solutions = find_solutions(problem);
  const auto ranges = solutions.find_force_ranges();
  const double expected[3][2] = {{0.0, 4.405}, {0.0, 8.81}, {1.0, 5.405}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(ranges[i][0].min, expected[i][0], 1e-8);
    EXPECT_NEAR(ranges[i][0].max, expected[i][1], 1e-8);
  }
  EXPECT_EQ(solutions.force_dimension(), 1);
}

// Wedged in a corner with mu = 1.2: forces without bound, the ranges of case F.
TEST(Sticking, RangesWithoutBound) {
  AccelerationProblem problem;
  problem.M = Eigen::Matrix2d::Identity();
  problem.F = Eigen::Vector2d(-1.0, -1.0);
  problem.contacts.push_back(
      test::make_contact(Eigen::Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0), 1.2));
  problem.contacts.push_back(
      test::make_contact(Eigen::Vector2d(1.0, 0.0), Eigen::RowVector2d(0.0, 1.0), 1.2));
  const StickingSet set(problem, FrictionKind::kCones);
  const StickingAnswer answer = set.decide();
  ASSERT_EQ(answer.answer, Answer::kYes);
  EXPECT_TRUE(answer.verdict.is_capped);
  const auto ranges = find_solutions(problem).find_force_ranges();
  EXPECT_NEAR(ranges[0][0].min, 5.0, 1e-6);
  EXPECT_EQ(ranges[0][0].max, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(ranges[0][1].max, -6.0, 1e-6);
  EXPECT_EQ(ranges[0][1].min, -std::numeric_limits<double>::infinity());
}

// Rows that ask for two different accelerations: said, with the rows that do.
TEST(Sticking, ContradictingRowsAreNamed) {
  AccelerationProblem problem = test::make_block(1.0, 1.0, 0.5, 0.0, 9.81, 0.5, 0.5);
  problem.contacts[1].tangent_bias[0] = 2.0;  // the same tangent row with another bias
  const StickingAnswer answer = decide(problem);
  EXPECT_EQ(answer.answer, Answer::kNo);
  ASSERT_GT(answer.contradiction.size(), 0);
}

TEST(Sticking, NothingAtAllIsAnswered) {
  AccelerationProblem problem;
  problem.M.resize(0, 0);
  problem.F.resize(0);
  EXPECT_EQ(decide(problem).answer, Answer::kYes);
  problem.M = Eigen::MatrixXd::Zero(2, 2);
  problem.F = Eigen::Vector2d(1.0, 0.0);
  EXPECT_EQ(decide(problem).answer, Answer::kNo);  // a load on what has neither mass nor contact
  problem.F.setZero();
  EXPECT_EQ(decide(problem).answer, Answer::kYes);
}

}  // namespace
}  // namespace rigor
