// sliding.cpp, dependence.cpp, closure.cpp: Painlevé's rod, names of dependent rows, grasps.
#include "rigor/analysis/sliding.hpp"

#include <gmock/gmock.h>

#include "rigor/analysis/closure.hpp"
#include "rigor/analysis/dependence.hpp"
#include "rigor/analysis/solution_set.hpp"
#include "tests/analysis/random_problems.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;

AccelerationProblem make_rod(double mu, double slip) {
  const double theta = 72.0 * std::acos(-1.0) / 180.0;
  test::PlanarSystem rod({{0.0, 0.0}}, 1.0, 1.0 / 16.0);
  rod.touch(0, -1, {-std::cos(theta), -std::sin(theta)}, {0.0, 1.0}, mu);
  rod.problem.contacts[0].motion = ContactMotion::kSlide;
  rod.problem.contacts[0].slip = Eigen::VectorXd::Constant(1, slip);
  return rod.problem;
}

// Case B: critical mu 0.537582; slipping towards −x no solution at mu = 0.75, to +x one.
TEST(Sliding, PainleveRodOfCaseB) {
  const SlidingReport none = analyse_sliding(make_rod(0.75, -1.0));
  ASSERT_TRUE(none.exists);
  EXPECT_EQ(find_solutions(make_rod(0.75, -1.0)).exists(), Answer::kNo);
  EXPECT_NEAR(none.A(0, 0), -0.998847469, 1e-9);
  EXPECT_NEAR(none.critical_mu[0], 0.537582, 1e-6);
  EXPECT_NEAR(none.critical_common, 0.537582, 1e-6);
  const SlidingReport one = analyse_sliding(make_rod(0.75, 1.0));
  const AccelerationProblem rod = make_rod(0.75, 1.0);
  const SolutionSet only = find_solutions(rod);
  ASSERT_EQ(only.count(), 1);
  EXPECT_EQ(only.has_unique_acceleration(), Answer::kYes);
  EXPECT_NEAR(only.pieces[0].forces[0][0], 1.620262214, 1e-8);
  EXPECT_EQ(one.critical_mu[0], std::numeric_limits<double>::infinity());
  // pulled up by more than its weight above the critical mu: open and closed both solve
  AccelerationProblem lifted = make_rod(0.75, -1.0);
  lifted.F[1] = -1.0;
  const SolutionSet both = find_solutions(lifted);
  EXPECT_EQ(both.count(), 2);
  EXPECT_TRUE(both.is_complete);
  EXPECT_EQ(both.has_unique_acceleration(), Answer::kNo);
}

// Cor. 5's bound never exceeds the true one.
TEST(Sliding, CorollaryFiveIsABound) {
  Random random(3);
  int asked = 0;
  const int count = kSanitized ? 100 : 1000;
  for (int k = 0; asked < count && k < 30 * count; ++k) {
    test::RandomProblemOptions options;
    options.sliding = 0.7;
    options.coordinates = 7;
    options.contacts = 3;
    const SlidingReport report = analyse_sliding(test::make_random_problem(random, options));
    if (!report.exists || report.definite_common == 0.0) continue;
    ++asked;
    EXPECT_LE(report.corollary_common, report.definite_common * (1.0 + 1e-6)) << k;
    EXPECT_LE(report.definite_common, report.critical_common * (1.0 + 1e-6)) << k;
  }
  EXPECT_EQ(asked, count);
}

TEST(Dependence, NamesWhatFollowsFromWhat) {
  const DependenceReport report = find_dependence(test::make_block(1.0, 1.0, 0.5, 3.0, 9.81, 0.5, 0.5));
  EXPECT_EQ(report.rank, 3);
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.tangent_rank, 1);
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_EQ(report.dependent[0].row, "A2: tangent");
  EXPECT_THAT(report.dependent[0].follows, testing::ElementsAre("A1"));
}

// A disk between two fingers: force closure in the plane with friction, not without; three fingers without
// friction leave its rotation free; a square at four points off the middles is form closed.
TEST(Closure, DisksAndSquares) {
  test::PlanarSystem two({{0.0, 0.0}});
  two.touch(0, -1, {-1.0, 0.0}, {1.0, 0.0}, 0.5);
  two.touch(0, -1, {1.0, 0.0}, {-1.0, 0.0}, 0.5);
  const Closure pinch = find_closure(two.problem, {0, 1, 2});
  EXPECT_EQ(pinch.form, Answer::kNo);
  EXPECT_EQ(pinch.force, Answer::kYes);
  // the weakest direction is across: 2 mu N of friction from Σ λn = 2 N … mu per newton
  EXPECT_NEAR(pinch.weakest, 0.5 / std::sqrt(2.0), 0.2);
  test::PlanarSystem one({{0.0, 0.0}});
  one.touch(0, -1, {-1.0, 0.0}, {1.0, 0.0}, 0.5);
  const Closure single = find_closure(one.problem, {0, 1, 2});
  EXPECT_EQ(single.force, Answer::kNo);
  EXPECT_GT(single.escape.norm(), 0.5);
  test::PlanarSystem square({{0.0, 0.0}});
  square.touch(0, -1, {-1.0, 0.3}, {1.0, 0.0}, 0.0);
  square.touch(0, -1, {1.0, -0.3}, {-1.0, 0.0}, 0.0);
  square.touch(0, -1, {-0.3, 1.0}, {0.0, -1.0}, 0.0);
  square.touch(0, -1, {0.3, -1.0}, {0.0, 1.0}, 0.0);
  // two turn it one way, two the other: closed; all four the same way: not
  EXPECT_EQ(find_closure(square.problem, {0, 1, 2}).form, Answer::kYes);
  test::PlanarSystem held({{0.0, 0.0}});
  held.touch(0, -1, {-1.0, 0.3}, {1.0, 0.0}, 0.0);
  held.touch(0, -1, {1.0, -0.3}, {-1.0, 0.0}, 0.0);
  held.touch(0, -1, {0.3, 1.0}, {0.0, -1.0}, 0.0);
  held.touch(0, -1, {-0.3, -1.0}, {0.0, 1.0}, 0.0);
  EXPECT_EQ(find_closure(held.problem, {0, 1, 2}).form, Answer::kNo);
}

}  // namespace
}  // namespace rigor
