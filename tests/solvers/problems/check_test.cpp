#include "rigor/solvers/problems/check.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

LcpProblem make_problem(std::initializer_list<std::initializer_list<double>> M,
                        std::initializer_list<double> q) {
  LcpProblem problem;
  problem.M.resize(static_cast<Eigen::Index>(M.size()), static_cast<Eigen::Index>(M.size()));
  Eigen::Index i = 0;
  for (const auto& row : M) {
    Eigen::Index j = 0;
    for (const double value : row) problem.M(i, j++) = value;
    ++i;
  }
  problem.q.resize(static_cast<Eigen::Index>(q.size()));
  i = 0;
  for (const double value : q) problem.q[i++] = value;
  return problem;
}

// z = (4/3, 7/3) solves M = [2 1; 1 2], q = (−5, −6) [Siconos, lcp_deudeu]
TEST(Check, AcceptsTheSolutionByHandToTheLastBit) {
  const LcpProblem problem = make_problem({{2, 1}, {1, 2}}, {-5, -6});
  EXPECT_LT(check_solution(problem, Eigen::Vector2d(4.0 / 3.0, 7.0 / 3.0)), 1e-15);
  EXPECT_GT(check_solution(problem, Eigen::Vector2d(4.0 / 3.0 + 1e-6, 7.0 / 3.0)), 1e-7);
}

TEST(Check, FindsNegativeZAndNegativeWAndProduct) {
  const LcpProblem problem = make_problem({{1, 0}, {0, 1}}, {-1, 1});
  EXPECT_EQ(check_solution(problem, Eigen::Vector2d(1, 0)), 0.0);
  EXPECT_EQ(check_solution(problem, Eigen::Vector2d(0, 0)), 1.0);     // w_0 = −1
  EXPECT_EQ(check_solution(problem, Eigen::Vector2d(1, -0.5)), 0.5);  // z_1 < 0
  EXPECT_EQ(check_solution(problem, Eigen::Vector2d(1.5, 0)), 0.5);   // both positive
  EXPECT_EQ(check_solution(problem, Eigen::Vector2d(std::nan(""), 0)), kInfinity);
}

// w_1 = −z_1 − z_2 − 1 is never ≥ 0: y = (1, 0) proves it, Mᵀy = (−1, −1)
TEST(Check, AcceptsAnExactProof) {
  const LcpProblem problem = make_problem({{-1, -1}, {0, 1}}, {-1, 2});
  const ProofCheck check = check_infeasible(problem, Eigen::Vector2d(1, 0));
  EXPECT_TRUE(check.holds);
  EXPECT_TRUE(check.exact);
  EXPECT_EQ(check.bound, kInfinity);
}

// w = 1e-12 z − 1: solvable, but only with z = 1e12. The bound says so, and is not called a proof below 1e8
// of the scale.
TEST(Check, GivesTheBoundThatASmallSlopeProves) {
  const LcpProblem far = make_problem({{1e-12, 0}, {0, 1}}, {-1, 1});
  const ProofCheck check = check_infeasible(far, Eigen::Vector2d(1, 0));
  EXPECT_TRUE(check.holds);
  EXPECT_FALSE(check.exact);
  EXPECT_LE(check.bound, 1e12);
  EXPECT_GT(check.bound, 0.999999e12);
  const LcpProblem near = make_problem({{1e-6, 0}, {0, 1}}, {-1, 1});
  EXPECT_FALSE(check_infeasible(near, Eigen::Vector2d(1, 0)).holds);
}

TEST(Check, RefusesWhatIsNoProof) {
  const LcpProblem problem = make_problem({{-1, -1}, {0, 1}}, {-1, 2});
  EXPECT_FALSE(check_infeasible(problem, Eigen::Vector2d(-1, 0)).holds);  // y < 0
  EXPECT_FALSE(check_infeasible(problem, Eigen::Vector2d(0, 1)).holds);   // qᵀy > 0
  EXPECT_FALSE(check_infeasible(problem, Eigen::Vector2d(0, 0)).holds);   // qᵀy = 0
  EXPECT_FALSE(check_infeasible(problem, Eigen::VectorXd::Ones(3)).holds);
}

// one ulp on the wrong side of zero is not zero: 0.1 + 0.2 − 0.3 > 0 in doubles, and the checker sees it
TEST(Check, DoesNotForgiveOneUnitInTheLastPlace) {
  const LcpProblem problem = make_problem({{0.1, 0, 0}, {0.2, 0, 0}, {-0.3, 0, 0}}, {-1, -1, -1});
  const ProofCheck check = check_infeasible(problem, Eigen::Vector3d(1, 1, 1));
  EXPECT_FALSE(check.exact);
  EXPECT_TRUE(check.holds);
  EXPECT_LT(check.bound, 1e18);
}

// free u: 0 = u + v + 1 and 0 = u + v + 2 cannot both hold; y = (1, −1) on the equations proves it
TEST(Check, ProvesThatAMixedProblemContradictsItself) {
  MlcpProblem problem;
  problem.free_count = 2;
  problem.K.resize(2, 2);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) problem.K.insert(i, j) = 1.0;
  problem.q = Eigen::Vector2d(1, 2);
  EXPECT_TRUE(check_infeasible(problem, Eigen::Vector2d(1, -1)).exact);
  EXPECT_FALSE(check_infeasible(problem, Eigen::Vector2d(1, 1)).holds);  // qᵀy > 0
}

}  // namespace
}  // namespace rigor
