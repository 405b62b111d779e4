#pragma once

#include "rigor/dynamics/constrained_system.hpp"

/// Brings a state onto its constraints by the smallest move, measured by the bodies' inertia:
///
///     positions     q ← q ⊕ d,   d of least dᵀ M d with J d = −Θ
///     velocities    v ← v + M⁻¹ Jᵀ p   with J v = target
///
/// Positions by Newton's method, steps d halved while Θ would grow. Prescribed coordinates are first set to
/// the values of their functions, and stay there.
namespace rigor {

/// What is left of the equations, worst first.
struct Violation {
  std::string row;                   // "constraint "pin": position x"
  double value{0.0};                 // m or rad; m/s or rad/s
  std::vector<std::string> against;  // the elements that hold the same motion
};

struct ProjectionResult {
  bool ok{false};
  double error{0.0};  // largest |Θ| (or |J v − target|) left
  int iterations{0};
  int massless_speed{-1};  // a speed that moves in a motion without inertia or constraint, or −1
};

class Projector {
 public:
  /// Largest error that counts as none: m, rad, m/s, rad/s.
  static constexpr double kTolerance = 1e-12;

  /// Uses (and overwrites) the system's motion, rows and factors.
  explicit Projector(ConstrainedSystem& system);

  /// Sets the prescribed coordinates and speeds to their functions' values at t [s].
  void set_prescribed(double t, Eigen::VectorXd& q, Eigen::VectorXd& v) const;

  ProjectionResult project_positions(double t, Eigen::VectorXd& q);
  ProjectionResult project_velocities(double t, const Eigen::VectorXd& q, Eigen::VectorXd& v);

  /// The rows that the last projection left violated by more than `tolerance`.
  [[nodiscard]] std::vector<Violation> list_violations(double tolerance) const;

 private:
  double compute_position_errors(double t, const Eigen::VectorXd& q);
  void switch_elastic_off();
  [[nodiscard]] std::vector<std::string> find_partners(std::size_t island, Eigen::Index row) const;

  ConstrainedSystem& system_;
  std::vector<Eigen::VectorXd> epsilon_, b_;
  Eigen::VectorXd zero_, d_, f_, trial_;
};

}  // namespace rigor
