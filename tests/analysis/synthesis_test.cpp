// synthesis.cpp: forces that make everything stick (Prop. 3, Cor. 1), against closed forms and linear
// programs.
#include "rigor/analysis/synthesis.hpp"

#include <gtest/gtest.h>

#include "rigor/math/limits.hpp"
#include "tests/analysis/facets.hpp"
#include "tests/analysis/random_problems.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using Eigen::VectorXd;
using test::kManyPrograms;

Actuator make_actuator(const VectorXd& force, double min = -kInfinity, double max = kInfinity,
                       double weight = 1.0) {
  return {"", force, min, max, weight};
}

// x up the slope, y away from it.
AccelerationProblem make_slope(double m, double theta, double mu) {
  AccelerationProblem problem;
  problem.M = m * Eigen::Matrix2d::Identity();
  problem.F = m * 9.81 * Vector2d(std::sin(theta), std::cos(theta));
  problem.contacts.push_back(test::make_contact(Vector2d(0.0, 1.0), Eigen::RowVector2d(1.0, 0.0), mu));
  return problem;
}

// m g sin θ − mu m g cos θ up the slope; (sin θ / mu − cos θ) m g into it; the distance of a point from a
// line with both; halfway to it where one costs more.
TEST(Synthesis, BlockOnASlopeAsOnPaper) {
  Random random(21);
  for (int k = 0; k < kManyPrograms; ++k) {
    const double m = random.uniform(0.2, 5.0), theta = random.uniform(0.0, 1.4),
                 mu = random.uniform(0.05, 1.5);
    const double lack = m * 9.81 * (std::sin(theta) - mu * std::cos(theta));
    AccelerationProblem problem = make_slope(m, theta, mu);
    const Actuator push = make_actuator(Vector2d(1.0, 0.0)), press = make_actuator(Vector2d(0.0, -1.0));
    SCOPED_TRACE(k);
    const auto least = [&](std::vector<Actuator> actuators) {
      problem.actuators = std::move(actuators);
      const Synthesis synthesis = find_least_change(problem);
      EXPECT_EQ(synthesis.answer, Answer::kYes);
      EXPECT_LT(synthesis.violation, 1e-8);
      // the proof that nothing less does
      const SynthesisCheck check = check_synthesis(problem, synthesis.motion, synthesis.signs);
      const double size = m * 9.81 * m * 9.81;
      EXPECT_NEAR(std::sqrt(2.0 * std::max(0.0, check.bound)), synthesis.cost, 1e-4 * std::sqrt(size));
      EXPECT_NEAR(check.bound, 0.5 * synthesis.cost * synthesis.cost, 1e-8 * size);
      return synthesis.cost;
    };
    const double tolerance = 1e-7 * m * 9.81;
    EXPECT_NEAR(least({push}), std::max(0.0, lack), tolerance);
    EXPECT_NEAR(least({press}), std::max(0.0, lack / mu), tolerance / mu);
    EXPECT_NEAR(least({push, press}), std::max(0.0, lack / std::hypot(1.0, mu)), tolerance);
    // weights 4 and 1: the distance with push in half units
    EXPECT_NEAR(least({make_actuator(Vector2d(1.0, 0.0), -kInfinity, kInfinity, 4.0), press}),
                std::max(0.0, lack / std::hypot(0.5, mu)), tolerance);
  }
}

