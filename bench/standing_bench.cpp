// Long runs with contact and what they cost, one thread, CPU time: things that stand by friction alone, and
// two scenes of SimBenchmark (ETH, RaiSim) whose answer is known.
//
//   standing_bench                      all of it, the long ones shortened
//   standing_bench NAME [STEPS]         slope arch cards kapla pyramid chain | ratios | rolling | 666 [dt …]
//   standing_bench rest [STEPS]         what a step costs at rest, by stages
//
// Every line ends with the worst certificate over its steps: residual, m/s, overlap, m, and sticking drift,
// m.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "bench/measure.hpp"
#include "rigor/dynamics/kinematics.hpp"
#include "rigor/math/random.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

struct Course {
  std::vector<double> ms;  // of every step
  double seconds{0.0};
  bool solved{true};

  // visit(step number) before each step
  template <class Visit>
  Course(Simulation& simulation, long steps, Visit visit) {
    for (long k = 0; k < steps; ++k) {
      visit(k);
      const double begin = process_seconds();
      const StepReport report = simulation.step();
      const double took = process_seconds() - begin;
      seconds += took;
      ms.push_back(1e3 * took);
      if (report.is_taken()) continue;
      fmt::print("  step {}: {}\n", k, report.message);
      solved = false;
      return;
    }
  }

  [[nodiscard]] double median() {
    std::nth_element(ms.begin(), ms.begin() + static_cast<long>(ms.size() / 2), ms.end());
    return ms[ms.size() / 2];
  }
};

std::string describe(const RunTotals& totals) {
  return fmt::format("{:>9.1e} {:>9.1e} {:>9.1e} {:>8}", totals.worst_residual, totals.worst_penetration,
                     totals.sticking_drift, totals.unsolved_steps);
}

void print_head() {
  fmt::print("{:<9} {:>6} {:>8} {:>7} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "scene", "bodies",
             "contacts", "steps", "median ms", "mean ms", "worst ms", "moved m", "residual", "overlap",
             "drift", "unsolved");
}

void bench_standing(const char* name, const Scene& scene, long steps) {
  Simulation simulation(scene);
  const State first = simulation.state();
  Course course(simulation, steps, [](long) {});
  const RunTotals& totals = simulation.totals();
  const double worst = *std::max_element(course.ms.begin(), course.ms.end());
  fmt::print("{:<9} {:>6} {:>8} {:>7} {:>10.3f} {:>9.3f} {:>9.2f} {:>9.1e} {}\n", name, scene.bodies.size(),
             totals.most_contacts, totals.steps, course.median(),
             1e3 * course.seconds / static_cast<double>(course.ms.size()), worst,
             (simulation.state().q - first.q).cwiseAbs().maxCoeff(), describe(totals));
  std::fflush(stdout);
}

// Microseconds of a step at rest, the least over the steps: with everything computed, by stages and in all,
// and with the step given again.
void bench_rest(const char* name, const Scene& scene, long steps) {
  constexpr long kWarmUp = 60;
  Simulation computed(scene), repeated(scene);
  computed.set_reuse(false);
  StepTimes least{1.0, 1.0, 1.0, 1.0};
  double whole = 1.0, again = 1.0;
  for (long k = 0; k < kWarmUp + steps; ++k) {
    const StepTimes times = computed.step().times;
    const double begin = process_seconds();
    (void)repeated.step();
    const double took = process_seconds() - begin;
    if (k < kWarmUp) continue;
    least = {std::min(least.collision, times.collision), std::min(least.assembly, times.assembly),
             std::min(least.solve, times.solve), std::min(least.rest, times.rest)};
    whole = std::min(whole, times.collision + times.assembly + times.solve + times.rest);
    again = std::min(again, took);
  }
  fmt::print("{:<9} {:>8} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f} {:>9.1f}   {}\n", name,
             computed.totals().most_contacts, 1e6 * least.collision, 1e6 * least.assembly, 1e6 * least.solve,
             1e6 * least.rest, 1e6 * whole, 1e6 * again,
             computed.state() == repeated.state() ? "same bits" : "DIFFERENT");
  std::fflush(stdout);
}

void run_rest(long steps) {
  fmt::print("{:<9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "rest, us", "contacts", "collision",
             "assembly", "solve", "rest", "computed", "repeated");
  bench_rest("wall", test::make_wall(15, 7), steps);
  bench_rest("tower 50", test::make_tower(50, 1.0), steps);
  bench_rest("arch", test::make_arch(15), steps);
  bench_rest("kapla", test::make_kapla_tower(6), steps);
}

Scene make_slope() {
  Scene scene = test::make_tower(1, 1.0);
  const double angle = std::atan(0.49);
  scene.gravity = {9.81 * std::sin(angle), 0.0, -9.81 * std::cos(angle)};
  return scene;
}

// A box of 1 kg carries one of m for a second, steps taken at their best residual where they are not solved.
void bench_ratios() {
  fmt::print("{:<9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>8}\n", "top mass", "median ms", "moved m", "residual",
             "overlap", "drift", "unsolved");
  for (const double ratio : {1.0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12}) {
    Scene scene = test::make_tower(2, ratio);
    scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
    Simulation simulation(scene);
    const State first = simulation.state();
    Course course(simulation, 100, [](long) {});
    fmt::print("{:<9.0e} {:>10.3f} {:>9.1e} {}\n", ratio, course.median(),
               (simulation.state().q - first.q).cwiseAbs().maxCoeff(), describe(simulation.totals()));
  }
}

