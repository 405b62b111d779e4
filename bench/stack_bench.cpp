// Stacks in simulation: towers, walls. One thread; times are those of the step's stages, by its own clock.
//
//   stack_bench                      all of it
//   stack_bench towers | walls | fixed | ratios | small [SEED]
//
// One hard step in forty decides a mean, and which one is hard is luck: compare versions over several seeds of the
// velocities (7 where absent).
#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "bench/measure.hpp"
#include "bench/siconos_peer.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/cone_island.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

std::uint64_t seed = 7;

struct Figures {
  double cold{0.0}, cold_solve{0.0};  // s, the first step
  double mean{0.0}, solve{0.0}, median{0.0}, worst{0.0};
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
  Random random(seed);
  std::vector<double> warm;
  for (int k = 0; k <= steps; ++k) {
    State state = simulation.state();
    for (double& v : state.v) v += (k == 0 ? 1.0 : 0.1) * noise * random.gaussian();
    simulation.restart(state, k);
    const StepTimes before = simulation.totals().times;
    const StepReport report = simulation.step();
    if (!report.is_taken()) {
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
    warm.push_back(sum_of(own));
    figures.mean += sum_of(own) / steps;
    figures.solve += own.solve / steps;
    figures.worst = std::max(figures.worst, sum_of(own));
  }
  if (!warm.empty()) figures.median = median_of(warm);
  figures.contacts = static_cast<int>(simulation.totals().most_contacts);
  return figures;
}

void print_head() {
  fmt::print("{:<22} {:>7} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>6}\n", "scene", "bodies",
             "contacts", "cold ms", "its solve", "warm ms", "its solve", "median ms", "worst ms", "residual",
             "failed");
}

Figures print_line(const std::string& name, const Scene& scene, int steps, double noise) {
  const Figures f = measure(scene, steps, noise);
  fmt::print(
      "{:<22} {:>7} {:>9} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>10.3f} {:>9.1e} {:>6}\n", name,
      scene.bodies.size(), f.contacts, 1e3 * f.cold, 1e3 * f.cold_solve, 1e3 * f.mean, 1e3 * f.solve,
      1e3 * f.median, 1e3 * f.worst, f.residual, f.failed);
  std::fflush(stdout);
  return f;
}

// The same step once more by Gauss-Seidel from the impulses of the step before it, to the same residual or to
// the end of its patience: how much the factors are worth.
void print_sweeps(const Scene& scene, double noise, double ours) {
  Simulation simulation(scene);
  Random random(seed);
  SparseConeProblem problem;
  SparseConeResult result;
  SparseConeWorkspace workspace;
  for (int k = 0; k < 2; ++k) {
    State state = simulation.state();
    for (double& v : state.v) v += (k == 0 ? 1.0 : 0.1) * noise * random.gaussian();
    simulation.restart(state, k);
    if (!simulation.step().is_taken()) return;
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

struct Warm {
  double mean{0.0}, median{0.0};  // s a step
};

// Least squares of log(time) against log(bodies).
class Growth {
 public:
  void add(int bodies, const Warm& warm) {
    size_.push_back(bodies);
    mean_.push_back(warm.mean);
    median_.push_back(warm.median);
  }
  void print(const char* what) const {
    fmt::print("{}: time per warm step grows as bodies^{:.2f}, its median as bodies^{:.2f}\n", what,
               fit_exponent(size_, mean_), fit_exponent(size_, median_));
  }

 private:
  std::vector<double> size_, mean_, median_;
};

void bench_towers() {
  print_head();
  const Figures heavy = print_line("tower 20, 1000:1", test::make_tower(20, 1000.0), 40, 0.02);
  print_sweeps(test::make_tower(20, 1000.0), 0.02, heavy.solve);
  Growth growth;
  for (const int boxes : {5, 10, 20, 50, 100, 200}) {
    const Figures f = print_line(fmt::format("tower {}", boxes), test::make_tower(boxes, 1.0), 100, 0.02);
    growth.add(boxes, {f.mean, f.median});
  }
  growth.print("towers");
}

void bench_walls() {
  print_head();
  Growth growth;
  for (const int side : {5, 10, 20, 40}) {
    const Figures f = print_line(fmt::format("wall {}x{}", side, side), test::make_wall(side, side),
                                 side > 20 ? 5 : 20, 0.02);
    if (side == 10) print_sweeps(test::make_wall(side, side), 0.02, f.solve);
    growth.add(side * side, {f.mean, f.median});
  }
  growth.print("walls");
}

// Boxes whose contacts stay where they are, all closed: the solver alone, as solvers are compared elsewhere.
class FixedStack {
 public:
  int add_box(double mass, const Eigen::Vector3d& size, const Eigen::Vector3d& centre) {
    const Eigen::Vector3d squares = size.cwiseAbs2();
    const Eigen::Vector3d inertia =
        mass / 12.0 * (squares.sum() * Eigen::Vector3d::Ones() - squares);  // kg m²
    boxes_.push_back({centre, 1.0 / std::sqrt(mass), inertia.cwiseSqrt().cwiseInverse()});
    problem_.node_begin.push_back(problem_.node_begin.back() + 2);
    return static_cast<int>(boxes_.size()) - 1;
  }

  // `above` rests on `below`, or on the ground (−1), at a point; the normal is up
  void add_contact(int below, int above, const Eigen::Vector3d& point, double mu) {
    UnitConeProblem::Contact& contact = problem_.contacts.emplace_back();
    for (const auto& [box, sign] : {std::pair{above, 1.0}, {below, -1.0}}) {
      if (box < 0) continue;
      const Box& body = boxes_[static_cast<std::size_t>(box)];
      const Eigen::Vector3d arm = point - body.centre;
      contact.parts[contact.part_count++] = {box, static_cast<int>(problem_.half.size())};
      Block3 push{}, turn{};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = sign * Eigen::Vector3d::Unit((k + 2) % 3);
        const Eigen::Vector3d moment = body.turn.cwiseProduct(arm.cross(axis));
        for (int j = 0; j < 3; ++j) {
          push(j, k) = body.push * axis[j];
          turn(j, k) = moment[j];
        }
      }
      problem_.half.push_back(push);
      problem_.half.push_back(turn);
    }
    mu_.push_back(mu);
  }

  // Steps of 0.01 s under gravity with noise on the half velocities, a cold one and 40 from the last
  // impulses.
  Warm print(const std::string& name, double noise, double tolerance) {
    const auto contacts = static_cast<Eigen::Index>(problem_.contacts.size());
    problem_.mu = Eigen::Map<const Eigen::VectorXd>(mu_.data(), contacts);
    Eigen::VectorXd v = Eigen::VectorXd::Zero(6 * static_cast<Eigen::Index>(boxes_.size()));
    Random random(seed);
    ConeIslandSolver solver;
    ConeIslandResult result;
    double cold = 0.0, mean = 0.0, worst = 0.0, residual = 0.0, iterations = 0.0;
    std::vector<double> warm;
    constexpr int kSteps = 40;
    for (int k = 0; k <= kSteps; ++k) {
      for (std::size_t b = 0; b < boxes_.size(); ++b)
        for (int j = 0; j < 6; ++j) {
          const double root = 1.0 / (j < 3 ? boxes_[b].push : boxes_[b].turn[j - 3]);
          v[6 * static_cast<Eigen::Index>(b) + j] +=
              root * ((k == 0 ? 1.0 : 0.1) * noise * random.gaussian() - (j == 2 ? 0.0981 : 0.0));
        }
      fill_speeds(v);
      const Eigen::VectorXd start = result.r;
      double least = 1e9;
      for (int repeat = 0; repeat < 3; ++repeat) {
        result.r = start;
        const double begin = thread_seconds();
        solver.solve(problem_, {.tolerance = tolerance, .warm = k > 0}, result);
        least = std::min(least, thread_seconds() - begin);
      }
      residual = std::max(residual, result.residual);
      if (k == 0) {
        cold = least;
      } else {
        warm.push_back(least);
        mean += least / kSteps;
        worst = std::max(worst, least);
        iterations += 1.0 * result.iterations / kSteps;
      }
      add_impulses(result.r, v);
    }
    fmt::print("{:<22} {:>9} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>11.1f} {:>10.1e}\n", name, contacts,
               1e3 * cold, 1e3 * mean, 1e3 * median_of(warm), 1e3 * worst, iterations, residual);
    std::fflush(stdout);
    return {mean, median_of(warm)};
  }

 private:
  struct Box {
    Eigen::Vector3d centre;
    double push;           // 1/√m
    Eigen::Vector3d turn;  // 1/√I
  };

  template <typename Visit>
  void visit_parts(Visit&& visit) {
    for (std::size_t c = 0; c < problem_.contacts.size(); ++c)
      for (int p = 0; p < problem_.contacts[c].part_count; ++p)
        for (int node = 0; node < 2; ++node)
          visit(3 * static_cast<Eigen::Index>(c),
                6 * static_cast<Eigen::Index>(problem_.contacts[c].parts[p].unit) + 3 * node,
                problem_.half[static_cast<std::size_t>(problem_.contacts[c].parts[p].first + node)]);
  }
  void fill_speeds(const Eigen::VectorXd& v) {
    problem_.q.setZero(3 * static_cast<Eigen::Index>(problem_.contacts.size()));
    visit_parts([&](Eigen::Index row, Eigen::Index node, const Block3& half) {
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) problem_.q[row + k] += half(j, k) * v[node + j];
    });
  }
  void add_impulses(const Eigen::VectorXd& r, Eigen::VectorXd& v) {
    visit_parts([&](Eigen::Index row, Eigen::Index node, const Block3& half) {
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) v[node + j] += half(j, k) * r[row + k];
    });
  }

