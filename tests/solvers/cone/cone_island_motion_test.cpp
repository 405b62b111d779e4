// Tests cone_island_motion.cpp and the interior point on islands that move, with starts that are worth nothing.
#include <gtest/gtest.h>

#include "rigor/solvers/cone/cone_interior_point.hpp"
#include "rigor/solvers/cone/cone_island.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "tests/solvers/cone/tower.hpp"

namespace rigor {
namespace {

using test::make_tower;
using test::to_dense;
using test::Tower;

// The residual in m/s of the problem with W divided by its mean diagonal, from W itself.
double find_residual(const Tower& tower, const Eigen::VectorXd& r) {
  ConeProblem problem = to_dense(tower);
  const double mean = problem.W.diagonal().mean();
  problem.W /= mean;
  return cone_residual(problem, mean * r);
}

// What is thrown about: cubes that are pushed and turned, with the impulses of another throw, far too large.
TEST(ConeIslandMotion, SolvesWhatMovesFromStartsOfAnotherMotion) {
  ConeIslandSolver solver;
  ConeIslandOptions options;
  options.tolerance = 1e-9;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const int cubes = 4 + static_cast<int>(seed % 9);
    const Tower before = make_tower(cubes, 0.5, 3.0, 2.0, seed + 100),
                now = make_tower(cubes, 0.5, 2.0, 1.0, seed);
    ConeIslandResult result;
    options.warm = false;
    solver.solve(before.units, options, result);
    ASSERT_EQ(result.status, Status::kSolved);
    result.r *= 20.0;
    options.warm = options.slid = true;
    solver.solve(now.units, options, result);
    EXPECT_EQ(result.status, Status::kSolved);
    EXPECT_LE(find_residual(now, result.r), 2e-9);
  }
}

// Without friction the island is an LCP, which Lemke's method answers. Its velocity is unique.
TEST(ConeIslandMotion, WithoutFrictionItIsAnLcp) {
  ConeIslandSolver solver;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Tower tower = make_tower(6, 0.0, 1.0, 1.0, seed);
    ConeIslandResult result;
    solver.solve(tower.units, {.tolerance = 1e-10, .associated = true}, result);
    ASSERT_EQ(result.status, Status::kSolved);
    const ConeProblem dense = to_dense(tower);
    const Eigen::Index n = static_cast<Eigen::Index>(tower.units.contacts.size());
    LcpProblem lcp{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
    for (Eigen::Index i = 0; i < n; ++i) {
      lcp.q[i] = dense.q[3 * i];
      for (Eigen::Index j = 0; j < n; ++j) lcp.M(i, j) = dense.W(3 * i, 3 * j);
    }
    const LcpResult lemke = solve(lcp, LemkeOptions{});
    ASSERT_EQ(lemke.status, Status::kSolved);
    Eigen::VectorXd normals(n);
    for (Eigen::Index i = 0; i < n; ++i) normals[i] = result.r[3 * i];
    EXPECT_LT((lcp.M * (normals - lemke.z)).norm(), 1e-8);
  }
}

class InteriorPointTest : public testing::Test {
 protected:
  void set(const Tower& tower) {
    tower_ = tower;
    matrix_.set(tower_.units);
    cone_.set(matrix_, tower_.units.q, tower_.units.mu);
    zero_.setZero(tower_.units.q.size());
  }
  int run(double target) {
    int steps = 0;
    while (interior_.best_residual() > target && steps < 60 && interior_.step()) ++steps;
    return steps;
  }

  Tower tower_;
  UnitConeMatrix matrix_;
  ScaledCone cone_;
  ConeInteriorPoint interior_;
  Eigen::VectorXd zero_;
};

TEST_F(InteriorPointTest, ContactsThatOpenFastTakeNoPartAndKeepNoImpulse) {
  Tower tower = make_tower(6, 0.5, 1.0, 0.1, 3);
  for (int i = 20; i < 24; ++i) tower.units.q[3 * i] = 50.0;  // the top face opens
  set(tower);
  interior_.start_near(cone_, zero_, 0.03, 1.0);
  run(1e-4);
  EXPECT_LE(interior_.best_residual(), 1e-4);
  for (int i = 20; i < 24; ++i) EXPECT_TRUE(interior_.best().segment<3>(3 * i).isZero(0.0)) << i;
  const Eigen::VectorXd few = interior_.best();
  interior_.start_near(cone_, zero_, 0.03);
  run(1e-4);
  EXPECT_LE(interior_.best_residual(), 1e-4);
}

TEST_F(InteriorPointTest, WhatIsLiftedAgainComesToTheSameResidual) {
  set(make_tower(8, 0.5, 0.5, 0.3, 4));
  interior_.start(cone_, 1.0);
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(interior_.step());
  interior_.lift_again();
  EXPECT_EQ(interior_.short_steps(), 0);
  run(1e-3);
  EXPECT_LE(interior_.best_residual(), 1e-3);
}

TEST_F(InteriorPointTest, ContactsWithoutFrictionAreRows) {
  set(make_tower(8, 0.0, 0.5, 0.3, 5));
  cone_.associated = true;
  interior_.start(cone_, 1.0);
  run(1e-4);
  EXPECT_LE(interior_.best_residual(), 1e-4);
  for (int i = 0; i < cone_.contacts(); ++i) EXPECT_TRUE(interior_.best().segment<2>(3 * i + 1).isZero(0.0));
}

}  // namespace
}  // namespace rigor
