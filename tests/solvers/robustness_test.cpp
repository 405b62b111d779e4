// answer_check.cpp: what `solved` means. And: no problem, however odd its numbers, ends the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/solvers/problems/answer_check.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

using test::message_of;

constexpr double kTolerance = 1e-10;

// Every claim of `solved` is judged by the checker; nothing else is asked than an end with numbers that are some.
void expect_honest(const Problem& problem, std::string_view solver) {
  SCOPED_TRACE(std::string(solver) + " on " + describe(problem));
  LcpResult result;
  try {
    result = solve(problem, solver, kTolerance);
  } catch (const InvalidInput&) {
    return;  // this method takes no such problem
  }
  EXPECT_FALSE(std::isnan(result.residual));
  EXPECT_EQ(result.z.size(), size_of(problem));
  if (result.status != Status::kSolved) return;
  EXPECT_LE(result.residual, kTolerance);
  EXPECT_LE(result.row_residual, row_tolerance(kTolerance));
  double judged = 0.0;
  if (const auto* lcp = std::get_if<LcpProblem>(&problem)) judged = check_solution(*lcp, result.z);
  if (const auto* mixed = std::get_if<MlcpProblem>(&problem)) judged = check_solution(*mixed, result.z);
  if (const auto* box = std::get_if<BoxedLcpProblem>(&problem)) judged = check_solution(*box, result.z);
  EXPECT_LE(judged, kTolerance);
}

void expect_honest_by_all(const Problem& problem) {
  for (const std::string_view solver : solvers_for(problem)) expect_honest(problem, solver);
}

double odd_number(Random& random) {
  constexpr double kOdd[] = {0.0, 0.0, 1.0, -1.0, 1e-12, -1e8, 1e15, 1e-150, -1e150, 1e300, 1.7e308, -5e-324};
  return random.below(3) == 0 ? random.gaussian() : kOdd[random.below(static_cast<int>(std::size(kOdd)))];
}

LcpProblem make_odd_lcp(Random& random) {
  const int n = random.below(5);
  LcpProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
  for (int i = 0; i < n; ++i) {
    problem.q[i] = odd_number(random);
    for (int j = 0; j < n; ++j) problem.M(i, j) = odd_number(random);
  }
  return problem;
}

TEST(OddProblems, OfEveryKindEndWithAnHonestStatus) {
  Random random(11);
  for (int trial = 0; trial < 150; ++trial) {
    const LcpProblem lcp = make_odd_lcp(random);
    const Eigen::Index n = lcp.q.size();
    expect_honest_by_all(lcp);
    expect_honest_by_all(SparseLcpProblem{lcp.M.sparseView(), lcp.q});
    expect_honest_by_all(MlcpProblem{random.below(static_cast<int>(n) + 1), lcp.M.sparseView(), lcp.q});
    BoxedLcpProblem box{
        lcp.M, lcp.q, Eigen::VectorXd::Constant(n, -INFINITY), Eigen::VectorXd::Constant(n, INFINITY), {}};
    for (Eigen::Index i = 0; i < n; ++i) {
      if (random.below(2) == 0) box.lo[i] = -std::fabs(odd_number(random));
      if (random.below(2) == 0) box.hi[i] = std::fabs(odd_number(random));
    }
    expect_honest_by_all(box);
  }
}

