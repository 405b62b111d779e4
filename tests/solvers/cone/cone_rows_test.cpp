// Bilateral, one-sided and boxed rows beside contacts, through every solver of cone problems: tests
// cone_problem.cpp, cone_local.cpp, cone_newton.cpp, cone_polyhedral.cpp, scaled_cone.cpp,
// cone_interior_point.cpp, sparse_cone_problem.cpp by problems that other solvers answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "rigor/base/require.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

struct Shape {
  int contacts{0}, dimension{3}, bilateral{0}, one_sided{0}, boxed{0};
  int freedom{0};  // velocities; below the rows W is singular
};

// W = J Jᵀ of a random J, with q = J v for a random v: bilateral rows can be met, however redundant.
ConeProblem make_mixed(const Shape& shape, std::uint64_t seed) {
  Random random(seed);
  ConeProblem problem;
  int rows = 0;
  const auto add = [&](int size, double mu, RowBounds bounds) {
    problem.blocks.push_back({rows, size, mu, bounds});
    rows += size;
  };
  // bilateral rows first and boxed rows last: nothing may rely on contacts coming first
  for (int k = 0; k < shape.bilateral; ++k) add(1, 0.0, RowBounds::bilateral());
  for (int k = 0; k < shape.contacts; ++k) add(shape.dimension, random.uniform(0.1, 0.9), {});
  for (int k = 0; k < shape.one_sided; ++k) add(1, 0.0, {});
  for (int k = 0; k < shape.boxed; ++k) {
    const double lower = random.uniform(-0.5, 0.2);
    const double choice = random.uniform(0.0, 1.0);
    add(1, 0.0,
        choice < 0.6   ? RowBounds{lower, lower + random.uniform(0.0, 0.8)}
        : choice < 0.8 ? RowBounds{-kInfinity, lower}
                       : RowBounds{lower, kInfinity});
  }
  Eigen::MatrixXd J(rows, shape.freedom);
  for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = random.gaussian();
  Eigen::VectorXd v(shape.freedom);
  for (double& value : v) value = random.gaussian();
  problem.W = J * J.transpose();
  problem.q = J * v;
  return problem;
}

// The law of every block in words, recomputed without the library's residual.
void expect_law(const ConeProblem& problem, const Eigen::VectorXd& r, double tolerance) {
  const Eigen::VectorXd u = problem.W * r + problem.q;
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const auto& [first, size, mu, bounds] = problem.blocks[i];
    SCOPED_TRACE(testing::Message() << "block " << i);
    if (size == 1) {
      EXPECT_GE(r[first], bounds.lower - tolerance);
      EXPECT_LE(r[first], bounds.upper + tolerance);
      if (r[first] > bounds.lower + tolerance) {
        EXPECT_LE(u[first], tolerance);
      }
      if (r[first] < bounds.upper - tolerance) {
        EXPECT_GE(u[first], -tolerance);
      }
      continue;
    }
    const Eigen::VectorXd r_T = r.segment(first + 1, size - 1), u_T = u.segment(first + 1, size - 1);
    EXPECT_GE(u[first], -tolerance);
    EXPECT_GE(r[first], -tolerance);
    EXPECT_LE(r_T.norm(), mu * r[first] + tolerance);
    EXPECT_LE(std::min(u[first], r[first]), tolerance);
    // friction takes all the power it can
    EXPECT_NEAR(r_T.dot(u_T) + mu * r[first] * u_T.norm(), 0.0, tolerance * (1.0 + u_T.norm()));
  }
}

ConeResult solve_dense(const ConeProblem& problem, double tolerance = 1e-11) {
  ConeWorkspace workspace;
  ConeResult result;
  solve_cone(problem, {.tolerance = tolerance}, workspace, result);
  return result;
}

