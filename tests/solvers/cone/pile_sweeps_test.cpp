// Tests contact_colours.cpp and pile_sweeps.cpp: sweeps over a pile by colours, against the solver with
// factors.
#include "rigor/solvers/cone/pile_sweeps.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <set>

#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/cone_island.hpp"
#include "tests/support/allocation_count.hpp"

namespace rigor {
namespace {

// Spheres of 1 m across and 1 kg on a lattice side x side x height, each touching its neighbours and the
// lowest the floor, normals a little askew; free velocity −g h and noise.
UnitConeProblem make_pile(int side, int height, double mu, double noise) {
  UnitConeProblem problem;
  Random random(11);
  const int bodies = side * side * height;
  for (int k = 0; k < bodies; ++k) problem.node_begin.push_back(2 * (k + 1));
  Eigen::MatrixXd v(6, bodies);  // turning, moving
  for (double& x : v.reshaped()) x = noise * random.gaussian();
  v.row(5).array() -= 0.0981;
  std::vector<double> q;
  const double spin = std::sqrt(1.0 / 10.0);  // root of the moment of inertia
  const auto add = [&](int a, int b, Eigen::Vector3d n) {
    for (double& x : n) x += 0.05 * random.gaussian();
    n.normalize();
    Eigen::Matrix3d axes;
    axes.col(0) = n;
    axes.col(1) = n.unitOrthogonal();
    axes.col(2) = n.cross(axes.col(1));
    UnitConeProblem::Contact& contact = problem.contacts.emplace_back();
    Eigen::Vector3d u = Eigen::Vector3d::Zero();
    for (const auto& [body, sign] : {std::pair{a, 1.0}, {b, -1.0}}) {
      if (body < 0) continue;
      contact.parts[contact.part_count++] = {body, static_cast<int>(problem.half.size())};
      Block3 nodes[2] = {Block3::zero(), Block3::zero()};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = axes.col(k), turn = (-0.5 * sign * n).cross(axis);
        for (int j = 0; j < 3; ++j) {
          nodes[0](j, k) = sign * turn[j] / spin;
          nodes[1](j, k) = sign * axis[j];
        }
        u[k] += sign * (turn.dot(v.col(body).head<3>()) + axis.dot(v.col(body).tail<3>()));
      }
      problem.half.insert(problem.half.end(), nodes, nodes + 2);
    }
    q.insert(q.end(), u.data(), u.data() + 3);
  };
  for (int k = 0; k < bodies; ++k) {
    const int x = k % side, y = k / side % side, z = k / side / side;
    if (x > 0) add(k, k - 1, Eigen::Vector3d::UnitX());
    if (y > 0) add(k, k - side, Eigen::Vector3d::UnitY());
    add(k, z > 0 ? k - side * side : -1, Eigen::Vector3d::UnitZ());
  }
  problem.q = Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
  problem.mu.setConstant(problem.q.size() / 3, mu);
  return problem;
}

Eigen::VectorXd contact_velocities(const UnitConeProblem& problem, const Eigen::VectorXd& r) {
  UnitConeMatrix matrix;
  matrix.set(problem);
  Eigen::VectorXd scaled = r, u = Eigen::VectorXd::Zero(r.size());
  for (Eigen::Index i = 0; i < r.size() / 3; ++i) scaled.segment<3>(3 * i) /= matrix.scale()[i];
  matrix.add_product(scaled, u);
  for (Eigen::Index i = 0; i < r.size() / 3; ++i) u.segment<3>(3 * i) /= matrix.scale()[i];
  return u + problem.q;
}

Eigen::VectorXd solve_pile(const UnitConeProblem& problem, const PileOptions& options, PileResult& result) {
  Eigen::VectorXd r = Eigen::VectorXd::Zero(problem.q.size());
  PileSweeps sweeps;
  sweeps.solve(problem, options, r, result);
  return r;
}

TEST(ContactColours, NoTwoContactsOfAColourShareAUnit) {
  const UnitConeProblem problem = make_pile(5, 5, 0.4, 0.0);
  ContactColours colours;
  colours.set(problem);
  std::set<int> all(colours.order().begin(), colours.order().end());
  EXPECT_EQ(all.size(), problem.contacts.size());
  EXPECT_EQ(colours.begin().back(), static_cast<int>(problem.contacts.size()));
  EXPECT_FALSE(colours.has_rest());
  EXPECT_LE(colours.count(), 11);  // six contacts a body: greedy needs at most 2 · 5 + 1
  for (int c = 0; c < colours.count(); ++c) {
    std::set<int> units;
    for (int k = colours.begin()[static_cast<std::size_t>(c)];
         k < colours.begin()[static_cast<std::size_t>(c) + 1]; ++k) {
      const auto& contact =
          problem.contacts[static_cast<std::size_t>(colours.order()[static_cast<std::size_t>(k)])];
      for (int s = 0; s < contact.part_count; ++s) EXPECT_TRUE(units.insert(contact.parts[s].unit).second);
    }
  }
}

TEST(ContactColours, WhatOneUnitCannotColourIsLeftOver) {
  UnitConeProblem problem;  // a hundred contacts on one body
  problem.node_begin = {0, 2};
  problem.contacts.resize(100);
  for (UnitConeProblem::Contact& contact : problem.contacts) contact.part_count = 1;
  ContactColours colours;
  colours.set(problem);
  EXPECT_TRUE(colours.has_rest());
  EXPECT_EQ(colours.count(), ContactColours::kMost + 1);
  EXPECT_EQ(colours.begin()[ContactColours::kMost], ContactColours::kMost);
}

TEST(BandEstimate, AChainIsNarrowAndACubeIsWide) {
  BandEstimate band;
  // a column: layers of one body with six velocities each
  EXPECT_DOUBLE_EQ(band.compute_work(make_pile(1, 64, 0.4, 0.0)), 64 * 216.0);
  EXPECT_GT(band.compute_work(make_pile(4, 4, 0.4, 0.0)), 20 * 64 * 216.0);
}

TEST(PileSweeps, GivesTheVelocitiesOfTheSolverWithFactors) {
  for (const double mu : {0.0, 0.3, 0.8}) {
    SCOPED_TRACE(mu);
    const UnitConeProblem problem = make_pile(3, 4, mu, 0.02);
    PileResult result;
    const Eigen::VectorXd r = solve_pile(problem, {.tolerance = 1e-10, .max_sweeps = 20000}, result);
    EXPECT_LE(result.residual, 1e-10);
    EXPECT_LE(result.cone_violation, 1e-14);
    ConeIslandSolver exact;
    ConeIslandResult expected;
    exact.solve(problem, {.tolerance = 1e-12}, expected);
    ASSERT_EQ(expected.status, Status::kSolved);
    const Eigen::VectorXd difference =
        contact_velocities(problem, r) - contact_velocities(problem, expected.r);
    // velocities are as exact as residuals times the condition of the pile, some hundreds
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-7);
  }
}