TEST(Synthesis, WhatActuatorsCannotDoIsProved) {
  AccelerationProblem problem = make_slope(1.0, 0.8, 0.3);
  const double lack = 9.81 * (std::sin(0.8) - 0.3 * std::cos(0.8));
  problem.actuators = {make_actuator(Vector2d(1.0, 0.0), 0.0, 0.99 * lack)};
  const Synthesis weak = find_least_change(problem);
  ASSERT_EQ(weak.answer, Answer::kNo);
  ASSERT_EQ(weak.proofs.size(), 1u);
  EXPECT_TRUE(check_synthesis(problem, weak.proofs[0].motion, weak.proofs[0].signs).holds);
  EXPECT_FALSE(check_synthesis(problem, -weak.proofs[0].motion, weak.proofs[0].signs).holds);
  problem.actuators[0].max = 1.01 * lack;
  EXPECT_EQ(find_least_change(problem).answer, Answer::kYes);
  // pressed harder it would hold, but the floor breaks at 12 N
  problem.actuators = {make_actuator(Vector2d(0.0, -1.0))};
  problem.contacts[0].normal_max = 12.0;
  const Synthesis broken = find_least_change(problem);
  ASSERT_EQ(broken.answer, Answer::kNo);
  EXPECT_TRUE(check_synthesis(problem, broken.proofs[0].motion, broken.proofs[0].signs).holds);
  // the same without anything to push with
  problem.actuators.clear();
  problem.contacts[0].normal_max = kInfinity;
  EXPECT_EQ(find_least_change(problem).answer, Answer::kNo);
}

// A margin of normal force to spare: m g sin θ − mu (m g cos θ − margin).
TEST(Synthesis, MarginIsKept) {
  AccelerationProblem problem = make_slope(2.0, 0.5, 0.4);
  problem.actuators = {make_actuator(Vector2d(1.0, 0.0))};
  const SynthesisOptions options{.margin = 3.0};
  const Synthesis synthesis = find_least_change(problem, options);
  ASSERT_EQ(synthesis.answer, Answer::kYes);
  EXPECT_NEAR(synthesis.cost, 19.62 * std::sin(0.5) - 0.4 * (19.62 * std::cos(0.5) - 3.0), 1e-7);
  EXPECT_NEAR(check_synthesis(problem, synthesis.motion, synthesis.signs, options).bound,
              0.5 * synthesis.cost * synthesis.cost, 1e-7);
}

AccelerationProblem make_random(Random& random, int tangents, int actuators) {
  test::RandomProblemOptions options;
  options.tangents = tangents;
  options.coordinates = tangents == 1 ? 5 : 6;
  options.contacts = 3;
  options.singular = random.chance(0.3);
  options.redundant = random.chance(0.3);
  options.biased = random.chance(0.3);
  options.bilateral = random.chance(0.3) ? 0.4 : 0.0;
  options.sliding = random.chance(0.2) ? 0.4 : 0.0;
  options.frictionless = 0.2;
  AccelerationProblem problem = test::make_random_problem(random, options);
  for (int j = 0; j < actuators; ++j) {
    Actuator actuator = make_actuator(test::random_vector(random, problem.size()));
    if (random.chance(0.5)) actuator.min = random.uniform(-1.0, 0.3);
    if (random.chance(0.5)) actuator.max = std::max(actuator.min, 0.0) + random.uniform(0.0, 1.0);
    actuator.weight = random.uniform(0.3, 3.0);
    problem.actuators.push_back(actuator);
  }
  for (AccelerationContact& contact : problem.contacts) {
    const bool has_sign = contact.tangents() > 0 && contact.mu > 0.0;
    if (random.chance(0.2) && (contact.is_unilateral() || has_sign))
      contact.normal_min = random.uniform(0.0, 0.2);
    if (random.chance(0.2) && (contact.is_unilateral() || has_sign))
      contact.normal_max = contact.normal_min + random.uniform(0.2, 2.0);
  }
  return problem;
}

// Every choice of signs of bilateral contacts with friction.
std::vector<std::vector<int>> list_signs(const AccelerationProblem& problem) {
  std::vector<std::vector<int>> list{std::vector<int>(problem.contacts.size(), 0)};
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    if (contact.is_unilateral() || contact.tangents() == 0 || contact.mu == 0.0) continue;
    std::vector<std::vector<int>> more;
    for (std::vector<int> signs : list)
      for (const int sign : {1, -1}) {
        signs[i] = sign;
        more.push_back(signs);
      }
    list = std::move(more);
  }
  return list;
}

