#include "bench/motion_methods.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bench/measure.hpp"
#include "rigor/base/index.hpp"
#include "rigor/base/work.hpp"
#include "rigor/solvers/cone/cone_admm.hpp"
#include "rigor/solvers/cone/cone_interior_point.hpp"
#include "rigor/solvers/cone/cone_sweeps.hpp"

namespace rigor {
namespace {

constexpr int kFirstSweeps = 5;
constexpr int kMostSweeps = 2000;
constexpr int kMostNewton = 40, kMostProximal = 200, kMostInterior = 60, kMostAdmm = 4000;
constexpr double kNear = 1e-4;  // of ‖q‖: here the interior point gives over to proximal steps

double work_limit(const CapturedContacts& problem, const MethodOptions& options) {
  return options.work * std::max(1.0, 3.0 * problem.contacts() / 100.0);
}

// A captured problem, scaled, with its start, and a matrix that is watched.
struct Bench {
  explicit Bench(const CapturedContacts& problem) {
    matrix.set(problem.problem);
    scale_captured(matrix, problem.problem, law);
    watched.emplace(matrix, law);
    scale_captured(*watched, problem.problem, cone);
    r.setZero(3 * problem.contacts());
    if (problem.start.size() == r.size()) cone.from_given(problem.start, r);
    shorten();
  }

  // Along its ray to where ½ r W r + q r is least, if that is shorter.
  void shorten() {
    Eigen::VectorXd u;
    law.compute_velocity(r, u);
    const double rise = r.dot(law.q), curvature = r.dot(u) - rise;
    if (curvature > -rise) r *= std::max(-rise / curvature, 0.0);
  }