TEST(PileSweeps, ThreadsChangeNoBit) {
  const UnitConeProblem problem = make_pile(22, 12, 0.4, 0.02);  // more than one range a colour
  PileResult alone, shared;
  PileOptions options{.tolerance = 1e-9, .max_sweeps = 60};
  const Eigen::VectorXd r = solve_pile(problem, options, alone);
  for (const int workers : {2, 5}) {
    WorkerPool pool(workers);
    options.pool = &pool;
    const Eigen::VectorXd other = solve_pile(problem, options, shared);
    EXPECT_TRUE((r.array() == other.array()).all());
    EXPECT_EQ(alone.residual, shared.residual);
    EXPECT_EQ(alone.sweeps, shared.sweeps);
  }
}

TEST(PileSweeps, ABudgetEndsWithTheBestResidualAndMoreIsBetter) {
  const UnitConeProblem problem = make_pile(6, 8, 0.4, 0.02);
  double before = problem.q.norm();
  for (const int budget : {0, 25, 100, 400}) {
    PileResult result;
    const Eigen::VectorXd r = solve_pile(problem, {.tolerance = 0.0, .max_sweeps = budget}, result);
    EXPECT_EQ(result.sweeps, budget);
    EXPECT_LE(result.residual, before);
    before = result.residual;
  }
  EXPECT_LT(before, 1e-2 * problem.q.norm());
}

