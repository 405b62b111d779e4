// Also covers cone_approach.cpp, cone_newton.cpp, cone_polyhedral.cpp, cone_select.cpp, cone_system.cpp and generate_cone.cpp.
#include "rigor/solvers/cone/cone_solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_cone.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

ConeResult solve_cold(const ConeProblem& problem) {
  ConeWorkspace workspace;
  ConeResult result;
  solve_cone(problem, {}, workspace, result);
  return result;
}

// The residual of the definition, on the problem divided by the mean of its diagonal.
double scaled_residual(const ConeProblem& problem, const Eigen::VectorXd& r) {
  const double mean = problem.W.diagonal().mean();
  ConeProblem scaled = problem;
  scaled.W /= mean;
  return check_solution(scaled, mean * r);
}

// 1 to 40 contacts on one to forty bodies, some in the plane, some with one-sided rows.
ConeProblem make_suite_problem(std::uint64_t seed) {
  Random random(1000 + seed);
  ConeClusterOptions options;
  options.contacts = 1 + random.below(40);
  options.bodies = 1 + random.below(1 + options.contacts / (1 + random.below(4)));
  options.turned = random.uniform();
  options.one_sided = random.chance(0.3) ? 0.2 : 0.0;
  options.dimension = random.chance(0.2) ? 2 : 3;
  return make_cone_cluster(options, seed);
}

TEST(ConeSolve, SolvesEveryRandomCluster) {
  ConeWorkspace workspace;
  ConeResult result;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 60 : 3000); ++seed) {
    const ConeProblem problem = make_suite_problem(seed);
    solve_cone(problem, {}, workspace, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed << ": " << result.residual;
    EXPECT_LE(scaled_residual(problem, result.r), 1.01e-10) << seed;
    EXPECT_LE((problem.W * result.r + problem.q - result.u).norm(), 1e-9 * (1.0 + problem.q.norm())) << seed;
  }
}

// r ∈ K, u ∈ K*, r·u = 0, each judged by itself.
TEST(ConeSolve, TheAssociatedLawHoldsDirectly) {
  ConeWorkspace workspace;
  ConeResult result;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 20 : 500); ++seed) {
    ConeProblem problem = make_suite_problem(seed);
    problem.associated = true;
    solve_cone(problem, {}, workspace, result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    const double mean = problem.W.diagonal().mean();
    for (const auto& [first, size, mu, bounds] : problem.blocks) {
      const Eigen::VectorXd r = mean * result.r.segment(first, size), u = result.u.segment(first, size);
      const double friction = mu * (size > 1 ? r.tail(size - 1).norm() : 0.0);
      EXPECT_GE(mu * mu * r[0] - friction, -1e-9) << seed;
      EXPECT_GE(r[0], -1e-9) << seed;
      EXPECT_GE(u[0] - mu * (size > 1 ? u.tail(size - 1).norm() : 0.0), -1e-9) << seed;
      EXPECT_NEAR(r.dot(u), 0.0, 1e-9 * (1.0 + r.norm())) << seed;
    }
  }
}

// Blocks of size 1 make an LCP; W > 0, so that its solution is unique.
TEST(ConeSolve, OneSidedRowsAgreeWithLemke) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ConeProblem problem = make_cone_cluster({.contacts = 12, .bodies = 4, .one_sided = 1.0}, seed);
    problem.W += 0.1 * Eigen::MatrixXd::Identity(problem.W.rows(), problem.W.cols());
    const ConeResult result = solve_cold(problem);
    ASSERT_EQ(result.status, Status::kSolved);
    const LcpResult lemke = solve(LcpProblem{problem.W, problem.q}, LemkeOptions{});
    ASSERT_EQ(lemke.status, Status::kSolved);
    EXPECT_LE((result.r - lemke.z).norm(), 1e-10 * (1.0 + lemke.z.norm())) << seed;
  }
}

