#pragma once

#include <Eigen/Core>
#include <vector>

#include "rigor/base/require.hpp"
#include "rigor/model/model.hpp"

/// Symmetric matrices with the sparsity of a forest of speeds, and their factor without fill-in. The parent
/// of a speed is the one before it on the way to the root of its tree.
///
///     M(i, j) ≠ 0 only where j is on the way from i to its root, or i on the way from j
///
/// Row i holds i itself and then the speeds on its way to the root. The row of an ancestor is the tail of
/// that list, so that elimination is a sequence of updates of contiguous numbers. With L unit lower
/// triangular on the same pattern and D diagonal,
///
///     M = Lᵀ D L.                                                                                    (1)
///
/// [F08] R. Featherstone. Rigid Body Dynamics Algorithms. Springer, 2008, 6.5 and 8.3 (branch-induced
///       sparsity).
namespace rigor {

/// A correct model that is larger than the algorithms here can take.
class TooLarge : public InvalidInput {
 public:
  using InvalidInput::InvalidInput;
};

/// Most entries of the mass matrix of all trees together: a chain of 4000 joints is still within it.
inline constexpr std::size_t kMaxTreeEntries = 10'000'000;

/// The pattern: for each row where it starts, and the columns of its entries, itself first.
struct TreePattern {
  std::vector<int> start;    // n + 1
  std::vector<int> columns;  // start[n]

  [[nodiscard]] int size() const { return static_cast<int>(start.size()) - 1; }
  /// Whether speed `begin` is a root and each of the next count − 1 speeds has the one before as its parent.
  [[nodiscard]] bool is_chain(int begin, int count) const {
    const int* const row = start.data() + begin;
    return row[count] - row[0] == count * (count + 1) / 2;
  }
  /// Whether a chain of six speeds begins (ends) with speed i: those of a free body, for which loops have a
  /// fixed length.
  [[nodiscard]] bool begins_six(int i) const {
    return i + 6 <= size() &&
           start[static_cast<std::size_t>(i) + 1] - start[static_cast<std::size_t>(i)] == 1 && is_chain(i, 6);
  }
  [[nodiscard]] bool ends_six(int i) const { return i >= 5 && begins_six(i - 5); }
};

/// Throws TooLarge.
[[nodiscard]] TreePattern make_tree_pattern(const Model& model);

/// The lower triangle of a symmetric matrix on a pattern.
struct TreeMatrix {
  const TreePattern* pattern{nullptr};
  Eigen::VectorXd values;

  [[nodiscard]] double diagonal(int i) const { return values[pattern->start[static_cast<std::size_t>(i)]]; }
  /// y = M x
  void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& y) const;
  /// Adds the block of the speeds begin … end, a whole tree, to `dense` at `offset`.
  void add_to_dense(int begin, int end, int offset, Eigen::MatrixXd& dense) const;
  [[nodiscard]] Eigen::MatrixXd to_dense() const;
};

/// The factor (1) of the free speeds. Rows and columns of prescribed speeds are those of the unit matrix, so
/// that solve() leaves their entries of the right-hand side as they are.
class TreeFactor {
 public:
  /// `extra` is added to the diagonal (springs and dampers in joints); `is_fixed[i]` marks a prescribed
  /// speed.
  void compute(const TreeMatrix& M, const Eigen::VectorXd& extra, const std::vector<char>& is_fixed);

  /// Whether a speed of begin … end, a whole tree, has no inertia: then the functions below must not be
  /// called for this tree.
  [[nodiscard]] bool is_singular(int begin, int end) const;

  /// b ← M⁻¹ b for the speeds begin … end of one or more whole trees.
  void solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const;
  /// b ← D^(-1/2) L^(-T) b, so that ‖b‖² becomes bᵀ M⁻¹ b.
  void half_solve(int begin, int end, Eigen::Ref<Eigen::VectorXd> b) const;
  /// The same for the three columns of b, end − begin numbers each, one after the other.
  void half_solve_three(int begin, int end, double* b) const;
  /// The same two for a free body: a tree of six speeds that form a chain.
  void solve_six(int begin, double* b) const;
  void half_solve_six(int begin, double* b) const { half_solve_six(begin, 1, b, b); }
  /// y from b, for `count` vectors of six numbers one after the other.
  void half_solve_six(int begin, int count, const double* b, double* y) const;

 private:
  void factor_row(int i, double whole);
  void factor_six(int begin, const TreeMatrix& M, const Eigen::VectorXd& extra,
                  const std::vector<char>& is_fixed);

  const TreePattern* pattern_{nullptr};
  Eigen::VectorXd values_;                  // L below, D on the diagonal
  Eigen::VectorXd inverse_, inverse_root_;  // 1/D, 1/√D
  std::vector<char> is_apart_;  // of the first of six speeds: rotation and translation do not couple
};

}  // namespace rigor
