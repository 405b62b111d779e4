// Tests sparse_cone_problem.cpp, sparse_cone_solve.cpp, small_cone.cpp, cone_matrix.cpp, scaled_cone.cpp,
// proximal_newton.cpp, cone_interior_point.cpp, cone_admm.cpp, cone_sweeps.cpp, perturb_cone.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/solvers/trials/generate_cone.hpp"
#include "rigor/solvers/trials/perturb_cone.hpp"
#include "tests/support/allocation_count.hpp"

namespace rigor {
namespace {

SparseConeResult solve_by(const SparseConeProblem& problem, ConeMethod method, double tolerance) {
  SparseConeWorkspace workspace;
  SparseConeResult result;
  solve_cone(problem, {.tolerance = tolerance, .method = method}, workspace, result);
  return result;
}

// Bricks in courses, shifted by half a brick, four points where two meet; 2 by 1 by 1, mass 2.
GlobalConeProblem make_wall(int courses, int bricks, double push) {
  struct Point {
    int a, b;
    Eigen::Vector3d at;
  };
  const auto centre = [&](int k) {
    const int row = k / bricks;
    return Eigen::Vector3d(2.0 * (k % bricks) + row % 2, 0.0, row + 0.5);
  };
  std::vector<Point> points;
  for (int k = 0; k < courses * bricks; ++k)
    for (int below = k < bricks ? -1 : (k / bricks - 1) * bricks;
         below < (k < bricks ? 0 : k / bricks * bricks); ++below) {
      const double x = centre(k).x(), other = below < 0 ? x : centre(below).x();
      const double low = std::max(x, other) - 1.0, high = std::min(x, other) + 1.0;
      if (high - low < 0.1) continue;
      for (const double px : {low, high})
        for (const double py : {-0.5, 0.5}) points.push_back({k, below, {px, py, centre(k).z() - 0.5}});
    }
  GlobalConeProblem problem;
  const int dof = 6 * courses * bricks, rows = 3 * static_cast<int>(points.size());
  std::vector<Eigen::Triplet<double>> H, M;
  for (int i = 0; i < dof; ++i) M.emplace_back(i, i, i % 6 < 3 ? 5.0 / 6.0 : 2.0);
  for (int c = 0; c < static_cast<int>(points.size()); ++c)
    for (const auto& [body, sign] : {std::pair{points[static_cast<std::size_t>(c)].a, 1.0},
                                     {points[static_cast<std::size_t>(c)].b, -1.0}}) {
      if (body < 0) continue;
      const Eigen::Vector3d arm = points[static_cast<std::size_t>(c)].at - centre(body);
      const Eigen::Vector3d axes[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                       Eigen::Vector3d::UnitY()};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d turn = arm.cross(axes[k]);
        for (int j = 0; j < 3; ++j) {
          H.emplace_back(6 * body + j, 3 * c + k, sign * turn[j]);
          H.emplace_back(6 * body + 3 + j, 3 * c + k, sign * axes[k][j]);
        }
      }
    }
  problem.M.resize(dof, dof);
  problem.M.setFromTriplets(M.begin(), M.end());
  problem.H.resize(dof, rows);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f.setZero(dof);
  for (int k = 0; k < courses * bricks; ++k) problem.f[6 * k + 5] = -0.1 * 2.0;
  problem.f[6 * (courses * bricks - 1) + 3] = push;
  problem.w.setZero(rows);
  problem.mu.setConstant(rows / 3, 0.6);
  return problem;
}

TEST(SparseConeSolve, CholmodLeadsAdmmToTheSameAnswer) {
  if (!has_cholmod()) GTEST_SKIP() << "built without CHOLMOD: configure with -DRIGOR_WITH_CHOLMOD=ON";
  const GlobalConeProblem wall = make_wall(4, 4, 0.0);
  const GlobalConeReduction reduction(wall);
  SparseConeWorkspace workspace;
  SparseConeResult eigen, cholmod;
  SparseConeOptions options{.tolerance = 1e-8, .method = ConeMethod::kAdmm};
  solve_cone(reduction.local(), options, workspace, eigen);
  options.factors = FactorLibrary::kCholmod;
  solve_cone(reduction.local(), options, workspace, cholmod);
  EXPECT_EQ(eigen.status, Status::kSolved) << eigen.residual;
  EXPECT_EQ(cholmod.status, Status::kSolved) << cholmod.residual;
  EXPECT_LT((reduction.compute_velocity(eigen.r) - reduction.compute_velocity(cholmod.r)).norm(), 1e-6);
}

TEST(SparseConeProblem, IsTheDenseOneWithPaddedRows) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    ConeClusterOptions options;
    options.contacts = 12;
    options.bodies = 6;
    options.dimension = seed % 3 == 0 ? 2 : 3;
    options.one_sided = 0.3;
    const ConeProblem dense = make_cone_cluster(options, seed);
    const SparseConeProblem sparse = make_sparse_cone(dense);
    EXPECT_NO_THROW(sparse.validate());
    Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(dense.q.size(), 0.1, 1.0);
    Eigen::VectorXd padded = Eigen::VectorXd::Zero(sparse.q.size()), u;
    for (std::size_t i = 0; i < dense.blocks.size(); ++i)
      padded.segment(3 * static_cast<Eigen::Index>(i), dense.blocks[i].size) =
          r.segment(dense.blocks[i].first, dense.blocks[i].size);
    compute_cone_velocity(sparse, padded, u);
    EXPECT_LT((drop_unused_rows(sparse.sizes, u) - dense.W * r - dense.q).norm(), 1e-12 * u.norm());
    EXPECT_NEAR(relative_cone_residual(sparse, padded), relative_cone_residual(dense, r), 1e-12 * r.norm());
  }
}

