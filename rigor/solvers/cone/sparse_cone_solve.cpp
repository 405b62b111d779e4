#include "rigor/solvers/cone/sparse_cone_solve.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/base/tier_log.hpp"
#include "rigor/base/work.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/small_cone.hpp"

namespace rigor {
namespace {

constexpr double kFactorRate =
    15e9;                           // operations a second of a factor and of a sweep, as far as one is to be
constexpr double kSweepRate = 5e9;  // weighed against the other; results do not depend on the machine
constexpr double kFactorOverhead = 800.0;  // operations' worth of time per contact
constexpr int kLeastSweeps = 60;           // fewer accelerated sweeps are not worth their start
constexpr double kDetours[] = {1e-4, 1e-3, 1e-2, 1e-2,
                               3e-2, 3e-2, 0.1};  // of mu; the last for all further ones

/// The tiers of sparse_cone_solve.hpp. Points live in the workspace: `best` is the best one met.
class Tiers {
 public:
  Tiers(const SparseConeOptions& options, SparseConeWorkspace& workspace, SparseConeResult& result)
      : options_(options), ws_(workspace), cone_(workspace.cone), result_(result) {}

  double run();

 private:
  bool try_warm();
  bool try_sweeps(int count);
  bool try_accelerated();
  bool try_newton();
  bool try_interior_point();
  bool try_interior_point_from(int attempt);
  bool try_interior_point_again();
  bool try_detours();
  void go_astray();
  bool try_proximal(double alpha, int steps, std::string_view path);
  bool try_admm(bool alone);
  bool finish(const Eigen::VectorXd& from, double alpha, int steps, std::string_view path);
  bool note(const Eigen::VectorXd& r, double residual, std::string_view path);
  bool run_method();
  [[nodiscard]] int iterations() const;
  template <class Method>
  bool run_tier(std::string_view name, const Method& method);

