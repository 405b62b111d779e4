// Tests unit_cone_matrix.cpp, compliant_newton.cpp, cone_island.cpp and cone_island_select.cpp: islands by
// their half vectors, W never formed.
#include "rigor/solvers/cone/cone_island.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "tests/solvers/cone/tower.hpp"
#include "tests/support/allocation_count.hpp"

namespace rigor {
namespace {

using test::make_tower;
using test::to_dense;
using test::Tower;

TEST(UnitConeMatrix, MultipliesSweepsAndSolvesAsTheMatrixItself) {
  Tower tower = make_tower(4, 0.5, 0.3, 0.1, 3);
  tower.units.contacts[2].compliance = 0.3;
  const ConeProblem dense = to_dense(tower);
  UnitConeMatrix units;
  units.set(tower.units);
  SparseConeProblem sparse = make_sparse_cone(dense);
  BlockConeMatrix blocks;
  blocks.set(sparse);
  ScaledCone by_units, by_blocks;
  by_units.set(units, sparse.q, sparse.mu);
  by_blocks.set(blocks, sparse.q, sparse.mu);
  EXPECT_LT((units.scale() - blocks.scale()).norm(), 1e-13);
  Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(sparse.q.size(), 0.0, 1.0), u, v;
  by_units.compute_velocity(r, u);
  by_blocks.compute_velocity(r, v);
  EXPECT_LT((u - v).norm(), 1e-12 * v.norm());
  Eigen::VectorXd s = r;
  by_units.sweep(r);
  by_blocks.sweep(s);
  EXPECT_LT((r - s).norm(), 1e-11 * s.norm());
  // the equations of a Newton step, with open, sticking and sliding contacts among them
  const Eigen::VectorXd alpha = Eigen::VectorXd::Constant(units.contacts(), 1e-6);
  LinearLaw law;
  linearise_coulomb(by_units, r, u, 1.0, alpha, law);
  Eigen::VectorXd d, d_speed, e, e_speed;
  ASSERT_TRUE(units.factor(law.D));
  units.solve(law.t, d, d_speed);
  ASSERT_TRUE(blocks.factor(law.D));
  blocks.solve(law.t, e, e_speed);
  EXPECT_LT((d - e).norm(), 1e-6 * e.norm());
  EXPECT_LT((d_speed - e_speed).norm(), 1e-6 * e_speed.norm());
}

// Bending of a tower of 100 is as soft as the compliance that its factors need: what that does to an answer
// is more than rounding, and is taken off where it is no part of the question.
TEST(UnitConeMatrix, TakesAComplianceOffThatOnlyConditions) {
  const Tower tower = make_tower(100, 0.5, 0.0, 0.002, 1);
  UnitConeMatrix units;
  units.set(tower.units);
  // (W + α) d = q
  const double least = 0.1 * units.least_alpha();
  const auto find_error = [&](double alpha) {
    const std::vector<Block3> D(tower.units.contacts.size(),
                                Block3{{1.0 / alpha, 0, 0, 0, 0, 1.0 / alpha, 0, 0, 0, 0, 1.0 / alpha, 0}});
    Eigen::VectorXd d, speed, left = tower.units.q;
    EXPECT_TRUE(units.factor(D));
    units.solve(tower.units.q / alpha, d, speed);
    left -= least * d;
    Eigen::VectorXd product = Eigen::VectorXd::Zero(d.size());
    units.add_product(d, product);
    return (left - product).norm();
  };
  EXPECT_LT(find_error(least), 0.1 * find_error(least + units.least_alpha()));
}

TEST(UnitConeMatrix, FindsTheRankOfAFace) {
  const Tower tower = make_tower(5, 0.5, 0.0, 0.0, 1);
  UnitConeMatrix units;
  units.set(tower.units);
  std::vector<Eigen::Matrix3d> all(tower.units.contacts.size(), Eigen::Matrix3d::Identity());
  EXPECT_EQ(units.find_rank(all, 1e-9), Eigen::FullPivLU<Eigen::MatrixXd>(tower.Y).rank());
  for (Eigen::Matrix3d& P : all) P = Eigen::Vector3d(1, 0, 0).asDiagonal();
  Eigen::MatrixXd normals(tower.Y.rows(), tower.Y.cols() / 3);
  for (Eigen::Index c = 0; c < normals.cols(); ++c) normals.col(c) = tower.Y.col(3 * c);
  EXPECT_EQ(units.find_rank(all, 1e-9), Eigen::FullPivLU<Eigen::MatrixXd>(normals).rank());
}

// A tower at rest: every corner of course k carries a quarter of what is above it.
TEST(ConeIsland, ATowerStandsOnItsCornersEqually) {
  const int cubes = 12;
  const Tower tower = make_tower(cubes, 0.5, 0.0, 0.0, 1);
  ConeIslandSolver solver;
  ConeIslandResult result;
  solver.solve(tower.units, {}, result);
  ASSERT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.method, "rest");
  for (int c = 0; c < 4 * cubes; ++c) {
    EXPECT_NEAR(result.r[3 * c], 0.0981 * (cubes - c / 4) / 4.0, 1e-9);
    EXPECT_LT(result.r.segment<2>(3 * c + 1).norm(), 1e-9);
  }
  EXPECT_EQ(result.force_freedom, 12 * cubes - 6 * cubes);
  EXPECT_LE(result.cone_violation, 1e-15);
  // the same again is kept to the bit
  const Eigen::VectorXd before = result.r;
  solver.solve(tower.units, {.warm = true, .start_freedom = result.force_freedom}, result);
  EXPECT_EQ(result.method, "kept");
  EXPECT_LT((result.r - before).norm(), 1e-14);
}

// Soft motions and all: the impulses of rest take one factor, and are the shortest, by a dense decomposition.
TEST(ConeIsland, ATallTowerRestsByOneFactor) {
  const int cubes = 60;
  ConeIslandSolver solver;
  ConeIslandResult result;
  solver.solve(make_tower(cubes, 0.5, 0.0, 0.0, 1).units, {}, result);
  ASSERT_EQ(result.status, Status::kSolved);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Tower tower = make_tower(cubes, 0.5, 0.0, 0.001, seed);
    solver.solve(tower.units, {.warm = true}, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    EXPECT_EQ(result.method, "rest") << seed;
    EXPECT_EQ(result.iterations, 1) << seed;
    EXPECT_LT((tower.Y.transpose() * (tower.Y * result.r) + tower.units.q).norm(), 1e-12) << seed;
    const Eigen::VectorXd shortest = -Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(tower.Y).solve(
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(tower.Y.transpose()).solve(tower.units.q));
    EXPECT_LT((result.r - shortest).norm(), 1e-6 * shortest.norm()) << seed;
  }
}

// After a kick contacts along all of a tower open and close at 1e-6 m/s. Every step ends, from the impulses
// of the one before, to the tolerance.
TEST(ConeIsland, AKickedTowerIsSolved) {
  const int cubes = kSanitized ? 40 : 120;
  ConeIslandSolver solver;
  ConeIslandResult result;
  solver.solve(make_tower(cubes, 0.5, 0.0, 0.0, 1).units, {}, result);
  int moving = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Tower tower = make_tower(cubes, 0.5, 0.0, 0.02, seed);
    solver.solve(tower.units, {.warm = true}, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    EXPECT_LE(result.residual, 1e-10) << seed;
    moving += (tower.Y.transpose() * (tower.Y * result.r) + tower.units.q).norm() > 1e-8;
  }
  EXPECT_GE(moving, kSanitized ? 0 : 2);
}

// A start that has nothing to do with the problem costs time, not the answer.
TEST(ConeIsland, AWrongStartIsLeft) {
  Random random(5);
  for (const double size : {1e-6, 1.0, 1e4}) {
    const Tower tower = make_tower(30, 0.5, 0.2, 0.02, 3);
    ConeIslandSolver solver;
    ConeIslandResult result;
    result.r.setZero(tower.units.q.size());
    for (Eigen::Index i = 0; i < result.r.size(); i += 3) result.r[i] = size * random.uniform(0.0, 1.0);
    solver.solve(tower.units, {.warm = true}, result);
    EXPECT_EQ(result.status, Status::kSolved) << size;
    EXPECT_LE(result.residual, 1e-10) << size;
  }
}

// Impulses of equal compliance in the limit are the shortest ones, also where cones hold them back: no answer
// found from another start is shorter.
TEST(ConeIsland, ImpulsesAtRestAreTheShortest) {
  int held_back = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Tower tower = make_tower(8, 0.5, 0.0, 0.015, seed);
    ConeIslandSolver solver;
    ConeIslandResult result, other;
    solver.solve(tower.units, {}, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    if (result.method != "rest") continue;
    const Eigen::VectorXd unbounded =
        -Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(tower.Y.transpose() * tower.Y)
             .solve(tower.units.q);
    EXPECT_GE(result.r.norm(), unbounded.norm() * (1.0 - 1e-9)) << seed;
    held_back += result.r.norm() > unbounded.norm() * (1.0 + 1e-6);
    Random random(seed);
    for (int k = 0; k < 20; ++k) {
      other.r = result.r;
      for (double& x : other.r) x *= 1.0 + 0.3 * random.gaussian();
      solver.solve(tower.units, {.warm = true}, other);
      if (other.status != Status::kSolved ||
          (tower.Y.transpose() * (tower.Y * other.r) + tower.units.q).norm() > 1e-8)
        continue;
      EXPECT_GE(other.r.norm(), result.r.norm() * (1.0 - 1e-6)) << seed;
    }
  }
  EXPECT_GE(held_back, 3);
}

// Where it can rest both solvers find that, with the impulses of equal compliance; where it slips velocities
// need not be unique, and the residual alone judges.
TEST(ConeIsland, AgreesWithTheDenseSolver) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const double push = seed < 4 ? 0.0 : 0.6;
    const Tower tower = make_tower(6, 0.4, push, push > 0.0 ? 0.02 : 0.002, seed);
    ConeIslandSolver solver;
    ConeIslandResult result;
    solver.solve(tower.units, {}, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    const ConeProblem problem = to_dense(tower);
    EXPECT_LE(relative_cone_residual(problem, result.r), 1e-9) << seed;
    if (push > 0.0) continue;
    ConeWorkspace workspace;
    ConeResult dense;
    solve_cone(problem, {}, workspace, dense);
    ASSERT_EQ(dense.status, Status::kSolved) << seed;
    EXPECT_LT((problem.W * result.r + problem.q).norm(), 1e-9) << seed;
    EXPECT_LT((result.r - dense.r).norm(), 1e-7 * dense.r.norm()) << seed;
    EXPECT_EQ(result.force_freedom, dense.force_freedom) << seed;
  }
}