TEST(SparseConeProblem, OfAGlobalOneHasItsVelocities) {
  const GlobalConeProblem global = make_wall(3, 3, 1.0);
  const GlobalConeReduction reduction(global);
  const Eigen::MatrixXd M = global.M, H = global.H;
  const Eigen::MatrixXd W = H.transpose() * M.inverse() * H;
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(H.cols(), 0.0, 1.0);
  Eigen::VectorXd u;
  compute_cone_velocity(reduction.local(), r, u);
  const Eigen::VectorXd v = reduction.compute_velocity(r);
  EXPECT_LT((M * v - H * r - global.f).norm(), 1e-12 * global.f.norm() + 1e-12 * r.norm());
  EXPECT_LT((u - H.transpose() * v - global.w).norm(), 1e-12 * u.norm());
  EXPECT_LT((u - W * r - H.transpose() * M.inverse() * global.f).norm(), 1e-11 * u.norm());
}

TEST(SparseConeProblem, SaysWhatIsWrong) {
  SparseConeProblem problem = make_sparse_cone(make_cone_cluster({.contacts = 3, .bodies = 2}, 1));
  problem.mu[1] = -0.5;
  try {
    problem.validate();
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "Sparse cone problem: contact 1 has mu = -0.5, must be finite and >= 0.");
  }
  GlobalConeProblem global = make_wall(1, 1, 0.0);
  global.dimension = 4;
  EXPECT_THROW(global.validate(), InvalidInput);
  EXPECT_THROW((void)make_cone_method("lemke"), InvalidInput);
}

// Every method must agree with its own residual; all but those that promise it only near an answer must
// solve.
TEST(SparseConeSolve, AutoSolvesRandomClustersToTwelveDigits) {
  int solved = 0;
  constexpr int kCount = 300;
  for (std::uint64_t seed = 0; seed < kCount; ++seed) {
    ConeClusterOptions options;
    options.contacts = 1 + static_cast<int>(seed % 40);
    options.bodies = 1 + static_cast<int>(seed % 7) + options.contacts / 2;
    options.turned = 0.3;
    options.dimension = seed % 5 == 0 ? 2 : 3;
    const SparseConeProblem problem = make_sparse_cone(make_cone_cluster(options, seed));
    const SparseConeResult result = solve_by(problem, ConeMethod::kAuto, 1e-12);
    EXPECT_EQ(result.status == Status::kSolved, relative_cone_residual(problem, result.r) <= 1e-12);
    solved += result.status == Status::kSolved;
  }
  EXPECT_EQ(solved, kCount);
}

TEST(SparseConeSolve, AgreesWithTheDenseSolverWhereVelocitiesAreUnique) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ConeProblem dense =
        make_cone_cluster({.contacts = 14, .bodies = 14, .mu_low = 0.2, .mu_high = 0.4, .turned = 0.1}, seed);
    ConeWorkspace workspace;
    ConeResult expected;
    solve_cone(dense, {.tolerance = 1e-12}, workspace, expected);
    ASSERT_EQ(expected.status, Status::kSolved);
    const SparseConeProblem sparse = make_sparse_cone(dense);
    const SparseConeResult found = solve_by(sparse, ConeMethod::kAuto, 1e-12);
    ASSERT_EQ(found.status, Status::kSolved);
    EXPECT_LT((found.r - expected.r).norm(), 1e-8 * expected.r.norm()) << seed;
  }
}

TEST(SparseConeSolve, EveryMethodSolvesASmallWall) {
  const GlobalConeReduction wall(make_wall(3, 3, 0.3));
  for (const ConeMethod method : {ConeMethod::kAuto, ConeMethod::kNsgs, ConeMethod::kProximalNewton,
                                  ConeMethod::kInteriorPoint, ConeMethod::kAdmm}) {
    const SparseConeResult result = solve_by(wall.local(), method, 1e-6);
    EXPECT_EQ(result.status, Status::kSolved) << static_cast<int>(method);
    EXPECT_LE(relative_cone_residual(wall.local(), result.r), 1e-6);
  }
}

