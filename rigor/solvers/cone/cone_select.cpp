#include "rigor/solvers/cone/cone_select.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/math/magnitude.hpp"

namespace rigor {
namespace {

constexpr double kSingular = 1e-7;  // pivot ratio below which impulses may not be unique

}  // namespace

void ConeSelection::start(ConeSystem& system, ConeNewton& newton) {
  system_ = &system;
  newton_ = &newton;
  unique_ = false;
  for (Eigen::VectorXd* vector : {&u_, &centre_, &trial_, &chosen_, &reached_})
    vector->resize(system.q.size());
}

bool ConeSelection::slips(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double scale) const {
  const double load_scale = kNothing * largest(r);
  for (const auto& [first, size, mu, bounds] : system_->blocks)
    if (size > 1 && r[first] > load_scale && u.segment(first + 1, size - 1).norm() > scale) return true;
  return false;
}

// Every block clearly open, sticking or sliding, and the matrix of the last Newton step far from singular.
bool ConeSelection::is_unique(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const {
  if (newton_->pivot_ratio() < kSingular) return false;
  const double scale = kNothing * (largest(r) + largest(u));
  for (const auto& [first, size, mu, bounds] : system_->blocks) {
    const double load = r[first];
    if (size == 1) {
      const bool at_bound = load <= bounds.lower + scale || load >= bounds.upper - scale;
      if (at_bound && std::fabs(u[first]) <= scale) return false;
      continue;
    }
    if (load <= scale && u[first] <= scale) return false;
    if (load <= scale) continue;
    const double slip = u.segment(first + 1, size - 1).norm();
    if (slip <= scale && r.segment(first + 1, size - 1).norm() >= mu * load - scale) return false;
  }
  return true;
}

void ConeSelection::finish(double tolerance, bool thorough, Eigen::VectorXd& r) {
  // to rounding, where the modes are found
  if (thorough) newton_->polish(r);
  system_->compute_velocity(r, u_);
  unique_ = thorough && is_unique(r, u_);
  if (unique_) return;
  chosen_ = r;
  const double rest_scale = tolerance + kNothing * largest(system_->q);
  const bool resting = system_->associated || (system_->symmetric && !slips(r, u_, rest_scale));
  const bool selected =
      resting ? select_resting(tolerance, thorough, chosen_) : select_slipping(tolerance, thorough, chosen_);
  if (selected) r = chosen_;
}

bool ConeSelection::select_resting(double tolerance, bool thorough, Eigen::VectorXd& r) {
  const bool associated = system_->associated;
  system_->associated = true;
  const double goal = thorough ? tolerance : 10.0 * tolerance;
  const bool solved = solve_associated(goal, thorough, false, r) <= tolerance;
  system_->associated = associated;
  if (!solved) return false;
  system_->compute_velocity(r, u_);
  return system_->residual(r, u_) <= tolerance;
}

double ConeSelection::solve_associated(double tolerance, bool thorough, bool only_rest, Eigen::VectorXd& r) {
  const double target = 1e-2 * tolerance;
  centre_.setZero();
  // directly from r, else with α falling: both end at the same r(α)
  double residual = std::numeric_limits<double>::infinity();
  if (r.squaredNorm() > 0.0) residual = newton_->solve_convex(kCompliance, centre_, target, 8, r);
  if (residual > target && thorough) {
    r.setZero();
    for (const double alpha : {1e-2, 1e-4})
      newton_->solve_convex(alpha, centre_, 1e-3 * system_->q.norm(), 10, r);
    residual = newton_->solve_convex(kCompliance, centre_, target, 50, r);
  }
  system_->compute_velocity(r, u_);
  // rest has u = −α r
  if (only_rest && slips(r, u_, 3.0 * kCompliance * r.norm())) return system_->residual(r, u_);
  double alpha = kCompliance;
  const int last = newton_->counts().steps + (only_rest ? 60 : 300);
  while (newton_->counts().steps < last) {
    const double before = residual = system_->residual(r, u_);
    if (residual <= 1e-2 * target) break;
    centre_ = r;
    trial_ = r;
    newton_->solve_convex(alpha, centre_, std::min(target, 0.1 * before), 20, trial_);
    system_->compute_velocity(trial_, u_);
    residual = system_->residual(trial_, u_);
    if (!(residual < before)) {
      // the start was too far away: a larger α is easier, unless rounding is the limit
      residual = before;
      if (before <= tolerance || alpha >= 1e-2) break;
      alpha *= 10.0;
      system_->compute_velocity(r, u_);
      continue;
    }
    r = trial_;
    if (residual <= target && residual > 0.1 * before) break;
    // where cones touch only, the iterations are slow; a smaller α makes them faster
    if (residual > 0.1 * before) alpha = std::max(0.1 * alpha, 1e-9);
  }
  return residual;
}

// `thorough`: also along the path r(α) from α = 1.
bool ConeSelection::select_slipping(double tolerance, bool thorough, Eigen::VectorXd& r) {
  const double target = 1e-2 * tolerance;
  centre_.setZero();
  double residual = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 10; ++k) {
    if (!solve_compliant(target, thorough, r)) return false;
    centre_ = r;
    system_->compute_velocity(r, u_);
    const double before = residual;
    residual = system_->residual(r, u_);
    if (residual <= 1e-2 * target || (residual <= target && residual > 0.1 * before)) break;
  }
  return residual <= tolerance;
}

// r(α) about the centre: from the present modes, else with α falling from 1.
bool ConeSelection::solve_compliant(double target, bool thorough, Eigen::VectorXd& r) {
  trial_ = r;
  const double left =
      newton_->solve({kCompliance, false}, centre_, target, thorough ? 20 : 6, thorough ? 6 : 3, trial_);
  if (left > target && !(thorough && lower_compliance(target, trial_))) return false;
  r.swap(trial_);
  return true;
}

// Follows the path r(α) from α = 1 down to kCompliance, in steps that shrink where Newton's method fails.
// The path may turn back; then this fails.
bool ConeSelection::lower_compliance(double target, Eigen::VectorXd& r) {
  reached_.setZero();
  double alpha = 10.0, ratio = 0.1;
  const int last = newton_->counts().steps + 150;
  while (newton_->counts().steps < last && ratio < 0.9) {
    const double next = std::max(alpha * ratio, kCompliance);
    r = reached_;
    const int from = newton_->counts().steps;
    if (newton_->solve({next, false}, centre_, target, 15, 5, r) > target) {
      ratio = std::sqrt(ratio);
      continue;
    }
    if (next == kCompliance) return true;
    reached_ = r;
    alpha = next;
    if (newton_->counts().steps - from <= 6) ratio = std::max(0.1, ratio * ratio);
  }
  return false;
}

}  // namespace rigor
