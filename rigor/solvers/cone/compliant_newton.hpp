#pragma once

#include "rigor/solvers/cone/linearise.hpp"

namespace rigor {

/// Newton's methods by which an answer is chosen among impulses that are not unique, for sparse problems;
/// what cone_newton.hpp is for dense ones. α is a compliance, the same for all contacts in the units of the
/// problem as given, or relative to the diagonal of each contact.
class CompliantNewton {
 public:
  void start(ScaledCone& cone);

  /// Sets α of every contact to `alpha` times the mean inverse mass.
  void set_equal(double alpha);
  /// Sets α of each contact to `alpha` times its own mean diagonal.
  void set_own(double alpha);

  /// Newton's method on Coulomb's law with u + α (r − centre) for u; where `centre` is null it is the current
  /// r. Ends at the target, at rounding, after `patience` steps that did not bring 0.7 of the best, or after
  /// max_steps. r becomes the best point met; returns its residual, with α where there is a centre.
  double solve(const Eigen::VectorXd* centre, double target, int max_steps, int patience, Eigen::VectorXd& r);

  /// One step at least, then more while the residual falls: from near the answer to rounding.
  double polish(Eigen::VectorXd& r);

  /// The associated law with compliance about a centre: the minimum of the convex (2) of docs/theory/cone.md,
  /// by Newton's method with an exact line search. From any start; ends always. Returns its residual.
  double solve_convex(const Eigen::VectorXd& centre, double target, int max_steps, Eigen::VectorXd& r);

  /// Approximates d with W d = −u on the rows of marked contacts and d = 0 on the others, up to α. Factors
  /// once; further calls use that factor until `marked` is given again.
  [[nodiscard]] bool factor_marked(const std::vector<char>& marked);
  void solve_marked(const Eigen::VectorXd& u, Eigen::VectorXd& d);

  /// Brings the velocity of the marked rows to zero, without α: conjugate gradients on W r + q = 0 from the r
  /// given, preconditioned by the factor of W + α. (W + α)⁻¹ W has the eigenvalue 1 but for the few motions
  /// softer than α, and about one step is needed for each of these. r moves in the range of (W + α)⁻¹ W only,
  /// so that the change is the shortest. Ends at `target`, a norm of velocities, or after ten steps without
  /// gain.
  void stop_marked(double target, int max_steps, Eigen::VectorXd& r);

  [[nodiscard]] int steps() const { return steps_; }

 private:
  bool step(Eigen::VectorXd& r);
  double find_step(const Eigen::VectorXd& centre, const Eigen::VectorXd& from, const Eigen::VectorXd& to);
  void clear_unmarked(Eigen::VectorXd& x) const;
  void shift(const Eigen::VectorXd& centre, const Eigen::VectorXd& r, Eigen::VectorXd& u) const;
  [[nodiscard]] double rounding(const Eigen::VectorXd& r) const;

  ScaledCone* cone_{nullptr};
  LinearLaw law_;
  Eigen::VectorXd alpha_;  // per contact
  std::vector<char> marked_;
  int steps_{0};
  Eigen::VectorXd u_, shifted_, d_, du_, best_, from_, change_, force_, x_, z_;
};

}  // namespace rigor