TEST(ConeIsland, TheAssociatedLawIsThatOfTheDenseSolver) {
  const Tower tower = make_tower(5, 0.4, 0.8, 0.02, 2);
  ConeIslandSolver solver;
  ConeIslandResult result;
  solver.solve(tower.units, {.associated = true}, result);
  ASSERT_EQ(result.status, Status::kSolved);
  ConeProblem problem = to_dense(tower);
  problem.associated = true;
  ConeWorkspace workspace;
  ConeResult dense;
  solve_cone(problem, {}, workspace, dense);
  EXPECT_LT((problem.W * result.r + problem.q - dense.u).norm(), 1e-8);
  EXPECT_LE(relative_cone_residual(problem, result.r), 1e-9);
}

TEST(ConeIsland, AWarmSolveAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  const Tower tower = make_tower(8, 0.5, 0.1, 0.01, 4);
  ConeIslandSolver solver;
  ConeIslandResult result;
  for (int k = 0; k < 3; ++k) solver.solve(tower.units, {.warm = k > 0}, result);
  const Tower next = make_tower(8, 0.5, 0.1, 0.01, 5);
  solver.solve(next.units, {.warm = true}, result);
  const test::AllocationCount count;
  solver.solve(next.units, {.warm = true}, result);
  EXPECT_EQ(count.since(), 0);
}

TEST(ConeIsland, ATallTowerAtRestAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  ConeIslandSolver solver;
  ConeIslandResult result;
  for (std::uint64_t seed = 1; seed < 3; ++seed)
    solver.solve(make_tower(40, 0.5, 0.0, 0.001, seed).units, {.warm = seed > 1}, result);
  const Tower next = make_tower(40, 0.5, 0.0, 0.001, 3);
  const test::AllocationCount count;
  solver.solve(next.units, {.warm = true}, result);
  EXPECT_EQ(result.method, "rest");
  EXPECT_EQ(count.since(), 0);
}

}  // namespace
}  // namespace rigor
