#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// Newton's methods for which impulses to choose, on sparse problems: what cone_newton.hpp is on dense ones.
/// α is a compliance that is equal for all contacts in the units of the problem as given, or follows their
/// own diagonals.
class CompliantNewton {
 public:
  void start(ScaledCone& cone);

  /// Compliance `alpha` of the mean inverse mass, the same for every contact.
  void set_equal(double alpha);
  /// Compliance `alpha` of each contact's own diagonal.
  void set_own(double alpha);

  /// Newton's method on Coulomb's law with u + α (r − centre); the centre follows r where it is null. Ends at
  /// the target, at rounding, after `patience` steps that did not bring 0.7 of the best, or after max_steps.
  /// r becomes the best point met; returns its residual, with the compliance where there is a centre.
  double solve(const Eigen::VectorXd* centre, double target, int max_steps, int patience, Eigen::VectorXd& r);

  /// At least one step, then more as long as they help: to rounding from a point near the answer.
  double polish(Eigen::VectorXd& r);

  /// The associated law with compliance about a centre: the minimum of the convex (2) of docs/theory/cone.md,
  /// by Newton's method with an exact line search. From any start; ends always. Returns its residual.
  double solve_convex(const Eigen::VectorXd& centre, double target, int max_steps, Eigen::VectorXd& r);

  /// d with W d = −u on rows of contacts that are marked, none on the others, to the compliance: one factor,
  /// kept for further calls until `marked` is given again.
  [[nodiscard]] bool factor_marked(const std::vector<char>& marked);
  void solve_marked(const Eigen::VectorXd& u, Eigen::VectorXd& d);

  /// Takes the velocity off the marked rows, without compliance: conjugate gradients on W r + q = 0 from the
  /// r given, with the factor as what they are conditioned by. That leaves of W the few motions softer than
  /// α, and as many steps; r moves by P W x only, the least that does it. Ends at `target`, a norm of
  /// velocities, or where ten steps have gained nothing.
  void stop_marked(double target, int max_steps, Eigen::VectorXd& r);

  [[nodiscard]] int steps() const { return steps_; }

 private:
  bool step(Eigen::VectorXd& r, const Eigen::VectorXd& F);
  void map_associated(const Eigen::VectorXd& r, const Eigen::VectorXd& shifted, Eigen::VectorXd& F);
  double find_step(const Eigen::VectorXd& centre, const Eigen::VectorXd& from, const Eigen::VectorXd& to);
  void clear_unmarked(Eigen::VectorXd& x) const;
  void shift(const Eigen::VectorXd& centre, const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double rounding(const Eigen::VectorXd& r) const;

  ScaledCone* cone_{nullptr};
  ConeRows rows_;
  std::vector<char> marked_;
  int steps_{0};
  Eigen::VectorXd u_, shifted_, F_, b_, d_, best_, from_, change_, force_, x_, z_;
};

}  // namespace rigor
