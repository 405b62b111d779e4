#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/math/block3.hpp"
#include "rigor/math/dense_lu.hpp"

namespace rigor {

/// Sparse rows of blocks: row i has the columns column[begin[i]] … in increasing order, itself among them.
/// The pattern is symmetric, the values need not be.
struct BlockPattern {
  std::vector<int> begin{0}, column;

  [[nodiscard]] int rows() const { return static_cast<int>(begin.size()) - 1; }
  friend bool operator==(const BlockPattern&, const BlockPattern&) = default;
};

/// Sparse LU factors of a matrix of 3 x 3 blocks with a symmetric pattern [Davis06, ch. 6]. Blocks are
/// eliminated in an order of minimum degree (Eigen's AMD) without exchanges between them; each diagonal block
/// is inverted with pivoting. That is safe for M + Jᵀ C J and for the Newton matrices of cone problems, whose
/// diagonal blocks are their own Schur complements; elsewhere a diagonal block may become singular, and
/// factor() says so. Small and nearly full matrices are factored by DenseLu.
///
/// Rows that follow each other with the same columns, as the nodes of one body, are a group: order and fill are
/// found for groups, and two rows of a group are eliminated together, so that what they need is read once.
///
/// The analysis is kept while the pattern stays; nothing is allocated then. Every entry is updated in the
/// order of the columns, without fused multiply-add: the same bits on every machine.
///
/// [Davis06] Davis. Direct Methods for Sparse Linear Systems. SIAM, 2006.
class BlockLu {
 public:
  /// Finds order and fill for a pattern; does nothing where it is the pattern of the last call.
  void analyse(const BlockPattern& pattern);

  /// Forgets the pattern, keeps the storage: the next analyse() begins anew.
  void forget() { analysed_ = false; }

  /// Values in the order of the pattern, to be filled in before factor().
  [[nodiscard]] std::vector<Block3>& values() { return values_; }

  /// `is_identity` (or null) marks rows that are those of the identity matrix: their values are not read.
  /// False where a diagonal block is singular to rounding or not finite.
  [[nodiscard]] bool factor(const std::vector<char>* is_identity = nullptr);

  /// x = A⁻¹ b; b and x of 3 entries per row, x may be b.
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x);

  /// How many eigenvalues of a symmetric matrix are negative, by the signs of the pivots (Sylvester). Only
  /// after factor() with require_sparse().
  [[nodiscard]] int count_negative() const;
  /// Makes all further calls of analyse() choose the sparse factor, never DenseLu.
  void require_sparse() { sparse_only_ = true; }

  /// Multiplications and additions of one factor().
  [[nodiscard]] double flops() const { return flops_; }
  [[nodiscard]] bool is_dense() const { return dense_; }

 private:
  struct Elimination;
  void find_groups();
  void find_order();
  void find_group_fill();
  void find_lengths();
  void find_columns();
  void find_sources();
  [[nodiscard]] Elimination elimination();
  [[nodiscard]] bool factor_dense(const std::vector<char>* is_identity);
  [[nodiscard]] bool factor_sparse(const std::vector<char>* is_identity);

  BlockPattern pattern_;
  std::vector<Block3> values_;
  std::vector<int> group_begin_, group_of_;    // rows of each group, and back
  std::vector<int> group_at_, group_place_;    // elimination step of groups → group, and back
  std::vector<int> upper_begin_, upper_;       // by steps of groups: those that its elimination changes
  std::vector<int> first_child_, next_child_;  // of the elimination tree of groups
  std::vector<int> mark_, before_;             // by steps of groups: last visited by; blocks of L in a row
  std::vector<int> step_begin_;         // first elimination step of the rows of each group, by its step
  std::vector<int> row_at_, place_of_;  // elimination step → row, and back
  std::vector<int> begin_, column_, diagonal_;    // pattern of L and U together, by elimination steps
  std::vector<char> pairs_with_next_;             // by elimination steps
  std::vector<Block3> factors_, inverse_, work_;  // L (unit) and U; inverses of U's diagonal blocks
  struct alignas(64) Twin {
    double v[8];
  };
  std::vector<Twin> twins_;
  std::vector<int> source_begin_, source_;  // pattern entries, step by step, and
  std::vector<int> target_;                 // the step of their column
  std::vector<char> skipped_;
  double flops_{0.0};
  bool dense_{false}, sparse_only_{false}, analysed_{false};
  DenseLu dense_lu_;
  std::vector<Padded3> y_;
};

/// The inverse of a block by pivoted elimination. False where it is singular or not finite.
[[nodiscard]] bool invert(const Block3& block, Block3& inverse);

}  // namespace rigor
