// Stacks and piles in simulation: towers, walls, spheres settled in a box. One thread; times are those of the
// step's stages, by its own clock.
//
//   stack_bench                      all of it
//   stack_bench towers | walls | piles | ratios | small
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string_view>

#include "bench/siconos_peer.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/sparse_cone_solve.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

struct Figures {
  double cold{0.0}, cold_solve{0.0};  // s, the first step
  double mean{0.0}, solve{0.0}, worst{0.0};
  double residual{0.0};
  int contacts{0}, failed{0};
};

double sum_of(const StepTimes& t) {
  return t.collision + t.assembly + t.solve + t.rest;
}

// The first step, then `steps` more with every body given a random velocity of `noise` m/s before each.
Figures measure(const Scene& scene, int steps, double noise) {
  Figures figures;
  Simulation simulation(scene);
  Random random(7);
  for (int k = 0; k <= steps; ++k) {
    State state = simulation.state();
    for (double& v : state.v) v += (k == 0 ? 1.0 : 0.1) * noise * random.gaussian();
    simulation.restart(state, k);
    const StepTimes before = simulation.totals().times;
    const StepReport report = simulation.step();
    if (report.status != StepStatus::kSolved) {
      ++figures.failed;
      break;
    }
    StepTimes own = simulation.totals().times;
    own.collision -= before.collision;
    own.assembly -= before.assembly;
    own.solve -= before.solve;
    own.rest -= before.rest;
    figures.residual = std::max(figures.residual, report.contact.residual);
    if (k == 0) {
      figures.cold = sum_of(own);
      figures.cold_solve = own.solve;
      continue;
    }
    figures.mean += sum_of(own) / steps;
    figures.solve += own.solve / steps;
    figures.worst = std::max(figures.worst, sum_of(own));
  }
  figures.contacts = static_cast<int>(simulation.totals().most_contacts);
  return figures;
}

void print_head() {
  fmt::print("{:<22} {:>7} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>6}\n", "scene", "bodies",
             "contacts", "cold ms", "its solve", "warm ms", "its solve", "worst ms", "residual", "failed");
}

Figures print_line(const std::string& name, const Scene& scene, int steps, double noise) {
  const Figures f = measure(scene, steps, noise);
  fmt::print("{:<22} {:>7} {:>9} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>9.1e} {:>6}\n", name,
             scene.bodies.size(), f.contacts, 1e3 * f.cold, 1e3 * f.cold_solve, 1e3 * f.mean, 1e3 * f.solve,
             1e3 * f.worst, f.residual, f.failed);
  std::fflush(stdout);
  return f;
}

// The same step once more by Gauss-Seidel from the impulses of the step before it, to the same residual or to
// the end of its patience: how much the factors are worth.
void print_sweeps(const Scene& scene, double noise, double ours) {
  Simulation simulation(scene);
  Random random(7);
  SparseConeProblem problem;
  SparseConeResult result;
  SparseConeWorkspace workspace;
  for (int k = 0; k < 2; ++k) {
    State state = simulation.state();
    for (double& v : state.v) v += (k == 0 ? 1.0 : 0.1) * noise * random.gaussian();
    simulation.restart(state, k);
    if (simulation.step().status != StepStatus::kSolved) return;
    const auto hardest = simulation.get_hardest();
    if (!hardest) return;
    problem = make_sparse_cone(std::get<ConeProblem>(*hardest));
    const double tolerance = 1e-10 / problem.q.norm();
    if (k == 0) {
      solve_cone(problem, {.tolerance = tolerance}, workspace, result);
      continue;
    }
    const double begin = thread_seconds();
    solve_cone(problem, {.tolerance = tolerance, .method = ConeMethod::kNsgs, .warm = true}, workspace,
               result);
    const double seconds = thread_seconds() - begin;
    fmt::print(
        "  by sweeps alone, accelerated: {:.0f} ms, {} sweeps, residual {:.1e} m/s: {:.0f} times as long\n",
        1e3 * seconds, result.sweeps, result.residual * problem.q.norm(), seconds / ours);
  }
}

