// Which impulses of an answer a ConeIslandSolver reports, and how many there are to choose from.
#include <algorithm>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/solvers/cone/cone_island.hpp"

namespace rigor {
namespace {

constexpr int kMaxSelecting = 20;        // Newton steps for impulses of equal compliance, each way
constexpr double kRankThreshold = 1e-9;  // of a contact's own inverse mass: eigenvalues of W below are zero

}  // namespace

// Takes an answer to the one that is reported: residual at rounding, impulses of equal compliance. r is
// left as it was where that fails.
void ConeIslandSolver::select() {
  newton_.polish(ws_.r);
  ws_.cone.compute_velocity(ws_.r, u_);
  chosen_ = ws_.r;
  const double rest_scale = options_.tolerance + kNothing * largest_speed(ws_.cone.q);
  const bool selected = slips(ws_.r, u_, rest_scale) ? select_slipping(chosen_) : select_resting(chosen_);
  if (selected) ws_.r = chosen_;
}

// The limit of equal compliance α → 0. About the centre 0 the modes of the contacts are those of −u/α,
// which do not depend on its scale: from each α to the next Newton's method keeps them, and for small α
// they are those of the limit. The cones are taken a little narrower, so that rounding leaves no impulse
// outside its own.
bool ConeIslandSolver::select_resting(Eigen::VectorXd& r) {
  ws_.cone.mu *= 1.0 - kNothing;
  const bool selected = find_shortest(r);
  ws_.cone.mu = problem_->mu;
  return selected;
}

bool ConeIslandSolver::find_shortest(Eigen::VectorXd& r) {
  const double target = 1e-2 * options_.tolerance;
  ws_.cone.associated = true;
  double residual = solve_compliant(kMaxSelecting, r);
  ws_.cone.associated = false;
  for (const double alpha : {1e-2 * kCompliance, 1e-4 * kCompliance}) {
    if (!(residual <= 1e3 * target)) return false;
    ws_.cone.associated = true;
    newton_.set_equal(alpha);
    residual = newton_.solve_convex(centre_, target, kMaxSelecting / 2, r);
    ws_.cone.associated = false;
    relaxed_ = r;
    newton_.polish(relaxed_);
    ws_.cone.compute_velocity(relaxed_, u_);
    const double reached = ws_.cone.residual(relaxed_, u_);
    if (reached > options_.tolerance) continue;
    // to rounding: from near the answer, with more compliance, which magnifies rounding less
    r = relaxed_;
    ws_.cone.associated = true;
    for (double before = reached; follow(kCompliance, 0.0, 2, r) < before;) {
      ws_.cone.compute_velocity(r, u_);
      before = ws_.cone.residual(r, u_);
    }
    ws_.cone.associated = false;
    return true;
  }
  return false;
}

bool ConeIslandSolver::select_slipping(Eigen::VectorXd& r) {
  const double target = 1e-2 * options_.tolerance;
  centre_.setZero(r.size());
  newton_.set_equal(kCompliance);
  double residual = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 10; ++k) {
    trial_ = r;
    if (newton_.solve(&centre_, target, 20, 6, trial_) > target) return false;
    r = centre_ = trial_;
    ws_.cone.compute_velocity(r, u_);
    const double before = residual;
    residual = ws_.cone.residual(r, u_);
    if (residual <= 1e-2 * target || (residual <= target && residual > 0.1 * before)) break;
  }
  return residual <= options_.tolerance;
}

// Dimension of the set of impulses at the velocity u_: the nullity of W on the loaded faces of the cones,
// all rows of a contact that sticks, e_N − mu t of one that slides. A row with compliance is part of no
// null vector.
int ConeIslandSolver::find_freedom() {
  const double least = kNothing * largest_impulse(ws_.r);
  const double slow = kNothing * (largest_speed(u_) + largest_speed(ws_.cone.q));
  faces_.resize(at(ws_.cone.contacts()));
  int columns = 0;
  for (int i = 0; i < ws_.cone.contacts(); ++i) {
    const UnitConeProblem::Contact& contact = problem_->contacts[at(i)];
    Eigen::Matrix3d& P = faces_[at(i)];
    P.setZero();
    if (!(ws_.r[3 * i] * matrix_.scale()[i] * ws_.cone.impulse_unit > least)) continue;
    const bool soft = contact.compliance > 0.0;
    const Eigen::Vector2d u_T = u_.segment<2>(3 * i + 1);
    const double slip = contact.size > 1 ? u_T.norm() : 0.0;
    if (slip <= slow * matrix_.scale()[i]) {
      for (int k = soft ? 1 : 0; k < contact.size; ++k, ++columns) P(k, k) = 1.0;
    } else if (!soft) {
      Eigen::Vector3d face(1.0, 0.0, 0.0);
      face.tail<2>() = -ws_.cone.mu[i] / slip * u_T;
      P = face * face.transpose();
      ++columns;
    }
  }
  if (columns == 0) return 0;
  const int rank = matrix_.find_rank(faces_, kRankThreshold);
  return rank < 0 ? -1 : std::max(0, columns - rank);
}

}  // namespace rigor
