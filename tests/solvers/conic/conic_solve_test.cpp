// conic_program.cpp, conic_solve.cpp: linear programs against a simplex method, quadratic ones against their
// optimality conditions, cones against closed forms, proofs against their definitions.
#include "rigor/solvers/conic/conic_solve.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/simplex.hpp"

namespace rigor {
namespace {

Eigen::MatrixXd random_matrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd A(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j) A(i, j) = random.gaussian();
  return A;
}

// min qᵀx, A x ≤ b has the dual min bᵀz, Aᵀz = −q, z ≥ 0, which the simplex method takes as it is.
TEST(ConicSolve, LinearProgramsEndAsTheSimplexMethodSays) {
  Random random(1);
  int ends[3] = {0, 0, 0};
  for (int k = 0; k < (kSanitized ? 200 : 2000); ++k) {
    const int n = 1 + random.below(5), m = n + 1 + random.below(8);
    ConicProgram program;
    program.A = random_matrix(random, m, n);
    program.b = random_matrix(random, m, 1);
    program.q = random_matrix(random, n, 1);
    program.half_lines = m;
    const ConicResult result = solve_conic(program);
    const auto dual = test::solve_simplex(program.A.transpose(), -program.q, program.b);
    SCOPED_TRACE(k);
    if (dual.status == test::SimplexResult::kOptimal) {
      ASSERT_EQ(result.status, ConicStatus::kSolved) << result.residual;
      EXPECT_NEAR(result.value, -dual.value, 1e-8 * (1.0 + std::abs(dual.value)));
      ++ends[0];
    } else if (dual.status == test::SimplexResult::kUnbounded) {
      ASSERT_EQ(result.status, ConicStatus::kInfeasible);
      EXPECT_LT(infeasibility_residual(program, result.z), 1e-7);
      ++ends[1];
    } else {  // unbounded, or infeasible both ways
      ASSERT_TRUE(result.status == ConicStatus::kUnbounded || result.status == ConicStatus::kInfeasible);
      ++ends[2];
    }
  }
  for (const int count : ends) EXPECT_GT(count, 10);
}

// The point of { ‖x − c‖ ≤ r } lowest along d is c − r d/‖d‖.
TEST(ConicSolve, LowestPointOfABall) {
  Random random(2);
  for (int k = 0; k < 300; ++k) {
    const int n = 2 + random.below(4);
    const Eigen::VectorXd c = random_matrix(random, n, 1), d = random_matrix(random, n, 1);
    const double r = random.uniform(0.1, 3.0);
    ConicProgram program;
    program.q = d;
    program.A = Eigen::MatrixXd::Zero(n + 1, n);
    program.A.bottomRows(n) = -Eigen::MatrixXd::Identity(n, n);
    program.b.resize(n + 1);
    program.b << r, -c;
    program.cones = {n + 1};
    const ConicResult result = solve_conic(program);
    ASSERT_EQ(result.status, ConicStatus::kSolved);
    EXPECT_LT((result.x - (c - r * d.normalized())).norm(), 1e-7);
    EXPECT_NEAR(result.value, d.dot(c) - r * d.norm(), 1e-10 * (1.0 + std::abs(result.value)));
  }
}

// Random programs with known optimal values: s, z complementary by construction.
TEST(ConicSolve, ProgramsMadeAroundTheirSolution) {
  Random random(3);
  double worst = 0.0;
  for (int k = 0; k < (kSanitized ? 200 : 2000); ++k) {
    const int lines = random.below(5), cones = 2 + random.below(6), n = 2 + random.below(5);
    ConicProgram program;
    program.half_lines = lines;
    for (int i = 0; i < cones; ++i) program.cones.push_back(3);
    const int m = lines + 3 * cones;
    Eigen::VectorXd s = Eigen::VectorXd::Zero(m), z = s;
    for (int i = 0; i < lines; ++i) (random.chance(0.5) ? s : z)[i] = random.uniform(0.1, 2.0);
    for (int i = 0; i < cones; ++i) {
      const int at = lines + 3 * i;
      const double angle = random.uniform(0.0, 6.28);
      const Eigen::Vector3d up(1.0, std::cos(angle), std::sin(angle)), down(1.0, -up[1], -up[2]);
      const int kind = random.below(3);
      if (kind == 0) s.segment(at, 3) = up + Eigen::Vector3d(1.0, 0.0, 0.0);
      if (kind == 1) z.segment(at, 3) = up + Eigen::Vector3d(1.0, 0.0, 0.0);
      if (kind == 2) {
        s.segment(at, 3) = random.uniform(0.1, 2.0) * up;
        z.segment(at, 3) = random.uniform(0.1, 2.0) * down;
      }
    }
    program.A = random_matrix(random, m, n);
    const Eigen::VectorXd x = random_matrix(random, n, 1);
    if (random.chance(0.5)) {
      const Eigen::MatrixXd L = random_matrix(random, n, 1 + random.below(n));
      program.P = L * L.transpose();
    }
    const Eigen::VectorXd Px =
        program.P.size() ? Eigen::VectorXd(program.P * x) : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
    program.b = program.A * x + s;
    program.q = -Px - program.A.transpose() * z;
    const ConicResult result = solve_conic(program);
    SCOPED_TRACE(k);
    ASSERT_EQ(result.status, ConicStatus::kSolved) << result.residual;
    const double value = 0.5 * x.dot(Px) + program.q.dot(x);
    EXPECT_NEAR(result.value, value, 1e-8 * (1.0 + std::abs(value)));
    worst = std::max(worst, result.residual);
  }
  EXPECT_LT(worst, 1e-9);
}

// A cone that must hold a point outside of it, by a known distance: infeasible with a proof, or not.
TEST(ConicSolve, EmptyConesAreProved) {
  Random random(4);
  for (int k = 0; k < 300; ++k) {
    // x ≥ height and ‖(3, 4)‖ ≤ x … ≤ top: feasible iff top ≥ max(height, 5)
    const double height = random.uniform(0.0, 10.0), top = random.uniform(0.0, 10.0);
    if (std::abs(top - std::max(height, 5.0)) < 1e-6) continue;
    ConicProgram program;
    program.q = Eigen::VectorXd::Zero(1);
    program.A.resize(5, 1);
    program.A << -1.0, 1.0, -1.0, 0.0, 0.0;
    program.b.resize(5);
    program.b << -height, top, 0.0, 3.0, 4.0;
    program.half_lines = 2;
    program.cones = {3};
    const ConicResult result = solve_conic(program);
    EXPECT_EQ(result.status, top > std::max(height, 5.0) ? ConicStatus::kSolved : ConicStatus::kInfeasible)
        << height << " " << top;
  }
}

// Separate balls of radius 1, one for each size of a cone, in size − 1 unknowns each: the value is a sum.
struct Balls {
  ConicProgram program;
  Eigen::VectorXd x;
  double value{0.0};
};

Balls make_balls(const std::vector<int>& sizes, Random& random) {
  Balls balls;
  ConicProgram& program = balls.program;
  program.cones = sizes;
  const int m = std::accumulate(sizes.begin(), sizes.end(), 0), n = m - static_cast<int>(sizes.size());
  program.q.resize(n);
  program.A = Eigen::MatrixXd::Zero(m, n);
  program.b.resize(m);
  balls.x.resize(n);
  int row = 0, column = 0;
  for (const int size : sizes) {
    const Eigen::VectorXd c = random_matrix(random, size - 1, 1), d = random_matrix(random, size - 1, 1);
    program.q.segment(column, size - 1) = d;
    program.A.block(row + 1, column, size - 1, size - 1).diagonal().setConstant(-1.0);
    program.b.segment(row, size) << 1.0, -c;
    balls.x.segment(column, size - 1) = c - d.normalized();
    balls.value += d.dot(c) - d.norm();
    row += size;
    column += size - 1;
  }
  return balls;
}

// More unknowns than kDenseSize go the sparse way, where no cone has more than eight rows.
TEST(ConicSolve, LargeProgramsAgreeWithTheirPiecesWhateverTheSizeOfTheirCones) {
  Random random(5);
  const std::vector<std::vector<int>> lists{std::vector<int>(80, 3),
                                            std::vector<int>(20, 8),
                                            std::vector<int>(20, 9),
                                            std::vector<int>(3, 60),
                                            {140},
                                            {3, 8, 2, 9, 130, 3}};
  for (const std::vector<int>& sizes : lists) {
    SCOPED_TRACE(testing::Message() << sizes.size() << " cones, the first of " << sizes[0]);
    const Balls balls = make_balls(sizes, random);
    ASSERT_GT(balls.x.size(), kDenseSize);
    for (const FactorLibrary factors : {FactorLibrary::kEigen, FactorLibrary::kCholmod}) {
      if (factors == FactorLibrary::kCholmod && !has_cholmod()) continue;
      const ConicResult result = solve_conic(balls.program, {.factors = factors});
      ASSERT_EQ(result.status, ConicStatus::kSolved) << result.residual;
      EXPECT_NEAR(result.value, balls.value, 1e-8 * std::abs(balls.value));
      EXPECT_LT((result.x - balls.x).cwiseAbs().maxCoeff(), 1e-5);
    }
  }
}

TEST(ConicSolve, SaysWhichSizeIsWrong) {
  ConicProgram program;
  program.q = Eigen::VectorXd::Zero(2);
  program.A = Eigen::MatrixXd::Zero(3, 2);
  program.b = Eigen::VectorXd::Zero(2);
  program.half_lines = 3;
  try {
    (void)solve_conic(program);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "ConicProgram: A is 3 x 2, must be 2 x 2 as b and q.");
  }
}

}  // namespace
}  // namespace rigor
