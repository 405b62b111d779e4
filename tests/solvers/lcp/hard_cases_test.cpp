// Degenerate, cycling and badly scaled problems, each with its source, before all pivoting methods.
#include <gmock/gmock.h>

#include "rigor/solvers/trials/generate_contacts.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

const std::vector<std::string_view> kPivoting = {"lemke",       "murty",   "principal-pivot",
                                                 "block-pivot", "dantzig", "auto"};

void expect_solution(const LcpProblem& problem, const Eigen::VectorXd& z, double tolerance,
                     const std::vector<std::string_view>& methods = kPivoting) {
  for (const std::string_view name : methods) {
    SCOPED_TRACE(name);
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kSolved) << result.note;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    EXPECT_LE((result.z - z).cwiseQuotient(z.cwiseAbs().cwiseMax(1e-300)).cwiseAbs().maxCoeff(), tolerance);
  }
}

// A cyclic P-matrix on which the rule "exchange the most negative pair" visits (1), (2), (3) for ever. z =
// (1, 1, 1)/3. [after Murty 1988, on cycling in Bard's method]
TEST(HardCases, MurtysCyclicMatrix) {
  const LcpProblem problem{Eigen::Matrix3d{{1, 2, 0}, {0, 1, 2}, {2, 0, 1}}, -Eigen::Vector3d::Ones()};
  expect_solution(problem, Eigen::Vector3d::Constant(1.0 / 3.0), 1e-14);
}

// all ratios tie: identity and q = −1, z = 1; every method must still end
TEST(HardCases, EveryRatioTies) {
  for (const int n : {3, 30}) {
    const LcpProblem problem{Eigen::MatrixXd::Identity(n, n), -Eigen::VectorXd::Ones(n)};
    expect_solution(problem, Eigen::VectorXd::Ones(n), 1e-14);
  }
}

// Degenerate at the solution: z = (1, 0, 0, …), w = 0 throughout, for M = tridiagonal (−1, 2, −1) and q = −M
// e_1
TEST(HardCases, EveryPairIsZeroAtTheSolution) {
  const int n = 12;
  LcpProblem problem{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd()};
  for (int i = 0; i < n; ++i) {
    problem.M(i, i) = 2.0;
    if (i > 0) problem.M(i, i - 1) = problem.M(i - 1, i) = -1.0;
  }
  problem.q = -problem.M.col(0);
  for (const std::string_view name : kPivoting) {
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kSolved) << name;
    EXPECT_LE((result.z - Eigen::VectorXd::Unit(n, 0)).cwiseAbs().maxCoeff(), 1e-12) << name;
  }
}

// rows and columns of a P-matrix times 1e±8 in turn: z is known from the unscaled problem, each entry to full
// accuracy. [test plan R3, badly scaled]
TEST(HardCases, RowsAndColumnsScaledByTenToTheEight) {
  const Eigen::Matrix4d M{{4, -1, 0, 1}, {1, 3, -1, 0}, {0, 1, 5, -2}, {-1, 0, 2, 4}};
  const Eigen::Vector4d z(1, 2, 3, 4), rows(1e8, 1e-8, 1, 1e-8), columns(1e-8, 1e8, 1e8, 1);
  LcpProblem problem;
  problem.M = rows.asDiagonal() * M * columns.asDiagonal();
  problem.q = -(rows.asDiagonal() * (M * z));
  expect_solution(problem, z.cwiseQuotient(columns), 1e-12);
}

// A disk of 1 kg on one of 1e8 kg on the floor. By hand c = h g (m1 + m2), h g m2. (The other way round no
// double z has a residual below 2e-8: the two impulses, 1e7 each, must cancel to h g.)
TEST(HardCases, MassRatioOfTenToTheEight) {
  const double impulse = 0.01 * 9.81, heavy = 1e8;
  // normals only: w_floor = v1, w_between = v2 − v1
  LcpProblem problem;
  problem.M = Eigen::Matrix2d{{1.0 / heavy, -1.0 / heavy}, {-1.0 / heavy, 1.0 + 1.0 / heavy}};
  problem.q = Eigen::Vector2d(-impulse, 0.0);
  expect_solution(problem, Eigen::Vector2d(impulse * (1.0 + heavy), impulse), 1e-6);
}

// four corners of a box on the floor carry its weight: one equation, four unknowns. [REFERENCE A, redundant
// normals]
TEST(HardCases, FourRedundantCorners) {
  const ContactLcpProblem stack = make_box_stack(1, 4, 2);
  LcpProblem problem = make_lcp(stack);
  for (const std::string_view name : {"lemke", "principal-pivot", "auto"}) {
    const LcpResult result = solve(problem, make_method(name));
    ASSERT_EQ(result.status, Status::kSolved) << name << ": " << result.note;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
  }
}

// A row that is rounding noise makes an "infeasible" problem feasible with z ~ 1e17. Either answer is a truth
// about the given doubles: solved with that z, or no solution below the bound; nothing else is. [SOLVERS,
// Part 2, section 8]
TEST(HardCases, ARowOfRoundingNoise) {
  const LcpProblem problem{Eigen::Matrix2d{{1e-17, 0}, {0, 1}}, Eigen::Vector2d(-1, 1)};
  for (const std::string_view name : {"lemke", "principal-pivot", "auto"}) {
    const LcpResult result = solve(problem, make_method(name));
    if (result.status == Status::kSolved) {
      EXPECT_NEAR(result.z[0], 1e17, 1e3);
    } else {
      ASSERT_EQ(result.status, Status::kNoneBelow);
      EXPECT_LE(result.proof->bound, 1e17);
    }
  }
}

// sizes 1e±150: no overflow on the way
TEST(HardCases, ExtremeUnits) {
  for (const double unit : {1e-150, 1e150}) {
    const LcpProblem problem{Eigen::Matrix2d{{2, 1}, {1, 2}} * unit, Eigen::Vector2d(-5, -6) / unit};
    expect_solution(problem, Eigen::Vector2d(4.0 / 3.0, 7.0 / 3.0) / unit / unit, 1e-12,
                    {"lemke", "murty", "auto"});
  }
}

}  // namespace
}  // namespace rigor
