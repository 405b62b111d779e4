#pragma once

#include "rigor/dynamics/applied_forces.hpp"
#include "rigor/dynamics/constrained_inertia.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"

namespace rigor {

/// A model at one motion, with everything that a step or a projection needs: kinematics, mass matrix and its
/// factor, the equations of every island. Words of this file:
///
///     tree      bodies connected by joints; trees alone are independent of each other
///     row       one equation of a constraint or a spring (IslandRows)
///     island    trees that rows tie together (islands.hpp)
///     unit      what is factored together: an island, or a tree that no row ties
///
/// The functions are called in the order in which they stand here. Nothing is allocated once every function
/// has been called.
class ConstrainedSystem {
 public:
  /// The model must outlive the system.
  explicit ConstrainedSystem(const Model& model);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const Islands& islands() const { return islands_; }

  /// Kinematics at q, v, with the accelerations at v̇ = 0 of a world at rest.
  void set_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  /// The same where the caller has the positions and velocities of q, v at hand: takes them, and leaves others.
  void take_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v, Kinematics<double>& kin);
  [[nodiscard]] const Kinematics<double>& kinematics() const { return kin_; }
  [[nodiscard]] MotionView view(double t) const { return {*model_, t, q_, v_, zero_, kin_}; }
  [[nodiscard]] const Eigen::VectorXd& v() const { return v_; }

  /// The equations at time t [s].
  void compute_rows(double t);
  [[nodiscard]] const IslandRows& rows(std::size_t island) const { return rows_[island]; }

  /// M and its factor with `extra` on the diagonal.
  void compute_inertia(const Eigen::VectorXd& extra);
  [[nodiscard]] const TreeMatrix& M() const { return M_; }

  /// Factors the islands with the compliances ε of their rows, one vector per island: see ConstrainedInertia.
  /// Returns −1, or a speed that moves in a motion which meets neither inertia nor a row.
  [[nodiscard]] int factor_rows(const std::vector<Eigen::VectorXd>& epsilon);
  /// The same for one island, when only it has changed.
  [[nodiscard]] int factor_island(std::size_t island, const Eigen::VectorXd& epsilon);

  /// Solves M x − Jᵀ p = f, J x + ε p = b for all islands, and M x = f for trees without rows. On entry x
  /// holds the prescribed speeds; afterwards multipliers(i) is p of island i.
  void solve(const Eigen::VectorXd& f, const std::vector<Eigen::VectorXd>& b, Eigen::VectorXd& x);
  /// The same for f = M v + change, M with `extra`. Trees without rows and prescribed speeds get x = v + M⁻¹
  /// change, in which only the change is rounded. Rounding of the whole momentum M v in every step would add
  /// up, always in one direction while a speed grows evenly.
  void solve(const Eigen::VectorXd& f, const Eigen::VectorXd& change, const Eigen::VectorXd& v,
             const std::vector<Eigen::VectorXd>& b, Eigen::VectorXd& x);
  void solve_island(std::size_t island, const Eigen::VectorXd& b, Eigen::VectorXd& x);
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const { return p_[island]; }
  [[nodiscard]] const ConstrainedInertia& inertia(std::size_t island) const { return inertia_[island]; }

  /// Units are numbered: first the islands, then the trees without rows. A force on one unit does not move
  /// another.
  [[nodiscard]] int unit_count() const {
    return static_cast<int>(islands_.list.size() + islands_.alone.size());
  }
  [[nodiscard]] int unit_of(int speed) const { return unit_of_[static_cast<std::size_t>(speed)]; }
  [[nodiscard]] int unit_speeds(int unit) const;
  /// The first speed of a unit that is a tree without rows, −1 for an island.
  [[nodiscard]] int first_speed(int unit) const;
  /// The number of a speed among those of its unit.
  [[nodiscard]] int local_speed(int speed) const { return islands_.local[static_cast<std::size_t>(speed)]; }
  /// The half vector y(f) of a force f on one unit, (2) of ConstrainedInertia. After factor_rows().
  [[nodiscard]] Eigen::Index half_size(int unit) const;
  void half_apply(int unit, const Eigen::Ref<const Eigen::VectorXd>& f, Eigen::Ref<Eigen::VectorXd> y);
  /// The same for `count` forces, six numbers each one after the other, on a unit that is a free body without
  /// prescribed speeds.
  void half_apply_free(int first_speed, int count, const double* f, double* y) const {
    factor_.half_solve_six(first_speed, count, f, y);
  }
  /// The same of several forces, column by column.
  void half_apply(int unit, const Eigen::Map<const Eigen::MatrixXd>& f, Eigen::Map<Eigen::MatrixXd> y);

  /// out += Jᵀ p of an island's rows.
  void add_row_forces(std::size_t island, const Eigen::VectorXd& p, Eigen::VectorXd& out) const;

  [[nodiscard]] const std::vector<char>& is_fixed() const { return is_fixed_; }

 private:
  void set_forces(const Eigen::VectorXd& f, Eigen::VectorXd& x);
  void solve_alone(const TreeRange& tree, const Eigen::VectorXd& f, Eigen::VectorXd& x) const;

  const Model* model_;
  TreePattern pattern_;
  Islands islands_;
  std::vector<int> unit_of_;
  std::vector<char> is_fixed_;
  bool has_fixed_{false};

  Eigen::VectorXd q_, v_, zero_;
  Kinematics<double> kin_;
  std::vector<SpatialInertia<double>> composite_;
  TreeMatrix M_;
  TreeFactor factor_;
  Eigen::VectorXd extra_, f_, fixed_;
  IslandRowsWorkspace rows_workspace_;
  std::vector<IslandRows> rows_;
  std::vector<ConstrainedInertia> inertia_;
  std::vector<Eigen::VectorXd> p_;
};

}  // namespace rigor
