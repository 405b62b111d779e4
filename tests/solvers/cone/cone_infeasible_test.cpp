#include "rigor/solvers/cone/cone_infeasible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "rigor/math/limits.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

// A ball of 1 kg between two walls that come nearer with 1 m/s each, friction mu: no impulse stops both.
ConeProblem make_press(int dimension, double mu) {
  ConeProblem problem;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2 * dimension, 3);
  for (int side = 0; side < 2; ++side) {
    J(side * dimension, 0) = side == 0 ? 1.0 : -1.0;
    for (int k = 1; k < dimension; ++k) J(side * dimension + k, k) = 1.0;
    problem.blocks.push_back({side * dimension, dimension, mu});
  }
  problem.W = J * J.transpose();
  problem.q = Eigen::VectorXd::Zero(2 * dimension);
  problem.q[0] = problem.q[dimension] = -1.0;
  return problem;
}

// A random impulse that the blocks admit.
Eigen::VectorXd draw_impulse(const ConeProblem& problem, Random& random, double size) {
  Eigen::VectorXd r(problem.q.size());
  for (double& value : r) value = size * random.gaussian();
  for (const ConeBlock& block : problem.blocks) project_on_cone(block, r.data() + block.first);
  return r;
}

// yᵀ(W r + q) < 0 for impulses drawn at random, while every velocity of a solution has yᵀu ≥ 0.
void expect_separates(const ConeProblem& problem, const InfeasibilityProof& proof) {
  Random random(7);
  for (int k = 0; k < 200; ++k) {
    const Eigen::VectorXd r = draw_impulse(problem, random, std::pow(10.0, random.uniform(-3.0, 3.0)));
    EXPECT_LT(proof.y.dot(problem.W * r + problem.q), 0.0);
  }
  EXPECT_TRUE(check_infeasible(problem, proof.y).holds);
}

TEST(ConeInfeasible, APressThatClosesHasNoSolutionAndTheProofIsExact) {
  for (const int dimension : {2, 3})
    for (const double mu : {0.0, 0.5, 2.0})
      for (const bool associated : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << dimension << " rows, mu = " << mu << ", associated " << associated);
        ConeProblem problem = make_press(dimension, mu);
        problem.associated = associated;
        const LcpResult dense = solve(Problem(problem), "auto", 1e-10);
        ASSERT_EQ(dense.status, Status::kInfeasible) << dense.note;
        EXPECT_TRUE(dense.proof->exact);
        EXPECT_EQ(dense.proof->y[0], 1.0);
        EXPECT_EQ(dense.proof->y[dimension], 1.0);
        expect_separates(problem, *dense.proof);
        if (associated) continue;
        const LcpResult sparse = solve(Problem(make_sparse_cone(problem)), "auto", 1e-10);
        ASSERT_EQ(sparse.status, Status::kInfeasible) << sparse.note;
        EXPECT_TRUE(sparse.proof->exact);
        EXPECT_GT(sparse.residual, 1e-10);
      }
}

TEST(ConeInfeasible, JointsThatContradictEachOther) {
  // the same row twice, once to stand still and once to move with 1 m/s; a contact looks on
  ConeProblem problem;
  problem.W = Eigen::MatrixXd::Identity(5, 5);
  problem.W(0, 1) = problem.W(1, 0) = 1.0;
  problem.q = (Eigen::VectorXd(5) << 0.0, -1.0, -0.5, 0.1, 0.0).finished();
  problem.blocks = {{0, 1, 0.0, RowBounds::bilateral()}, {1, 1, 0.0, RowBounds::bilateral()}, {2, 3, 0.5}};
  const LcpResult result = solve(Problem(problem), "auto", 1e-10);
  ASSERT_EQ(result.status, Status::kInfeasible) << result.note;
  EXPECT_TRUE(result.proof->exact);
  EXPECT_EQ(result.proof->y[0], -result.proof->y[1]);
  // with the contradiction taken away it is solved
  problem.q[1] = 0.0;
  EXPECT_EQ(solve(Problem(problem), "auto", 1e-10).status, Status::kSolved);
}

