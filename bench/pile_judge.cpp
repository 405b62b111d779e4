// Judges what an engine did with a pile of spheres or boxes: every step in a record (pile_record.hpp says its format)
// by the residual of the contact problem of that very step (step_judge.hpp, with boxes body_judge.hpp), the frames, of
// spheres alone, by their overlap.
//
//   pile_judge RECORD [--json] [--tolerance X] [--sweeps N] [--displacement]
//
// X [m/s] and N are how far and with how many sweeps the impulses are found that explain a step: see
// StepJudgeOptions. Engines need not tell theirs. --displacement judges the way that the centres have made in
// place of the velocity that the engine keeps.
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "bench/body_judge.hpp"
#include "bench/step_judge.hpp"
#include "rigor/base/require.hpp"

namespace rigor {
namespace {

struct Arguments {
  std::string record;
  bool json{false};
  StepJudgeOptions options;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const auto number = [&] {
      require(k + 1 < argc, "{}: its value is missing.", word);
      const double x = std::atof(argv[++k]);
      require(x >= 0.0, "{} = {}, must be >= 0.", word, x);
      return x;
    };
    if (word == "--json")
      arguments.json = true;
    else if (word == "--displacement")
      arguments.options.by_displacement = true;
    else if (word == "--tolerance")
      arguments.options.tolerance = number();
    else if (word == "--sweeps")
      arguments.options.max_sweeps = static_cast<int>(number());
    else if (arguments.record.empty() && word.substr(0, 2) != "--")
      arguments.record = word;
    else
      throw InvalidInput(fmt::format("\"{}\" is not known.", word));
  }
  require(!arguments.record.empty(), "the record is missing.");
  return arguments;
}

void print_json(double t, const StepJudgement& j, bool is_first) {
  fmt::print(
      "{}{{\"t\": {}, \"contacts\": {}, \"loaded\": {}, \"residual\": {:.6g}, \"relative\": {:.6g}, "
      "\"law\": {:.6g}, \"momentum\": {:.6g}, \"weight\": {}, \"penetration\": {:.6g}, \"approach\": {:.6g}, "
      "\"sweeps\": {}}}",
      is_first ? "" : ", ", t, j.contacts, j.loaded, j.residual, j.relative, j.law, j.momentum, j.weight,
      j.penetration, j.approach, j.sweeps);
}

void print_line(double t, const StepJudgement& j) {
  fmt::print("{:>8.4g} {:>9} {:>7} {:>13.3e} {:>10.2e} {:>9.2e} {:>9.2e} {:>7} {:>14.2e} {:>13.2e} {:>7}\n",
             t, j.contacts, j.loaded, j.residual, j.relative, j.law, j.momentum, j.weight, j.penetration,
             j.approach, j.sweeps);
}

void run(const Arguments& arguments) {
  const PileRecord record = read_pile_record(arguments.record);
  double deepest = 0.0, last = 0.0;
  const bool has_boxes = record.scene.has_boxes();  // whose overlap is known of the judged steps alone
  for (const PileRecord::Frame& frame : record.frames) {
    if (has_boxes) break;
    last = find_penetration(record.scene, frame.centres);
    deepest = std::max(deepest, last);
  }
  if (arguments.json)
    fmt::print("{{\"frames\": {}, \"worst_penetration\": {:.6g}, \"last_penetration\": {:.6g}, \"judged\": [",
               record.frames.size(), deepest, last);
  else
    fmt::print("{:>8} {:>9} {:>7} {:>13} {:>10} {:>9} {:>9} {:>7} {:>14} {:>13} {:>7}\n", "t, s", "contacts",
               "loaded", "residual, m/s", "relative", "law", "momentum", "weight", "penetration, m",
               "approach, m/s", "sweeps");
  StepJudge judge(record.scene);
  BodyJudge body_judge(record.scene);
  bool is_first = true;
  for (const PileRecord::Step& step : record.steps) {
    const StepJudgement judgement =
        has_boxes ? body_judge.judge(step, arguments.options) : judge.judge(step, arguments.options);
    if (arguments.json)
      print_json(step.t, judgement, is_first);
    else
      print_line(step.t, judgement);
    is_first = false;
  }
  if (arguments.json)
    fmt::print("]}}\n");
  else if (!record.frames.empty() && !has_boxes)
    fmt::print("penetration over {} frames: worst {:.2e} m, last {:.2e} m\n", record.frames.size(), deepest,
               last);
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  try {
    rigor::run(rigor::read_arguments(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(
        stderr,
        "pile_judge: {}\nusage: pile_judge RECORD [--json] [--tolerance X] [--sweeps N] [--displacement]\n",
        error.what());
    return 2;
  }
}