// Least squares of log(time) against log(bodies).
void print_exponent(const char* what, const std::vector<double>& size, const std::vector<double>& time) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < size.size(); ++k) {
    const double x = std::log(size[k]), y = std::log(time[k]);
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  fmt::print("{}: time per warm step grows as bodies^{:.2f}\n", what,
             (n * sxy - sx * sy) / (n * sxx - sx * sx));
}

void bench_towers() {
  print_head();
  const Figures heavy = print_line("tower 20, 1000:1", test::make_tower(20, 1000.0), 40, 0.02);
  print_sweeps(test::make_tower(20, 1000.0), 0.02, heavy.solve);
  std::vector<double> size, time;
  for (const int boxes : {5, 10, 20, 50, 100, 200}) {
    const Figures f = print_line(fmt::format("tower {}", boxes), test::make_tower(boxes, 1.0), 20, 0.02);
    size.push_back(boxes);
    time.push_back(f.mean);
  }
  print_exponent("towers", size, time);
}

void bench_walls() {
  print_head();
  std::vector<double> size, time;
  for (const int side : {5, 10, 20, 40}) {
    const Figures f = print_line(fmt::format("wall {}x{}", side, side), test::make_wall(side, side),
                                 side > 20 ? 5 : 20, 0.02);
    if (side == 10) print_sweeps(test::make_wall(side, side), 0.02, f.solve);
    size.push_back(side * side);
    time.push_back(f.mean);
  }
  print_exponent("walls", size, time);
}

// Spheres of 0.1 m dropped on a lattice into a box, left to settle for 1.5 s at 1e-2 m/s, then measured at
// each tolerance from there: `kRelaxing` steps to come to it, the least of the next ones.
void bench_piles(int largest) {
  constexpr int kRelaxing = 10, kMeasured = 5;
  fmt::print("{:<9} {:>9} {:>10} {:>10} {:>10} {:>10} {:>8} {:>9} {:>10} {:>9}\n", "spheres", "contacts",
             "tolerance", "step ms", "solve ms", "collision", "sweeps", "residual", "overlap m", "unsolved");
  std::vector<double> size, time[3];
  const double tolerances[3] = {1e-2, 1e-4, 1e-6};
  for (const int count : {1000, 4000, 10'000, 100'000}) {
    if (count > largest) break;
    Scene scene = test::make_falling_spheres(count, 0.4);
    scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
    scene.run.tolerance = tolerances[0];
    Simulation settling(scene);
    for (int k = 0; k < 150; ++k) (void)settling.step();
    size.push_back(count);
    for (int t = 0; t < 3; ++t) {
      scene.run.tolerance = tolerances[t];
      Simulation simulation(scene);
      simulation.restart(settling.state(), 150);
      for (int k = 0; k < kRelaxing; ++k) (void)simulation.step();
      double step = std::numeric_limits<double>::infinity(), residual = 0.0, overlap = 0.0;
      StepTimes least;
      int sweeps = 0, unsolved = 0;
      for (int k = 0; k < kMeasured; ++k) {
        const StepTimes before = simulation.totals().times;
        const StepReport report = simulation.step();
        const StepTimes after = simulation.totals().times;
        residual = std::max(residual, report.contact.residual);
        overlap = std::max(overlap, report.contact.penetration);
        unsolved += report.contact.unsolved_islands > 0 ? 1 : 0;
        sweeps = std::max(sweeps, static_cast<int>(report.contact.iterations));
        if (sum_of(after) - sum_of(before) >= step) continue;
        step = sum_of(after) - sum_of(before);
        least.solve = after.solve - before.solve;
        least.collision = after.collision - before.collision;
      }
      fmt::print("{:<9} {:>9} {:>10.0e} {:>10.2f} {:>10.2f} {:>10.2f} {:>8} {:>9.1e} {:>10.1e} {:>9}\n",
                 count, simulation.totals().most_contacts, tolerances[t], 1e3 * step, 1e3 * least.solve,
                 1e3 * least.collision, sweeps, residual, overlap, unsolved);
      std::fflush(stdout);
      time[t].push_back(step);
    }
  }
  for (int t = 0; t < 3 && size.size() > 1; ++t)
    print_exponent(fmt::format("piles at {:.0e}", tolerances[t]).c_str(), size, time[t]);
}