// Matrices that no mechanics makes: a contact that sucks, and a motor that is too weak for its joint.
TEST(ConeInfeasible, OtherMatricesAreProvedByAllVelocities) {
  ConeProblem problem;
  problem.W = (Eigen::Matrix3d() << -1.0, 0.1, 0.0, 0.0, 1.0, 0.0, 0.2, 0.0, 1.0).finished();
  problem.q = Eigen::Vector3d(-1.0, 0.3, 0.0);
  problem.blocks = {{0, 3, 0.4}};
  const LcpResult sucks = solve(Problem(problem), "auto", 1e-10);
  ASSERT_EQ(sucks.status, Status::kInfeasible) << sucks.note;
  EXPECT_TRUE(sucks.proof->exact);
  expect_separates(problem, *sucks.proof);

  ConeProblem weak;
  weak.W = (Eigen::Matrix2d() << 0.0, 1.0, 1.0, 0.0).finished();
  weak.q = Eigen::Vector2d(3.0, 0.0);
  weak.blocks = {{0, 1, 0.0, RowBounds::bilateral()}, {1, 1, 0.0, {-1.0, 1.0}}};
  const auto proof = find_cone_proof(weak);
  ASSERT_TRUE(proof.has_value());
  EXPECT_TRUE(proof->exact);
  EXPECT_LT(proof->y[0], 0.0);
  EXPECT_EQ(proof->y[1], 0.0);
  weak.blocks[1].bounds = {-4.0, 1.0};  // strong enough
  EXPECT_FALSE(find_cone_proof(weak).has_value());
}

// Planted: y in the null space of W with qᵀy < 0; and q = J v, which always has a solution [ACLM11].
TEST(ConeInfeasible, FindsWhatWasPlantedAndNothingElse) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int contacts = 4, freedom = 6, rows = 3 * contacts + 3;
    ConeProblem problem;
    for (int i = 0; i < contacts; ++i) problem.blocks.push_back({3 * i, 3, random.uniform(0.0, 1.0)});
    problem.blocks.push_back({12, 1, 0.0, RowBounds::bilateral()});
    problem.blocks.push_back({13, 1, 0.0, {-0.3, 0.2}});
    problem.blocks.push_back({14, 1, 0.0, {-kInfinity, 0.5}});
    Eigen::MatrixXd J(rows, freedom);
    for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = random.gaussian();
    // the last contact's normal is that of all others, in reverse
    Eigen::VectorXd y = Eigen::VectorXd::Zero(rows);
    for (int i = 0; i < contacts; ++i) y[3 * i] = random.uniform(0.2, 1.0);
    y[12] = random.gaussian();
    y[14] = -random.uniform(0.0, 1.0);
    J.row(9) = -(J.transpose() * y - y[9] * J.row(9).transpose()).transpose() / y[9];
    problem.W = J * J.transpose();
    Eigen::VectorXd v(freedom);
    for (double& value : v) value = random.gaussian();
    problem.q = J * v;
    EXPECT_FALSE(find_cone_proof(problem).has_value());
    EXPECT_EQ(solve(Problem(problem), "auto", 1e-9).status, Status::kSolved);
    problem.q -= 0.1 / y.norm() * y;
    const auto proof = find_cone_proof(problem);
    ASSERT_TRUE(proof.has_value());
    EXPECT_GT(proof->bound, 1e8);
    const LcpResult result = solve(Problem(problem), "auto", 1e-9);
    EXPECT_EQ(result.status, proof->status()) << result.residual;
  }
}

TEST(ConeInfeasible, TheCheckerAcceptsNoOtherWeights) {
  const ConeProblem problem = make_press(3, 0.5);
  Eigen::VectorXd y = Eigen::VectorXd::Zero(6);
  y[0] = y[3] = 1.0;
  EXPECT_TRUE(check_infeasible(problem, y).exact);
  Eigen::VectorXd wrong = y;
  wrong[0] = -1.0;  // a contact pulls
  EXPECT_FALSE(check_infeasible(problem, wrong).holds);
  wrong = y;
  wrong[1] = 0.1;  // sliding is no sign of closing
  EXPECT_FALSE(check_infeasible(problem, wrong).holds);
  wrong = y;
  wrong[3] = 0.5;  // impulses can do this
  const ProofCheck check = check_infeasible(problem, wrong);
  EXPECT_FALSE(check.holds);
  EXPECT_NEAR(check.bound, 1.5 / 0.5, 1e-12);
  ConeProblem boxed = problem;
  boxed.blocks = {{0, 1, 0.0, {-1.0, 1.0}}, {1, 2, 0.0}, {3, 3, 0.5}};
  EXPECT_FALSE(check_infeasible(boxed, y).holds);  // a row with two bounds may move either way
}

TEST(ConeInfeasible, SparseProblemsBecomeDenseWithTheRowsInUse) {
  const ConeProblem problem = make_press(2, 0.3);
  const ConeProblem again = make_dense_cone(make_sparse_cone(problem));
  EXPECT_EQ(again.W, problem.W);
  EXPECT_EQ(again.q, problem.q);
  EXPECT_EQ(again.blocks[1].first, 2);
}

}  // namespace
}  // namespace rigor
