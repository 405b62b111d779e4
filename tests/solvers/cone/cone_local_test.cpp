#include "rigor/solvers/cone/cone_local.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/math/random.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

// Solves one block and returns the relative residual by the definition; ‖q‖ and ‖W‖ of order 1.
double solve_alone(const Eigen::MatrixXd& W, const Eigen::VectorXd& q, double mu, Eigen::VectorXd& r) {
  const int size = static_cast<int>(q.size());
  const ConeProblem problem{W, q, {{0, size, mu}}};
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = W;
  ConeLocal local;
  local.prepare(problem.blocks[0], rows.data(), size);
  r.setZero(size);
  if (!local.solve(q.data(), false, r.data())) return HUGE_VAL;
  return relative_cone_residual(problem, r);
}

Eigen::MatrixXd gaussian(int rows, int columns, Random& random) {
  Eigen::MatrixXd A(rows, columns);
  for (double& a : A.reshaped()) a = random.gaussian();
  return A;
}

TEST(ConeLocal, SolvesRandomPositiveDefiniteBlocks) {
  Random random(7);
  double worst = 0.0;
  Eigen::VectorXd r;
  for (int i = 0; i < (kSanitized ? 5000 : 200000); ++i) {
    const int size = 1 + random.below(3);
    const Eigen::MatrixXd A = gaussian(size, size, random);
    Eigen::MatrixXd W = A * A.transpose() + 0.02 * Eigen::MatrixXd::Identity(size, size);
    W *= size / W.trace();
    worst = std::max(worst, solve_alone(W, gaussian(size, 1, random), random.uniform(0.0, 1.2), r));
  }
  EXPECT_LE(worst, 1e-13);
}

// The r given is where the search for a slide begins, and no more.
TEST(ConeLocal, TheStartDoesNotMatter) {
  Random random(9);
  int slides = 0;
  for (int i = 0; i < 5000; ++i) {
    const Eigen::MatrixXd A = gaussian(3, 3, random);
    const Eigen::Matrix<double, 3, 3, Eigen::RowMajor> W =
        (A * A.transpose() + 0.02 * Eigen::Matrix3d::Identity()) / 3.0;
    const Eigen::Vector3d q = gaussian(3, 1, random);
    const double mu = random.uniform(0.05, 1.2);
    ConeLocal local;
    local.prepare({0, 3, mu}, W.data(), 3);
    Eigen::Vector3d r = Eigen::Vector3d::Zero(), other = 10.0 * gaussian(3, 1, random);
    ASSERT_TRUE(local.solve(q.data(), false, r.data()));
    ASSERT_TRUE(local.solve(q.data(), false, other.data()));
    EXPECT_LT((r - other).norm(), 1e-11 * (1.0 + r.norm())) << i;
    slides += r[0] > 0.0 && r.tail<2>().norm() > mu * r[0] * (1.0 - 1e-12);
  }
  EXPECT_GT(slides, 500);
}

TEST(ConeLocal, SolvesUnsymmetricBlocks) {
  Random random(8);
  Eigen::VectorXd r;
  for (int i = 0; i < 5000; ++i) {
    const int size = 2 + random.below(2);
    const Eigen::MatrixXd A = gaussian(size, size, random), B = gaussian(size, size, random);
    Eigen::MatrixXd W =
        A * A.transpose() + 0.1 * Eigen::MatrixXd::Identity(size, size) + 0.3 * (B - B.transpose());
    W *= size / W.trace();
    // few: a small mu, for which a solution exists
    EXPECT_LE(solve_alone(W, gaussian(size, 1, random), random.uniform(0.0, 0.05), r), 1e-9) << i;
  }
}

TEST(ConeLocal, AContactThatNothingCanMoveAsksForNothingOrFails) {
  Eigen::VectorXd r;
  for (int size = 1; size <= 3; ++size) {
    const Eigen::MatrixXd W = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(size);
    EXPECT_EQ(solve_alone(W, q, 0.5, r), 0.0);
    q[0] = -1.0;
    EXPECT_EQ(solve_alone(W, q, 0.5, r), HUGE_VAL);
  }
}

}  // namespace
}  // namespace rigor
