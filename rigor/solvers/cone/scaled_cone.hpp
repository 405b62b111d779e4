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

/// F of Alart and Curnier [AC91] and its generalised derivatives A with respect to r and B to u. With t = r −
/// u:
///
///     t_N ≤ 0            F = r                                                  open
///     ‖t_T‖ ≤ mu t_N     F_N = u_N,   F_T = u_T                                 stick
///     else               F_N = u_N,   F_T = r_T − mu t_N t_T / ‖t_T‖            slide                (1)
///
/// A row with bounds has F_N = r_N − clamp(t_N), F_T = r_T.
///
/// [AC91] Alart, Curnier. A mixed formulation for frictional contact problems prone to Newton like solution
///        methods. Comput. Methods Appl. Mech. Eng. 92, 1991.
void map_coulomb(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                 Eigen::VectorXd& F, ConeRows& rows);
/// F alone.
void map_coulomb(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                 Eigen::VectorXd& F);

}  // namespace rigor