  UnitConeMatrix matrix;
  ScaledCone law, cone;  // cone is what a method may change
  std::optional<WatchedConeMatrix> watched;
  Eigen::VectorXd r;
};

// The curve of a method that works on a ScaledCone.
template <class Run>
Curve watch(const CapturedContacts& problem, const MethodOptions& options, Run run) {
  Bench bench(problem);
  WorkMeter meter(work_limit(problem, options));
  const WorkScope scope(meter);
  Eigen::VectorXd u;
  bench.watched->begin();
  bench.cone.compute_velocity(bench.r, u);
  if (!bench.watched->curve().empty() && bench.watched->curve().back().residual <= options.target)
    return bench.watched->curve();
  run(bench, options);
  return bench.watched->curve();
}

void sweep_plain(Bench& bench, const MethodOptions& options) {
  ConeSweeps sweeps;
  sweeps.start(bench.cone);
  sweeps.run(options.target, kMostSweeps, bench.r);
}

void sweep_accelerated(Bench& bench, const MethodOptions& options) {
  ConeSweeps sweeps;
  sweeps.start(bench.cone);
  sweeps.accelerate(options.target, kMostSweeps, false, bench.r);
}

bool sweep_first(Bench& bench, const MethodOptions& options) {
  ConeSweeps sweeps;
  sweeps.start(bench.cone);
  return sweeps.run(options.target, kFirstSweeps, bench.r) <= options.target;
}

void run_newton(Bench& bench, const MethodOptions& options) {
  if (sweep_first(bench, options)) return;
  ProximalNewton newton;
  newton.start(bench.cone);
  newton.finish(options.target, 1e-8, kMostNewton, bench.r);
}

void go_proximal(Bench& bench, const MethodOptions& options, const ProximalSchedule& schedule) {
  ProximalNewton newton;
  newton.start(bench.cone);
  newton.proximal(options.target, schedule, kMostProximal, bench.r);
}

void run_proximal(Bench& bench, const MethodOptions& options) {
  if (!sweep_first(bench, options)) go_proximal(bench, options, {});
}

void run_motion(Bench& bench, const MethodOptions& options) {
  if (!sweep_first(bench, options)) go_proximal(bench, options, ProximalSchedule::for_motion());
}

void run_interior(Bench& bench, const MethodOptions& options) {
  ConeInteriorPoint interior;
  interior.start_near(bench.cone, bench.r, 0.1);
  for (int k = 0; k < kMostInterior && interior.best_residual() > kNear; ++k)
    if (!interior.step() || interior.short_steps() >= 4) break;
  bench.r = interior.best();
  go_proximal(bench, options, {.alpha = 1e-4});
}

void run_associated(Bench& bench, const MethodOptions& options) {
  bench.cone.associated = true;
  ConeInteriorPoint interior;
  interior.start(bench.cone, 30.0);
  for (int k = 0; k < kMostInterior && interior.best_residual() > 1e-6; ++k)
    if (!interior.step() || interior.short_steps() >= 4) break;
  bench.r = interior.best();
  bench.cone.associated = false;
  go_proximal(bench, options, {.alpha = 1e-4, .most_rho = 1e4});
}

void run_admm(Bench& bench, const MethodOptions& options) {
  bench.watched->count_solves();
  ConeAdmm admm;
  admm.start(bench.cone, bench.r, 0.1);
  admm.run(options.target, kMostAdmm);
}

template <void (*run)(Bench&, const MethodOptions&)>
Curve watch_method(const CapturedContacts& problem, const MethodOptions& options) {
  return watch(problem, options, run);
}

// A point for every decade of the target, until one is missed. `solve` gives residual and iterations for a target.
template <class Solve>
Curve run_decades(const CapturedContacts& problem, const MethodOptions& options, Solve solve) {
  const double norm = problem.problem.q.norm();
  Curve curve;
  for (double target = 0.1; target > 0.99 * options.target; target *= 0.1) {
    // what was reached by the way is not run again
    if (!curve.empty() && curve.back().residual <= target) continue;
    WorkMeter meter(work_limit(problem, options));
    const WorkScope scope(meter);
    const double begin = process_seconds();
    CurvePoint point = solve(target * norm);
    point.seconds = process_seconds() - begin;
    point.residual /= norm;
    if (curve.empty() || point.residual < curve.back().residual) {
      // a run that ended sooner at less is the better answer for both
      while (!curve.empty() && curve.back().seconds >= point.seconds) curve.pop_back();
      curve.push_back(point);
    }
    if (!(point.residual <= 1.000001 * target)) break;
  }
  return curve;
}

Curve run_pile(const CapturedContacts& problem, const MethodOptions& options) {
  const Bench bench(problem);
  Eigen::VectorXd start;
  bench.cone.to_given(bench.r, start);
  PileSweeps pile;
  return run_decades(problem, options, [&](double tolerance) {
    Eigen::VectorXd r = start;
    PileResult result;
    pile.solve(problem.problem, {.tolerance = tolerance, .max_sweeps = kMostSweeps}, r, result);
    return CurvePoint{0.0, result.sweeps, 0, result.residual};
  });
}

Curve run_product(const CapturedContacts& problem, const MethodOptions& options) {
  return run_decades(problem, options, [&](double tolerance) {
    const AloneAnswer answer = solve_as_step(problem, tolerance);
    return CurvePoint{0.0, answer.iterations, 0, answer.residual};
  });
}

AloneAnswer solve_large(const CapturedContacts& problem, double tolerance) {
  ConeIslandSolver solver;
  ConeIslandResult result;
  ConeIslandOptions options;
  options.tolerance = tolerance;
  options.sweeps_first = tolerance >= LargeConeLaw::kSweepable;
  options.warm = problem.start.size() > 0;
  options.slid = problem.slid;
  options.start_freedom = problem.start_freedom;
  result.r = problem.start;
  solver.solve(problem.problem, options, result);
  return {result.r, result.residual, result.iterations, result.method};
}

AloneAnswer solve_dense(const CapturedContacts& problem, double tolerance) {
  const ConeProblem dense = make_dense_cone(problem.problem);
  std::vector<int> sizes;
  for (const ConeBlock& block : dense.blocks) sizes.push_back(block.size);
  ConeWorkspace workspace;
  ConeResult result;
  ConeOptions options;
  options.tolerance = tolerance;
  options.warm = problem.start.size() > 0;
  options.slid = problem.slid;
  options.resumes = true;
  if (options.warm) result.r = drop_unused_rows(sizes, problem.start);
  solve_cone(dense, options, workspace, result);
  return {add_unused_rows(sizes, result.r), result.residual, result.sweeps + result.newton_steps,
          result.method};
}

}  // namespace

WatchedConeMatrix::WatchedConeMatrix(ConeMatrix& matrix, const ScaledCone& law) : matrix_(matrix), law_(law) {
  scale_ = matrix.scale();
  diagonal_ = matrix.diagonal();
  largest_ = std::numeric_limits<double>::infinity();
}

void WatchedConeMatrix::begin() {
  counts_ = {};
  curve_.clear();
  watching_ = 0.0;
  begin_ = process_seconds();
}

void WatchedConeMatrix::note(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const {
  const double now = process_seconds(), residual = law_.residual(r, u);
  if (curve_.empty() || residual < curve_.back().residual) {
    const int iterations = counts_solves_ ? counts_.solves : counts_.sweeps + counts_.factors;
    const double seconds = curve_.empty() ? 0.0 : now - begin_ - watching_;
    curve_.push_back({seconds, iterations, counts_.factors, residual});
  }
  watching_ += process_seconds() - now;
}

void WatchedConeMatrix::add_product(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  const bool is_velocity = u == law_.q;
  matrix_.add_product(r, u);
  if (is_velocity) note(r, u);
}

bool WatchedConeMatrix::sweep(const Eigen::VectorXd& q, const std::vector<ConeLocal>& local,
                              Eigen::VectorXd& r) {
  ++counts_.sweeps;
  return matrix_.sweep(q, local, r);
}

bool WatchedConeMatrix::factor(const std::vector<Block3>& D) {
  ++counts_.factors;
  return matrix_.factor(D);
}

bool WatchedConeMatrix::factor_shifted(double alpha) {
  ++counts_.factors;
  return matrix_.factor_shifted(alpha);
}

void WatchedConeMatrix::solve(const Eigen::VectorXd& t, Eigen::VectorXd& dr, Eigen::VectorXd& du) {
  ++counts_.solves;
  matrix_.solve(t, dr, du);
}

void WatchedConeMatrix::solve_shifted(const Eigen::VectorXd& b, Eigen::VectorXd& d) {
  ++counts_.solves;
  matrix_.solve_shifted(b, d);
}

const std::vector<Method>& motion_methods() {
  static const std::vector<Method> methods = {{"nsgs", watch_method<sweep_plain>},
                                              {"accelerated", watch_method<sweep_accelerated>},
                                              {"pile", run_pile, true},
                                              {"newton", watch_method<run_newton>},
                                              {"proximal", watch_method<run_proximal>},
                                              {"motion", watch_method<run_motion>},
                                              {"interior", watch_method<run_interior>},
                                              {"associated", watch_method<run_associated>},
                                              {"admm", watch_method<run_admm>},
                                              {"product", run_product, true}};
  return methods;
}

AloneAnswer solve_as_step(const CapturedContacts& problem, double tolerance) {
  if (!problem.is_large) return solve_dense(problem, tolerance);
  if (at(problem.contacts()) > LargeConeLaw::kMostDense) return solve_large(problem, tolerance);
  const bool is_dense_first =
      problem.problem.contacts.front().size == 2 && !(problem.start.size() > 0 && problem.slid);
  const auto first = is_dense_first ? solve_dense : solve_large,
             second = is_dense_first ? solve_large : solve_dense;
  AloneAnswer answer = first(problem, tolerance);
  if (answer.residual <= tolerance) return answer;
  AloneAnswer other = second(problem, tolerance);
  return other.residual <= answer.residual ? other : answer;
}

}  // namespace rigor
