// Tests set_solution.cpp and single_sweeps.cpp: single precision refined to double, and when it is given up.
#include "rigor/solvers/lcp/set_solution.hpp"

#include <Eigen/QR>
#include <cmath>

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

// Q diag(1 … 1/condition) Qᵀ with a random rotation Q
Eigen::MatrixXd make_conditioned(int n, double condition, std::uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd G(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) G(i, j) = random.gaussian();
  const Eigen::MatrixXd Q = Eigen::HouseholderQR<Eigen::MatrixXd>(G).householderQ();
  Eigen::VectorXd d(n);
  for (int i = 0; i < n; ++i) d[i] = std::pow(condition, -static_cast<double>(i) / (n - 1));
  const Eigen::MatrixXd M = Q * d.asDiagonal() * Q.transpose();
  return 0.5 * (M + M.transpose());
}

// all pairs in F: M z = −q whatever the condition, by single precision where it can, else in double
TEST(SetSolution, RefinesSinglePrecisionAndFallsBackToDoubleWhereItDoesNotContract) {
  constexpr int kSize = 120;
  const std::vector<char> all(kSize, 1);
  SetSolution in_single, in_double;
  for (const double condition : {1e1, 1e4, 1e6, 1e8, 1e10, 1e12, 1e14}) {
    SCOPED_TRACE(condition);
    LcpProblem problem{make_conditioned(kSize, condition, 3), Eigen::VectorXd(kSize)};
    problem.q = -problem.M * Eigen::VectorXd::Ones(kSize);
    in_single.start(problem, 0, true, true);
    in_double.start(problem, 0, true, false);
    ASSERT_TRUE(in_single.solve(all, true));
    ASSERT_TRUE(in_double.solve(all, true));
    if (condition <= 1e4) {
      EXPECT_TRUE(in_single.is_single());
    }
    if (condition >= 1e8) {
      EXPECT_FALSE(in_single.is_single());
    }
    Eigen::VectorXd z, reference;
    in_double.refine();
    in_single.refine();
    in_single.read_solution(z);
    in_double.read_solution(reference);
    const auto rows = [&](const Eigen::VectorXd& x) {
      return (problem.M * x + problem.q).cwiseAbs().maxCoeff();
    };
    EXPECT_LE(rows(z), rows(reference) + 1e-13);
    if (condition <= 1e8) {
      EXPECT_LT((z.array() - 1.0).abs().maxCoeff(), 1e-15 * condition * kSize);
    }
  }
}

// random sets, most of them far from the solution
TEST(SetSolution, FindsTheSameNegativePairsInSingleAndInDouble) {
  for (const LcpClass lcp_class : {LcpClass::kPSymmetric, LcpClass::kP, LcpClass::kDominant}) {
    const LcpProblem problem = make_random_lcp(lcp_class, 150, 9);
    std::vector<char> positive(150);
    Random random(5);
    SetSolution in_single, in_double;
    in_single.start(problem, 0, true, true);
    in_double.start(problem, 0, true, false);
    for (int round = 0; round < 10; ++round) {
      for (char& member : positive) member = random.chance(0.5);
      ASSERT_TRUE(in_single.solve(positive, true));
      ASSERT_TRUE(in_double.solve(positive, true));
      EXPECT_EQ(in_single.bad(), in_double.bad());
      // what is found early is a part of it
      const std::vector<int> all = in_single.bad();
      ASSERT_TRUE(in_single.solve(positive, false));
      for (const int i : in_single.bad()) EXPECT_NE(std::find(all.begin(), all.end(), i), all.end());
    }
  }
}

TEST(SetSolution, NeedsNoFactorWhereTheDiagonalDominates) {
  const LcpProblem problem = make_random_lcp(LcpClass::kDominant, 200, 4);
  const LcpResult result = solve(problem, BlockPivotOptions{});
  EXPECT_EQ(result.status, Status::kSolved);
  EXPECT_EQ(result.factorisations, 0);
  EXPECT_LT(result.residual, 1e-14);
}

// entries that no float can hold: the copy is made of the equilibrated matrix
TEST(SetSolution, SolvesWhatSinglePrecisionCannotHold) {
  LcpProblem problem = make_random_lcp(LcpClass::kPSymmetric, 80, 4);
  const Eigen::VectorXd z = solve(problem, LemkeOptions{}).z;
  problem.M *= 0x1p300;
  const LcpResult result = solve(problem, BlockPivotOptions{});
  ASSERT_EQ(result.status, Status::kSolved) << result.note;
  EXPECT_LT((0x1p300 * result.z - z).cwiseAbs().maxCoeff(), 1e-12 * z.maxCoeff());
}

// 2 z_1 + z_2 = 3, z_1 + 2 z_2 = 3 ⇒ z = (1, 1), and the third pair stays out; rows of zeros below are
// padding
TEST(SingleSweeps, FindThePositivePairsByHand) {
  Eigen::MatrixXf M = Eigen::MatrixXf::Zero(8, 3);
  M.topRows(3) << 2, 1, 0, 1, 2, 0, 0, 0, 1;
  SingleSweeps sweeps;
  std::vector<char> positive(3, 0);
  ASSERT_TRUE(sweeps.guess(M, Eigen::Vector3d(-3, -3, 1), 30, positive));
  EXPECT_EQ(positive, (std::vector<char>{1, 1, 0}));
  Eigen::VectorXf x = Eigen::Vector3f(3, 3, 7);
  sweeps.solve_in_place(M, positive, x);
  EXPECT_NEAR(x[0], 1.0f, 1e-4f);
  EXPECT_NEAR(x[1], 1.0f, 1e-4f);
  EXPECT_EQ(x[2], 0.0f);
}

TEST(SingleSweeps, NeedAPositiveDiagonal) {
  Eigen::MatrixXf M = Eigen::MatrixXf::Identity(8, 8);
  M(3, 3) = 0.0f;
  SingleSweeps sweeps;
  std::vector<char> positive(8, 0);
  EXPECT_FALSE(sweeps.guess(M, Eigen::VectorXd::Constant(8, -1.0), 10, positive));
  EXPECT_EQ(positive, std::vector<char>(8, 0));
}

}  // namespace
}  // namespace rigor