// A wall is redundant: more rows than velocities. Pushed at its top it slides there and stands below.
TEST(SparseConeSolve, HyperstaticWallsAreSolvedToTenDigits) {
  for (const double push : {0.0, 0.1, 1.0}) {
    const GlobalConeProblem global = make_wall(6, 6, push);
    const GlobalConeReduction wall(global);
    const SparseConeResult result = solve_by(wall.local(), ConeMethod::kAuto, 1e-10);
    EXPECT_EQ(result.status, Status::kSolved) << push;
    EXPECT_LT(relative_cone_residual(global, result.r, wall.compute_velocity(result.r)), 1e-9);
    if (push == 0.0) {
      EXPECT_LT(wall.compute_velocity(result.r).norm(), 1e-8);
    }
  }
}

TEST(SparseConeSolve, PerturbedCopiesOfAWallAreSolved) {
  const GlobalConeReduction wall(make_wall(5, 5, 0.3));
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    solved += solve_by(perturb_cone(wall.local(), seed % 2 ? 0.7 : 1.3, 0.1, seed), ConeMethod::kAuto, 1e-8)
                  .status == Status::kSolved;
  EXPECT_GE(solved, 11);
}

// 1 kg at 1 m/s down and 2 m/s along x, mu 0.5: stops down, loses 0.5 m/s along x.
TEST(SparseConeSolve, OneContactIsThatOfPencilAndPaper) {
  ConeProblem point;
  point.W = Eigen::Matrix3d::Identity();
  point.q = Eigen::Vector3d(-1.0, 2.0, 0.0);
  point.blocks = {{0, 3, 0.5}};
  const SparseConeResult result = solve_by(make_sparse_cone(point), ConeMethod::kAuto, 1e-14);
  EXPECT_EQ(result.path, "one-contact");
  EXPECT_LT((result.r - Eigen::Vector3d(1.0, -0.5, 0.0)).norm(), 1e-14);
}

// mu = 0 is an LCP in the normals alone.
TEST(SparseConeSolve, WithoutFrictionNothingActsAlongTheTangents) {
  GlobalConeProblem global = make_wall(4, 4, 0.3);
  global.mu.setZero();
  const GlobalConeReduction wall(global);
  const SparseConeResult result = solve_by(wall.local(), ConeMethod::kAuto, 1e-10);
  ASSERT_EQ(result.status, Status::kSolved);
  for (Eigen::Index i = 0; i < global.mu.size(); ++i) EXPECT_LT(result.r.segment<2>(3 * i + 1).norm(), 1e-9);
}

// No impulse helps a contact that nothing can move: no answer, and it ends.
TEST(SparseConeSolve, AHopelessProblemEndsWithItsBestResidual) {
  ConeProblem stuck;
  stuck.W = Eigen::MatrixXd::Zero(36, 36);
  stuck.W.topLeftCorner(33, 33).setIdentity();
  stuck.q = Eigen::VectorXd::Constant(36, -1.0);
  for (int i = 0; i < 12; ++i) stuck.blocks.push_back({3 * i, 3, 0.5});
  const SparseConeResult result = solve_by(make_sparse_cone(stuck), ConeMethod::kAuto, 1e-8);
  EXPECT_EQ(result.status, Status::kIterationLimit);
  EXPECT_TRUE(std::isfinite(result.residual));
  EXPECT_LT(result.residual, 1.0);
}

TEST(SparseConeSolve, AWarmStartTakesFewerSteps) {
  const GlobalConeReduction wall(make_wall(6, 6, 0.3));
  SparseConeWorkspace workspace;
  SparseConeResult result;
  solve_cone(wall.local(), {.tolerance = 1e-10}, workspace, result);
  ASSERT_EQ(result.status, Status::kSolved);
  const SparseConeProblem near = perturb_cone(wall.local(), 1.0, 1e-4, 3);
  solve_cone(near, {.tolerance = 1e-10, .warm = true}, workspace, result);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.path.substr(0, 4), "warm");
}

TEST(SparseConeSolve, ASecondSolveAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  const GlobalConeReduction wall(make_wall(4, 4, 0.3));
  SparseConeWorkspace workspace;
  SparseConeResult result;
  const SparseConeOptions options{.tolerance = 1e-8};
  solve_cone(wall.local(), options, workspace, result);
  const test::AllocationCount count;
  solve_cone(wall.local(), options, workspace, result);
  EXPECT_EQ(count.since(), 0);
}

TEST(SolveByName, KnowsTheMethodsOfEachKind) {
  const Problem cone = make_cone_cluster({.contacts = 4, .bodies = 4}, 3);
  EXPECT_THAT(solvers_for(cone), testing::Contains("nsgs"));
  for (const std::string_view name : solvers_for(cone)) {
    const LcpResult result = solve(cone, name, 1e-6);
    EXPECT_EQ(result.status, Status::kSolved) << name;
    EXPECT_LE(relative_cone_residual(std::get<ConeProblem>(cone), result.z), 1e-6) << name;
  }
  EXPECT_THROW((void)solve(cone, "murty", 1e-6), InvalidInput);
  const Problem wall = make_wall(2, 2, 0.0);
  const LcpResult result = solve(wall, "auto", 1e-10);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.v.size(), 24);
  EXPECT_EQ(size_of(wall), result.z.size());
}

}  // namespace
}  // namespace rigor
