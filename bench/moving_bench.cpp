// Scenes in which nothing rests, one thread, CPU time, everything computed at every step.
//
//   moving_bench [SCENE] [--tolerance M/S] [--overlap M] [--seconds S] [--limit S]
//
// SCENE: wall, tower, heap, dominoes, discs (820 of them in a plane, between walls), bin (500 mixed shapes), pour (1000
// spheres), chain (30 links with a closed loop), rope (60 links), robot (it stumbles), heaps (50 to 400 boxes, how a
// step's time grows); all but the last where absent.
// Tolerances default to 1e-4 and 1e-6 m/s. Steps that miss the tolerance are taken and counted: columns are times of a
// step, ms, iterations of its solvers, how many were not solved, and the residual relative to the speeds without
// impulses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/moving_scenes.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

struct Words {
  std::string scene;
  std::vector<double> tolerances{1e-4, 1e-6};
  double overlap{1e-4};  // m
  double seconds{2.0};   // of simulated time
  double limit{60.0};    // s of CPU time a run
};

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  const auto k = static_cast<std::size_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<long>(k), values.end());
  return values[k];
}

// Returns the median of a step's time, ms.
double run(std::string_view name, Scene scene, double tolerance, const Words& words) {
  scene.run.tolerance = tolerance;
  scene.run.overlap = words.overlap;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(scene);
  simulation.set_reuse(false);
  std::vector<double> ms, iterations, relative;
  long unsolved = 0;
  double spent = 0.0;
  const long steps = std::lround(words.seconds / scene.run.dt);
  for (long k = 0; k < steps && spent < words.limit; ++k) {
    const double begin = process_seconds();
    const StepReport report = simulation.step();
    const double took = process_seconds() - begin;
    if (!report.is_taken()) {
      fmt::print("  step {}: {}\n", k, report.message);
      break;
    }
    spent += took;
    ms.push_back(1e3 * took);
    iterations.push_back(report.contact.iterations);
    relative.push_back(report.contact.relative_residual);
    unsolved += report.contact.unsolved_islands > 0 ? 1 : 0;
  }
  fmt::print(
      "{:<10} {:>6} {:>8} {:>7.0e} {:>6}{} {:>8.2f} {:>8.2f} {:>9.2f} {:>7.0f} {:>6.0f} {:>8} {:>9.1e} "
      "{:>9.1e}\n",
      name, scene.bodies.size(), simulation.totals().most_contacts, tolerance, ms.size(),
      static_cast<long>(ms.size()) < steps ? '*' : ' ', quantile(ms, 0.5), quantile(ms, 0.95),
      quantile(ms, 1.0), quantile(iterations, 0.5), quantile(iterations, 0.95), unsolved,
      quantile(relative, 0.5), quantile(relative, 1.0));
  std::fflush(stdout);
  return quantile(ms, 0.5);
}

void run_heaps(const Words& words) {
  for (const double tolerance : words.tolerances) {
    const double small = run("heap", test::make_heap(50), tolerance, words);
    (void)run("heap", test::make_heap(100), tolerance, words);
    (void)run("heap", test::make_heap(200), tolerance, words);
    const double large = run("heap", test::make_heap(400), tolerance, words);
    fmt::print("heaps: the median grows as bodies^{:.2f}\n", std::log(large / small) / std::log(8.0));
  }
}

void run_all(const Words& words) {
  fmt::print("{:<10} {:>6} {:>8} {:>7} {:>7} {:>8} {:>8} {:>9} {:>7} {:>6} {:>8} {:>9} {:>9}\n", "scene",
             "bodies", "contacts", "m/s", "steps", "median", "95 %", "largest", "iter.", "95 %", "unsolved",
             "relative", "worst");
  if (words.scene == "heaps") return run_heaps(words);
  const auto try_scene = [&](std::string_view name, const Scene& scene) {
    if (!words.scene.empty() && words.scene != name) return;
    for (const double tolerance : words.tolerances) (void)run(name, scene, tolerance, words);
  };
  try_scene("wall", test::make_wall_and_ball(10));
  try_scene("tower", test::make_kicked_tower(20));
  try_scene("heap", test::make_heap(200));
  try_scene("dominoes", test::make_dominoes(22));
  Scene discs = test::make_cannonballs(40, 0.5);
  discs.run.dt = 1.0 / 240.0;
  try_scene("discs", discs);
  try_scene("bin", test::make_mixed_bin(500));
  try_scene("pour", test::make_poured_spheres(1000));
  try_scene("chain", test::make_chain_with_loop(15, 15));
  try_scene("rope", test::make_rope(60));
  try_scene("robot", test::make_stumbling_robot());
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::Words words;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    const bool has_value = word.starts_with("--") && k + 1 < argc;
    if (!has_value) {
      words.scene = word;
      continue;
    }
    const double value = std::atof(argv[++k]);
    if (word == "--tolerance") words.tolerances = {value};
    if (word == "--overlap") words.overlap = value;
    if (word == "--seconds") words.seconds = value;
    if (word == "--limit") words.limit = value;
  }
  rigor::run_all(words);
  return 0;
}
