#include "rigor/solvers/cone_solve.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/solvers/cone_finish.hpp"

namespace rigor {
namespace {

/// One solve: the tiers of cone_solve.hpp on the scaled problem; the point they share is workspace.r.
class ConeTiers {
 public:
  ConeTiers(const ConeOptions& options, ConeWorkspace& workspace, ConeResult& result)
      : options_(options), ws_(workspace), system_(workspace.system), result_(result) {}

  void run();

 private:
  bool try_open();
  bool try_one_contact();
  bool try_newton(int max_steps);
  bool try_sweeps();
  bool try_proximal();

  // is ws_.r an answer?
  bool accept(std::string_view method) {
    system_.compute_velocity(ws_.r, ws_.u);
    const double residual = system_.residual(ws_.r, ws_.u);
    keep_best(residual);
    if (!(residual <= options_.tolerance)) return false;
    result_.method = method;
    return true;
  }
  void keep_best(double residual) {
    if (!(residual < best_residual_)) return;
    best_residual_ = residual;
    best_ = ws_.r;
  }
  [[nodiscard]] int newton_left() const { return options_.max_newton - ws_.newton.counts().steps; }

  const ConeOptions& options_;
  ConeWorkspace& ws_;
  const ConeSystem& system_;
  ConeResult& result_;
  Eigen::VectorXd& best_{ws_.best};
  double best_residual_{std::numeric_limits<double>::infinity()};
};

bool ConeTiers::try_open() {
  ws_.r.setZero();
  return accept("open") && best_residual_ == 0.0;
}

bool ConeTiers::try_one_contact() {
  ws_.r.setZero();
  if (!system_.local[0].solve(system_.q.data(), ws_.r.data())) return false;
  return accept("one-contact");
}

bool ConeTiers::try_newton(int max_steps) {
  ws_.newton.follow({1e-10, true}, options_.tolerance, std::min(max_steps, newton_left()), 4, ws_.r);
  return accept("newton");
}

bool ConeTiers::try_sweeps() {
  for (int next = 4; result_.sweeps < options_.max_sweeps; next = std::min(2 * next, options_.max_sweeps)) {
    for (; result_.sweeps < next; ++result_.sweeps) system_.sweep(ws_.r);
    if (accept("nsgs")) return true;
    if (next < 16 || newton_left() <= 0) continue;
    ws_.trial = ws_.r;
    if (try_newton(15)) return true;
    ws_.r = ws_.trial;
    if (next == options_.max_sweeps) break;
  }
  return false;
}

bool ConeTiers::try_proximal() {
  for (const double alpha : {1e-5, 1e-2, 1e-7}) {
    ws_.r = best_;
    ws_.newton.proximal(alpha, options_.tolerance, std::min(150, newton_left()), ws_.r);
    if (accept("proximal")) return true;
  }
  return false;
}

void ConeTiers::run() {
  const auto solve = [&] {
    if (try_open()) return true;
    if (system_.blocks.size() == 1 && try_one_contact()) return true;
    return try_sweeps() || try_proximal();
  };
  const bool solved = solve();
  if (!solved) ws_.r = best_;
  if (solved && result_.method != "open" && result_.method != "one-contact") finish_cone(options_, ws_);
  system_.compute_velocity(ws_.r, ws_.u);
  result_.residual = system_.residual(ws_.r, ws_.u);
  result_.status = result_.residual <= options_.tolerance ? Status::kSolved : Status::kIterationLimit;
  result_.force_freedom = find_force_freedom(ws_);
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
  workspace.r.setZero(problem.q.size());
  if (options.warm && result.r.allFinite()) workspace.r = workspace.system.mean_diagonal * result.r;
  result.sweeps = 0;
  result.method = "nsgs";
  ConeTiers(options, workspace, result).run();
  result.r = workspace.r / workspace.system.mean_diagonal;
  result.u = workspace.u;
  result.newton_steps = workspace.newton.counts().steps;
  result.factorisations = workspace.newton.counts().factorisations;
}

}  // namespace rigor
