// conditions.cpp, opening.cpp, sticking.cpp: propositions 3, 4, 9 and corollaries 1, 3 on random problems,
// against formulas and linear programs of the tests.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/synthesis.hpp"
#include "tests/analysis/facets.hpp"
#include "tests/analysis/random_problems.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::kManyPrograms;
using test::RandomProblemOptions;

AccelerationProblem make_bilateral(Random& random, bool at_rest) {
  RandomProblemOptions options;
  options.bilateral = 1.0;
  options.tangents = 1 + random.below(2);
  options.biased = !at_rest;
  options.coordinates = 8;
  options.contacts = 2;
  return test::make_random_problem(random, options);
}

// (19)-(21): the only forces of independent rows, and the least room in their cones.
double find_room(const AccelerationProblem& problem, VectorXd* forces = nullptr) {
  const StickingSet set(problem, FrictionKind::kUnlimited);
  const MatrixXd& J = set.J();
  const MatrixXd W = problem.M.inverse();
  const VectorXd lambda = (J * W * J.transpose()).inverse() * (J * W * problem.F - set.bias());
  double room = 1e300;
  Eigen::Index at = 0;
  for (const AccelerationContact& contact : problem.contacts) {
    room =
        std::min(room, contact.mu * std::abs(lambda[at]) - lambda.segment(at + 1, contact.tangents()).norm());
    at += 1 + contact.tangents();
  }
  if (forces) *forces = lambda;
  return room / lambda.norm();
}

// Prop. 3, Cor. 1: (24) has a solution F_ext; where all directions are free there always is one, and the
// forces W F_ext + V of (23) that go with it are inside their cones. At rest it is a static equilibrium.
TEST(ConePropositions, ThreeSomeForceMakesIndependentContactsStick) {
  Random random(51);
  int asked = 0, changed = 0;
  for (int k = 0; asked < kManyPrograms && k < 20 * kManyPrograms; ++k) {
    const bool at_rest = random.chance(0.5);
    AccelerationProblem problem = make_bilateral(random, at_rest);
    if (!has_independent_rows(problem)) continue;
    const double room = find_room(problem);
    if (std::abs(room) < 1e-6) continue;
    ++asked;
    SCOPED_TRACE(k);
    for (Eigen::Index i = 0; i < problem.size(); ++i)
      problem.actuators.push_back({"", VectorXd::Unit(problem.size(), i)});
    const Synthesis synthesis = find_least_change(problem);
    ASSERT_EQ(synthesis.answer, Answer::kYes);
    EXPECT_EQ(synthesis.cost > 0.0, room < 0.0);
    problem.F -= synthesis.change;
    VectorXd forces;
    EXPECT_GT(find_room(problem, &forces), -1e-7);
    VectorXd ours(forces.size());
    Eigen::Index at = 0;
    for (const VectorXd& force : synthesis.forces) {
      ours.segment(at, force.size()) = force;
      at += force.size();
    }
    EXPECT_LT((ours - forces).norm(), 1e-6 * (1.0 + forces.norm()));
    if (at_rest && problem.size() == forces.size()) {
      EXPECT_LT(synthesis.acceleration.norm(), 1e-7 * (1.0 + problem.F.norm()));
    }
    // a little less of the change is not enough (Prop. 3: only if)
    if (synthesis.cost > 1e-3) {
      ++changed;
      problem.F += 1e-3 * synthesis.change;
      EXPECT_LT(find_room(problem), 1e-9);
    }
  }
  EXPECT_EQ(asked, kManyPrograms);
  EXPECT_GT(changed, kManyPrograms / 20);
}

// Prop. 4: inside its cones sticking outlives small changes of all data; on a boundary some change ends it.
TEST(ConePropositions, FourSticksForAWhileIffInside) {
  Random random(52);
  int asked = 0, inside = 0;
  AnalysisOptions verdict_only;
  verdict_only.ranges = verdict_only.friction = false;
  for (int k = 0; asked < kManyPrograms && k < 40 * kManyPrograms; ++k) {
    AccelerationProblem problem = make_bilateral(random, false);
    if (!has_independent_rows(problem)) continue;
    double room = find_room(problem);
    if (std::abs(room) < 1e-5) continue;
    ++asked;
    SCOPED_TRACE(k);
    ASSERT_EQ(analyse(problem, verdict_only).persists, room > 0.0);
    if (room > 0.0) {
      ++inside;
      // data move for a short while in any direction
      for (int direction = 0; direction < 3; ++direction) {
        AccelerationProblem later = problem;
        const double t = 1e-7 * room;
        later.F += t * test::random_vector(random, problem.size());
        for (AccelerationContact& contact : later.contacts) {
          contact.normal += t * test::random_vector(random, problem.size());
          contact.normal_bias += t * random.gaussian();
        }
        EXPECT_GT(find_room(later), 0.0);
      }
      // exactly on the boundary of one cone: sticks, but does not outlive a larger load
      VectorXd forces;
      find_room(problem, &forces);
      AccelerationProblem edge = problem;
      edge.contacts[0].mu = forces.segment(1, edge.contacts[0].tangents()).norm() / std::abs(forces[0]);
      EXPECT_FALSE(analyse(edge, verdict_only).persists);
    }
  }
  EXPECT_EQ(asked, kManyPrograms);
  EXPECT_GT(inside, kManyPrograms / 10);
}