TEST(ConeRows, OneRowOfEachKindHasItsClosedForm) {
  const double W = 0.5;
  struct Case {
    RowBounds bounds;
    double q, r;
  };
  const Case cases[] = {
      {RowBounds::bilateral(), -2.0, 4.0},
      {RowBounds::bilateral(), 3.0, -6.0},
      {{}, -2.0, 4.0},
      {{}, 2.0, 0.0},
      {{-1.0, 1.5}, -2.0, 1.5},
      {{-1.0, 1.5}, 2.0, -1.0},
      {{-1.0, 1.5}, 0.25, -0.5},
      {{-kInfinity, -1.0}, -3.0, -1.0},
      {{-kInfinity, -1.0}, 3.0, -6.0},
      {{2.0, 2.0}, 7.0, 2.0},
      {{0.5, kInfinity}, -0.125, 0.5},
      {{0.5, kInfinity}, -1.0, 2.0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(testing::Message() << c.bounds.lower << " to " << c.bounds.upper << ", q = " << c.q);
    ConeProblem problem;
    problem.W = Eigen::MatrixXd::Constant(1, 1, W);
    problem.q = Eigen::VectorXd::Constant(1, c.q);
    problem.blocks = {{0, 1, 0.0, c.bounds}};
    EXPECT_EQ(check_solution(problem, Eigen::VectorXd::Constant(1, c.r)), 0.0);
    EXPECT_GT(check_solution(problem, Eigen::VectorXd::Constant(1, c.r + 0.01)), 1e-3);
    const ConeResult result = solve_dense(problem);
    EXPECT_EQ(result.status, Status::kSolved);
    EXPECT_NEAR(result.r[0], c.r, 1e-14);
    for (const std::string_view name : cone_method_names()) {
      const LcpResult sparse = solve(Problem(make_sparse_cone(problem)), name, 1e-12);
      EXPECT_EQ(sparse.status, Status::kSolved) << name;
      EXPECT_NEAR(sparse.z[0], c.r, 1e-11) << name;
    }
  }
}

// Without friction it is a boxed LCP, and W > 0 makes its answer unique: pivots of the laboratory, which
// share nothing with the cone, must find it.
TEST(ConeRows, WithoutFrictionTheyAreTheBoxedLcp) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Shape shape{
        .bilateral = 1 + static_cast<int>(seed % 3), .one_sided = 2, .boxed = 1 + static_cast<int>(seed % 4)};
    shape.freedom = shape.bilateral + shape.one_sided + shape.boxed + 2;
    const ConeProblem problem = make_mixed(shape, seed);
    BoxedLcpProblem boxed{problem.W, problem.q, problem.q, problem.q, {}};
    for (const ConeBlock& block : problem.blocks) {
      boxed.lo[block.first] = block.bounds.lower;
      boxed.hi[block.first] = block.bounds.upper;
    }
    const LcpResult truth = solve(boxed, EnumerateOptions{});
    ASSERT_EQ(truth.status, Status::kSolved);
    const ConeResult dense = solve_dense(problem);
    EXPECT_EQ(dense.status, Status::kSolved);
    EXPECT_LT((dense.r - truth.z).norm(), 1e-7 * (1.0 + truth.z.norm()));
    for (const std::string_view name : cone_method_names()) {
      const LcpResult sparse = solve(Problem(make_sparse_cone(problem)), name, 1e-10);
      EXPECT_EQ(sparse.status, Status::kSolved) << name << " at " << sparse.residual;
      EXPECT_LT((sparse.z - truth.z).norm(), 1e-6 * (1.0 + truth.z.norm())) << name;
    }
  }
}

// Bilateral rows eliminated by hand leave contacts alone: both must give the same impulses.
TEST(ConeRows, BilateralRowsMayBeEliminated) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const int b = 1 + static_cast<int>(seed % 4);
    Shape shape{.contacts = 3, .dimension = seed % 2 == 0 ? 3 : 2, .bilateral = b};
    shape.freedom = 3 * 3 + b + 3;
    ConeProblem problem = make_mixed(shape, 100 + seed);
    for (ConeBlock& block : problem.blocks) block.mu *= 0.3;  // one answer only
    const Eigen::Index n = problem.q.size() - b;
    const Eigen::MatrixXd inverse = problem.W.topLeftCorner(b, b).inverse();
    ConeProblem reduced;
    reduced.W = problem.W.bottomRightCorner(n, n) -
                problem.W.bottomLeftCorner(n, b) * inverse * problem.W.topRightCorner(b, n);
    reduced.q = problem.q.tail(n) - problem.W.bottomLeftCorner(n, b) * inverse * problem.q.head(b);
    for (const ConeBlock& block : problem.blocks)
      if (block.size > 1) reduced.blocks.push_back({block.first - b, block.size, block.mu});
    const ConeResult truth = solve_dense(reduced), dense = solve_dense(problem);
    ASSERT_EQ(truth.status, Status::kSolved);
    ASSERT_EQ(dense.status, Status::kSolved);
    EXPECT_LT((dense.r.tail(n) - truth.r).norm(), 1e-8 * (1.0 + truth.r.norm()));
    EXPECT_LT(dense.u.head(b).norm(), 1e-9);
    expect_law(problem, dense.r, 1e-8);
  }
}

// Everything together, regular and with more rows than velocities, by every method; the law in words is the
// judge. A single method may give up (its residual then says so); `auto` may not.
TEST(ConeRows, AllKindsTogetherAreSolvedByAuto) {
  int solved = 0, tried = 0, by_interior_point = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Shape shape{.contacts = 2 + static_cast<int>(seed % 5),
                .dimension = seed % 3 == 0 ? 2 : 3,
                .bilateral = 2,
                .one_sided = 2,
                .boxed = 3};
    shape.freedom = seed % 2 == 0 ? 30 : 12;
    const ConeProblem problem = make_mixed(shape, 1000 + seed);
    const ConeResult dense = solve_dense(problem, 1e-10);
    EXPECT_EQ(dense.status, Status::kSolved) << dense.residual;
    expect_law(problem, dense.r, 1e-6);
    const Problem sparse = make_sparse_cone(problem);
    for (const std::string_view name : cone_method_names()) {
      if (name == "nsgs" && shape.freedom == 12) continue;  // crawls on redundant rows
      const LcpResult result = solve(sparse, name, 1e-9);
      by_interior_point += result.solver.find("interior-point") == 0 ? 1 : 0;
      if (name == "auto") {
        EXPECT_EQ(result.status, Status::kSolved) << result.residual;
      }
      ++tried;
      if (result.status != Status::kSolved) continue;
      ++solved;
      EXPECT_LT(relative_cone_residual(problem, result.z), 1.0001e-9) << name;
      expect_law(problem, result.z, 1e-5);
    }
  }
  EXPECT_GE(solved, tried * 9 / 10);
  EXPECT_GE(by_interior_point, 20);  // not all were too easy for it to be asked
}

