// Spheres that have settled in a box: what a step costs at rest, by the tolerance and the number of spheres.
//
//   pile_bench [LARGEST [THREADS [SMALLEST]]]     of 1000, 4000, 10 000, 100 000 spheres; 10 000, 1, 1000
//
// Spheres of 0.1 m and 1 kg fall from a loose lattice, mu 0.5, steps of 5 ms, overlaps up to 1e-5 m. They
// settle for 3 s with at most 25 sweeps a step, then at each tolerance with at most 100, for as long as it
// takes until 20 steps in a row are solved to it; the next 20 are measured, everything computed. Times are
// CPU times, of all threads together.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/measure.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

constexpr int kFalling = 600;    // steps
constexpr int kFew = 25;         // sweeps a step until then
constexpr int kSweeps = 100;     // a step from then on, at most
constexpr int kInARow = 20;      // solved steps that say it has settled, and steps measured after them
constexpr int kPatience = 2000;  // steps until it has

struct Figures {
  std::vector<double> step;  // s
  double residual{0.0}, overlap{0.0};
  long sweeps{0};
  int unsolved{0};
};

Figures measure(Simulation& simulation) {
  Figures figures;
  for (int k = 0; k < kInARow; ++k) {
    const double before = process_seconds();
    const StepReport report = simulation.step();
    figures.step.push_back(process_seconds() - before);
    figures.residual = std::max(figures.residual, report.contact.residual);
    figures.overlap = std::max(figures.overlap, report.contact.penetration);
    figures.sweeps += report.contact.iterations;
    figures.unsolved += report.contact.unsolved_islands > 0 ? 1 : 0;
  }
  return figures;
}

// Steps until kInARow of them were solved.
int settle(Simulation& simulation) {
  int steps = 0;
  for (int in_a_row = 0; steps < kPatience && in_a_row < kInARow; ++steps)
    in_a_row = simulation.step().contact.unsolved_islands == 0 ? in_a_row + 1 : 0;
  return steps;
}

void run(int largest, int threads, int smallest) {
  fmt::print("{:<9} {:>9} {:>9} {:>14} {:>9} {:>7} {:>9} {:>10} {:>9}\n", "spheres", "contacts", "tolerance",
             "settled after", "step ms", "sweeps", "residual", "overlap m", "unsolved");
  constexpr double kTolerances[2] = {1e-4, 1e-6};
  std::vector<double> size, time[2];
  for (const int count : {1000, 4000, 10'000, 100'000}) {
    if (count < smallest || count > largest) continue;
    Scene scene = test::make_falling_spheres(count, 0.5);
    scene.run.dt = 5e-3;
    scene.run.threads = threads;
    scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
    scene.run.tolerance = 1e-3;
    scene.run.max_iterations = kFew;
    scene.run.overlap = 1e-5;
    const double start = process_seconds();
    Simulation falling(scene);
    for (int k = 0; k < kFalling; ++k) (void)falling.step();
    std::fprintf(stderr, "%d spheres: %.1f s for the first %d steps\n", count, process_seconds() - start,
                 kFalling);
    State state = falling.state();
    long steps = kFalling;
    size.push_back(count);
    for (int t = 0; t < 2; ++t) {
      scene.run.tolerance = kTolerances[t];
      scene.run.max_iterations = kSweeps;
      Simulation simulation(scene);
      simulation.set_reuse(false);
      simulation.restart(state, steps);
      steps += settle(simulation);
      const Figures figures = measure(simulation);
      state = simulation.state();
      steps += kInARow;
      time[t].push_back(median_of(figures.step));
      fmt::print("{:<9} {:>9} {:>9.0e} {:>8} steps {:>9.2f} {:>7.1f} {:>9.1e} {:>10.1e} {:>9}\n", count,
                 simulation.totals().most_contacts, kTolerances[t], steps - kInARow, 1e3 * time[t].back(),
                 static_cast<double>(figures.sweeps) / kInARow, figures.residual, figures.overlap,
                 figures.unsolved);
      std::fflush(stdout);
    }
  }
  for (int t = 0; t < 2 && size.size() > 1; ++t)
    fmt::print("at {:.0e} m/s: time per step grows as spheres^{:.2f}\n", kTolerances[t],
               fit_exponent(size, time[t]));
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::run(argc > 1 ? std::atoi(argv[1]) : 10'000, argc > 2 ? std::atoi(argv[2]) : 1,
             argc > 3 ? std::atoi(argv[3]) : 1000);
}
