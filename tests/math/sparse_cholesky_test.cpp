#include "rigor/math/sparse_cholesky.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

// The five-point Laplacian of an n x n grid plus a diagonal: positive definite, with much fill.
Eigen::SparseMatrix<double> make_grid(int n, double diagonal) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int k = n * i + j;
      entries.emplace_back(k, k, 4.0 + diagonal);
      if (j + 1 < n) entries.emplace_back(k + 1, k, -1.0);
      if (i + 1 < n) entries.emplace_back(k + n, k, -1.0);
    }
  Eigen::SparseMatrix<double> lower(n * n, n * n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

class SparseCholeskyBy : public testing::TestWithParam<FactorLibrary> {
 protected:
  void SetUp() override {
    if (GetParam() == FactorLibrary::kCholmod && !has_cholmod())
      GTEST_SKIP() << "built without CHOLMOD: configure with -DRIGOR_WITH_CHOLMOD=ON";
  }
};

TEST_P(SparseCholeskyBy, SolvesAsADenseFactorDoes) {
  SparseCholesky cholesky(GetParam());
  Random random(3);
  // the second and third reuse the order of the first and second; the last is another pattern
  for (const auto& [n, diagonal] : {std::pair{7, 0.1}, {7, 2.0}, {20, 0.01}, {7, 0.1}}) {
    const Eigen::SparseMatrix<double> lower = make_grid(n, diagonal);
    const Eigen::MatrixXd A = Eigen::MatrixXd(lower).selfadjointView<Eigen::Lower>();
    Eigen::VectorXd b(n * n), x;
    for (double& value : b) value = random.gaussian();
    ASSERT_TRUE(cholesky.factor(lower));
    cholesky.solve(b, x);
    EXPECT_LT((A * x - b).norm(), 1e-11 * b.norm());
  }
}

TEST_P(SparseCholeskyBy, RefusesWhatIsNotPositiveDefinite) {
  SparseCholesky cholesky(GetParam());
  EXPECT_FALSE(cholesky.factor(make_grid(5, -8.0)));
  EXPECT_TRUE(cholesky.factor(make_grid(5, 1.0)));
}

INSTANTIATE_TEST_SUITE_P(Libraries, SparseCholeskyBy,
                         testing::Values(FactorLibrary::kEigen, FactorLibrary::kCholmod),
                         [](const auto& library) {
                           return std::string(
                               factor_library_names()[static_cast<std::size_t>(library.param)]);
                         });

TEST(FactorLibrary, NamesThatAreNotThereAreRefused) {
  EXPECT_EQ(make_factor_library("eigen"), FactorLibrary::kEigen);
  const auto refusal_of = [](std::string_view name) {
    return test::message_of([&] { (void)make_factor_library(name); });
  };
  EXPECT_EQ(refusal_of("mkl"), "\"mkl\" does not factor matrices here. Use eigen or cholmod.");
  EXPECT_EQ(refusal_of("cholmod").empty(), has_cholmod());
}

}  // namespace
}  // namespace rigor