// Random contacts on many velocities, all coupled: the problem of the prototypes and of peers'
// microbenchmarks.
SparseConeProblem make_random(int contacts, int dof, Random& random) {
  ConeProblem problem;
  Eigen::MatrixXd J(3 * contacts, dof);
  for (double& j : J.reshaped()) j = contacts == 1 || random.chance(0.7) ? random.gaussian() : 0.0;
  Eigen::VectorXd weights(dof), v(dof);
  for (double& w : weights) w = std::exp(0.7 * random.gaussian());
  for (double& x : v) x = random.gaussian();
  problem.W = J * weights.asDiagonal() * J.transpose() / dof;
  problem.q = 0.2 * J * v;
  for (int i = 0; i < contacts; ++i) {
    problem.q[3 * i] -= 0.3;
    problem.blocks.push_back({3 * i, 3, 0.6});
  }
  return make_sparse_cone(problem);
}

void bench_small() {
  fmt::print("{:<9} {:>10} {:>10} {:>8} {:>12} {:>10} {:>8}\n", "contacts", "cold us", "warm us", "newton",
             "Eigen LU us", "warm / LU", "solved");
  SparseConeWorkspace workspace;
  SparseConeResult result;
  for (const auto& [contacts, dof] : {std::pair{1, 6}, {4, 18}, {10, 40}, {32, 100}}) {
    Random random(5);
    double cold = 0.0, warm = 0.0, lu = 0.0, steps = 0.0;
    int solved = 0;
    const int problems = 100;
    // many calls to one reading of the clock, which takes longer than one contact
    const int calls = contacts <= 4 ? 200 : 10;
    const auto time = [&](auto&& call) {
      double least = 1.0;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const double begin = thread_seconds();
        for (int c = 0; c < calls; ++c) call();
        least = std::min(least, (thread_seconds() - begin) / calls);
      }
      return least;
    };
    for (int k = 0; k < problems; ++k) {
      SparseConeProblem problem = make_random(contacts, dof, random);
      cold += time([&] { solve_cone(problem, {.tolerance = 1e-10}, workspace, result); });
      const Eigen::VectorXd before = result.r;
      for (double& q : problem.q) q *= 1.0 + 0.02 * random.gaussian();
      warm += time([&] {
        result.r = before;
        solve_cone(problem, {.tolerance = 1e-10, .warm = true}, workspace, result);
      });
      steps += result.newton_steps;
      solved += result.status == Status::kSolved;
      const Eigen::MatrixXd dense = Eigen::MatrixXd::Random(3 * contacts, 3 * contacts);
      Eigen::PartialPivLU<Eigen::MatrixXd> factor(3 * contacts);
      lu += time([&] { factor.compute(dense); });
    }
    fmt::print("{:<9} {:>10.2f} {:>10.2f} {:>8.2f} {:>12.2f} {:>10.2f} {:>5}/{}\n", contacts,
               1e6 * cold / problems, 1e6 * warm / problems, steps / problems, 1e6 * lu / problems, warm / lu,
               solved, problems);
  }
}

// A box of mass 1 carries one of mass m for a second; neither may sink nor move.
void bench_ratios() {
  fmt::print("{:<12} {:>12} {:>10} {:>8}\n", "mass ratio", "moved m", "residual", "solved");
  for (const double ratio : {1.0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
    const Scene scene = test::make_tower(2, ratio);
    Simulation simulation(scene);
    bool solved = true;
    double residual = 0.0;
    const State first = simulation.state();
    for (int k = 0; k < 100 && solved; ++k) {
      const StepReport report = simulation.step();
      solved = report.status == StepStatus::kSolved;
      residual = std::max(residual, report.contact.residual);
    }
    fmt::print("{:<12.0e} {:>12.1e} {:>10.1e} {:>8}\n", ratio,
               (simulation.state().q - first.q).cwiseAbs().maxCoeff(), residual, solved ? "yes" : "NO");
  }
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "all";
  const bool all = what == "all";
  if (all || what == "small") rigor::bench_small();
  if (all || what == "towers") rigor::bench_towers();
  if (all || what == "walls") rigor::bench_walls();
  if (all || what == "ratios") rigor::bench_ratios();
  if (all || what == "piles") rigor::bench_piles(argc > 2 ? std::atoi(argv[2]) : 10'000);
}
