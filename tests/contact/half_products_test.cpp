#include "rigor/contact/half_products.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "rigor/math/random.hpp"

namespace rigor {
namespace {

Eigen::MatrixXd draw(Random& random, Eigen::Index rows, Eigen::Index columns) {
  Eigen::MatrixXd A(rows, columns);
  for (double& value : A.reshaped()) value = random.gaussian();
  return A;
}

TEST(HalfProducts, AgreeWithMatricesOfEveryLength) {
  Random random(3);
  for (Eigen::Index n = 0; n <= 33; ++n) {
    const Eigen::MatrixXd A = draw(random, n, 3), B = draw(random, n, 3);
    const Eigen::VectorXd x = draw(random, n, 1), r = draw(random, 3, 1);
    Eigen::VectorXd u = draw(random, 3, 1), f = draw(random, n, 1);
    Eigen::MatrixXd W = draw(random, 5, 3);
    const Eigen::VectorXd u_exact = u + A.transpose() * x, f_exact = f + A * r;
    Eigen::MatrixXd W_exact = W;
    W_exact.topRows(3) += A.transpose() * B;
    call_with_avx<add_transposed_three>(A.data(), static_cast<long>(n), static_cast<long>(n), x.data(),
                                        u.data());
    call_with_avx<add_product_three>(A.data(), static_cast<long>(n), static_cast<long>(n), r.data(),
                                     f.data());
    call_with_avx<add_squares_three>(A.data(), B.data(), static_cast<long>(n), W.data(), 5L);
    EXPECT_LT((u - u_exact).norm(), 1e-13 * (1.0 + static_cast<double>(n))) << n;
    EXPECT_LT((f - f_exact).norm(), 1e-13 * (1.0 + static_cast<double>(n))) << n;
    EXPECT_LT((W - W_exact).norm(), 1e-13 * (1.0 + static_cast<double>(n))) << n;
  }
}

TEST(HalfProducts, HaveTheSameBitsWithoutAvx) {
  Random random(4);
  const Eigen::MatrixXd A = draw(random, 27, 3), B = draw(random, 27, 3);
  Eigen::MatrixXd one = Eigen::MatrixXd::Zero(3, 3), other = one;
  call_with_avx<add_squares_three>(A.data(), B.data(), 27L, one.data(), 3L);
  add_squares_three(A.data(), B.data(), 27L, other.data(), 3L);
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace rigor