// In the plane two directions are the exact cone. Small friction and W > 0 make the solution unique.
TEST(ConeSolve, PlanarConesAgreeWithTheLcpOfTwoDirections) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ConeProblem problem =
        make_cone_cluster({.contacts = 6, .bodies = 3, .dimension = 2, .mu_high = 0.2}, seed);
    const Eigen::Index n = problem.q.size();
    problem.W += 0.3 * Eigen::MatrixXd::Identity(n, n);
    const ConeResult result = solve_cold(problem);
    ASSERT_EQ(result.status, Status::kSolved);
    // z = (p_n, beta+, beta-, lambda) per contact
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(n, 2 * n);
    LcpProblem lcp;
    lcp.M.setZero(2 * n, 2 * n);
    for (Eigen::Index c = 0; c < n / 2; ++c) {
      H(2 * c, 4 * c) = 1.0;
      H(2 * c + 1, 4 * c + 1) = 1.0;
      H(2 * c + 1, 4 * c + 2) = -1.0;
    }
    lcp.M = H.transpose() * problem.W * H;
    lcp.q = H.transpose() * problem.q;
    for (Eigen::Index c = 0; c < n / 2; ++c) {
      lcp.M(4 * c + 3, 4 * c) = problem.blocks[static_cast<std::size_t>(c)].mu;
      for (const Eigen::Index k : {1, 2}) {
        lcp.M(4 * c + 3, 4 * c + k) = -1.0;
        lcp.M(4 * c + k, 4 * c + 3) = 1.0;
      }
    }
    const LcpResult lemke = solve(lcp, LemkeOptions{});
    ASSERT_EQ(lemke.status, Status::kSolved);
    EXPECT_LE((result.r - H * lemke.z).norm(), 1e-9 * (1.0 + result.r.norm())) << seed;
  }
}

// A cube of mass 2, edge 1, on four corners, pushed down by a step of gravity, at the velocity v of its
// centre. Rows n, x, y per corner.
ConeProblem make_cube(double mu, const Eigen::Vector3d& v, const Eigen::Vector3d& omega = {0, 0, 0}) {
  const double mass = 2.0, inertia = mass / 6.0;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(12, 6);  // of (v, ω)
  ConeProblem problem;
  int row = 0;
  for (const auto& [x, y] : {std::pair{0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5}}) {
    problem.blocks.push_back({row, 3, mu});
    const Eigen::Vector3d arm(x, y, -0.5);
    for (const Eigen::Vector3d& d : {Eigen::Vector3d::UnitZ().eval(), Eigen::Vector3d::UnitX().eval(),
                                     Eigen::Vector3d::UnitY().eval()}) {
      J.row(row).head<3>() = d;
      J.row(row++).tail<3>() = arm.cross(d);
    }
  }
  Eigen::VectorXd inverse_mass(6), velocity(6);
  inverse_mass << Eigen::Vector3d::Constant(1.0 / mass), Eigen::Vector3d::Constant(1.0 / inertia);
  velocity << v, omega;
  problem.W = J * inverse_mass.asDiagonal() * J.transpose();
  problem.q = J * velocity;
  return problem;
}

// Closed form: the front pair carries m g (1 + mu)/4 each, the rear pair m g (1 − mu)/4, in proportion to the
// height of the centre.
TEST(ConeSolve, ASlidingCubeLoadsItsFrontCorners) {
  const double mu = 0.4, impulse = 2.0 * 9.81e-3;
  const ConeResult result = solve_cold(make_cube(mu, {0.0, 3.0, -9.81e-3}));
  ASSERT_EQ(result.status, Status::kSolved);
  for (int corner = 0; corner < 4; ++corner) {
    const double load = impulse * (corner < 2 ? 1.0 + mu : 1.0 - mu) / 4.0;
    EXPECT_NEAR(result.r[3 * corner], load, 1e-10 * impulse) << corner;
    EXPECT_NEAR(result.r[3 * corner + 1], 0.0, 1e-10 * impulse);
    EXPECT_NEAR(result.r[3 * corner + 2], -mu * load, 1e-10 * impulse);
  }
  EXPECT_EQ(result.force_freedom, 1);  // of the four normals; friction follows them
}

// At rest the corners carry the same, whatever the start; twelve rows on six dof leave six free.
TEST(ConeSolve, ARestingCubeLoadsItsCornersAlike) {
  const ConeProblem problem = make_cube(0.4, {0.0, 0.0, -9.81e-3});
  const double impulse = 2.0 * 9.81e-3;
  ConeWorkspace workspace;
  ConeResult result;
  Random random(3);
  for (int start = 0; start < 20; ++start) {
    const ConeOptions options{.warm = start > 0};
    if (options.warm)
      for (double& r_k : result.r) r_k = impulse * random.uniform();
    solve_cone(problem, options, workspace, result);
    ASSERT_EQ(result.status, Status::kSolved);
    EXPECT_EQ(result.method, "rest");
    EXPECT_EQ(result.force_freedom, 6);
    for (int corner = 0; corner < 4; ++corner) {
      EXPECT_NEAR(result.r[3 * corner], impulse / 4.0, 1e-9 * impulse);
      EXPECT_LE(result.r.segment<2>(3 * corner + 1).norm(), 1e-9 * impulse);
    }
    // nothing creeps
    EXPECT_LE(result.u.norm(), 1e-15);
  }
}

