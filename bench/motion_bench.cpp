// Contact problems of scenes in motion, every method alone: how small its residual is after so much time.
//
//   motion_bench [--quick] [--scene NAME] [--method NAME] [--problems FILE] [--csv FILE] [--svg FILE] [--work N] [--keep N]
//
// Runs the scenes of moving_bench, copies contact problems of 10 to 3000 contacts from their steps (contact_capture.hpp),
// and gives each to every method of motion_methods.hpp, from the impulses of the step before. Tables are of Markdown: the
// share of problems that came to 1e-2, 1e-4, 1e-6 and 1e-8 of ‖q‖₂ with median and 90 % of time and iterations, and, for
// 1e-4, by scene and by size; and the residual of large problems after so much time. One thread, CPU time.
//
//   --problems FILE  reads the problems from FILE, or captures and writes them there: to measure the same ones again
//   --csv FILE       all curves, a line a point         --svg FILE  their medians as a plot
//   --work N         multiplications for every 100 contact rows that a run may take (1e8)
//   --keep N         problems that are kept of a scene and a class of sizes (24; with --quick 3, of shorter runs)
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.hpp"
#include "bench/motion_report.hpp"
#include "tests/support/moving_scenes.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

struct Words {
  std::string scene, method, problems, csv, svg;
  bool quick{false};
  double work{1e8};
  int keep{0};
};

struct NamedScene {
  std::string name;
  Scene scene;
  CaptureRun run;
};

std::vector<NamedScene> make_scenes(bool quick) {
  Scene discs = test::make_cannonballs(40, 0.5);
  discs.shapes.resize(1);  // without walls they spread
  discs.run.dt = 1.0 / 240.0;
  std::vector<NamedScene> scenes;
  // of so many simulated seconds, with --quick of the second number
  const auto add = [&](const char* name, const Scene& scene, double seconds, double quick_seconds, int every,
                       double tolerance = 1e-4) {
    const double length = quick ? quick_seconds : seconds;
    if (length > 0.0)
      scenes.push_back({name, scene, {.seconds = length, .every = every, .tolerance = tolerance}});
  };
  add("wall", test::make_wall_and_ball(10), 1.0, 0.3, 1);
  add("tower", test::make_kicked_tower(20), 2.0, 0.5, 1);
  add("heap", test::make_heap(200), 1.5, 1.0, 2);
  add("dominoes", test::make_dominoes(22), 2.0, 1.0, 1);
  add("discs", discs, 0.7, 0.0, 2);
  add("bin", test::make_mixed_bin(500), 1.5, 0.7, 3, 1e-3);
  add("pour", test::make_poured_spheres(1000), 1.45, 0.0, 3, 1e-3);
  add("pour 200", test::make_poured_spheres(200), 1.5, 1.0, 2);
  add("chain", test::make_chain_with_loop(15, 15), 2.0, 0.8, 1);
  add("rope", test::make_rope(60), 1.5, 1.0, 1);
  add("robot", test::make_stumbling_robot(), 3.0, 1.5, 1);
  return scenes;
}

std::vector<CapturedContacts> capture(const Words& words) {
  std::vector<CapturedContacts> all;
  CaptureOptions options;
  options.per_class = words.keep > 0 ? words.keep : words.quick ? 3 : 24;
  for (const NamedScene& each : make_scenes(words.quick)) {
    if (!words.scene.empty() && words.scene != each.name) continue;
    const double begin = process_seconds();
    std::vector<CapturedContacts> some = capture_scene(each.name, each.scene, each.run, options);
    fmt::print(stderr, "{}: {} problems in {:.0f} s\n", each.name, some.size(), process_seconds() - begin);
    for (CapturedContacts& problem : some) all.push_back(std::move(problem));
  }
  return all;
}

std::vector<CapturedContacts> get_problems(const Words& words) {
  if (words.problems.empty()) return capture(words);
  if (std::ifstream in(words.problems, std::ios::binary); in) return read_captured(in);
  std::vector<CapturedContacts> problems = capture(words);
  std::ofstream out(words.problems, std::ios::binary);
  write_captured(problems, out);
  return problems;
}

int measure(const Words& words) {
  const std::vector<CapturedContacts> problems = get_problems(words);
  fmt::print("{} problems\n\n", problems.size());
  std::vector<MethodCurves> all;
  for (const Method& method : motion_methods()) {
    if (!words.method.empty() && words.method != method.name) continue;
    MethodCurves& curves = all.emplace_back();
    curves.name = method.name;
    curves.by_decades = method.by_decades;
    const double begin = process_seconds();
    for (const CapturedContacts& problem : problems)
      curves.curves.push_back(method.run(problem, {.work = words.work}));
    fmt::print(stderr, "{}: {:.0f} s\n", method.name, process_seconds() - begin);
  }
  fmt::print("{}\n", describe_methods(all));
  fmt::print("To 1e-4 of ‖q‖₂, share and median in ms:\n\n{}\n{}",
             describe_groups(problems, all, GroupBy::kSize, 1e-4),
             describe_groups(problems, all, GroupBy::kScene, 1e-4));
  fmt::print("\nThe median of the residual over ‖q‖₂ after so much time:\n\n");
  for (const char* const scene : {"heap", "wall", "bin", "pour"})
    fmt::print("{}", describe_times(problems, all, scene, 300));
  if (!words.csv.empty()) {
    std::ofstream out(words.csv);
    write_csv(problems, all, out);
  }
  if (!words.svg.empty()) std::ofstream(words.svg) << to_svg(plot_methods(problems, all));
  return 0;
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  rigor::Words words;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word = argv[k];
    if (word == "--quick") {
      words.quick = true;
      continue;
    }
    const std::string value = k + 1 < argc ? argv[++k] : "";
    if (word == "--scene") words.scene = value;
    if (word == "--method") words.method = value;
    if (word == "--problems") words.problems = value;
    if (word == "--csv") words.csv = value;
    if (word == "--svg") words.svg = value;
    if (word == "--work") words.work = std::atof(value.c_str());
    if (word == "--keep") words.keep = std::atoi(value.c_str());
  }
  return rigor::measure(words);
}
