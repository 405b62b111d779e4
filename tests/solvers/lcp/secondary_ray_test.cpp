#include "rigor/solvers/lcp/secondary_ray.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/lcp/matrix_class.hpp"

namespace rigor {
namespace {

// by hand, v = (1, 1): M = [1 −3; −1 1] has Mv = (−2, 0), vᵀMv = −2
TEST(Ray, SaysWhatItsCurvatureProves) {
  const Eigen::Vector2d v(1, 1), q(-1, -1);
  EXPECT_EQ(read_ray({Eigen::Matrix2d{{1, -3}, {-1, 1}}, q}, v).fact, RayFact::kNotCopositive);
  EXPECT_EQ(read_ray({Eigen::Matrix2d{{1, -1}, {-1, 1}}, q}, v).fact, RayFact::kZero);
  EXPECT_EQ(read_ray({Eigen::Matrix2d{{1, 0}, {0, 1}}, q}, v).fact, RayFact::kNothing);
  EXPECT_TRUE(read_ray({Eigen::Matrix2d{{1, -3}, {-2, 1}}, q}, v).no_p_matrix);
  EXPECT_FALSE(read_ray({Eigen::Matrix2d{{1, -3}, {-1, 1}}, q}, v).no_p_matrix);  // (Mv)_2 = 0 is not certain
  EXPECT_THAT(describe_ray({Eigen::Matrix2d{{1, -3}, {-2, 1}}, q}, v),
              testing::AllOf(testing::HasSubstr("vᵀMv = -3 < 0: M is not copositive"),
                             testing::HasSubstr("M is no P-matrix")));
}

// what a ray says of the class must agree with classify(), which looks at all principal submatrices
TEST(Ray, NeverContradictsTheClassOfTheMatrix) {
  Random random(23);
  int rays = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 2 + random.below(5);
    LcpProblem problem{Eigen::MatrixXd(n, n), Eigen::VectorXd(n)};
    for (int i = 0; i < n; ++i) {
      problem.q[i] = random.gaussian();
      for (int j = 0; j < n; ++j) problem.M(i, j) = random.gaussian();
    }
    const LcpResult result = solve(problem, LemkeOptions{});
    if (result.status != Status::kRay) continue;
    ++rays;
    const RayReading reading = read_ray(problem, result.ray);
    const MatrixClass matrix_class = classify(problem.M);
    EXPECT_NE(reading.fact, RayFact::kNothing);
    if (reading.fact == RayFact::kNotCopositive) {
      EXPECT_FALSE(matrix_class.copositive.value());
    }
    if (reading.no_p_matrix) {
      EXPECT_FALSE(matrix_class.p_matrix.value());
    }
  }
  EXPECT_GT(rays, 10);
}

}  // namespace
}  // namespace rigor
