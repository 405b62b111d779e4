#include "rigor/solvers/cone/cone_island.hpp"

#include "rigor/base/work.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/solvers/cone/cone_policy.hpp"

namespace rigor {

double ConeIslandSolver::largest_impulse(const Eigen::VectorXd& r) const {
  double largest = 0.0;
  for (int i = 0; i < ws_.cone.contacts(); ++i)
    largest = std::max(
        largest, r.segment<3>(3 * i).cwiseAbs().maxCoeff() * matrix_.scale()[i] * ws_.cone.impulse_unit);
  return largest;
}

double ConeIslandSolver::largest_speed(const Eigen::VectorXd& u) const {
  double largest = 0.0;
  for (int i = 0; i < ws_.cone.contacts(); ++i)
    largest = std::max(largest, u.segment<3>(3 * i).cwiseAbs().maxCoeff() / matrix_.scale()[i]);
  return largest;
}

// Whether a contact with an impulse slips by more than `scale` [m/s].
bool ConeIslandSolver::slips(const Eigen::VectorXd& r, const Eigen::VectorXd& u, double scale) const {
  const double least = kNothing * largest_impulse(r);
  for (int i = 0; i < ws_.cone.contacts(); ++i) {
    const double unit = matrix_.scale()[i];
    if (problem_->contacts[at(i)].size > 1 && r[3 * i] * unit * ws_.cone.impulse_unit > least &&
        u.segment<2>(3 * i + 1).norm() > scale * unit)
      return true;
  }
  return false;
}

// The residual that the rounding of W r + q alone may leave.
double ConeIslandSolver::rounding_at(const Eigen::VectorXd& r) const {
  double squares = 0.0, speeds = 0.0;
  for (int i = 0; i < ws_.cone.contacts(); ++i) {
    const double scale = matrix_.scale()[i], unit = ws_.cone.impulse_unit * scale;
    const double own = ws_.cone.q.segment<3>(3 * i).squaredNorm() / (scale * scale);
    speeds += own;
    if (r[3 * i] != 0.0) squares += unit * unit * r.segment<3>(3 * i).squaredNorm() + own;
  }
  return cone_rounding(squares, std::sqrt(speeds));
}

// A residual of this size is rounding and cannot be improved.
double ConeIslandSolver::tolerance_at(const Eigen::VectorXd& r) const {
  return std::max(options_.tolerance, rounding_at(r));
}

// Whether ws_.r is an answer. The best point met is kept in any case.
bool ConeIslandSolver::accept(std::string_view method) {
  ws_.cone.compute_velocity(ws_.r, u_);
  const double residual = ws_.cone.residual(ws_.r, u_);
  if (residual < best_residual_) {
    best_residual_ = residual;
    best_ = ws_.r;
  }
  if (!(residual <= tolerance_at(ws_.r))) return false;
  result_->method = method;
  return true;
}

// Keeps the start where it still is an answer: as it is, or corrected.
bool ConeIslandSolver::keep_start() {
  const double enough =
      std::max(0.25 * rounding_at(start_), cone_policy::kKept * std::max(1.0, largest_speed(ws_.cone.q)) *
                                               std::sqrt(ws_.cone.contacts()));
  ws_.r = start_;
  ws_.cone.compute_velocity(ws_.r, u_);
  double residual = ws_.cone.residual(ws_.r, u_);
  if (!(residual <= enough) && residual <= cone_policy::kNear && !slips(ws_.r, u_, cone_policy::kNear))
    residual = mend(enough, residual, ws_.r);
  if (!(residual <= enough)) return false;
  best_ = ws_.r;
  best_residual_ = residual;
  result_->method = "kept";
  return selected_ = true;
}

// At rest: corrects r by the least change of the loaded rows that brings their speeds u_ to zero,
// repeatedly. Contacts that carry hardly any load, or are about to slip, keep their impulses: the change
// could take them out of their cones. r becomes the best point met; returns its residual.
double ConeIslandSolver::mend(double enough, double residual, Eigen::VectorXd& r) {
  marked_.resize(at(ws_.cone.contacts()));
  bool any = false;
  const double least = cone_policy::kFirm * largest_impulse(r) / ws_.cone.impulse_unit;
  for (int i = 0; i < ws_.cone.contacts(); ++i) {
    const double normal = problem_->contacts[at(i)].size > 1 ? ws_.cone.mu[i] * r[3 * i] : r[3 * i];
    const double inside = matrix_.scale()[i] * (normal - r.segment<2>(3 * i + 1).norm());
    any = (marked_[at(i)] = inside > least) || any;
  }
  newton_.set_equal(cone_policy::kMending);
  if (!any || !newton_.factor_marked(marked_)) return residual;
  trial_ = r;
  for (int k = 0; k < cone_policy::kMaxMendings && !(residual <= enough); ++k) {
    newton_.solve_marked(u_, change_);
    trial_ += change_;
    ws_.cone.compute_velocity(trial_, u_);
    if (const double reached = ws_.cone.residual(trial_, u_); reached < residual) {
      residual = reached;
      r = trial_;
    }
  }
  return residual;
}

// All contacts that touch are closed and stick: W r = −q, r of equal compliance, by one factor and
// refinement.
bool ConeIslandSolver::try_sticking() {
  marked_.resize(at(ws_.cone.contacts()));
  for (int i = 0; i < ws_.cone.contacts(); ++i) {
    marked_[at(i)] = !problem_->contacts[at(i)].is_open;
    // not likely where a contact carried no load in the start
    if (options_.warm && marked_[at(i)] && !(start_[3 * i] > 0.0)) return false;
  }
  newton_.set_equal(cone_policy::kStopping);
  if (!newton_.factor_marked(marked_)) return false;
  newton_.solve_marked(ws_.cone.q, ws_.r);
  // far outside the cones it is not refined
  trial_ = ws_.r;
  ws_.cone.project(trial_);
  if (!((trial_ - ws_.r).norm() <= 1e-3 * ws_.r.norm())) return false;
  // again from recomputed velocities, not from those that the steps add up, while that helps
  trial_ = ws_.r;
  for (double least = kInfinity, residual = 0.0;; least = residual) {
    newton_.stop_marked(rounding_at(trial_), cone_policy::kMaxStopping, trial_);
    ws_.cone.compute_velocity(trial_, u_);
    residual = ws_.cone.residual(trial_, u_);
    if (!(residual < least)) break;
    ws_.r = trial_;
    if (residual > 0.5 * least) break;
  }
  return selected_ = accept("rest");
}

// The associated law from any start: an interior point, then Newton's method with a centre that follows.
// Ends early where rest is wanted and a loaded contact slips.
double ConeIslandSolver::relax(bool only_rest, Eigen::VectorXd& r) {
  if (options_.warm && start_.squaredNorm() > 0.0) {
    ws_.interior.start_centred(ws_.cone, start_, cone_policy::kLift, cone_policy::kCentre);
    const double residual = relax_from_here(only_rest, r);
    if (residual <= cone_policy::kNearby || rest_excluded_) return residual;
  }
  ws_.interior.start(ws_.cone, cone_policy::kInteriorStart);
  return relax_from_here(only_rest, r);
}

double ConeIslandSolver::relax_from_here(bool only_rest, Eigen::VectorXd& r) {
  const double target = 1e-2 * options_.tolerance;
  double next = cone_policy::kNearby, residual = kInfinity;
  r.setZero();
  for (int k = 0, stuck = 0; k < cone_policy::kMaxInterior; ++k) {
    const bool moved = ws_.interior.step();
    ++interior_steps_;
    stuck = ws_.interior.last_length() < 0.01 ? stuck + 1 : 0;
    residual = ws_.interior.best_residual();
    r = ws_.interior.best();
    if (only_rest && residual <= cone_policy::kRough * open_residual_) {
      ws_.cone.compute_velocity(r, u_);
      rest_excluded_ = slips(r, u_, std::max(10.0 * residual, options_.tolerance));
      if (rest_excluded_) return residual;
    }
    const bool is_last = !moved || stuck == 2 || k + 1 == cone_policy::kMaxInterior;
    if (residual > next && !is_last) continue;
    residual = follow(1e-6, target, 8, r);
    if (residual <= options_.tolerance || is_last) break;
    next = 0.05 * ws_.interior.best_residual();
  }
  return residual;
}

// Newton's method on the associated law with compliance about a centre that follows; alpha is lowered where
// it slows the progress. r becomes the best point met; returns its residual.
double ConeIslandSolver::follow(double alpha, double target, int max_steps, Eigen::VectorXd& r) {
  ws_.cone.compute_velocity(r, u_);
  double residual = ws_.cone.residual(r, u_);
  for (const int last = newton_.steps() + max_steps; newton_.steps() < last && residual > target;) {
    const double before = residual;
    centre_ = r;
    trial_ = r;
    newton_.set_equal(alpha);
    newton_.solve_convex(centre_, std::min(target, 0.1 * before), last - newton_.steps(), trial_);
    ws_.cone.compute_velocity(trial_, u_);
    const double reached = ws_.cone.residual(trial_, u_);
    if (!(reached < before)) break;
    r = trial_;
    residual = reached;
    if (residual > 0.1 * before) alpha = std::max(0.1 * alpha, 1e-9);
  }
  return residual;
}

// The impulses of equal compliance that solve the associated law, from the contacts that r loads. Returns the
// residual.
double ConeIslandSolver::solve_associated(int max_steps, bool only_rest, Eigen::VectorXd& r) {
  const double target = 1e-2 * options_.tolerance;
  const double residual = solve_compliant(max_steps, r);
  ws_.cone.compute_velocity(r, u_);
  // rest has u = −α r
  const double scale = 3.0 * kCompliance * largest_impulse(r) * std::sqrt(ws_.cone.contacts());
  if (only_rest && slips(r, u_, scale)) {
    rest_excluded_ = rest_excluded_ || residual <= target;
    return ws_.cone.residual(r, u_);
  }
  if (!(residual <= 1e3 * target)) return ws_.cone.residual(r, u_);
  return follow(kCompliance, 1e-2 * target, 2 * max_steps, r);
}

// The same with the compliance left in.
double ConeIslandSolver::solve_compliant(int max_steps, Eigen::VectorXd& r) {
  centre_.setZero(r.size());
  newton_.set_equal(kCompliance);
  stick_loaded(r);
  return newton_.solve_convex(centre_, 1e-2 * options_.tolerance, max_steps, r);
}

// r where all contacts that it loads stick, with the present compliance, even if outside their cones.
void ConeIslandSolver::stick_loaded(Eigen::VectorXd& r) {
  marked_.resize(at(ws_.cone.contacts()));
  bool any = false;
  for (int i = 0; i < ws_.cone.contacts(); ++i) any = (marked_[at(i)] = r[3 * i] > 0.0) || any;
  if (!any || !newton_.factor_marked(marked_)) return;
  newton_.solve_marked(ws_.cone.q, change_);
  r = change_;
}

// Rest near a start or, without one, anywhere.
bool ConeIslandSolver::try_rest(const Eigen::VectorXd* start) {
  ws_.cone.associated = true;
  if (start) {
    ws_.r = *start;
    solve_associated(12, true, ws_.r);
  } else {
    relax(true, ws_.r);
    relaxed_ = ws_.r;
  }
  ws_.cone.associated = false;
  selected_ = start != nullptr;
  return accept("rest") && !slips(ws_.r, u_, options_.tolerance);
}

// Impulses of the step before are too large where bodies have collided in it: along their ray to where
// ½ r W r + q r is least, if that is shorter. A start that is worth something is left as it is.
void ConeIslandSolver::shorten(Eigen::VectorXd& r) {
  ws_.cone.compute_velocity(r, u_);
  if (!(ws_.cone.residual(r, u_) > cone_policy::kGoodStart * open_residual_)) return;
  const double rise = r.dot(ws_.cone.q), curvature = r.dot(u_) - rise;
  if (curvature > -rise) r *= std::max(-rise / curvature, 0.0);
}

// `far` is how it goes on where a few steps of Newton's method do not come near an answer. For what rested not far: rest is
// found sooner then, and from its impulses the next step is solved sooner.
bool ConeIslandSolver::try_newton(const Eigen::VectorXd& start, Far far) {
  ws_.r = start;
  shorten(ws_.r);
  double residual = ws_.sweeps.run(options_.tolerance, 5, ws_.r);
  if (far == Far::kMotion) return try_motion(residual);
  residual = ws_.newton.finish(options_.tolerance, 1e-8, cone_policy::kMaxNewton, ws_.r);
  if (residual > cone_policy::kNearby && far == Far::kNone)
    residual = ws_.newton.proximal(std::max(options_.tolerance, cone_policy::kNearby),
                                   ProximalSchedule::for_motion(), cone_policy::kMaxBeforeRest, ws_.r);
  if (residual > cone_policy::kNearby && far == Far::kFirm)
    residual = ws_.newton.proximal(options_.tolerance, cone_policy::kFirmStart, cone_policy::kMaxNear, ws_.r,
                                   cone_policy::kMostRho);
  finish_near(residual);
  return accept("newton");
}

// Near the answer contacts with hardly any load change modes.
void ConeIslandSolver::finish_near(double residual) {
  if (residual > options_.tolerance && residual <= cone_policy::kNearby)
    ws_.newton.proximal(options_.tolerance, 1e-6, cone_policy::kMaxNear, ws_.r, cone_policy::kMostRho);
}

// The tiers with factors by units, then with those of W itself, which keep more digits where there are many
// contacts for few velocities.
bool ConeIslandSolver::try_tiers() {
  SparseConeOptions options;
  options.tolerance = options_.tolerance;
  const int left = options_.max_iterations - iterations();
  options.max_sweeps = std::min(options.max_sweeps, left);
  options.max_admm = std::min(cone_policy::kMaxAdmm, left);
  const SparseConeOptions all = options;
  options.max_admm = options.max_detours = 0;
  ws_.r = best_;
  run_tiers(options, ws_);
  if (accept(tiers_.path)) return true;
  if (!has_budget()) return false;
  form_sparse_cone(*problem_, formed_);
  dual_.matrix.set(formed_);
  if (dual_.matrix.factor_work() > cone_policy::kMostWork) {
    ws_.r = best_;
    run_tiers(all, ws_);
    return accept(tiers_.path);
  }
  dual_.cone.set(dual_.matrix, problem_->q, problem_->mu);
  dual_.cone.impulse_unit = ws_.cone.impulse_unit;
  dual_.cone.divisor = 1.0;
  ws_.cone.to_given(best_, change_);
  dual_.cone.from_given(change_, dual_.r);
  run_tiers(all, dual_);
  dual_.cone.to_given(dual_.r, change_);
  ws_.cone.from_given(change_, ws_.r);
  return accept(tiers_.path);
}

void ConeIslandSolver::run_tiers(const SparseConeOptions& options, SparseConeWorkspace& workspace) {
  tiers_ = {};
  run_cone_tiers(options, workspace, tiers_);
  tier_iterations_ +=
      tiers_.sweeps + tiers_.newton_steps + tiers_.interior_point_steps + tiers_.admm_iterations;
}

bool ConeIslandSolver::find_coulomb() {
  const bool slid = options_.warm && options_.slid;
  if (!slid && try_sticking()) return true;
  if (options_.warm && try_newton(start_, slid ? Far::kMotion : Far::kNone)) {
    newton_.polish(ws_.r);
    selected_ = true;
    if (slid || !slips(ws_.r, u_, options_.tolerance)) return true;
    // what has rested slips only where there is no rest near it
    chosen_ = ws_.r;
    if (try_rest(&start_)) return true;
    ws_.r = chosen_;
    return selected_ = accept("newton");
  }
  if (!has_budget()) return false;
  if (!rest_excluded_ && try_rest(nullptr)) return true;
  selected_ = false;
  return has_budget() && (try_newton(relaxed_, Far::kFirm) || (has_budget() && try_tiers()));
}

bool ConeIslandSolver::find_associated() {
  // without friction both laws are one
  if (ws_.cone.mu.isZero(0.0) && try_newton(start_, Far::kMotion)) return selected_ = true;
  ws_.cone.associated = true;
  ws_.r = start_;
  if (!options_.warm) ws_.r.setZero();
  solve_associated(options_.max_convex / 5, false, ws_.r);
  if (accept("proximal")) return selected_ = true;
  if (!has_budget()) return false;
  relax(false, ws_.r);
  if (!accept("interior-point")) return false;
  chosen_ = ws_.r;
  solve_associated(options_.max_convex / 5, false, ws_.r);
  if (accept("interior-point")) return selected_ = true;
  ws_.r = chosen_;
  return selected_ = accept("interior-point");
}

bool ConeIslandSolver::find() {
  ws_.cone.compute_velocity(ws_.r, u_);
  start_ = ws_.r;
  ws_.r.setZero();
  ws_.cone.associated = options_.associated;
  if (accept("open") && best_residual_ == 0.0) return selected_ = true;
  open_residual_ = best_residual_;
  if (options_.warm && keep_start()) return true;
  return options_.associated ? find_associated() : find_coulomb();
}

// A pile that nothing is known of may be at rest: factors find that, where sweeps crawl towards it for many steps.
bool ConeIslandSolver::find_rest_before_sweeps() {
  if (!options_.sweeps_first || options_.warm || options_.associated || problem_->contacts.size() < kPile)
    return false;
  set_matrix();
  if (matrix_.factor_work() > cone_policy::kAffordable) return false;
  prepare();
  start_.setZero(3 * ws_.cone.contacts());
  ws_.cone.associated = false;
  open_residual_ = ws_.cone.residual(start_, ws_.cone.q);
  const double tolerance = options_.tolerance;
  options_.tolerance = std::min(tolerance, cone_policy::kLasting);
  const bool found = try_sticking() || try_rest(nullptr);
  if (found) finish(true);
  options_.tolerance = tolerance;
  return found;
}

// Sweeps, where the graph of units is so wide that factors would cost more. cone_policy::kFactors where they failed and
// factors are not too expensive: change_ is then the best point met.
ConeIslandSolver::Pile ConeIslandSolver::solve_pile() {
  const std::size_t n = problem_->contacts.size();
  if (!options_.sweeps_first || n < kPile) return Pile::kNone;
  const double sweep = 36.0 * static_cast<double>(problem_->half.size()) + 120.0 * static_cast<double>(n);
  double factor = band_.compute_work(*problem_);
  if (cone_policy::kFactors * factor < cone_policy::kWorthSweeps * sweep) return Pile::kNone;
  // the estimate is some times too high; counting is dear only where factors are out of the question
  if (n <= cone_policy::kMostCounted) {
    set_matrix();
    factor = matrix_.factor_work();
    if (cone_policy::kFactors * factor < cone_policy::kWorthSweeps * sweep) return Pile::kNone;
  }
  const auto rows = 3 * static_cast<Eigen::Index>(n);
  if (options_.warm && result_->r.size() == rows && result_->r.allFinite())
    change_ = result_->r;
  else
    change_.setZero(rows);
  PileOptions pile;
  pile.tolerance = options_.tolerance;
  // without friction the two laws are the same, and the local solve of Coulomb's is exact
  pile.associated = options_.associated && !problem_->mu.isZero(0.0);
  // where factors can follow, no more sweeps than these would cost
  const bool affords = factor <= cone_policy::kAffordable;
  const int most = affords ? static_cast<int>(cone_policy::kFactors * factor / sweep) : options_.max_sweeps;
  pile.max_sweeps = std::min(options_.max_iterations, most);
  pile.gives_up = affords;
  pile.doubt = options_.warm && options_.slid ? cone_policy::kDoubt : 1.0;
  pile.pool = options_.pool;
  pile_.solve(*problem_, pile, change_, pile_result_);
  const bool solved = pile_result_.residual <= options_.tolerance;
  if (!solved && affords && pile_result_.sweeps < options_.max_iterations) return Pile::kFactors;
  result_->r = change_;
  result_->residual = pile_result_.residual;
  result_->status = solved ? Status::kSolved : Status::kIterationLimit;
  result_->cone_violation = pile_result_.cone_violation;
  result_->iterations = pile_result_.sweeps;
  result_->force_freedom = -1;
  result_->method = "nsgs";
  return Pile::kDone;
}

// Newton's method from where the sweeps of a pile stopped. What separates that point from an answer is
// contacts that begin or cease to slide, one after the other: no other method did better there.
bool ConeIslandSolver::find_near_sweeps() {
  ws_.cone.associated = options_.associated;
  start_ = ws_.r;
  if (accept("nsgs")) return selected_ = true;
  trial_.setZero(start_.size());
  open_residual_ = ws_.cone.residual(trial_, ws_.cone.q);
  if (options_.associated) return find_associated();
  return selected_ = try_newton(start_, Far::kMotion);
}

// The matrix of this problem, once.
void ConeIslandSolver::set_matrix() {
  if (!is_matrix_set_) matrix_.set(*problem_);
  is_matrix_set_ = true;
}

void ConeIslandSolver::solve(const UnitConeProblem& problem, const ConeIslandOptions& options,
                             ConeIslandResult& result) {
  problem_ = &problem;
  is_matrix_set_ = false;
  options_ = options;
  result_ = &result;
  swept_ = false;
  if (find_rest_before_sweeps()) return;
  const Pile pile = solve_pile();
  if (pile == Pile::kDone) return;
  swept_ = pile == Pile::kFactors;
  if (swept_) {
    result.r = change_;
    options_.warm = true;
  }
  prepare();
  finish(swept_ ? find_near_sweeps() : find_from_start() || find_afresh());
}

// A start may spend half of what is left of the step's budget: the other half is for beginning without it.
bool ConeIslandSolver::find_from_start() {
  WorkMeter* const whole = get_work_meter();
  if (!options_.warm || !whole) return find();
  WorkMeter half(0.5 * whole->left());
  bool found = false;
  {
    const WorkScope scope(half);
    found = find();
  }
  whole->add(half.spent());
  return found;
}

// A start can lead every method to the same dead end, where contacts begin to slide: once more without it.
bool ConeIslandSolver::find_afresh() {
  if (!options_.warm || !has_budget()) return false;
  options_.warm = false;
  selected_ = rest_excluded_ = false;
  relaxed_.setZero();
  ws_.r.setZero();
  return find();
}

// Scales the problem, clears the counts, and takes the start over.
void ConeIslandSolver::prepare() {
  const auto n = static_cast<int>(problem_->contacts.size());
  set_matrix();
  ScaledCone& cone = ws_.cone;
  cone.set(matrix_, problem_->q, problem_->mu);
  cone.divisor = 1.0;
  // the mean diagonal of W over the rows in use, as the dense solver has it
  double trace = 0.0;
  int rows = 0;
  for (int i = 0; i < n; ++i) {
    const double unit = 1.0 / (matrix_.scale()[i] * matrix_.scale()[i]);
    for (int k = 0; k < problem_->contacts[at(i)].size; ++k, ++rows)
      trace += unit * matrix_.diagonal()[at(i)](k, k);
  }
  cone.impulse_unit = trace > 0.0 ? trace / rows : 1.0;
  newton_.start(cone);
  ws_.newton.start(cone);
  ws_.sweeps.start(cone);
  if (!options_.warm || result_->r.size() != 3 * n || !result_->r.allFinite()) {
    options_.warm = false;
    ws_.r.setZero(3 * n);
  } else {
    cone.from_given(result_->r, ws_.r);
  }
  tiers_.path = {};
  result_->method = "nsgs";
  best_residual_ = kInfinity;
  best_ = ws_.r;
  selected_ = rest_excluded_ = false;
  interior_steps_ = tier_iterations_ = 0;
  relaxed_.setZero(3 * n);
}

// Chooses among impulses that are not unique, where that is not done yet, and fills in the result.
void ConeIslandSolver::finish(bool solved) {
  ScaledCone& cone = ws_.cone;
  ConeIslandResult& result = *result_;
  if (!solved) ws_.r = best_;
  if (solved && !selected_) options_.warm ? (void)newton_.polish(ws_.r) : select();
  cone.compute_velocity(ws_.r, u_);
  result.residual = cone.residual(ws_.r, u_);
  result.status = result.residual <= tolerance_at(ws_.r) ? Status::kSolved : Status::kIterationLimit;
  result.iterations = iterations();
  if (swept_ || !options_.wants_freedom)
    result.force_freedom = -1;
  else
    result.force_freedom = result.method == "kept" ? options_.start_freedom : find_freedom();
  result.cone_violation = 0.0;
  for (int i = 0; i < cone.contacts(); ++i) {
    const double unit = matrix_.scale()[i] * cone.impulse_unit;
    const double outside =
        std::max(-ws_.r[3 * i], ws_.r.segment<2>(3 * i + 1).norm() - cone.mu[i] * ws_.r[3 * i]);
    result.cone_violation = std::max(result.cone_violation, unit * outside);
  }
  cone.to_given(ws_.r, result.r);
}

// Sweeps and Newton steps of all methods so far.
int ConeIslandSolver::iterations() const {
  return newton_.steps() + interior_steps_ + tier_iterations_ + (swept_ ? pile_result_.sweeps : 0) +
         (tiers_.path.empty() ? ws_.newton.steps() + ws_.sweeps.sweeps() : 0);
}

bool ConeIslandSolver::has_budget() const {
  return iterations() < options_.max_iterations && may_work(0.0);
}

}  // namespace rigor
