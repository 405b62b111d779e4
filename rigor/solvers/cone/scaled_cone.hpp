#pragma once

#include "rigor/solvers/cone/cone_matrix.hpp"

namespace rigor {

/// A cone problem in the units of its ConeMatrix, three rows per contact, with the measure by which answers
/// are judged: the residual of the problem as given, not of the scaled one.
struct ScaledCone {
  ConeMatrix* W{nullptr};
  Eigen::VectorXd q, mu;
  std::vector<RowBounds> bounds;  // per contact, scaled: SparseConeProblem::bounds; empty: all one-sided
  std::vector<ConeLocal> local;
  double impulse_unit{1.0};  // 1/kg: factor of impulses in the residual; in a step the mean diagonal of W
  double divisor{1.0};       // the residual is divided by it: ‖q‖ of the problem as given, or 1
  bool associated{false};

  /// Fills in the rest once W is set. `q` in m/s as given, bounds in N s.
  void set(ConeMatrix& matrix, const Eigen::VectorXd& q_given, const Eigen::VectorXd& mu_given,
           const std::vector<RowBounds>& bounds_given = {});

  /// Is contact i a single row that is not one-sided?
  [[nodiscard]] bool has_bounds(int i) const {
    return !bounds.empty() && !bounds[static_cast<std::size_t>(i)].is_one_sided();
  }
  /// As SparseConeProblem::block(), scaled.
  [[nodiscard]] ConeBlock block(int i) const {
    if (has_bounds(i)) return {0, 1, 0.0, bounds[static_cast<std::size_t>(i)]};
    return {0, 3, mu.data()[i]};
  }
  [[nodiscard]] int contacts() const { return W->contacts(); }
  /// u = W r + q.
  void compute_velocity(const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;
  void project(Eigen::VectorXd& r) const;
  bool sweep(Eigen::VectorXd& r) const { return W->sweep(q, local, r); }

  /// Impulses as given from scaled ones, and back.
  void to_given(const Eigen::VectorXd& r, Eigen::VectorXd& given) const;
  void from_given(const Eigen::VectorXd& given, Eigen::VectorXd& r) const;
};

}  // namespace rigor
