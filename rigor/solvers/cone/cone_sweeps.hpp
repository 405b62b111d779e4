#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// Gauss-Seidel over the contacts with exact local solves [JAJ98], plain or accelerated by Anderson's mixing
/// of the last five sweeps [And65]. The mixed point is projected on the cones, and the mixing starts again
/// where a sweep moves twice as far as the one before.
///
/// [JAJ98] Jourdan, Alart, Jean. A Gauss-Seidel like algorithm to solve frictional contact problems. Comput.
///         Methods Appl. Mech. Eng. 155, 1998.
/// [And65] Anderson. Iterative procedures for nonlinear integral equations. J. ACM 12, 1965.
class ConeSweeps {
 public:
  void start(const ScaledCone& cone);

  /// Up to `max_sweeps` plain sweeps of r. The residual is computed after sweep 1, 2, 3, 4, 6, 9, 13, … and
  /// the last; returns the last one computed, which is that of r.
  double run(double target, int max_sweeps, Eigen::VectorXd& r);

  /// The same, accelerated; the residual is computed where the change of a sweep is small enough for the
  /// target. With `gives_up` it ends half-way where the residual is still above 0.3 of the first.
  double accelerate(double target, int max_sweeps, bool gives_up, Eigen::VectorXd& r);

  [[nodiscard]] int sweeps() const { return sweeps_; }

 private:
  static constexpr int kDepth = 5;
  void mix(double length, Eigen::VectorXd& x);

  const ScaledCone* cone_{nullptr};
  int sweeps_{0};
  Eigen::VectorXd u_, swept_, change_, last_swept_, last_change_;
  Eigen::MatrixXd swept_steps_, change_steps_;
  Eigen::Matrix<double, kDepth, kDepth> products_;  // of the change steps with each other
  int mixed_{0};
  double last_length_{0.0};
};

}  // namespace rigor
