// Spheres that have settled in a box: what a step costs at rest, by the tolerance and the number of spheres.
//
//   pile_bench [LARGEST [THREADS [SMALLEST [FOLDER]]]]
//                      of 1000, 4000, 10 000, 100 000 spheres; 10 000, 1, 1000; piles are kept in the folder
//
// Spheres of 0.1 m and 1 kg fall from a loose lattice, mu 0.5, steps of 5 ms. After 1.5 s a drag takes 5 % of
// every velocity at each step, as honey would, until 20 steps in a row are solved to 1e-6 with at most 50
// sweeps; and again, until the pile stays so without drag for 30 steps of at most 200 sweeps. From there 20
// steps are measured at each tolerance after 10 that are not, without drag, everything computed. Overlaps are
// left up to 1e-5 m, or to what ten steps at the tolerance leave. Residuals are relative, ‖r − P(r − û)‖/‖q‖,
// as in the literature. Times are CPU times, of all threads together. 10 000 spheres take minutes, 100 000
// hours: with a folder it goes on where it was ended.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "rigor/io/source_text.hpp"
#include "rigor/io/state_bytes.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

constexpr int kFalling = 300;   // steps without drag
constexpr double kDrag = 0.05;  // of the velocity, a step, from then on
constexpr int kInARow = 20;     // solved steps that say it has settled
constexpr int kMeasured = 20;
constexpr double kOverlap = 1e-5;     // m
constexpr int kPatience = 5000;       // steps until it has
constexpr int kBefore = 10;           // steps without drag before those that are measured
constexpr int kFew = 25, kSome = 50;  // sweeps a step, at most: while it falls, while it settles
constexpr int kMany = 200;            // while it is measured
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of a pile
constexpr double kTolerances[2] = {1e-4, 1e-6};           // of ‖q‖

struct Figures {
  std::vector<double> step;             // s
  double residual{0.0}, relative{0.0};  // m/s, of ‖q‖
  double overlap{0.0};                  // m
  long sweeps{0};
  int unsolved{0};
};

Figures measure(Simulation& simulation) {
  Figures figures;
  for (int k = 0; k < kMeasured; ++k) {
    const double before = process_seconds();
    const StepReport report = simulation.step();
    figures.step.push_back(process_seconds() - before);
    figures.residual = std::max(figures.residual, report.contact.residual);
    figures.relative = std::max(figures.relative, report.contact.relative_residual);
    figures.overlap = std::max(figures.overlap, report.contact.penetration);
    figures.sweeps += report.contact.iterations;
    figures.unsolved += report.contact.unsolved_islands > 0 ? 1 : 0;
  }
  return figures;
}

// Says every hundred steps where a simulation is; returns ‖q‖, m/s.
double say(const Simulation& simulation, const char* what, const StepReport& report, double start) {
  const ContactCertificate& contact = report.contact;
  const double scale = contact.residual > 0.0 ? contact.residual / contact.relative_residual : 1.0;
  if (simulation.totals().steps % 100 == 0)
    std::fprintf(stderr, "%zu spheres %s: %ld steps, residual %.1e, |q| %.2g m/s, |v| %.2g, %.0f s\n",
                 simulation.model().bodies.size() - 1, what, simulation.totals().steps,
                 contact.relative_residual, scale, simulation.state().v.norm(), process_seconds() - start);
  return scale;
}

struct Pile {
  State state;
  long steps{0};
  double scale{1.0};  // ‖q‖, m/s
  bool rests{false};  // or patience came to its end
};

// Piles on their way, written every hundred steps; nothing where no folder was given.
class Shelf {
 public:
  explicit Shelf(const std::string& folder, int spheres)
      : file_(folder.empty() ? "" : fmt::format("{}/pile_{}.state", folder, spheres)) {
    if (!folder.empty()) std::filesystem::create_directories(folder);
  }

  void put(const State& state, long steps) const {
    if (file_.empty() || steps % 100 != 0) return;
    Snapshot snapshot{state, {}};
    snapshot.totals.steps = steps;
    write_text_file(file_, to_bytes(snapshot));
  }
  void take(Pile& pile) const {
    if (file_.empty() || !std::filesystem::exists(file_)) return;
    const Snapshot snapshot = read_snapshot(read_text_file(file_, kMostBytes));
    pile.state = snapshot.state;
    pile.steps = snapshot.totals.steps;
  }

 private:
  std::string file_;
};

