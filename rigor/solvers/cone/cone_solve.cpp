#include "rigor/solvers/cone/cone_solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rigor/base/require.hpp"
#include "rigor/base/tier_log.hpp"
#include "rigor/base/work.hpp"
#include "rigor/solvers/cone/cone_polyhedral.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"

namespace rigor {
namespace {

constexpr double kSlow = 10.0;  // of the tolerance: a start that slipped no faster has rested

/// One solve: the tiers of cone_solve.hpp on the scaled problem; the point they share is workspace.r.
class ConeTiers {
 public:
  ConeTiers(const ConeOptions& options, ConeWorkspace& workspace, ConeResult& result)
      : options_(options), ws_(workspace), system_(workspace.system), result_(result) {}

  void run();

 private:
  bool find();
  bool find_coulomb();
  bool find_associated();
  bool try_open();
  bool try_one_contact();
  bool try_near();
  bool try_sticking();
  bool try_rest(bool thorough);
  bool try_newton(const Eigen::VectorXd& start, int max_steps);
  bool try_sweeps(int up_to);
  bool try_proximal(const Eigen::VectorXd& start);
  bool try_pyramids();
  bool try_fixed_point();
  bool accept(std::string_view method);
  template <class Method>
  bool run_tier(std::string_view name, const Method& method) {
    return rigor::run_tier(
        name, [&] { return result_.sweeps + ws_.newton.counts().steps; }, method);
  }
  [[nodiscard]] int newton_left() const { return options_.max_newton - ws_.newton.counts().steps; }

