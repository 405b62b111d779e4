#pragma once

#include "rigor/dynamics/applied_forces.hpp"
#include "rigor/dynamics/constrained_inertia.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"

namespace rigor {

/// A model at one motion, with everything that a step or a projection needs: kinematics, mass matrix and its
/// factor, the equations of every island. The functions are called in the order in which they stand here;
/// nothing is allocated once every function has been called.
class ConstrainedSystem {
 public:
  /// The model must outlive the system.
  explicit ConstrainedSystem(const Model& model);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] const Islands& islands() const { return islands_; }

  /// Kinematics at q, v, with the accelerations at v̇ = 0 of a world at rest.
  void set_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v);
  [[nodiscard]] const Kinematics<double>& kinematics() const { return kin_; }
  [[nodiscard]] MotionView view(double t) const { return {*model_, t, q_, v_, zero_, kin_}; }
  [[nodiscard]] const Eigen::VectorXd& v() const { return v_; }

  /// The equations at time t [s].
  void compute_rows(double t);
  [[nodiscard]] const IslandRows& rows(std::size_t island) const { return rows_[island]; }

  /// M and its factor with `extra` on the diagonal.
  void compute_inertia(const Eigen::VectorXd& extra);
  [[nodiscard]] const TreeMatrix& M() const { return M_; }

  /// Factors the islands with these compliances, one vector per island: see ConstrainedInertia. Where a
  /// motion meets neither inertia nor a row, returns a speed that moves in it, else -1.
  [[nodiscard]] int factor_rows(const std::vector<Eigen::VectorXd>& epsilon);
  /// The same for one island, when only it has changed.
  [[nodiscard]] int factor_island(std::size_t island, const Eigen::VectorXd& epsilon);

  /// M x − Jᵀ p = f, J x + ε p = b for all islands; trees without rows by their factor. On entry x holds the
  /// prescribed speeds; the multipliers are then in multipliers(i).
  void solve(const Eigen::VectorXd& f, const std::vector<Eigen::VectorXd>& b, Eigen::VectorXd& x);
  /// The same for f = M v + change, M with `extra`. Trees without rows and prescribed speeds get x = v + M⁻¹
  /// change, which rounds the change alone: what rounding of the momentum takes at each step adds up, always
  /// in one direction while a speed grows evenly.
  void solve(const Eigen::VectorXd& f, const Eigen::VectorXd& change, const Eigen::VectorXd& v,
             const std::vector<Eigen::VectorXd>& b, Eigen::VectorXd& x);
  void solve_island(std::size_t island, const Eigen::VectorXd& b, Eigen::VectorXd& x);
  [[nodiscard]] const Eigen::VectorXd& multipliers(std::size_t island) const { return p_[island]; }
  [[nodiscard]] const ConstrainedInertia& inertia(std::size_t island) const { return inertia_[island]; }

  /// What is factored together: the islands, then the trees that are alone. Two forces on different units do
  /// not feel each other.
  [[nodiscard]] int unit_count() const {
    return static_cast<int>(islands_.list.size() + islands_.alone.size());
  }
  [[nodiscard]] int unit_of(int speed) const { return unit_of_[static_cast<std::size_t>(speed)]; }
  [[nodiscard]] int unit_speeds(int unit) const;
  /// The first speed of a unit that is a tree of its own, −1 of an island.
  [[nodiscard]] int first_speed(int unit) const;
  /// Where a speed stands among its unit's.
  [[nodiscard]] int local_speed(int speed) const { return islands_.local[static_cast<std::size_t>(speed)]; }
  /// y(f) of ConstrainedInertia (2) for one unit, once rows are factored.
  [[nodiscard]] Eigen::Index half_size(int unit) const;
  void half_apply(int unit, const Eigen::Ref<const Eigen::VectorXd>& f, Eigen::Ref<Eigen::VectorXd> y);
  /// The same of `count` forces, six numbers each one after the other, on a free body that is a unit, none of
  /// its speeds prescribed.
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
