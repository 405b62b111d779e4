#include <fmt/format.h>

#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/scene_reader.hpp"
#include "rigor/io/state_bytes.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

struct Verdict {
  std::size_t compared{0};
  std::string difference;  // empty where there is none
};

// Runs the scene again; at every frame the whole state must have the hash that was recorded.
Verdict verify(const Recording& recording, const std::string& name) {
  Simulation simulation(parse_scene(recording.header.scene, fmt::format("(scene of {})", name)));
  ProgressLine progress("frame");
  Verdict verdict;
  for (const RecordedFrame& frame : recording.frames) {
    while (simulation.totals().steps < frame.step && !was_interrupted()) {
      const StepReport report = simulation.step();
      if (report.is_taken()) continue;
      verdict.difference =
          fmt::format("step {} fails now: {}", simulation.totals().steps + 1, report.message);
      return verdict;
    }
    if (was_interrupted()) {
      verdict.difference = "interrupted";
      return verdict;
    }
    if (hash_state(simulation.state()) != frame.hash) {
      verdict.difference = fmt::format("frame {}, t = {:.9g} s, step {} is another state now",
                                       verdict.compared, frame.t, frame.step);
      return verdict;
    }
    progress.show(++verdict.compared, recording.frames.size());
  }
  return verdict;
}

}  // namespace

int run_replay(const std::string& path, bool is_to_verify, bool json) {
  const RecordingContent content = read_recording(path);
  const Recording& recording = content.recording;
  const Scene scene = parse_scene(recording.header.scene, fmt::format("(scene of {})", path));
  std::size_t checkpoints = 0;
  for (const RecordedFrame& frame : recording.frames) checkpoints += frame.snapshot.empty() ? 0 : 1;
  const double end = recording.frames.empty() ? 0.0 : recording.frames.back().t;
  if (is_to_verify) require_no_user_elements(recording.header, path);
  const Verdict verdict = is_to_verify ? verify(recording, path) : Verdict{};
  if (json) {
    JsonValue value{JsonValue::Object{}};
    value.add("scene", scene.name);
    value.add("program", recording.header.program);
    value.add("frames", static_cast<double>(recording.frames.size()));
    value.add("checkpoints", static_cast<double>(checkpoints));
    value.add("time", end);
    value.add("until", scene.run.until);
    value.add("finished", recording.is_finished);
    value.add("damage", content.damage);
    if (is_to_verify) {
      value.add("same", verdict.difference.empty());
      value.add("compared", static_cast<double>(verdict.compared));
      value.add("difference", verdict.difference);
    }
    print_json(value);
  } else {
    say("{}: {}\n  {} frames to t = {:.6g} s of {:.6g} s, {} checkpoints, by rigor {}\n", path, scene.name,
        recording.frames.size(), end, scene.run.until, checkpoints, recording.header.program);
    if (!recording.is_finished) say("  the run did not reach its end; 'rigor resume {}' goes on\n", path);
    if (is_to_verify && verdict.difference.empty())
      say("  run again: the same state, bit for bit, at all {} frames\n", verdict.compared);
  }
  if (!content.damage.empty()) complain("rigor: {}\n", content.damage);
  if (!verdict.difference.empty()) complain("rigor: {}: {}.\n", path, verdict.difference);
  return (content.damage.empty() || content.is_cut) && verdict.difference.empty() ? kAnswered : kNotAnswered;
}

}  // namespace rigor