  const SparseConeOptions& options_;
  SparseConeWorkspace& ws_;
  ScaledCone& cone_;
  SparseConeResult& result_;
  double best_residual_{std::numeric_limits<double>::infinity()};
  double target_{0.0};
};

// Keeps r where it is the best so far; true where it is good enough.
bool Tiers::note(const Eigen::VectorXd& r, double residual, std::string_view path) {
  if (residual < best_residual_) {
    best_residual_ = residual;
    ws_.best = r;
    if (best_residual_ <= target_) result_.path = path;
  }
  return best_residual_ <= target_;
}

bool Tiers::finish(const Eigen::VectorXd& from, double alpha, int steps, std::string_view path) {
  ws_.trial = from;
  const double residual = ws_.newton.finish(target_, alpha, steps, ws_.trial);
  return note(ws_.trial, residual, path);
}

bool Tiers::try_warm() {
  ws_.trial = ws_.r;
  if (note(ws_.trial, ws_.sweeps.run(target_, 5, ws_.trial), "warm nsgs")) return true;
  if (finish(ws_.best, 1e-6, 12, "warm newton")) return true;
  return try_proximal(1e-4, 60, "warm proximal");
}

bool Tiers::try_sweeps(int count) {
  return note(ws_.r, ws_.sweeps.run(target_, count, ws_.r), "nsgs");
}

// Whether sweeps pay: where factors are expensive, as for piles in space.
bool Tiers::try_accelerated() {
  const double factor =
      cone_.W->factor_work() / kFactorRate + kFactorOverhead * cone_.contacts() / kSweepRate;
  const double sweep = cone_.W->sweep_work() / kSweepRate;
  const int budget = static_cast<int>(std::min<double>(options_.max_sweeps, 5.0 * factor / sweep));
  if (budget < kLeastSweeps) return false;
  return note(ws_.r, ws_.sweeps.accelerate(target_, budget, true, ws_.r), "nsgs accelerated");
}

bool Tiers::try_newton() {
  return finish(ws_.r, 1e-6, 10, "newton");
}

bool Tiers::try_interior_point() {
  for (int attempt = 0; attempt < 3; ++attempt) {
    if (try_interior_point_from(attempt)) return true;
    if (ws_.interior.best_residual() <= 1e-3 || attempt == 2) break;
  }
  return false;
}

bool Tiers::try_interior_point_from(int attempt) {
  const bool is_first = attempt == 0;
  if (is_first)
    ws_.interior.start_near(cone_, ws_.r, 0.1);
  else
    ws_.interior.start(cone_, attempt == 1 ? 10.0 : 100.0);
  double next = is_first ? 1e-4 : std::min(1e-4, 0.3 * best_residual_);
  for (int k = 0; k < options_.max_interior_point; ++k) {
    const bool moved = ws_.interior.step();
    ++result_.interior_point_steps;
    const double residual = ws_.interior.best_residual();
    if (note(ws_.interior.best(), residual, "interior-point")) return true;
    const bool stalls = !moved || ws_.interior.short_steps() >= 4;
    if (stalls && residual > 1e-3 && attempt < 2) return false;
    if (residual <= next || stalls) {
      if (finish(ws_.interior.best(), 1e-6, 10, "interior-point, newton")) return true;
      next = 0.05 * residual;
    }
    if (stalls) return false;
  }
  return false;
}

// From the best point met: the less it is lifted from the edges of the cones, the more of it is kept.
bool Tiers::try_interior_point_again() {
  for (const double lift : {1e-2, 1e-3, 1e-4}) {
    ws_.interior.start_near(cone_, ws_.best, lift);
    for (int k = 0; k < options_.max_interior_point; ++k) {
      const bool moved = ws_.interior.step();
      ++result_.interior_point_steps;
      const double residual = ws_.interior.best_residual();
      if (note(ws_.interior.best(), residual, "interior-point again")) return true;
      if (moved && ws_.interior.short_steps() < 4) continue;
      if (finish(ws_.interior.best(), 1e-6, 10, "interior-point again, newton")) return true;
      break;
    }
    if (try_proximal(1e-6, 40, "interior-point again, proximal")) return true;
  }
  return false;
}

// A detour by way of problems with slightly different mu: where Newton's method circles between modes, it
// seldom does so for a neighbouring problem too.
bool Tiers::try_detours() {
  const Eigen::VectorXd mu = cone_.mu;
  Random random(1);
  for (int k = 0; k < options_.max_detours && may_work(0.0); ++k) {
    const double off = kDetours[std::min<std::size_t>(static_cast<std::size_t>(k), std::size(kDetours) - 1)];
    for (Eigen::Index i = 0; i < mu.size(); ++i)
      cone_.mu[i] = mu[i] * (1.0 + off * random.uniform(-1.0, 1.0));
    go_astray();
    cone_.mu = mu;
    ws_.r = ws_.trial;
    if (finish(ws_.r, 1e-6, 10, "detour, newton")) return true;
    ws_.trial = ws_.r;
    if (note(ws_.trial, ws_.newton.proximal(target_, 1e-5, 40, ws_.trial), "detour, proximal")) return true;
  }
  return false;
}

// Solves the present (neighbouring) problem from the best point of the original one, into `trial`.
void Tiers::go_astray() {
  ws_.trial = ws_.best;
  if (ws_.newton.finish(target_, 1e-6, 10, ws_.trial) <= target_) return;
  if (ws_.newton.proximal(target_, 1e-5, 40, ws_.trial) <= target_) return;
  ws_.interior.start_near(cone_, ws_.trial, 1e-2);
  for (int k = 0; k < options_.max_interior_point && ws_.interior.step(); ++k) ++result_.interior_point_steps;
  ws_.trial = ws_.interior.best();
  ws_.newton.proximal(target_, 1e-6, 40, ws_.trial);
}

bool Tiers::try_proximal(double alpha, int steps, std::string_view path) {
  ws_.trial = ws_.best;
  const double residual = ws_.newton.proximal(target_, alpha, steps, ws_.trial);
  return note(ws_.trial, residual, path);
}

bool Tiers::try_admm(bool alone) {
  ws_.r = ws_.best;
  ws_.admm.start(cone_, ws_.r, 0.1);
  double mark = best_residual_;
  for (int k = 0; k < options_.max_admm && may_work(0.0); k += 200) {
    const double residual = ws_.admm.run(target_, 200);
    result_.admm_iterations = ws_.admm.iterations();
    if (note(ws_.admm.best(), residual, "admm")) return true;
    if (alone || (!(residual < 0.3 * mark) && k % 2000 != 1800)) continue;
    mark = std::min(mark, residual);
    ws_.admm.forget_factor();
    if (finish(ws_.admm.best(), 1e-5, 8, "admm, newton")) return true;
    ws_.trial = ws_.admm.best();
    if (note(ws_.trial, ws_.newton.proximal(target_, 1e-5, 30, ws_.trial), "admm, proximal")) return true;
  }
  return false;
}

int Tiers::iterations() const {
  return ws_.sweeps.sweeps() + ws_.newton.steps() + result_.interior_point_steps + result_.admm_iterations;
}

template <class Method>
bool Tiers::run_tier(std::string_view name, const Method& method) {
  return rigor::run_tier(
      name, [&] { return iterations(); }, method);
}

// The one list of tiers: what `auto` tries, in this order, and each method by its name.
bool Tiers::run_method() {
  const auto sweeps = [&](int count) { return run_tier("nsgs", [&] { return try_sweeps(count); }); };
  const auto newton = [&] { return run_tier("newton", [&] { return try_newton(); }); };
  const auto interior = [&] { return run_tier("interior-point", [&] { return try_interior_point(); }); };
  const auto proximal = [&](double alpha, int steps) {
    return run_tier("proximal", [&] { return try_proximal(alpha, steps, "proximal"); });
  };
  const auto admm = [&](bool alone) { return run_tier("admm", [&] { return try_admm(alone); }); };
  switch (options_.method) {
    case ConeMethod::kNewton:
      return sweeps(20) || newton();
    case ConeMethod::kNsgs:
      return sweeps(20) || run_tier("nsgs accelerated", [&] {
               const int most = std::max(100'000, options_.max_sweeps);
               return note(ws_.r, ws_.sweeps.accelerate(target_, most, false, ws_.r), "nsgs accelerated");
             });
    case ConeMethod::kProximalNewton:
      return sweeps(20) || newton() || proximal(1e-5, 200) || proximal(1e-2, 200);
    case ConeMethod::kInteriorPoint:
      return sweeps(20) || interior();
    case ConeMethod::kAdmm:
      return sweeps(1) || admm(true);
    case ConeMethod::kAuto:
      break;
  }
  if (options_.warm && run_tier("warm", [&] { return try_warm(); })) return true;
  return sweeps(20) || run_tier("nsgs accelerated", [&] { return try_accelerated(); }) || newton() ||
         interior() || proximal(1e-5, 100) || proximal(1e-6, 120) ||
         run_tier("interior-point again", [&] { return try_interior_point_again(); }) ||
         run_tier("detours", [&] { return try_detours(); }) || admm(false);
}

double Tiers::run() {
  ws_.sweeps.start(cone_);
  ws_.newton.start(cone_);
  ws_.best = ws_.r;
  target_ = options_.tolerance;
  cone_.compute_velocity(ws_.r, ws_.u);
  if (!note(ws_.r, cone_.residual(ws_.r, ws_.u), options_.warm ? "start" : "open")) (void)run_method();
  ws_.r = ws_.best;
  result_.sweeps += ws_.sweeps.sweeps();
  result_.newton_steps += ws_.newton.steps();
  return best_residual_;
}

}  // namespace

const std::vector<std::string_view>& cone_method_names() {
  static const std::vector<std::string_view> names = {"auto",           "newton", "nsgs", "proximal-newton",
                                                      "interior-point", "admm"};
  return names;
}

ConeMethod make_cone_method(std::string_view name) {
  const auto& names = cone_method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(),
          "\"{}\" is not a method for sparse cone problems. Use auto, newton, nsgs, proximal-newton, "
          "interior-point "
          "or admm.",
          name);
  return static_cast<ConeMethod>(found - names.begin());
}

double run_cone_tiers(const SparseConeOptions& options, SparseConeWorkspace& workspace,
                      SparseConeResult& result) {
  return Tiers(options, workspace, result).run();
}

void solve_cone(const SparseConeProblem& problem, const SparseConeOptions& options,
                SparseConeWorkspace& workspace, SparseConeResult& result) {
  const int n = problem.contacts();
  result.sweeps = result.newton_steps = result.interior_point_steps = result.admm_iterations = 0;
  result.path = "none";
  if (!options.warm || result.r.size() != 3 * n) result.r.setZero(3 * n);
  // the small solver knows contacts only
  const bool small_allowed = problem.bounds.empty() &&
                             (options.method == ConeMethod::kAuto || options.method == ConeMethod::kNewton);
  bool done = false;
  if (n == 1 && small_allowed) {
    // one contact has a closed form
    const Block3& W = problem.values[0];
    const double rows[9] = {W(0, 0), W(0, 1), W(0, 2), W(1, 0), W(1, 1), W(1, 2), W(2, 0), W(2, 1), W(2, 2)};
    ConeLocal local;
    local.prepare({0, 3, problem.mu[0]}, rows, 3);
    done = run_tier(
        "one-contact", [] { return 0; },
        [&] { return local.solve(problem.q.data(), false, result.r.data()); });
    result.path = "one-contact";
    if (done) result.residual = relative_cone_residual(problem, result.r);
    done = done && result.residual <= options.tolerance;
  } else if (n > 1 && n <= kSmallCone && small_allowed) {
    workspace.trial = result.r;
    SmallConeCounts counts;
    done = run_tier(
        "small newton", [&] { return counts.sweeps + counts.newton_steps; },
        [&] {
          return solve_small_cone(problem, options.tolerance, !options.warm, workspace.trial, result.residual,
                                  counts);
        });
    result.sweeps = counts.sweeps;
    result.newton_steps = counts.newton_steps;
    result.path = "small newton";
    if (done) result.r = workspace.trial;
  }
  if (!done && n > 0) {
    workspace.matrix.set(problem);
    workspace.matrix.use(options.factors);
    workspace.cone.set(workspace.matrix, problem.q, problem.mu, problem.bounds);
    workspace.cone.impulse_unit = 1.0;
    const double norm = problem.q.norm();
    workspace.cone.divisor = norm > 0.0 ? norm : 1.0;
    workspace.cone.from_given(result.r, workspace.r);
    run_cone_tiers(options, workspace, result);
    workspace.cone.to_given(workspace.r, result.r);
    result.residual = relative_cone_residual(problem, result.r);
  } else if (n == 0) {
    result.residual = 0.0;
  }
  result.status = result.residual <= options.tolerance ? Status::kSolved : Status::kIterationLimit;
}

}  // namespace rigor
