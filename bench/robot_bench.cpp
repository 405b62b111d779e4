// Robots, one thread, CPU time, everything computed at every step.
//
//   robot_bench [ROBOT] [--tolerance M/S] [--overlap M] [--seconds S] [--seed N] [--uniqueness 1]
//
// ROBOT: humanoid, quadruped, hand; all where absent. Each with its motors holding it (hold), at targets near by (sway)
// and in half of their ranges (move): tests/support/robot_scenes.hpp. Tolerance 1e-8 m/s, h = 5 ms. Steps that miss the
// tolerance are taken and counted. How far impulses are unique is not asked (Stepper::want_uniqueness) without
// --uniqueness 1. Columns: speeds; most contacts within reach, and loaded ones of a step in the mean;
// a step's time, µs: median, 95 % and largest; the means of its stages; iterations, mean; steps not solved; the worst
// residual of those that are, m/s.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/robot_scenes.hpp"

namespace rigor {
namespace {

struct Words {
  std::string robot;
  double tolerance{1e-8};  // m/s
  double overlap{1e-4};    // m
  double seconds{4.0};     // of simulated time
  std::uint64_t seed{1};
  bool uniqueness{false};
};

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  const auto k = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(k), values.end());
  return values[k];
}

void run(std::string_view name, std::string_view motion, Scene scene, const Words& words) {
  scene.run.tolerance = words.tolerance;
  scene.run.overlap = words.overlap;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(scene);
  simulation.set_reuse(false);
  simulation.want_uniqueness(words.uniqueness);
  std::vector<double> us;
  long unsolved = 0, loaded = 0, iterations = 0;
  double worst = 0.0;
  const long steps = std::lround(words.seconds / scene.run.dt);
  for (long k = 0; k < steps; ++k) {
    const double begin = process_seconds();
    const StepReport report = simulation.step();
    us.push_back(1e6 * (process_seconds() - begin));
    if (!report.is_taken()) {
      fmt::print("  step {}: {}\n", k, report.message);
      break;
    }
    const bool is_unsolved = report.contact.unsolved_islands > 0;
    unsolved += is_unsolved ? 1 : 0;
    if (!is_unsolved) worst = std::max(worst, report.residual);
    loaded += report.contact.sticking + report.contact.sliding;
    iterations += report.contact.iterations;
  }
  const RunTotals& totals = simulation.totals();
  const auto mean = [&](double sum) { return sum / static_cast<double>(totals.steps); };
  const StepTimes& times = totals.times;
  fmt::print(
      "{:<10} {:<5} {:>6} {:>8} {:>6.1f} {:>8.1f} {:>8.1f} {:>9.1f} {:>8.1f} {:>8.1f} {:>8.1f} {:>8.1f} "
      "{:>6.1f} "
      "{:>8} {:>9.1e}\n",
      name, motion, simulation.model().nv, totals.most_contacts, mean(static_cast<double>(loaded)),
      quantile(us, 0.5), quantile(us, 0.95), quantile(us, 1.0), 1e6 * mean(times.collision),
      1e6 * mean(times.assembly), 1e6 * mean(times.solve), 1e6 * mean(times.rest),
      mean(static_cast<double>(iterations)), unsolved, worst);
  std::fflush(stdout);
}

void run_all(const Words& words) {
  using test::RobotMotion;
  fmt::print("{:<10} {:<5} {:>6} {:>8} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8} {:>9}\n",
             "robot", "", "speeds", "contacts", "loaded", "median", "95 %", "largest", "collide", "assemble",
             "solve", "rest", "iter.", "unsolved", "residual");
  const auto try_robot = [&](std::string_view name, auto make) {
    if (!words.robot.empty() && words.robot != name) return;
    run(name, "hold", make(RobotMotion::kHold, words.seed), words);
    run(name, "sway", make(RobotMotion::kSway, words.seed), words);
    run(name, "move", make(RobotMotion::kMove, words.seed), words);
  };
  try_robot("humanoid", test::make_humanoid);
  try_robot("quadruped", test::make_quadruped);
  try_robot("hand", test::make_hand);
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::Words words;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const bool has_value = word.starts_with("--") && k + 1 < argc;
    if (!has_value) {
      words.robot = word;
      continue;
    }
    const double value = std::atof(argv[++k]);
    if (word == "--tolerance") words.tolerance = value;
    if (word == "--overlap") words.overlap = value;
    if (word == "--seconds") words.seconds = value;
    if (word == "--uniqueness") words.uniqueness = value != 0.0;
    if (word == "--seed") words.seed = static_cast<std::uint64_t>(value);
  }
  rigor::run_all(words);
  return 0;
}
