#include "rigor/solvers/lcp/matrix_class.hpp"

#include <gmock/gmock.h>

#include <Eigen/LU>

#include "tests/solvers/lcp/expect_solves.hpp"

namespace rigor {
namespace {

TEST(MatrixClass, KnowsTextbookMatrices) {
  const MatrixClass identity = classify(Eigen::Matrix3d::Identity());
  EXPECT_TRUE(identity.symmetric && identity.positive_definite && *identity.p_matrix && identity.z_matrix);
  EXPECT_EQ(identity.rank, 3);

  // P without being positive definite: [1 −3; 0 1]
  const MatrixClass p = classify(Eigen::Matrix2d{{1, -3}, {0, 1}});
  EXPECT_TRUE(*p.p_matrix);
  EXPECT_FALSE(p.positive_semidefinite);
  EXPECT_TRUE(p.z_matrix);

  // the Horn matrix: copositive, neither PSD nor the sum of a PSD and a nonnegative one [Hall, Newman 1963]
  Eigen::MatrixXd horn(5, 5);
  horn << 1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1;
  const MatrixClass h = classify(horn);
  EXPECT_TRUE(*h.copositive);
  EXPECT_FALSE(*h.strictly_copositive);
  EXPECT_FALSE(h.positive_semidefinite);
  horn(0, 0) -= 1e-6;
  EXPECT_FALSE(*classify(horn).copositive);

  const MatrixClass skew = classify(Eigen::Matrix2d{{0, 1}, {-1, 0}});
  EXPECT_TRUE(skew.positive_semidefinite);
  EXPECT_FALSE(*skew.p_matrix);
}

// P by definition: all 2ⁿ − 1 principal minors positive
TEST(MatrixClass, AgreesWithTheDefinitionOfP) {
  Random random(8);
  int found = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 1 + random.below(5);
    Eigen::MatrixXd M(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(i, j) = random.gaussian() + (i == j ? 1.5 : 0.0);
    bool all = true;
    for (int mask = 1; mask < (1 << n); ++mask) {
      std::vector<int> members;
      for (int i = 0; i < n; ++i)
        if (mask >> i & 1) members.push_back(i);
      all = all && Eigen::MatrixXd(M(members, members)).determinant() > 0.0;
    }
    EXPECT_EQ(*classify(M).p_matrix, all);
    found += all;
  }
  EXPECT_GT(found, 30);
}

TEST(MatrixClass, NamesTheGuarantee) {
  EXPECT_EQ(
      classify(make_random_lcp(LcpClass::kPSymmetric, 6, 1).M).guarantee(),
      "P-matrix: one solution for every q, found by lemke, murty, principal-pivot, block-pivot, dantzig, "
      "enumerate, interior-point, pgs.");
  EXPECT_TRUE(classify(make_random_lcp(LcpClass::kDominant, 40, 1).M).p_matrix.value_or(false));
  EXPECT_THAT(classify(make_random_lcp(LcpClass::kPsdFeasible, 8, 1).M).guarantee(),
              testing::StartsWith("positive semidefinite"));
  EXPECT_THAT(classify(make_random_lcp(LcpClass::kCopositive, 8, 1).M).guarantee(),
              testing::StartsWith("strictly copositive"));
  EXPECT_EQ(classify(make_random_lcp(LcpClass::kPsdFeasible, 10, 1).M).rank, 5);
}

}  // namespace
}  // namespace rigor
