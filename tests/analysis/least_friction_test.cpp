// least_friction.cpp: coefficients with a formula, cannonballs of case E, an arch against linear programs.
#include "rigor/analysis/least_friction.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/analysis/least_friction_of.hpp"
#include "tests/analysis/random_problems.hpp"
#include "tests/analysis/witness.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using test::least_friction_of;

// Whether a planar problem sticks with this coefficient at all contacts, by the simplex method.
bool sticks_with(AccelerationProblem problem, double mu) {
  for (AccelerationContact& contact : problem.contacts) contact.mu = mu;
  return test::sticks_by_simplex(problem, std::vector<int>(problem.contacts.size(), 0));
}

TEST(LeastFriction, BlockOnSlopeIsTheTangent) {
  for (const double angle : {0.0, 0.1, 0.3, 0.7, 1.2}) {
    const AccelerationProblem problem =
        test::make_block(2.0, 3.0, 0.5, 19.62 * std::sin(angle), 19.62 * std::cos(angle), 0.5, 0.5);
    const LeastFriction least = least_friction_of(problem);
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_NEAR(least.mu, std::tan(angle), 1e-6);
    EXPECT_TRUE(least.attained);
  }
}

// Case H: tan φ_min = (1 − mu1 mu2) / (2 mu1): at that angle with the wall as given, the floor needs mu1.
TEST(LeastFriction, LadderAsOnPaper) {
  for (const auto& [floor, wall] : {std::pair{0.4, 0.0}, {0.4, 0.3}, {0.25, 0.5}, {1.0, 0.2}}) {
    const double angle = std::atan((1.0 - floor * wall) / (2.0 * floor));
    test::PlanarSystem ladder({{0.5 * std::cos(angle), 0.5 * std::sin(angle)}}, 5.0, 5.0 / 12.0);
    ladder.touch(0, -1, {std::cos(angle), 0.0}, {0.0, 1.0}, 0.9);
    ladder.touch(0, -1, {0.0, std::sin(angle)}, {1.0, 0.0}, wall);
    const LeastFriction least = find_least_friction(StickingSet(ladder.problem, FrictionKind::kCones), {0});
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_NEAR(least.mu, floor, 1e-6) << wall;
    EXPECT_TRUE(least.attained);
  }
}

// Two fingers press with N from both sides: mg = 2 mu N.
TEST(LeastFriction, PinchIsWeightOverTwiceTheForce) {
  for (const double N : {3.0, 10.0, 100.0}) {
    // object and two sliders along x that are pushed inwards
    test::PlanarSystem pinch({{0.0, 0.0}, {-1.0, 0.0}, {1.0, 0.0}});
    for (const int finger : {1, 2}) {
      pinch.problem.F[3 * finger + 1] = 0.0;
      pinch.problem.F[3 * finger] = finger == 1 ? -N : N;
      for (const Eigen::Vector3d& direction :
           {Eigen::Vector3d(0.0, 1.0, 0.0), Eigen::Vector3d(0.0, 0.0, 1.0)}) {
        Eigen::VectorXd row = Eigen::VectorXd::Zero(9);
        row.segment(3 * finger, 3) = direction;
        AccelerationContact guide = test::make_contact(row, Eigen::MatrixXd(0, 9), 0.0);
        guide.side = ContactSide::kBilateral;
        pinch.problem.contacts.push_back(guide);
      }
    }
    pinch.touch(0, 1, {-0.5, 0.0}, {1.0, 0.0}, 0.5);
    pinch.touch(0, 2, {0.5, 0.0}, {-1.0, 0.0}, 0.5);
    const LeastFriction least = least_friction_of(pinch.problem);
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_NEAR(least.mu, 9.81 / (2.0 * N), 1e-6);
  }
}

// A weightless wedge of angle α between two faces, pushed out by a small force: holds iff mu ≥ tan(α/2), by
// squeezing without bound.
TEST(LeastFriction, WedgeIsHalfItsAngle) {
  for (const double alpha : {0.2, 0.6, 1.2, 2.0}) {
    test::PlanarSystem wedge({{0.0, 0.0}}, 1.0, 0.1, 0.0);
    wedge.problem.F[0] = -1.0;  // the applied force +1 along x, out of the gap
    const double half = 0.5 * alpha;
    // faces at ±α/2 that push towards +x: the tip points to −x
    wedge.touch(0, -1, {0.0, -0.3}, {std::sin(half), std::cos(half)}, 0.5);
    wedge.touch(0, -1, {0.0, 0.3}, {std::sin(half), -std::cos(half)}, 0.5);
    const LeastFriction least = least_friction_of(wedge.problem);
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_NEAR(least.mu, std::tan(half), 1e-6) << alpha;
    EXPECT_FALSE(least.attained);
  }
}

TEST(LeastFriction, CannonballsOfCaseE) {
  const std::pair<int, double> reference[] = {
      {2, 0.2679491713643074}, {3, 0.4339875094592571}, {4, 0.4729599431157112}, {6, 0.5127112437039614},
      {8, 0.5306366225704551}, {10, 0.5408140085637569}};  // 20 rows: rigor reproduce
  for (const auto& [rows, mu] : reference) {
    if (kSanitized && rows > 4) break;
    const LeastFriction least = least_friction_of(test::make_planar_cannonballs(rows, 0.5).problem);
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_NEAR(least.mu, mu, 1e-6) << rows;
  }
  EXPECT_NEAR(least_friction_of(test::make_planar_cannonballs(2, 0.5).problem).mu,
              std::tan(std::numbers::pi / 12), 1e-6);
}