// Two bodies welded by six bilateral rows, given twice, are one body: a box of mass 2 on four points.
TEST(ConeRows, AWeldMakesOneBodyOfTwo) {
  const double mu = 0.4;
  const Eigen::Vector3d push(0.3, 0.1, -1.0);
  GlobalConeProblem two, one;
  std::vector<Eigen::Triplet<double>> M, H, H_one, G;
  for (int k = 0; k < 12; ++k) M.emplace_back(k, k, k % 6 < 3 ? 0.1 : 1.0);
  // angular first; both centres at the origin, so that the weld says v_1 = v_2
  for (int k = 0; k < 6; ++k)
    for (int copy = 0; copy < 2; ++copy) {
      G.emplace_back(k, k + 6 * copy, 1.0);
      G.emplace_back(6 + k, k + 6 * copy, -1.0);
    }
  int c = 0;
  for (const double x : {-0.5, 0.5})
    for (const double y : {-0.5, 0.5}) {
      const Eigen::Vector3d arm(x, y, -0.5);
      const Eigen::Vector3d axes[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                       Eigen::Vector3d::UnitY()};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d turn = arm.cross(axes[k]);
        for (int j = 0; j < 3; ++j)
          for (auto* list : {&H, &H_one}) {
            list->emplace_back(j, 3 * c + k, turn[j]);
            list->emplace_back(3 + j, 3 * c + k, axes[k][j]);
          }
      }
      ++c;
    }
  two.M.resize(12, 12);
  two.M.setFromTriplets(M.begin(), M.end());
  two.H.resize(12, 12);
  two.H.setFromTriplets(H.begin(), H.end());
  two.G.resize(12, 12);
  two.G.setFromTriplets(G.begin(), G.end());
  two.b.setZero(12);
  two.f.setZero(12);
  two.f.segment<3>(9) = push;  // on the body that touches nothing
  two.w.setZero(12);
  two.mu.setConstant(4, mu);
  one.M.resize(6, 6);
  for (int k = 0; k < 6; ++k) one.M.insert(k, k) = k < 3 ? 0.2 : 2.0;
  one.H.resize(6, 12);
  one.H.setFromTriplets(H_one.begin(), H_one.end());
  one.f.setZero(6);
  one.f.tail<3>() = push;
  one.w = two.w;
  one.mu = two.mu;
  const LcpResult truth = solve(Problem(one), "auto", 1e-12);
  ASSERT_EQ(truth.status, Status::kSolved);
  for (const std::string_view name : cone_method_names()) {
    if (name == "nsgs") continue;  // the copies make it crawl
    const LcpResult result = solve(Problem(two), name, 1e-10);
    ASSERT_EQ(result.status, Status::kSolved) << name << " " << result.residual;
    EXPECT_LT((result.v.head<6>() - truth.v).norm(), 1e-7) << name;
    EXPECT_LT((result.v.tail<6>() - truth.v).norm(), 1e-7) << name;
    const GlobalConeReduction reduction(two);
    EXPECT_LT(relative_cone_residual(two, add_unused_rows(reduction.local().sizes, result.z), result.v), 1e-9)
        << name;
    EXPECT_EQ(result.z.size(), 12 + 12);
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ConeRows, BoundsThatAreNoneAreRefused) {
  ConeProblem problem = make_mixed({.contacts = 1, .boxed = 1, .freedom = 4}, 1);
  problem.blocks[1].bounds = {2.0, 1.0};
  EXPECT_EQ(message_of([&] { problem.validate(); }),
            "Cone problem: block 1 has bounds 2 to 1, must be an interval, lower <= upper.");
  problem.blocks[1].bounds = {std::nan(""), 1.0};
  EXPECT_THAT(message_of([&] { problem.validate(); }), testing::HasSubstr("must be an interval"));
  problem.blocks[1].bounds = {};
  problem.blocks[0].bounds = RowBounds::bilateral();
  EXPECT_EQ(
      message_of([&] { problem.validate(); }),
      "Cone problem: block 0 has 3 rows and bounds -inf to inf, must have 0 to infinity: only single rows "
      "have others.");
  GlobalConeProblem global;
  global.M.resize(2, 2);
  global.M.setIdentity();
  global.H.resize(2, 0);
  global.f.setZero(2);
  global.G.resize(2, 1);
  EXPECT_EQ(message_of([&] { global.validate(); }),
            "Global cone problem: G is 2 x 1, b has 0 entries and M 2 rows; must be n x p, p and n.");
}

}  // namespace
}  // namespace rigor