// Numbers below the normal ones end a path on a ray of infinities: there was nothing to project, and Eigen aborted.
TEST(OddProblems, ARayWithoutNumbersIsNoProof) {
  LcpProblem problem;
  problem.M.resize(6, 6);
  problem.M << 1.7246835490148866, -1.0679103678993442, 0.8177154514362366, -5e-324, 2.6065183988814207,
      0.057544974097742604, -1.0679103678993442, 0.6612416257569749, -0.5063229188212732, 5e-324,
      -1.613935509430572, -0.03563139133238646, 0.8177154514362366, -0.5063229188212732, 0.38769927381721475,
      -5e-324, 1.235815329969139, 0.02728350629835803, -5e-324, 5e-324, -5e-324, 0.0, -1e-323, 0.0,
      2.6065183988814207, -1.613935509430572, -1.613935509430572, -1e-323, 3.9392375300315017,
      0.08696785786273319, 0.057544974097742604, -0.03563139133238646, 0.02728350629835803, 0.0,
      0.08696785786273319, 0.0019200183394810619;
  problem.q.resize(6);
  problem.q << 1.4852995254150405, 0.978862345369699, 1.0, -1.0, 1.004168831795176, 1.0;
  for (const std::string_view solver : solvers_for(problem)) expect_honest(problem, solver);
}

TEST(OddProblems, OfConesEndWithAnHonestStatus) {
  Random random(12);
  for (int trial = 0; trial < 60; ++trial) {
    ConeProblem cone;
    const int contacts = random.below(3);
    cone.W.resize(3 * contacts, 3 * contacts);
    cone.q.resize(3 * contacts);
    for (int i = 0; i < 3 * contacts; ++i) {
      cone.q[i] = odd_number(random);
      for (int j = 0; j < 3 * contacts; ++j) cone.W(i, j) = odd_number(random);
    }
    if (trial % 2 == 0) {  // symmetric, of a matrix that has a meaning
      const Eigen::MatrixXd J = cone.W.unaryExpr([](double x) { return std::clamp(x, -1e8, 1e8); });
      cone.W = J * J.transpose();
    }
    if (!cone.W.allFinite()) continue;
    for (int i = 0; i < contacts; ++i) cone.blocks.push_back({3 * i, 3, std::fabs(random.gaussian()), {}});
    expect_honest_by_all(cone);
  }
}

// Row 2 asks for w = −1 ≥ 0: beside 1e11 in another row that is nothing, beside its own numbers it is everything.
TEST(AnswerCheck, ARowOfSmallNumbersDoesNotHideBehindLargeOnes) {
  const LcpProblem problem{Eigen::Matrix3d{{1, 0, 0.5}, {0, 1, 0.3}, {0.5, 0.3, 2}},
                           Eigen::Vector3d(1e11, -1, -1)};
  LcpResult result;
  result.solver = "nobody";
  result.z = Eigen::Vector3d::Zero();
  result.status = Status::kSolved;
  judge_answer(problem, kTolerance, result);
  EXPECT_EQ(result.status, Status::kNumericalTrouble);
  EXPECT_LE(result.residual, kTolerance);
  EXPECT_EQ(result.row_residual, 1.0);
  EXPECT_NE(result.note.find("beside the numbers of its own row"), std::string::npos) << result.note;
  for (const std::string_view solver : method_names()) {
    const LcpResult answer = solve(problem, make_method(solver));
    if (answer.status != Status::kSolved) continue;
    EXPECT_NEAR(answer.z[1], (1.0 - 0.3 * answer.z[2]), 1e-9) << solver;
  }
}

// 1e16 + 1 − 1e16 in doubles is 0: the answer looks right until it is summed without rounding. No double z does better
// in its last digits, so that the status is neither solved nor a failure of the method.
TEST(AnswerCheck, WhatRoundingHidesIsNotSolved) {
  const LcpProblem problem{Eigen::Matrix2d{{1e16, -1e16}, {0, 1}}, Eigen::Vector2d(1, -1)};
  LcpResult result;
  result.z = Eigen::Vector2d(1, 1);
  result.status = Status::kSolved;
  judge_answer(problem, kTolerance, result);
  EXPECT_EQ(result.w[0], 1.0);
  EXPECT_EQ(result.residual, 1.0);
  EXPECT_EQ(result.status, Status::kRounding);
  EXPECT_EQ(to_string(result.status), "rounding");
}