// Sliding and spinning at mu = 1: four equal springs carry m g = 9.81 as below, from enumerating which of
// them are loaded and solving for the other three (a planar computation without this solver; mass 1).
TEST(ConeSolve, ASpinningCubeHasTheLoadsOfEqualSprings) {
  const double h = 1e-7, g = 9.81;
  const ConeResult result = solve_cold(make_cube(1.0, {0.0, 5.0, -g * h}, {0.0, 0.0, 2.0 * M_PI}));
  ASSERT_EQ(result.status, Status::kSolved);
  // this cube has mass 2
  const double expected[] = {2.956511, 5.072317, 1.781172, 0.0};
  for (int corner = 0; corner < 4; ++corner)
    EXPECT_NEAR(result.r[3 * corner] / (2.0 * h), expected[corner], 2e-6) << corner;
}

TEST(ConeSolve, WarmStartsChangeNothing) {
  ConeWorkspace workspace;
  int compared = 0;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 20 : 300); ++seed) {
    const ConeProblem problem = make_suite_problem(seed);
    ConeResult cold, warm;
    solve_cone(problem, {}, workspace, cold);
    Random random(seed);
    warm.r = cold.r;
    for (double& r_k : warm.r) r_k *= 1.0 + 0.02 * random.gaussian();
    solve_cone(problem, {.warm = true}, workspace, warm);
    ASSERT_EQ(warm.status, Status::kSolved) << seed;
    // where the law has several velocities the start may decide
    if ((warm.u - cold.u).norm() > 1e-6) continue;
    if ((warm.r - cold.r).norm() <= 1e-9 * cold.r.norm()) ++compared;
  }
  // the limit of equal compliance is not always found where some contacts slip and others are wedged
  EXPECT_GE(compared, kSanitized ? 17 : 293);
}

// The next step of a motion: the same contacts, speeds that differ a little. Where the velocity is that of a cold solve,
// the impulses are too: those of equal compliance, of which there is one.
TEST(ConeSolve, AMotionThatGoesOnEndsWhereAColdSolveDoes) {
  ConeWorkspace workspace;
  int same = 0, others = 0, near = 0;
  for (std::uint64_t seed = 0; seed < (kSanitized ? 20 : 400); ++seed) {
    ConeProblem problem = make_suite_problem(seed);
    ConeResult result = solve_cold(problem);
    Random random(seed);
    Eigen::VectorXd pushes(problem.q.size());
    for (double& push : pushes) push = 0.01 * random.uniform(-1.0, 1.0) / problem.W.diagonal().mean();
    problem.q += problem.W * pushes;  // so that there still is an answer
    solve_cone(problem, {.warm = true, .slid = true, .resumes = true, .wants_uniqueness = false}, workspace,
               result);
    ASSERT_EQ(result.status, Status::kSolved) << seed;
    EXPECT_LE(scaled_residual(problem, result.r), 1.01e-10) << seed;
    EXPECT_EQ(result.force_freedom, -1);
    near += result.method == "near" ? 1 : 0;
    const ConeResult cold = solve_cold(problem);
    if ((cold.u - result.u).norm() > 1e-7 * (1.0 + cold.u.norm())) continue;
    ((cold.r - result.r).norm() <= 1e-5 * cold.r.norm() ? same : others) += 1;
  }
  EXPECT_GT(near, kSanitized ? 10 : 300);
  EXPECT_GT(same, 9 * others);
}

// Turned tangents and mirrored ones give turned and mirrored answers: the cone has no axes.
TEST(ConeSolve, DoesNotSeeTheDirectionOfTangents) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ConeProblem problem = make_cone_cluster({.contacts = 5, .bodies = 4, .mu_high = 0.3}, seed);
    const Eigen::Index n = problem.q.size();
    problem.W += 0.5 * Eigen::MatrixXd::Identity(n, n);
    Eigen::MatrixXd T = Eigen::MatrixXd::Identity(n, n);
    Random random(seed);
    for (const ConeBlock& block : problem.blocks) {
      const double angle = random.uniform(0.0, 6.0), mirror = random.chance(0.5) ? -1.0 : 1.0;
      T.block<2, 2>(block.first + 1, block.first + 1) << std::cos(angle), -mirror * std::sin(angle),
          std::sin(angle), mirror * std::cos(angle);
    }
    ConeProblem turned = problem;
    turned.W = T * problem.W * T.transpose();
    turned.q = T * problem.q;
    const ConeResult result = solve_cold(problem), other = solve_cold(turned);
    ASSERT_EQ(other.status, Status::kSolved);
    EXPECT_LE((T * result.r - other.r).norm(), 1e-10 * (1.0 + result.r.norm())) << seed;
  }
}