// Cor. 3: with rows at rest the contact MLCP is solvable iff the load does no work on massless motions that
// the contacts allow: x with M x = 0, tangents x = 0, normals x ≥ 0, by the simplex method.
TEST(ConePropositions, CorollaryThreeMasslessMotions) {
  Random random(53);
  int solvable = 0, not_solvable = 0;
  for (int k = 0; solvable + not_solvable < kManyPrograms; ++k) {
    RandomProblemOptions options;
    options.singular = true;
    options.coordinates = 5;
    options.contacts = 3;
    options.frictionless = 0.5;
    const AccelerationProblem problem = test::make_random_problem(random, options);
    const Eigen::Index n = problem.size();
    // F = M z + T y + N λ, λ ≥ 0 (Farkas)
    std::vector<VectorXd> columns;
    for (Eigen::Index j = 0; j < n; ++j) columns.insert(columns.end(), {problem.M.col(j), -problem.M.col(j)});
    for (const AccelerationContact& contact : problem.contacts) {
      columns.push_back(contact.normal);
      for (Eigen::Index t = 0; t < contact.tangents(); ++t)
        columns.insert(columns.end(),
                       {contact.tangent.row(t).transpose(), -contact.tangent.row(t).transpose()});
    }
    MatrixXd A(n, static_cast<Eigen::Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = columns[j];
    const bool expected =
        test::solve_simplex(A, problem.F, VectorXd::Zero(A.cols())).status == test::SimplexResult::kOptimal;
    const GaussAcceleration gauss = find_gauss_acceleration(problem);
    SCOPED_TRACE(k);
    ASSERT_EQ(gauss.status,
              expected ? GaussAcceleration::Status::kSolved : GaussAcceleration::Status::kUnbounded);
    (expected ? solvable : not_solvable) += 1;
  }
  EXPECT_GT(solvable, kManyPrograms / 10);
  EXPECT_GT(not_solvable, kManyPrograms / 20);
}

// Prop. 9, "no" with contacts that may open: Gauss's accelerations are the only ones (forces without limit of
// friction hold them: a linear program), and on what stays closed polygons around the cones have no forces.
TEST(ConePropositions, NineRefusalsAreConfirmedByLinearPrograms) {
  Random random(54);
  int refused = 0, between = 0;
  for (int k = 0; refused < kManyPrograms && k < 20 * kManyPrograms; ++k) {
    RandomProblemOptions options;
    options.tangents = 1 + random.below(2);
    options.coordinates = 6;
    options.frictionless = 0.4;
    AccelerationProblem problem = test::make_random_problem(random, options);
    if (random.chance(0.3)) problem.F *= -1.0;
    const StickingAnswer closed = StickingSet(problem, FrictionKind::kCones).decide();
    const OpeningAnswer opening = decide_opening(problem, closed);
    if (opening.answer != Answer::kNo) continue;
    const GaussAcceleration gauss = find_gauss_acceleration(problem);
    if (gauss.status != GaussAcceleration::Status::kSolved) continue;
    ++refused;
    SCOPED_TRACE(k);
    // M a + F = N λ + T y, λ ≥ 0 on what stays closed: a is Gauss's, and M a the same in all solutions
    std::vector<VectorXd> columns;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const AccelerationContact& contact = problem.contacts[i];
      if (gauss.is_closed[i]) columns.push_back(contact.normal);
      for (Eigen::Index t = 0; t < contact.tangents(); ++t)
        columns.insert(columns.end(),
                       {contact.tangent.row(t).transpose(), -contact.tangent.row(t).transpose()});
    }
    MatrixXd A(problem.size(), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = columns[j];
    const VectorXd balance = problem.M * gauss.a + problem.F;
    // within rounding: the part of the balance that the columns span
    const VectorXd spanned = A.cols() > 0 ? VectorXd(A * A.completeOrthogonalDecomposition().solve(balance))
                                          : VectorXd(VectorXd::Zero(problem.size()));
    EXPECT_LT((balance - spanned).norm(), 1e-7 * (1.0 + problem.F.norm()));
    EXPECT_FALSE(test::FacetProgram(problem, 48, false, {}, gauss.is_closed).is_feasible());
    // polygons around: a little larger, so that a few problems lie between
    between += test::FacetProgram(problem, 48, true, {}, gauss.is_closed).is_feasible() ? 1 : 0;
  }
  EXPECT_EQ(refused, kManyPrograms);
  EXPECT_LE(between, kManyPrograms / 50);
}

}  // namespace
}  // namespace rigor
