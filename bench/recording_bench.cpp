// What recording costs: every run is taken without and with a recording, in turns, and each line tells the
// least time of either. CPU time of the one thread, with the kernel's for the file: other programs that run
// beside it do not count.
//
//   recording_bench                  scenes of 1 to 1000 bodies
//   recording_bench SCENE [SECONDS]  one of scenes/, at most so long
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>

#include "rigor/io/recorder.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/scene_reader.hpp"

namespace rigor {
namespace {

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Figures {
  double plain{std::numeric_limits<double>::infinity()}, recorded{plain};  // s
  long steps{0};
  std::uint32_t frames{0};
  std::uint64_t bytes{0};
};

void run_plain(const Scene& scene, Figures& figures) {
  Simulation simulation(scene);
  const double begin = thread_seconds();
  while (!simulation.is_finished())
    if (!simulation.step().is_taken()) break;
  figures.plain = std::min(figures.plain, thread_seconds() - begin);
  figures.steps = simulation.totals().steps;
}

void run_recorded(const Scene& scene, double every, const std::filesystem::path& path, Figures& figures) {
  Simulation simulation(scene);
  const RecordingHeader header = make_recording_header(scene, simulation, every, 0.0);
  const double begin = thread_seconds();
  Recorder recorder(simulation, header.every, 0.0);
  RecordingWriter writer(path, header);
  writer.append(recorder.make_frame());
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    if (!report.is_taken()) break;
    if (recorder.note(report)) writer.append(recorder.make_frame());
  }
  writer.finish();
  figures.recorded = std::min(figures.recorded, thread_seconds() - begin);
  figures.frames = writer.frame_count();
  figures.bytes = writer.size();
}

void print_line(const std::string& name, double every, double until, int repeats) {
  SceneReadOptions options;
  if (until > 0.0) options.set = {fmt::format("run.until={}", until)};
  const Scene scene = read_scene(fmt::format("{}/scenes/{}.json", RIGOR_SOURCE, name), options);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("recording_bench_{}.rec", name);
  Figures f;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    run_plain(scene, f);
    run_recorded(scene, every, path, f);
  }
  std::filesystem::remove(path);
  const double extra = f.recorded - f.plain;
  fmt::print("{:<22} {:>6} {:>7} {:>7} {:>11.2f} {:>11.2f} {:>12.2f} {:>8.1f} {:>11.0f} {:>9.3f}\n", name,
             scene.bodies.size(), f.steps, f.frames, 1e3 * f.plain, 1e3 * f.recorded, 1e6 * extra / f.frames,
             100.0 * extra / f.plain, static_cast<double>(f.bytes) / f.frames,
             1e-6 * static_cast<double>(f.bytes));
  std::fflush(stdout);
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  fmt::print("{:<22} {:>6} {:>7} {:>7} {:>11} {:>11} {:>12} {:>8} {:>11} {:>9}\n", "scene", "bodies", "steps",
             "frames", "plain ms", "with it ms", "us per frame", "cost %", "bytes/frame", "MB");
  if (argc > 1) {
    rigor::print_line(argv[1], 0.0, argc > 2 ? std::atof(argv[2]) : 0.0, 5);
    return 0;
  }
  for (const char* scene : {"peiret-box", "incline", "chain", "demo", "crates"})
    rigor::print_line(scene, 0.0, 0.0, std::string_view(scene) == "crates" ? 3 : 15);
  rigor::print_line("anitescu-cannonball", 0.0, 0.0, 15);
  rigor::print_line("marbles", 0.01, 1.0, 3);
}