  std::vector<Box> boxes_;
  std::vector<double> mu_;
  UnitConeProblem problem_;
};

FixedStack make_fixed_tower(int boxes, double top_mass) {
  FixedStack stack;
  for (int i = 0; i < boxes; ++i) {
    stack.add_box(i + 1 == boxes ? top_mass : 1.0, Eigen::Vector3d::Ones(), {0.0, 0.0, i + 0.5});
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) stack.add_contact(i - 1, i, {x, y, 1.0 * i}, 0.5);
  }
  return stack;
}

FixedStack make_fixed_wall(int courses, int bricks) {
  FixedStack stack;
  for (int i = 0; i < courses; ++i)
    for (int j = 0; j < bricks; ++j) {
      const double x = 2.0 * j + i % 2;
      const int own = stack.add_box(2.0, {2.0, 1.0, 1.0}, {x, 0.0, i + 0.5});
      for (int other = 0; other < (i == 0 ? 1 : bricks); ++other) {
        const double below = i == 0 ? x : 2.0 * other + (i - 1) % 2;
        const double from = std::max(x, below) - 1.0, to = std::min(x, below) + 1.0;
        if (to - from < 0.1) continue;
        for (const double at : {from, to})
          for (const double y : {-0.5, 0.5})
            stack.add_contact(i == 0 ? -1 : (i - 1) * bricks + other, own, {at, y, 1.0 * i}, 0.6);
      }
    }
  return stack;
}