// SimBenchmark's "rolling": 25 balls on a box that a force pulls over the ground; all overlap by 2e-5 m at
// the start. The box slides, the balls roll. With N = (M + 25 m) g, f₁ = µ N, f₂ = ((F − f₁)/M) / (3.5/m +
// 25/M): a_box = (F − f₁ − 25 f₂)/M, a_ball = f₂/m.
void bench_rolling(const char* name, const Eigen::Vector2d& given) {
  // (0.5, 0.8660254) is not quite of length 1: friction acts along it, with its own magnitude
  const double M = 10.0, m = 1.0, force = 150.0 * given.norm();
  const Eigen::Vector2d direction = given.normalized();
  const Scene scene = test::make_rolling(force * direction);
  const double f1 = 0.4 * (M + 25.0 * m) * 9.81, f2 = (force - f1) / M / (3.5 / m + 25.0 / M);
  const Eigen::Vector2d a_box = (force - f1 - 25.0 * f2) / M * direction, a_ball = f2 / m * direction;
  Simulation simulation(scene);
  Kinematics<double> kin;
  double squares = 0.0;
  Course course(simulation, simulation.step_count(), [&](long) {
    compute_positions(simulation.model(), simulation.state().q, kin);
    compute_velocities(simulation.model(), simulation.state().v, kin);
    const auto error = [&](std::size_t body, const Eigen::Vector2d& a) {
      const Eigen::Vector3d v = kin.bodies[body].V.tail<3>();
      const Eigen::Vector2d exact = simulation.state().t * a;
      return (v - Eigen::Vector3d(exact.x(), exact.y(), 0.0)).squaredNorm();
    };
    squares += error(1, a_box) + error(2, a_ball);
  });
  fmt::print("{:<9} {:>9} {:>10.3f} {:>10.4f} {:>14.2e}   {}\n", name, simulation.totals().steps,
             course.seconds, course.median(), squares / static_cast<double>(course.ms.size()),
             describe(simulation.totals()));
  std::fflush(stdout);
}

// SimBenchmark's "666": 216 frictionless balls fall apart over the ground; the error is their overlap, summed
// in squares over the pairs, the mean over the steps.
void bench_666(double dt) {
  Scene scene = test::make_tower(1, 1.0);
  scene.bodies.clear();
  scene.materials[0].mu = {0.0, 0.0};
  scene.run.dt = dt;
  scene.run.until = 10.0;
  const double radius = 0.1;
  Random random(42);
  for (int k = 0; k < 216; ++k) {
    Body body;
    body.name = fmt::format("ball{}", k);
    body.mass = 10.0;
    body.pose.position = 0.21 * Eigen::Vector3d(k % 6, k / 6 % 6, k / 36);
    for (double& x : body.pose.position) x += 1e-3 * random.uniform();
    body.pose.position.z() += 0.101;
    ShapeInstance ball;
    ball.geometry = Sphere{radius};
    ball.material = "stone";
    body.shapes.push_back(ball);
    scene.bodies.push_back(body);
  }
  Simulation simulation(scene);
  Kinematics<double> kin;
  double squares = 0.0;
  Course course(simulation, simulation.step_count(), [&](long) {
    compute_positions(simulation.model(), simulation.state().q, kin);
    const auto add = [&](double overlap) { squares += overlap > 0.0 ? overlap * overlap : 0.0; };
    for (std::size_t i = 1; i < kin.bodies.size(); ++i) {
      add(radius - kin.bodies[i].p.z());
      for (std::size_t j = 1; j < i; ++j) add(2.0 * radius - (kin.bodies[i].p - kin.bodies[j].p).norm());
    }
  });
  fmt::print("{:<9} {:>9} {:>10.3f} {:>10.4f} {:>14.2e}   {}\n", fmt::format("666 {:g}", dt),
             simulation.totals().steps, course.seconds, course.median(),
             squares / static_cast<double>(course.ms.size()), describe(simulation.totals()));
  std::fflush(stdout);
}

void print_sim_head() {
  fmt::print("{:<9} {:>9} {:>10} {:>10} {:>14}   {:>9} {:>9} {:>9} {:>8}\n", "scene", "steps", "seconds",
             "median ms", "mean error²", "residual", "overlap", "drift", "unsolved");
}

void run(std::string_view what, int argc, char** argv) {
  const bool all = what == "all";
  const auto is = [&](std::string_view name) { return all || what == name; };
  const auto steps = [&](long standard) { return !all && argc > 2 ? std::atol(argv[2]) : standard; };
  if (is("slope") || is("arch") || is("cards") || is("kapla") || is("pyramid") || is("chain")) print_head();
  if (is("slope")) bench_standing("slope", make_slope(), steps(1000));
  if (is("arch")) bench_standing("arch", test::make_arch(15), steps(1000));
  if (is("cards")) bench_standing("cards", test::make_card_house(3), steps(1000));
  if (is("chain")) bench_standing("chain", test::make_lying_chain(7), steps(1000));
  if (is("kapla")) bench_standing("kapla", test::make_kapla_tower(6), steps(all ? 200 : 60'000));
  if (is("pyramid")) bench_standing("pyramid", test::make_pyramid(15), steps(all ? 5 : 100));
  if (is("rest")) run_rest(steps(200));
  if (is("ratios")) bench_ratios();
  if (is("rolling") || is("666")) print_sim_head();
  if (is("rolling")) {
    bench_rolling("roll y", {0.0, 1.0});
    bench_rolling("roll xy", {0.5, 0.8660254});
  }
  if (is("666")) {
    if (!all && argc > 2)
      for (int k = 2; k < argc; ++k) bench_666(std::atof(argv[k]));
    else
      for (const double dt : {1e-1, 4e-2, 1e-2}) bench_666(dt);
  }
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::run(argc > 1 ? argv[1] : "all", argc, argv);
}
