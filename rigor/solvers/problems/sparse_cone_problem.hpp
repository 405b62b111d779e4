#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "rigor/math/block_lu.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor {

/// ConeProblem with a W that is sparse by contacts: 3 x 3 blocks in rows, one row of blocks per contact.
///
/// A contact of fewer rows takes three all the same. In the plane the second tangent has the diagonal of the
/// first, no coupling and q = 0, so that its impulse is zero; a single row has two such tangents and mu = 0.
/// They add nothing to the residual.
struct SparseConeProblem {
  BlockPattern pattern;           // one row per contact
  std::vector<Block3> values;     // in the order of the pattern; N s to m/s
  Eigen::VectorXd q;              // 3 per contact, m/s
  Eigen::VectorXd mu;             // per contact, ≥ 0
  std::vector<int> sizes;         // per contact: rows in use, 1, 2 or 3
  std::vector<RowBounds> bounds;  // per contact, of those with one row; empty: all are one-sided

  /// The block of contact i: the set of its impulses, with rows counted from its own first one. For a single
  /// row that is not one-sided the unused tangents are not part of it.
  [[nodiscard]] ConeBlock block(int i) const {
    const auto k = static_cast<std::size_t>(i);
    if (!bounds.empty() && !bounds[k].is_one_sided()) return {0, 1, 0.0, bounds[k]};
    return {0, 3, mu[i]};
  }
  [[nodiscard]] int contacts() const { return pattern.rows(); }
  /// Throws InvalidInput saying what is wrong. Called once, at the boundary.
  void validate() const;
};

/// The same in terms of velocities, with joints: find v, r, λ with
///
///     M v = H r + G λ + f
///     Gᵀ v + b = 0
///     u = Hᵀ v + w,    K* ∋ u + mu ‖u_T‖ e_N ⟂ r ∈ K
///
/// so that W = [H G]ᵀ M⁻¹ [H G] and q = [H G]ᵀ M⁻¹ f + (w, b); the rows of λ are bilateral and come last. H
/// is velocities x contact rows, `dimension` rows per contact; G has a column per bilateral row, or none.
struct GlobalConeProblem {
  Eigen::SparseMatrix<double> M, H, G;
  Eigen::VectorXd f, w, b, mu;
  int dimension{3};  // 2 or 3

  void validate() const;
};

/// From rows of any matrix, entry by entry; zero entries leave no block. `rows` has as many rows as the
/// blocks.
[[nodiscard]] SparseConeProblem make_sparse_cone(const Eigen::SparseMatrix<double>& W,
                                                 const Eigen::VectorXd& q,
                                                 const std::vector<ConeBlock>& blocks);
[[nodiscard]] SparseConeProblem make_sparse_cone(const ConeProblem& problem);

/// W and q of a global problem, M factored by its connected parts (bodies): two contacts that touch no common
/// part do not couple. Throws InvalidInput where M is singular.
class GlobalConeReduction {
 public:
  explicit GlobalConeReduction(const GlobalConeProblem& problem);
  [[nodiscard]] const SparseConeProblem& local() const { return local_; }
  /// v = M⁻¹ (H r + G λ + f), r with three entries per block of local().
  [[nodiscard]] Eigen::VectorXd compute_velocity(const Eigen::VectorXd& r) const;

 private:
  const GlobalConeProblem& problem_;
  SparseConeProblem local_;
  std::vector<std::vector<int>> parts_;  // velocities of each
  std::vector<Eigen::MatrixXd> inverse_;
};

/// u = W r + q.
void compute_cone_velocity(const SparseConeProblem& problem, const Eigen::VectorXd& r, Eigen::VectorXd& u);

/// ‖r − P(r − û)‖₂ / ‖q‖₂ (absolute where q = 0), u recomputed: the measure of the literature, on the data
/// as they were given. Never below a thousandth of the rounding of r.
[[nodiscard]] double relative_cone_residual(const SparseConeProblem& problem, const Eigen::VectorXd& r);

/// Of a global problem with the v given, r with three entries per block of GlobalConeReduction::local().
[[nodiscard]] double relative_cone_residual(const GlobalConeProblem& problem, const Eigen::VectorXd& r,
                                            const Eigen::VectorXd& v);

/// From three entries per contact to the rows in use, contact after contact.
[[nodiscard]] Eigen::VectorXd drop_unused_rows(const std::vector<int>& sizes, const Eigen::VectorXd& x);
/// The way back, with zeros in the rows not in use.
[[nodiscard]] Eigen::VectorXd add_unused_rows(const std::vector<int>& sizes, const Eigen::VectorXd& used);

}  // namespace rigor