  const ConeOptions& options_;
  ConeWorkspace& ws_;
  ConeSystem& system_;
  ConeResult& result_;
  double best_residual_{std::numeric_limits<double>::infinity()};  // of ws_.best
  bool selected_{false};                                           // ws_.r is chosen already
  bool singular_{true};                                            // W, as far as its pivots show
};

// Whether ws_.r is an answer. The best point met is kept in any case.
bool ConeTiers::accept(std::string_view method) {
  system_.compute_velocity(ws_.r, ws_.u);
  const double residual = system_.residual(ws_.r, ws_.u);
  if (residual < best_residual_) {
    best_residual_ = residual;
    ws_.best = ws_.r;
  }
  // a residual that is rounding of W r cannot be improved; the status will say so
  const double rounding = cone_rounding(system_.blocks, system_.q, ws_.r, 1.0);
  if (!(residual <= std::max(options_.tolerance, rounding))) return false;
  result_.method = method;
  return true;
}

bool ConeTiers::try_open() {
  ws_.r.setZero();
  return accept("open") && best_residual_ == 0.0;
}

// Whether one contact's impulses may not be unique: its determinant is nothing beside its diagonal.
static bool is_singular_block(const Eigen::MatrixXd& W) {
  constexpr double kSingularBlock = 1e-9;
  if (W.rows() == 1) return false;
  const double size = std::abs(W.diagonal().prod());
  const double minor = W(0, 0) * W(1, 1) - W(0, 1) * W(1, 0);
  if (W.rows() == 2) return !(std::abs(minor) > kSingularBlock * size);
  const double det = W(0, 0) * (W(1, 1) * W(2, 2) - W(1, 2) * W(2, 1)) -
                     W(0, 1) * (W(1, 0) * W(2, 2) - W(1, 2) * W(2, 0)) +
                     W(0, 2) * (W(1, 0) * W(2, 1) - W(1, 1) * W(2, 0));
  return !(std::abs(det) > kSingularBlock * size);
}

bool ConeTiers::try_one_contact() {
  ws_.r.setZero();
  if (!system_.local[0].solve(system_.q.data(), system_.associated, ws_.r.data())) return false;
  return accept("one-contact");
}

// From the impulses of the last step. An answer that slips is taken where something slid with these, unless all can
// stick. To rounding at rest, where what is left would add up over the steps, and where the start was nearly an answer:
// so that the next step can keep the impulses.
bool ConeTiers::try_near() {
  constexpr double kSteady = 1e-5;
  system_.compute_velocity(ws_.start, ws_.u);
  const bool is_steady = system_.residual(ws_.start, ws_.u) <= kSteady * ws_.start.norm();
  ws_.r = ws_.start;
  selected_ = ws_.newton.approach(options_.tolerance, ws_.r);
  if (!accept("near")) {
    selected_ = false;
    ws_.r = ws_.start;
    ws_.newton.proximal(1e-3, options_.tolerance, std::min(40, newton_left()), ws_.r);
    if (!accept("near")) return false;
  }
  if (!ws_.selection.slips(ws_.r, ws_.u, (options_.slid ? 1.0 : kSlow) * options_.tolerance)) {
    if (selected_) ws_.newton.polish(ws_.r);
    return accept("near");
  }
  const bool is_selected = std::exchange(selected_, false);
  if (!options_.slid) return false;
  ws_.relaxed = ws_.r;
  if (try_sticking()) return true;
  ws_.r = ws_.relaxed;
  selected_ = is_selected;
  if (is_steady) ws_.newton.polish(ws_.r);
  return accept("near");
}

// All blocks closed and sticking: W r = −q, r of equal compliance, by one factor of W + α and refinement.
bool ConeTiers::try_sticking() {
  auto matrix = ws_.lu.start(system_.q.size());
  matrix = system_.W;
  matrix.diagonal().array() += ConeSelection::kCompliance;
  ++result_.factorisations;
  if (!ws_.lu.factor()) return false;
  singular_ = ws_.lu.pivot_ratio() < 10.0 * ConeSelection::kCompliance;
  ws_.r.setZero();
  ws_.u = system_.q;
  for (int k = 0; k < 8; ++k) {
    const double before = ws_.u.norm();
    ws_.trial = -ws_.u;
    ws_.lu.solve_in_place(ws_.trial);
    ws_.r += ws_.trial;
    if (k == 0) {
      // far outside the cones it is not refined
      ws_.trial = ws_.r;
      system_.project(ws_.trial);
      if (!((ws_.trial - ws_.r).norm() <= 1e-3 * ws_.r.norm())) return false;
    }
    system_.compute_velocity(ws_.r, ws_.u);
    if (!(ws_.u.norm() < 0.3 * before)) break;
  }
  selected_ = accept("rest");
  return selected_;
}

// The associated law is convex, and its answer, where no loaded block slips, is one of Coulomb's law too.
bool ConeTiers::try_rest(bool thorough) {
  system_.associated = true;
  ws_.selection.solve_associated(options_.tolerance, thorough, true, ws_.r);
  system_.associated = false;
  ws_.relaxed = ws_.r;
  selected_ = accept("rest") && !ws_.selection.slips(ws_.r, ws_.u, options_.tolerance);
  return selected_;
}

bool ConeTiers::try_newton(const Eigen::VectorXd& start, int max_steps) {
  ws_.r = start;
  ws_.newton.follow({1e-10, true}, options_.tolerance, std::min(max_steps, newton_left()), 4, ws_.r);
  return accept("newton");
}

bool ConeTiers::try_sweeps(int up_to) {
  up_to = std::min(up_to, options_.max_sweeps);
  const auto n = static_cast<double>(system_.q.size());
  const double turn = n * n + 30.0 * n;
  for (int next = std::max(4, 2 * result_.sweeps); result_.sweeps < up_to; next *= 2) {
    for (; result_.sweeps < std::min(next, up_to) && may_work(turn); ++result_.sweeps) system_.sweep(ws_.r);
    if (accept("nsgs")) return true;
    if (!may_work(0.0)) return false;
    ws_.start = ws_.r;
    if (try_newton(ws_.start, 15)) return true;
    ws_.r = ws_.start;
  }
  return false;
}

bool ConeTiers::try_proximal(const Eigen::VectorXd& start) {
  for (const double alpha : {1e-5, 1e-2}) {
    ws_.r = start;
    ws_.newton.proximal(alpha, options_.tolerance, std::min(80, newton_left()), ws_.r);
    if (accept("proximal")) return true;
  }
  return false;
}

// Lemke's method on ever finer pyramids; from each answer Newton, then proximal point iterations.
bool ConeTiers::try_pyramids() {
  constexpr double kWork = 2e9;  // of all pivots: a second or two
  double work = 0.0;
  for (int attempt = 0; attempt < 6 && may_work(0.0); ++attempt) {
    // the second time with turned directions and another path
    const int directions = 4 << (attempt % 3);
    if (system_.blocks.size() * static_cast<std::size_t>(directions + 2) > 1500) continue;
    const ConePolyhedral pyramid = make_polyhedral(system_, directions, 0.1 * directions + 0.7 * attempt);
    const auto rows = static_cast<double>(pyramid.problem.q.size());
    const int pivots = static_cast<int>(std::min(50.0 * rows + 1000.0, (kWork - work) / (rows * rows)));
    if (pivots < rows) return false;  // not even one path
    const LcpResult answer =
        solve(pyramid.problem, LemkeOptions{.max_pivots = pivots, .random_cover = attempt >= 3});
    work += rows * rows * answer.iterations;
    if (answer.z.size() != pyramid.problem.q.size() || !answer.z.allFinite()) continue;
    ws_.trial = pyramid.to_impulse * answer.z;
    ws_.start = ws_.trial;
    if (try_newton(ws_.start, 20) || try_proximal(ws_.trial)) {
      result_.method = "lemke";
      return true;
    }
  }
  return false;
}

// At the fixed point of q_N ← q_N + mu ‖u_T‖ the associated law is Coulomb's.
bool ConeTiers::try_fixed_point() {
  ws_.trial = system_.q;
  ws_.r = ws_.relaxed;
  for (int k = 0; k < 25 && newton_left() > 0 && may_work(0.0); ++k) {
    system_.compute_velocity(ws_.r, ws_.u);
    system_.q = ws_.trial;
    for (const auto& [first, size, mu, bounds] : system_.blocks)
      if (size > 1) system_.q[first] += mu * (ws_.u.segment(first + 1, size - 1)).norm();
    system_.associated = true;
    ws_.selection.solve_associated(options_.tolerance, k == 0, false, ws_.r);
    system_.associated = false;
    ws_.start = ws_.r;
    system_.q = ws_.trial;
    if (try_newton(ws_.start, 30)) return true;
    ws_.r = ws_.start;
  }
  return false;
}

bool ConeTiers::find_coulomb() {
  if (options_.warm && options_.resumes && run_tier("near", [&] { return try_near(); })) return true;
  if (run_tier("rest", [&] { return try_sticking(); })) return true;
  const bool found = options_.warm && run_tier("newton", [&] { return try_newton(ws_.start, 12); });
  if (found && !ws_.selection.slips(ws_.r, ws_.u, options_.tolerance)) return true;
  // an answer that slips is taken only where there is no rest; for a regular W try_sticking() has decided
  // that, and what slid before goes on
  if (found && (!singular_ || options_.slid)) return true;
  if (singular_) {
    if (found)
      ws_.start = ws_.r;
    else
      ws_.r.setZero();
    if (run_tier("rest", [&] { return try_rest(!found); })) return true;
    if (found) {
      ws_.r = ws_.start;
      return accept("newton");
    }
    if (run_tier("newton", [&] { return try_newton(ws_.relaxed, 12); })) return true;
  }
  // sweeps from zero lead to an answer more often than sweeps from the associated one
  ws_.r.setZero();
  if (run_tier("nsgs", [&] { return try_sweeps(64); })) return true;
  ws_.relaxed = ws_.r;
  if (run_tier("proximal", [&] { return try_proximal(ws_.relaxed); }) ||
      run_tier("lemke", [&] { return try_pyramids(); }) ||
      run_tier("fixed point", [&] { return try_fixed_point(); }))
    return true;
  ws_.r = ws_.relaxed;
  return run_tier("nsgs", [&] { return try_sweeps(options_.max_sweeps); }) ||
         run_tier("proximal", [&] { return try_proximal(ws_.best); });
}

bool ConeTiers::find_associated() {
  if (options_.warm && run_tier("newton", [&] { return try_newton(ws_.start, 12); })) return true;
  ws_.r.setZero();
  selected_ = run_tier("proximal", [&] {
    ws_.selection.solve_associated(options_.tolerance, true, false, ws_.r);
    return accept("proximal");
  });
  if (selected_) return true;
  ws_.r = ws_.best;
  return run_tier("nsgs", [&] { return try_sweeps(options_.max_sweeps); }) ||
         run_tier("proximal", [&] { return try_proximal(ws_.best); });
}

bool ConeTiers::find() {
  ws_.start = ws_.r;
  if (run_tier("open", [&] { return try_open(); })) return selected_ = true;
  if (system_.blocks.size() == 1 && !(system_.associated && system_.blocks[0].size == 3)) {
    const bool found = run_tier("one-contact", [&] { return try_one_contact(); });
    selected_ = found && !is_singular_block(system_.W);
    if (found) return true;
  }
  return system_.associated ? find_associated() : find_coulomb();
}

void ConeTiers::run() {
  ws_.best = ws_.r;  // of the right size, also where no residual is ever finite
  const bool solved = find();
  if (!solved) ws_.r = ws_.best;
  const bool is_at_rounding = best_residual_ > options_.tolerance;
  if (solved && (!selected_ || is_at_rounding))
    ws_.selection.finish(options_.tolerance, !options_.resumes || is_at_rounding, ws_.r);
  system_.compute_velocity(ws_.r, ws_.u);
  result_.residual = system_.residual(ws_.r, ws_.u);
  // at rounding, or a single block, there are no iterations that could run out
  const bool exhausted = solved || system_.blocks.size() == 1;
  const Status failed = exhausted ? Status::kNumericalTrouble : Status::kIterationLimit;
  result_.status = result_.residual <= options_.tolerance ? Status::kSolved : failed;
}

}  // namespace

void solve_cone(const ConeProblem& problem, const ConeOptions& options, ConeWorkspace& workspace,
                ConeResult& result) {
  problem.validate();
  require(options.tolerance > 0.0, "ConeOptions::tolerance = {}, must be > 0.", options.tolerance);
  require(!options.warm || result.r.size() == problem.q.size(),
          "solve_cone: the warm start has {} entries and the problem {} rows, must be equal.",
          result.r.size(), problem.q.size());
  workspace.system.set(problem);
  workspace.newton.start(workspace.system);
  workspace.selection.start(workspace.system, workspace.newton);
  workspace.r.setZero(problem.q.size());
  if (options.warm && result.r.allFinite()) workspace.r = workspace.system.mean_diagonal * result.r;
  result.sweeps = result.factorisations = 0;
  result.method = "nsgs";
  ConeTiers(options, workspace, result).run();
  result.r = workspace.r / workspace.system.mean_diagonal;
  result.u = workspace.u;
  result.force_freedom = -1;
  result.velocity = VelocityVerdict::kUnknown;
  if (options.wants_uniqueness) {
    workspace.uniqueness.judge(problem, result.r, result.u, workspace.selection.is_isolated());
    result.force_freedom = workspace.uniqueness.force_freedom();
    result.velocity = workspace.uniqueness.velocity();
  }
  result.newton_steps = workspace.newton.counts().steps;
  result.factorisations += workspace.newton.counts().factorisations;
}

}  // namespace rigor