TEST(PileSweeps, AnAnswerIsKeptWithoutASweep) {
  const UnitConeProblem problem = make_pile(4, 4, 0.4, 0.02);
  PileResult result;
  Eigen::VectorXd r = solve_pile(problem, {.tolerance = 1e-8, .max_sweeps = 20000}, result);
  ASSERT_LE(result.residual, 1e-8);
  const Eigen::VectorXd before = r;
  PileSweeps sweeps;
  sweeps.solve(problem, {.tolerance = 1e-7}, r, result);
  EXPECT_EQ(result.sweeps, 0);
  EXPECT_TRUE((r.array() == before.array()).all());
}

// The second time with other numbers; so many contacts that threads share a colour.
TEST(PileSweeps, ASecondPileOfTheSameSizeAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    for (const bool associated : {false, true}) {
      const PileOptions options{.tolerance = 1e-8, .associated = associated, .max_sweeps = 30, .pool = &pool};
      const UnitConeProblem first = make_pile(22, 12, 0.4, 0.02), second = make_pile(22, 12, 0.4, 0.01);
      Eigen::VectorXd r = Eigen::VectorXd::Zero(first.q.size()), start = r;
      PileSweeps sweeps;
      PileResult result;
      const test::AllocationCount from_start;
      sweeps.solve(first, options, r, result);
      EXPECT_GT(from_start.since(), 0);  // the counter works
      r = start;
      const test::AllocationCount count;
      sweeps.solve(second, options, r, result);
      EXPECT_EQ(count.since(), 0) << workers << " workers, associated " << associated;
      EXPECT_EQ(result.sweeps, 30);
    }
  }
}

TEST(PileSweeps, TheIslandSolverTakesThemForAPileAndSaysThatForcesAreNotKnownToBeUnique) {
  const UnitConeProblem problem = make_pile(7, 7, 0.4, 0.02);
  ConeIslandSolver solver;
  ConeIslandResult result;
  solver.solve(problem, {.tolerance = 1e-4, .sweeps_first = true}, result);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.method, "nsgs");
  EXPECT_EQ(result.force_freedom, -1);
  EXPECT_LE(result.residual, 1e-4);
  // a column is narrow: by factors
  solver.solve(make_pile(1, 500, 0.4, 0.02), {.tolerance = 1e-4, .sweeps_first = true}, result);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_NE(result.method, "nsgs");
}

TEST(PileSweeps, TheIslandSolverEndsAtItsBudgetAndElseAsksNewton) {
  const UnitConeProblem problem = make_pile(7, 7, 0.4, 0.02);
  ConeIslandSolver solver;
  ConeIslandResult few, more, rest;
  solver.solve(problem, {.tolerance = 1e-11, .sweeps_first = true, .max_iterations = 10}, few);
  EXPECT_EQ(few.status, Status::kIterationLimit);
  EXPECT_EQ(few.iterations, 10);
  solver.solve(problem, {.tolerance = 1e-11, .sweeps_first = true, .max_iterations = 40}, more);
  EXPECT_EQ(more.iterations, 40);
  EXPECT_LT(more.residual, few.residual);
  // sweeps stop far above rounding, Newton's method goes on from there
  solver.solve(problem, {.tolerance = 1e-11, .sweeps_first = true}, rest);
  EXPECT_EQ(rest.status, Status::kSolved);
  EXPECT_LE(rest.residual, 1e-11);
}

}  // namespace
}  // namespace rigor