void bench_fixed() {
  fmt::print("{:<22} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11} {:>10}\n", "contacts that stay", "contacts",
             "cold ms", "warm ms", "median ms", "worst ms", "iterations", "residual");
  for (const double tolerance : {1e-8, 1e-10})
    make_fixed_tower(20, 1000.0).print(fmt::format("tower 20, 1000:1, {:.0e}", tolerance), 0.02, tolerance);
  make_fixed_wall(10, 10).print("wall 10x10, 1e-08", 0.02, 1e-8);
  Growth towers, walls;
  for (const int boxes : {5, 10, 20, 50, 100, 200})
    towers.add(boxes, make_fixed_tower(boxes, 1.0).print(fmt::format("tower {}", boxes), 0.02, 1e-10));
  towers.print("towers");
  for (const int side : {5, 10, 20, 40})
    walls.add(side * side, make_fixed_wall(side, side).print(fmt::format("wall {0}x{0}", side), 0.02, 1e-10));
  walls.print("walls");
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
      solved = report.is_taken();
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
  if (argc > 2) rigor::seed = std::strtoull(argv[2], nullptr, 10);
  const bool all = what == "all";
  if (all || what == "small") rigor::bench_small();
  if (all || what == "towers") rigor::bench_towers();
  if (all || what == "walls") rigor::bench_walls();
  if (all || what == "fixed") rigor::bench_fixed();
  if (all || what == "ratios") rigor::bench_ratios();
}