double find_by_facets(const AccelerationProblem& problem, int sides, bool outer) {
  double least = kInfinity;
  for (const std::vector<int>& signs : list_signs(problem)) {
    test::FacetProgram program(problem, sides, outer, signs);
    program.add_actuators();
    least = std::min(least, program.find_least_change());
  }
  return least;
}

void check_witness(const AccelerationProblem& problem, const Synthesis& synthesis) {
  if (synthesis.answer == Answer::kYes) {
    EXPECT_LT(synthesis.violation, 1e-7);
    const SynthesisCheck check = check_synthesis(problem, synthesis.motion, synthesis.signs);
    // signs of one branch: the motion bounds that branch
    EXPECT_NEAR(check.bound, 0.5 * synthesis.cost * synthesis.cost,
                1e-6 * (problem.F.squaredNorm() + synthesis.cost * synthesis.cost) + 1e-9);
  } else if (synthesis.answer == Answer::kNo && synthesis.contradiction.size() == 0) {
    ASSERT_FALSE(synthesis.proofs.empty());
    for (const Synthesis::Proof& proof : synthesis.proofs)
      EXPECT_TRUE(check_synthesis(problem, proof.motion, proof.signs).holds);
  }
}

TEST(Synthesis, PlanarProblemsAsLinearProgramsSay) {
  Random random(22);
  int ends[3] = {0, 0, 0}, changed = 0, short_of = 0;
  for (int k = 0; k < kManyPrograms; ++k) {
    const AccelerationProblem problem = make_random(random, 1, 1 + random.below(3));
    const Synthesis synthesis = find_least_change(problem);
    SCOPED_TRACE(k);
    ++ends[static_cast<int>(synthesis.answer)];
    const double expected = find_by_facets(problem, 4, false);
    if (synthesis.answer == Answer::kUndecided) continue;
    ASSERT_EQ(synthesis.answer == Answer::kYes, std::isfinite(expected)) << expected << " " << synthesis.cost;
    check_witness(problem, synthesis);
    if (synthesis.answer != Answer::kYes) continue;
    // cutting planes come from below, and in one of a thousand stop early at a degenerate vertex
    EXPECT_GE(synthesis.cost, expected - 1e-6 * (1.0 + expected));
    short_of += synthesis.cost > expected + 1e-6 * (1.0 + expected) ? 1 : 0;
    changed += synthesis.cost > 1e-6 ? 1 : 0;
  }
  EXPECT_GT(changed, kManyPrograms / 10);
  EXPECT_LE(short_of, 3);
  EXPECT_GT(ends[static_cast<int>(Answer::kNo)], kManyPrograms / 20);
  EXPECT_EQ(ends[static_cast<int>(Answer::kUndecided)], 0);
}

TEST(Synthesis, SpatialProblemsBetweenPolygonsInsideAndAround) {
  Random random(23);
  int ends[3] = {0, 0, 0}, changed = 0;
  for (int k = 0; k < kManyPrograms; ++k) {
    const AccelerationProblem problem = make_random(random, 2, 1 + random.below(2));
    const Synthesis synthesis = find_least_change(problem);
    SCOPED_TRACE(k);
    ++ends[static_cast<int>(synthesis.answer)];
    if (synthesis.answer == Answer::kUndecided) continue;
    check_witness(problem, synthesis);
    const double tolerance = 1e-6 * (1.0 + synthesis.cost);
    const double outer = find_by_facets(problem, 16, true);
    if (synthesis.answer == Answer::kYes) {
      EXPECT_LE(outer, synthesis.cost + tolerance);
      EXPECT_GE(find_by_facets(problem, 16, false), synthesis.cost - tolerance);
      changed += synthesis.cost > 1e-6 ? 1 : 0;
    } else {
      EXPECT_EQ(find_by_facets(problem, 16, false), kInfinity);
    }
  }
  EXPECT_GT(changed, kManyPrograms / 10);
  EXPECT_GT(ends[static_cast<int>(Answer::kNo)], kManyPrograms / 20);
  EXPECT_EQ(ends[static_cast<int>(Answer::kUndecided)], 0);
}

}  // namespace
}  // namespace rigor