// Steps with drag until kInARow are solved.
void slow_down(Scene scene, const Shelf& shelf, double start, Pile& pile) {
  scene.run.tolerance = kTolerances[1] * pile.scale;
  scene.run.max_iterations = kSome;
  Simulation simulation(scene);
  for (int in_a_row = 0; pile.steps < kPatience && in_a_row < kInARow;) {
    pile.state.v *= 1.0 - kDrag;
    simulation.restart(pile.state, pile.steps);
    const StepReport report = simulation.step();
    ++pile.steps;
    pile.scale = say(simulation, "settle", report, start);
    pile.state = simulation.state();
    shelf.put(pile.state, pile.steps);
    in_a_row = report.contact.unsolved_islands == 0 ? in_a_row + 1 : 0;
  }
}

// Whether as many steps as will be measured are solved without drag; where not, the pile goes on from there.
bool stays(Scene scene, Pile& pile) {
  scene.run.tolerance = kTolerances[1] * pile.scale;
  scene.run.max_iterations = kMany;
  Simulation simulation(scene);
  simulation.restart(pile.state, pile.steps);
  for (int k = 0; k < kBefore + kMeasured; ++k)
    if (simulation.step().contact.unsolved_islands > 0) {
      pile.state = simulation.state();
      pile.steps += k + 1;
      return false;
    }
  return true;
}

// A pile at rest.
Pile settle(Scene scene, const Shelf& shelf) {
  const double start = process_seconds();
  Pile pile;
  scene.run.tolerance = 1e-3;
  scene.run.max_iterations = kFew;
  Simulation falling(scene);
  pile.state = falling.state();
  shelf.take(pile);
  falling.restart(pile.state, pile.steps);
  // one step at least, for ‖q‖
  do {
    pile.scale = say(falling, "fall", falling.step(), start);
    ++pile.steps;
    shelf.put(falling.state(), pile.steps);
  } while (pile.steps < kFalling);
  pile.state = falling.state();
  do {
    slow_down(scene, shelf, start, pile);
    pile.rests = stays(scene, pile);
  } while (!pile.rests && pile.steps < kPatience);
  return pile;
}

std::string describe(const Pile& pile) {
  return fmt::format("{}{} steps", pile.rests ? "" : "not in ", pile.steps);
}

void run(int largest, int threads, int smallest, const std::string& folder) {
  fmt::print("{:<9} {:>9} {:>14} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9} {:>10} {:>9}\n", "spheres", "contacts",
             "settled after", "tolerance", "step ms", "most ms", "sweeps", "residual", "m/s", "overlap m",
             "unsolved");
  std::vector<double> size, time[2];
  for (const int count : {1000, 4000, 10'000, 100'000}) {
    if (count < smallest || count > largest) continue;
    Scene scene = test::make_falling_spheres(count, 0.5);
    scene.run.dt = 5e-3;
    scene.run.threads = threads;
    scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
    scene.run.overlap = kOverlap;
    const Pile pile = settle(scene, Shelf(folder, count));
    size.push_back(count);
    scene.run.max_iterations = kMany;
    for (int t = 0; t < 2; ++t) {
      scene.run.tolerance = kTolerances[t] * pile.scale;
      scene.run.overlap = std::max(kOverlap, 10.0 * scene.run.tolerance * scene.run.dt);
      Simulation simulation(scene);
      simulation.set_reuse(false);
      simulation.restart(pile.state, pile.steps);
      for (int k = 0; k < kBefore; ++k) (void)simulation.step();
      const Figures figures = measure(simulation);
      time[t].push_back(median_of(figures.step));
      fmt::print("{:<9} {:>9} {:>14} {:>9.0e} {:>9.2f} {:>9.2f} {:>7.1f} {:>9.1e} {:>9.1e} {:>10.1e} {:>9}\n",
                 count, simulation.totals().most_contacts, describe(pile), kTolerances[t],
                 1e3 * time[t].back(), 1e3 * *std::max_element(figures.step.begin(), figures.step.end()),
                 static_cast<double>(figures.sweeps) / kMeasured, figures.relative, figures.residual,
                 figures.overlap, figures.unsolved);
      std::fflush(stdout);
    }
  }
  for (int t = 0; t < 2 && size.size() > 1; ++t)
    fmt::print("at {:.0e}: time per step grows as spheres^{:.2f}\n", kTolerances[t],
               fit_exponent(size, time[t]));
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::run(argc > 1 ? std::atoi(argv[1]) : 10'000, argc > 2 ? std::atoi(argv[2]) : 1,
             argc > 3 ? std::atoi(argv[3]) : 1000, argc > 4 ? argv[4] : "");
}
