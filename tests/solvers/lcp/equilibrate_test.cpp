// Tests equilibrate.cpp and polish.cpp: what is done to a problem before and after a method.
#include "rigor/solvers/lcp/equilibrate.hpp"

#include "rigor/solvers/lcp/polish.hpp"
#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(Equilibration, BringsRowsAndColumnsNearOneByPowersOfTwo) {
  const LcpProblem problem = make_random_lcp(LcpClass::kBadlyScaled, 20, 3);
  Equilibration scaling;
  scaling.compute(problem, true);
  LcpProblem scaled;
  scaling.apply(problem, scaled);
  for (Eigen::Index i = 0; i < 20; ++i) {
    EXPECT_GT(scaled.M.row(i).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT(scaled.M.row(i).cwiseAbs().maxCoeff(), 10.0);
    EXPECT_GT(scaled.M.col(i).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_LT(scaled.M.col(i).cwiseAbs().maxCoeff(), 10.0);
    int exponent = 0;
    EXPECT_EQ(std::frexp(scaling.row[i], &exponent), 0.5);
    EXPECT_EQ(std::frexp(scaling.column[i], &exponent), 0.5);
  }
}

TEST(Equilibration, LeavesAWellScaledMatrixAlone) {
  const LcpProblem problem{Eigen::Matrix2d{{2, 1}, {1, 2}}, Eigen::Vector2d(-1, 1)};
  Equilibration scaling;
  scaling.compute(problem, true);
  EXPECT_EQ(scaling.row, Eigen::VectorXd::Ones(2));
  EXPECT_EQ(scaling.column, Eigen::VectorXd::Ones(2));
}

// M' in single precision, whatever way it was found: M as it is, one factor for all, one for each row and
// column
TEST(Equilibration, RoundsTheScaledMatrixOnTheWay) {
  for (const LcpClass lcp_class : {LcpClass::kPSymmetric, LcpClass::kDominant, LcpClass::kBadlyScaled}) {
    const LcpProblem problem = make_random_lcp(lcp_class, 41, 3);
    Equilibration scaling;
    Eigen::MatrixXf single;
    scaling.compute(problem, true, &single);
    LcpProblem scaled;
    scaling.apply(problem, scaled);
    ASSERT_EQ(single.rows(), 48);
    EXPECT_EQ(Eigen::MatrixXf(single.topRows(41)), Eigen::MatrixXf(scaled.M.cast<float>()));
    EXPECT_EQ(single.bottomRows(7).cwiseAbs().maxCoeff(), 0.0f);
    EXPECT_EQ(scaling.largest, scaled.M.cwiseAbs().maxCoeff());
  }
}

// a solution spoilt in its sixth digit comes back to rounding; a point that is nowhere near is never made
// worse
TEST(Polish, SharpensAGoodGuessAndNeverWorsensABadOne) {
  Random random(6);
  for (int k = 0; k < 50; ++k) {
    const LcpProblem lcp = make_random_lcp(LcpClass::kPSymmetric, 10, random.next());
    const MlcpProblem problem = to_mlcp(lcp);
    Eigen::VectorXd good = solve(lcp, LemkeOptions{}).z, bad(10);
    for (int i = 0; i < 10; ++i) {
      if (good[i] > 0.0) good[i] *= 1.0 + 1e-6 * random.gaussian();
      bad[i] = random.uniform();
    }
    EXPECT_LT(polish(problem, {}, good), 1e-13);
    const double before = natural_residual(problem, bad);
    EXPECT_LE(polish(problem, {}, bad), before);
    EXPECT_LE(natural_residual(problem, bad), before);
  }
}

}  // namespace
}  // namespace rigor
