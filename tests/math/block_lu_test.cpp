#include "rigor/math/block_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <set>

#include "rigor/math/random.hpp"

namespace rigor {
namespace {

struct Sample {
  BlockPattern pattern;
  std::vector<Block3> values;
  Eigen::MatrixXd dense;
};

// A random symmetric graph, diagonal blocks that dominate; `shift` is taken off the diagonal.
Sample make_sample(int n, int edges, bool symmetric, double shift, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::set<int>> neighbours(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) neighbours[static_cast<std::size_t>(i)].insert(i);
  for (int e = 0; e < edges; ++e) {
    const int a = random.below(n), b = random.below(n);
    neighbours[static_cast<std::size_t>(a)].insert(b);
    neighbours[static_cast<std::size_t>(b)].insert(a);
  }
  Sample sample;
  sample.dense.setZero(3 * n, 3 * n);
  for (int i = 0; i < n; ++i)
    for (const int j : neighbours[static_cast<std::size_t>(i)])
      if (!symmetric || j <= i)
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) sample.dense(3 * i + r, 3 * j + c) = random.gaussian();
  if (symmetric) sample.dense = (sample.dense + sample.dense.transpose()).eval();
  sample.dense.diagonal().array() += 6.0 - shift;
  for (int i = 0; i < n; ++i) {
    for (const int j : neighbours[static_cast<std::size_t>(i)]) {
      sample.pattern.column.push_back(j);
      Block3 block = Block3::zero();
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) block(r, c) = sample.dense(3 * i + r, 3 * j + c);
      sample.values.push_back(block);
    }
    sample.pattern.begin.push_back(static_cast<int>(sample.pattern.column.size()));
  }
  return sample;
}

TEST(BlockLu, SolvesWhatEigenSolvesDenseAndSparse) {
  BlockLu lu;
  for (const int n : {1, 5, 12, 30, 80}) {
    const Sample sample = make_sample(n, n + n / 2, false, 0.0, static_cast<std::uint64_t>(n));
    lu.analyse(sample.pattern);
    lu.values() = sample.values;
    ASSERT_TRUE(lu.factor());
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3 * n, -1.0, 2.0);
    Eigen::VectorXd x;
    lu.solve(b, x);
    EXPECT_LT((sample.dense * x - b).norm(), 1e-9 * b.norm()) << n;
    EXPECT_EQ(lu.is_dense(), n <= 12) << n;
  }
}

// Bodies of two nodes in a ring with chords. Half of the pairs are coupled by nothing, as those whose contacts are open,
// some by one node alone: blocks that are zero are passed over, and must leave no trace.
TEST(BlockLu, BlocksMayBeZeroInPairsAndAlone) {
  constexpr int kBodies = 40, kRows = 2 * kBodies;
  Random random(3);
  BlockPattern pattern;
  std::vector<Block3> values;
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * kRows, 3 * kRows);
  const auto couples = [](int a, int b) {
    const int apart = std::abs(a - b);
    return apart <= 1 || apart == kBodies - 1 || apart == 7 || apart == kBodies - 7;
  };
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kRows; ++j) {
      const int a = i / 2, b = j / 2;
      if (!couples(a, b)) continue;
      const int kind = (a + b) % 4;  // of a pair: all, nothing, one node of each, nothing
      const bool is_filled = a == b || kind == 0 || (kind == 2 && i % 2 == 0 && j % 2 == 0);
      Block3 block = Block3::zero();
      for (int r = 0; is_filled && r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          block(r, c) = dense(3 * i + r, 3 * j + c) = random.gaussian() + (i == j && r == c ? 9.0 : 0.0);
      pattern.column.push_back(j);
      values.push_back(block);
    }
    pattern.begin.push_back(static_cast<int>(pattern.column.size()));
  }
  BlockLu lu;
  lu.require_sparse();
  lu.analyse(pattern);
  lu.values() = values;
  ASSERT_TRUE(lu.factor());
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3 * kRows, -1.0, 2.0);
  Eigen::VectorXd x;
  lu.solve(b, x);
  EXPECT_LT((dense * x - b).norm(), 1e-12 * b.norm());
}

TEST(BlockLu, RowsOfTheIdentityAreNotLookedAt) {
  for (const int n : {6, 40}) {
    Sample sample = make_sample(n, 2 * n, false, 0.0, 7);
    std::vector<char> is_identity(static_cast<std::size_t>(n), 0);
    for (int i = 0; i < n; i += 3) {
      is_identity[static_cast<std::size_t>(i)] = 1;
      sample.dense.middleRows(3 * i, 3).setZero();
      sample.dense.block(3 * i, 3 * i, 3, 3).setIdentity();
    }
    BlockLu lu;
    lu.analyse(sample.pattern);
    lu.values() = sample.values;
    ASSERT_TRUE(lu.factor(&is_identity));
    const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(3 * n, 1.0, 2.0);
    Eigen::VectorXd x;
    lu.solve(b, x);
    EXPECT_LT((sample.dense * x - b).norm(), 1e-9 * b.norm());
  }
}

TEST(BlockLu, CountsNegativeEigenvaluesBySylvester) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample sample = make_sample(25, 40, true, 4.0, seed);
    BlockLu lu;
    lu.require_sparse();
    lu.analyse(sample.pattern);
    lu.values() = sample.values;
    ASSERT_TRUE(lu.factor());
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(sample.dense, Eigen::EigenvaluesOnly);
    EXPECT_EQ(lu.count_negative(), (solver.eigenvalues().array() < 0.0).count()) << seed;
  }
}

TEST(BlockLu, ASingularBlockIsReported) {
  BlockLu lu;
  lu.require_sparse();
  lu.analyse({{0, 1}, {0}});
  lu.values()[0] = Block3::zero();
  EXPECT_FALSE(lu.factor());
  Block3 inverse;
  EXPECT_FALSE(invert(Block3::zero(), inverse));
  EXPECT_TRUE(invert(Block3::identity(), inverse));
}

}  // namespace
}  // namespace rigor
