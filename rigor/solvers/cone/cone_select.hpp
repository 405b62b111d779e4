#pragma once

#include "rigor/solvers/cone/cone_newton.hpp"

namespace rigor {

/// Which of the impulses of one velocity: the limit of equal compliance, r = lim r(α), α → 0, where r(α)
/// solves the problem with W + α in place of W. For blocks that slide only their normals count, since
/// friction follows from the slip: this is r_N = max(0, J_N ξ), equal springs below rigid bodies.
///
/// r is not computed with a tiny α, which would lose the digits that a larger one keeps: from r_0 = 0 solve
/// W + α, q − α r_k for r_{k+1} until the residual without α is at rounding. In the null space of W r_1
/// decides and nothing changes it after that.
///
/// At rest, u = 0, the associated law is used with W + α: it is convex, r(α) is unique and always found, and
/// the limit is the shortest r in K with W r = −q. It is the same where no block is at the edge of its cone.
class ConeSelection {
 public:
  /// α against a mean diagonal of 1: falls by α/(α + λ) per iteration for an eigenvalue λ of W; rounding is
  /// magnified by 1/α.
  static constexpr double kCompliance = 1e-5;

  void start(ConeSystem& system, ConeNewton& newton);

  /// From an answer r with a residual of at most `tolerance` to the one that is reported: residual at
  /// rounding, impulses as above. Keeps what it was given where that fails.
  void finish(double tolerance, Eigen::VectorXd& r);

  /// The associated problem from r, by convex minimisation. Returns its residual, and gives up early where a
  /// loaded block slips and `only_rest` was asked. `thorough`: also with α falling from 1.
  double solve_associated(double tolerance, bool thorough, bool only_rest, Eigen::VectorXd& r);

  /// Whether finish() found every block clearly open, sticking or sliding, and Newton's matrix regular.
  [[nodiscard]] bool is_isolated() const { return unique_; }

  /// Does a loaded block slip by more than `scale`?
  [[nodiscard]] bool slips(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double scale) const;

 private:
  [[nodiscard]] bool is_unique(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const;
  bool select_resting(double tolerance, Eigen::VectorXd& r);
  bool select_slipping(double tolerance, Eigen::VectorXd& r);
  bool solve_compliant(double target, Eigen::VectorXd& r);
  bool lower_compliance(double target, Eigen::VectorXd& r);

  ConeSystem* system_{nullptr};
  ConeNewton* newton_{nullptr};
  bool unique_{false};
  Eigen::VectorXd u_, centre_, trial_, chosen_, reached_;
};

}  // namespace rigor
