#pragma once

#include "rigor/solvers/cone/cone_newton.hpp"

namespace rigor {

/// Chooses among the impulses that give the same velocity: the limit of equal compliance, r = lim r(α), α →
/// 0, where r(α) solves the problem with W + α in place of W. It is what equal springs at all contacts of
/// rigid bodies would carry, ever stiffer. For sliding blocks only the normals get α, since friction follows
/// from the slip: r_N = max(0, J_N ξ).
///
/// A tiny α would lose digits. Instead, from r_0 = 0, the problem with W + α and q − α r_k is solved for
/// r_{k+1} until the residual without α is at rounding. The part of r in the null space of W is decided by
/// r_1 and does not change afterwards.
///
/// At rest, u = 0, the associated law with W + α is used: it is convex, r(α) is unique and always found, and
/// its limit is the shortest r in K with W r = −q. The two limits agree where no block is at the edge of its
/// cone.
class ConeSelection {
 public:
  /// α, for a mean diagonal of 1. An error along an eigenvector of W with eigenvalue λ falls by α/(α + λ) per
  /// iteration; rounding errors grow by 1/α.
  static constexpr double kCompliance = 1e-5;

  void start(ConeSystem& system, ConeNewton& newton);

  /// Takes an answer r with a residual of at most `tolerance` to the one that is reported: residual at
  /// rounding, impulses chosen as above. r is left as it was where that fails, without `thorough` rather soon.
  void finish(double tolerance, bool thorough, Eigen::VectorXd& r);

  /// Solves the associated problem from r by convex minimisation and returns its residual. With `only_rest`
  /// it ends early where a loaded block (one with an impulse) slips. `thorough`: also with α falling from 1.
  double solve_associated(double tolerance, bool thorough, bool only_rest, Eigen::VectorXd& r);

  /// Whether finish() found every block clearly open, sticking or sliding, and Newton's matrix regular.
  [[nodiscard]] bool is_isolated() const { return unique_; }

  /// Does a loaded block slip by more than `scale`?
  [[nodiscard]] bool slips(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double scale) const;

 private:
  [[nodiscard]] bool is_unique(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;
  bool select_resting(double tolerance, bool thorough, Eigen::VectorXd& r);
  bool select_slipping(double tolerance, bool thorough, Eigen::VectorXd& r);
  bool solve_compliant(double target, bool thorough, Eigen::VectorXd& r);
  bool lower_compliance(double target, Eigen::VectorXd& r);

  ConeSystem* system_{nullptr};
  ConeNewton* newton_{nullptr};
  bool unique_{false};
  Eigen::VectorXd u_, centre_, trial_, chosen_, reached_;
};

}  // namespace rigor