TEST(LeastFriction, ArchOfFifteenVoussoirsAsLinearProgramsSay) {
  for (const double thickness : {0.2, 0.13}) {
    if (kSanitized && thickness != 0.2) break;
    const AccelerationProblem arch = test::make_arch(15, thickness, 0.5).problem;
    const LeastFriction least = least_friction_of(arch);
    ASSERT_EQ(least.exists, Answer::kYes);
    EXPECT_TRUE(sticks_with(arch, least.mu + 1e-6)) << thickness;
    EXPECT_FALSE(sticks_with(arch, least.mu - 1e-6)) << thickness;
  }
  // too thin for any friction: hinges, not slip
  EXPECT_EQ(least_friction_of(test::make_arch(15, 0.08, 0.5).problem).exists, Answer::kNo);
}

// Case F: forces that would have to pull sideways where nothing presses; and a corner that needs to be
// wedged.
TEST(LeastFriction, NoneWhereNothingPressesAndNotAttainedWhereForcesGrow) {
  const auto point = [](double Fx, double Fy, bool wall) {
    AccelerationProblem problem;
    problem.M = Eigen::Matrix2d::Identity();
    problem.F = Vector2d(Fx, Fy);
    problem.contacts.push_back(test::make_contact(Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0), 0.5));
    if (wall)
      problem.contacts.push_back(test::make_contact(Vector2d(1.0, 0.0), Eigen::RowVector2d(0.0, 1.0), 0.5));
    return problem;
  };
  EXPECT_EQ(least_friction_of(point(1.0, 0.0, false)).exists, Answer::kNo);
  EXPECT_EQ(least_friction_of(point(1.0, -2.0, false)).exists, Answer::kNo);
  EXPECT_NEAR(least_friction_of(point(1.0, 2.0, false)).mu, 0.5, 1e-6);
  EXPECT_NEAR(least_friction_of(point(-1.0, 5.0, true)).mu, 0.2, 1e-6);
  EXPECT_EQ(least_friction_of(point(2.0, 5.0, true)).mu, 0.0);
  const LeastFriction wedged = least_friction_of(point(-1.0, -1.0, true));
  EXPECT_NEAR(wedged.mu, 1.0, 1e-6);
  EXPECT_FALSE(wedged.attained);
}

// Prop. 11 with its missing half: on random problems, planar ones against linear programs, all against the
// verdicts on both sides.
TEST(LeastFriction, RandomProblemsOnBothSidesOfIt) {
  Random random(7);
  int some = 0, none = 0, wide = 0;
  for (int k = 0; k < (kSanitized ? 60 : 1000); ++k) {
    test::RandomProblemOptions options;
    options.tangents = random.chance(0.5) ? 1 : 2;
    options.coordinates = 5;
    options.singular = random.chance(0.2);
    AccelerationProblem problem = test::make_random_problem(random, options);
    const LeastFriction least = least_friction_of(problem);
    SCOPED_TRACE(k);
    const auto answer_at = [&](double mu) {
      for (AccelerationContact& contact : problem.contacts) contact.mu = mu;
      return StickingSet(problem, FrictionKind::kCones).decide();
    };
    if (least.exists == Answer::kNo) {
      ++none;
      for (const double mu : {0.5, 5.0, 1e3}) EXPECT_NE(answer_at(mu).answer, Answer::kYes);
      continue;
    }
    ASSERT_EQ(least.exists, Answer::kYes);
    ++some;
    const auto is_on_boundary = [](const StickingAnswer& answer) {
      return !(std::abs(answer.verdict.margin) > 1e-9 * answer.verdict.scale);
    };
    const StickingAnswer above = answer_at(least.mu * (1.0 + 1e-5) + 1e-9);
    EXPECT_TRUE(above.answer == Answer::kYes || is_on_boundary(above)) << least.mu;
    if (least.mu == 0.0) continue;
    // towards a jump forces grow without bound and leave fewer digits: then the bracket says so
    wide += least.mu - least.below > 1e-5 * least.mu ? 1 : 0;
    const StickingAnswer below = answer_at(std::min(least.below, least.mu * (1.0 - 1e-5)));
    EXPECT_TRUE(below.answer == Answer::kNo || is_on_boundary(below)) << least.mu;
    if (options.tangents == 2 || least.mu > 50.0) continue;
    EXPECT_TRUE(sticks_with(problem, least.mu * (1.0 + 1e-6)));
    EXPECT_FALSE(sticks_with(problem, least.mu * (1.0 - 1e-6)));
  }
  EXPECT_GT(some, 20);
  EXPECT_LE(wide, 5);
  EXPECT_GT(none, 5);
}

// Load factors and tilts of a block: it slides at tan θ = mu, or topples over a corner.
TEST(LeastFriction, LoadAndTiltOfABlock) {
  const AccelerationProblem problem = test::make_block(1.0, 1.0, 0.5, 0.0, 9.81, 0.5, 0.5);
  const StickingSet set(problem, FrictionKind::kCones);
  const LoadRange range = find_load_range(set, Eigen::Vector3d(1.0, 0.0, 0.0));
  ASSERT_EQ(range.exists, Answer::kYes);
  EXPECT_NEAR(range.factor.max, 0.5 * 9.81, 1e-7);
  EXPECT_NEAR(range.factor.min, -0.5 * 9.81, 1e-7);
  const Eigen::Vector3d down(0.0, 9.81, 0.0), side(9.81, 0.0, 0.0);
  EXPECT_NEAR(find_tilt(set, Eigen::Vector3d::Zero(), down, side).angle, std::atan(0.5), 1e-9);
  const AccelerationProblem tall = test::make_block(1.0, 0.2, 1.0, 0.0, 9.81, 0.5, 0.5);
  EXPECT_NEAR(find_tilt(StickingSet(tall, FrictionKind::kCones), Eigen::Vector3d::Zero(), down, side).angle,
              std::atan(0.2), 1e-9);
}

}  // namespace
}  // namespace rigor