// Rows and columns of 1e±8 and 1e±150, and solutions of large norm: the answer is known, since q is made from it.
TEST(AnswerCheck, BadlyScaledProblemsAreSolvedOrNotClaimed) {
  Random random(13);
  int solved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 2 + random.below(5), range = trial % 2 == 0 ? 8 : 150;
    Eigen::MatrixXd M = Eigen::MatrixXd::Identity(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(i, j) += 0.3 * random.gaussian() / n;
    Eigen::VectorXd row(n), column(n), z(n), w(n);
    for (int i = 0; i < n; ++i) {
      row[i] = std::pow(10.0, random.uniform(-range, range));
      column[i] = std::pow(10.0, random.uniform(-range, range));
      const bool is_open = random.below(2) == 0;
      z[i] = is_open ? 0.0 : random.uniform(0.5, 1.0);
      w[i] = is_open ? random.uniform(0.5, 1.0) : 0.0;
    }
    const Eigen::VectorXd q = w - M * z;
    const LcpProblem problem{row.asDiagonal() * M * column.asDiagonal(), row.cwiseProduct(q)};
    if (!problem.M.allFinite() || !problem.q.allFinite()) continue;
    const LcpResult result = solve(problem, AutoOptions{});
    if (result.status != Status::kSolved) continue;
    ++solved;
    EXPECT_LE(check_solution(problem, result.z), kTolerance);
    for (int i = 0; i < n; ++i) EXPECT_NEAR(result.z[i] * column[i], z[i], 1e-6) << trial;
  }
  EXPECT_GT(solved, 120);
}

TEST(Misuse, OfTheSolversIsToldAndEndsNothing) {
  const LcpProblem lcp{Eigen::Matrix2d::Identity(), Eigen::Vector2d(-1, -1)};
  EXPECT_EQ(message_of([&] {
              (void)solve(LcpProblem{Eigen::MatrixXd(2, 3), lcp.q}, AutoOptions{});
            }),
            "LCP: M is 2 x 3, must be square.");
  EXPECT_EQ(message_of([&] {
              (void)solve(LcpProblem{lcp.M, Eigen::VectorXd(3)}, AutoOptions{});
            }),
            "LCP: q has 3 entries and M has 2 rows, must be equal.");
  EXPECT_EQ(message_of([&] { (void)solve(lcp, AutoOptions{.tolerance = 0.0}); }),
            "tolerance = 0, must be > 0.");
  EXPECT_NE(message_of([&] { (void)solve(Problem(lcp), "gauss", 1e-10); }), "");
  EXPECT_NE(message_of([&] { (void)solve(MlcpProblem{3, lcp.M.sparseView(), lcp.q}, AutoOptions{}); }), "");
  EXPECT_NE(message_of([&] { (void)solve(MlcpProblem{-1, lcp.M.sparseView(), lcp.q}, AutoOptions{}); }), "");
  EXPECT_NE(message_of([&] { (void)solve(BoxedLcpProblem{lcp.M, lcp.q, {}, {}, {}}, AutoOptions{}); }), "");
  ConeProblem cone{Eigen::Matrix3d::Identity(), Eigen::Vector3d(-1, 0, 0), {}};
  EXPECT_NE(message_of([&] { (void)solve(Problem(cone), AutoOptions{}); }), "");
  cone.blocks = {{1, 3, 0.5, {}}};
  EXPECT_NE(message_of([&] { (void)solve(Problem(cone), AutoOptions{}); }), "");
  cone.blocks = {{0, 3, 0.5, {}}};
  EXPECT_NE(message_of([&] { (void)solve(Problem(cone), LemkeOptions{}); }), "");
  SparseConeProblem sparse = make_sparse_cone(cone);
  sparse.q.resize(1);
  EXPECT_NE(message_of([&] { (void)solve(Problem(sparse), AutoOptions{}); }), "");
  EXPECT_EQ(solve(Problem(LcpProblem{}), AutoOptions{}).status, Status::kSolved);
  EXPECT_EQ(solve(Problem(MlcpProblem{}), AutoOptions{}).status, Status::kSolved);
}

}  // namespace
}  // namespace rigor
