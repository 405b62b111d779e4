#include "rigor/solvers/lcp/active_block.hpp"

#include <gtest/gtest.h>

#include "rigor/math/random.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"

namespace rigor {
namespace {

// sets that wander by a few members, and now and then by many: M x = r on F whatever way it was solved
TEST(ActiveBlock, SolvesEverySetOnItsOldFactorOrANewOne) {
  for (const LcpClass lcp_class : {LcpClass::kP, LcpClass::kPSymmetric}) {
    const int n = 120;
    const Eigen::MatrixXd M = make_random_lcp(lcp_class, n, 2).M;
    Random random(4);
    ActiveBlock<double> block;
    block.start(M, lcp_class == LcpClass::kPSymmetric);
    std::vector<char> member(n, 1);
    for (int round = 0; round < 60; ++round) {
      const int changes = round % 10 == 9 ? 40 : random.below(5);
      for (int k = 0; k < changes; ++k) member[static_cast<std::size_t>(random.below(n))] ^= 1;
      Eigen::VectorXd r(n);
      for (int i = 0; i < n; ++i) r[i] = random.gaussian();
      ASSERT_TRUE(block.set(member));
      Eigen::VectorXd x = r;
      block.solve_in_place(x);
      const Eigen::VectorXd image = M * x;
      for (int i = 0; i < n; ++i) {
        if (member[static_cast<std::size_t>(i)]) {
          EXPECT_NEAR(image[i], r[i], 1e-9);
        } else {
          EXPECT_EQ(x[i], 0.0);
        }
      }
    }
    EXPECT_LT(block.factorisations(), 40);  // many rounds were solved without one
  }
}

TEST(ActiveBlock, SaysThatABlockIsSingular) {
  ActiveBlock<double> block;
  const Eigen::MatrixXd M = Eigen::MatrixXd::Ones(3, 3);
  block.start(M, true);
  EXPECT_TRUE(block.set({1, 0, 0}));
  EXPECT_FALSE(block.set({1, 1, 0}));
  EXPECT_TRUE(block.set({0, 1, 0}));
}

}  // namespace
}  // namespace rigor