TEST(ConeSolve, WithoutFrictionItIsTheLcpOfTheNormals) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    ConeProblem problem = make_cone_cluster({.contacts = 8, .bodies = 8, .mu_high = 0.0}, seed);
    problem.W += 0.2 * Eigen::MatrixXd::Identity(problem.W.rows(), problem.W.cols());
    const ConeResult result = solve_cold(problem);
    ASSERT_EQ(result.status, Status::kSolved);
    LcpProblem lcp;
    lcp.M.resize(8, 8);
    lcp.q.resize(8);
    for (int i = 0; i < 8; ++i) {
      lcp.q[i] = problem.q[3 * i];
      for (int j = 0; j < 8; ++j) lcp.M(i, j) = problem.W(3 * i, 3 * j);
    }
    const LcpResult lemke = solve(lcp, LemkeOptions{});
    for (int i = 0; i < 8; ++i) {
      EXPECT_NEAR(result.r[3 * i], lemke.z[i], 1e-9);
      EXPECT_NEAR(result.r[3 * i + 1], 0.0, 1e-15);
    }
  }
}

TEST(ConeSolve, WhatOpensHasNoImpulse) {
  ConeProblem problem = make_suite_problem(2);
  for (const ConeBlock& block : problem.blocks) problem.q[block.first] = std::fabs(problem.q[block.first]);
  const ConeResult result = solve_cold(problem);
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.r.norm(), 0.0);
  EXPECT_EQ(result.residual, 0.0);
  EXPECT_EQ(result.method, "open");
}

TEST(ConeSolve, UnsymmetricProblemsAreNotSymmetrised) {
  ConeWorkspace workspace;
  ConeResult result;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    ConeProblem problem = make_cone_cluster({.contacts = 6, .bodies = 4, .mu_high = 0.3}, seed);
    Random random(seed);
    for (Eigen::Index i = 0; i < problem.q.size(); ++i)
      for (Eigen::Index j = 0; j < i; ++j) {
        const double skew = 0.05 * random.gaussian();
        problem.W(i, j) += skew;
        problem.W(j, i) -= skew;
      }
    problem.W += 0.2 * Eigen::MatrixXd::Identity(problem.W.rows(), problem.W.cols());
    solve_cone(problem, {}, workspace, result);
    EXPECT_EQ(result.status, Status::kSolved) << seed;
    EXPECT_LE(scaled_residual(problem, result.r), 1.01e-10) << seed;
  }
}

TEST(ConeSolve, AContactThatNothingCanMoveIsReported) {
  ConeProblem problem{Eigen::Matrix3d::Zero(), Eigen::Vector3d(-1.0, 0.0, 0.0), {{0, 3, 0.5}}};
  EXPECT_EQ(solve_cold(problem).status, Status::kNumericalTrouble);
  problem.W(1, 1) = 1.0;
  EXPECT_NE(solve_cold(problem).status, Status::kSolved);
}

TEST(ConeSolve, AProblemWithoutRowsIsSolved) {
  EXPECT_EQ(solve_cold({}).status, Status::kSolved);
}

TEST(ConeSolve, RefusesAWarmStartOfAnotherSize) {
  ConeWorkspace workspace;
  ConeResult result;
  result.r = Eigen::VectorXd::Zero(2);
  try {
    solve_cone(make_cube(0.5, {0, 0, -1}), {.warm = true}, workspace, result);
    ADD_FAILURE() << "accepted";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "solve_cone: the warm start has 2 entries and the problem 12 rows, must be equal.");
  }
}

TEST(ConeSolve, AWarmSolveOfTheSameSizeAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  ConeWorkspace workspace;
  ConeResult result;
  const ConeProblem first = make_cube(0.4, {0.0, 0.0, -9.81e-3}),
                    second = make_cube(0.4, {0.0, 3.0, -9.81e-3});
  solve_cone(first, {}, workspace, result);
  solve_cone(second, {}, workspace, result);
  for (const ConeProblem* problem : {&second, &first, &second}) {
    const test::AllocationCount count;
    solve_cone(*problem, {.warm = true}, workspace, result);
    EXPECT_EQ(count.since(), 0);
    EXPECT_EQ(result.status, Status::kSolved);
  }
}

}  // namespace
}  // namespace rigor
