#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "bench/measure.hpp"
#include "bench/pile_record.hpp"

namespace rigor {

/// Steps an engine through a scene and writes its record. Engine: void step(), SphereMotion get_motion(int).
/// Prints one line of JSON: engine, steps taken, the median CPU time of all steps and of the last quarter
/// [µs], and `notes`(), further members ", \"key\": value".
template <class Engine, class Notes>
void run_pile(Engine& engine, const std::string& name, const PileScene& scene, const std::string& record,
              Notes&& notes) {
  PileWriter writer(scene, record);
  std::vector<SphereMotion> before(scene.spheres.size()), after(before.size());
  const auto look = [&](std::vector<SphereMotion>& motions) {
    for (std::size_t i = 0; i < motions.size(); ++i) motions[i] = engine.get_motion(static_cast<int>(i));
  };
  std::vector<double> us;
  double spent = 0.0;  // s
  for (int k = 1; k <= scene.steps && (scene.limit == 0.0 || spent < scene.limit); ++k) {
    const bool is_judged = std::find(scene.judged.begin(), scene.judged.end(), k) != scene.judged.end();
    if (is_judged) look(before);
    const double begin = process_seconds();
    engine.step();
    const double took = process_seconds() - begin;
    spent += took;
    us.push_back(1e6 * took);
    const bool is_frame = scene.frames > 0 && k % scene.frames == 0;
    if (is_judged || is_frame) look(after);
    if (is_judged) writer.add_step((k - 1) * scene.h, before, after);
    if (is_frame) writer.add_frame(k * scene.h, after);
  }
  const std::vector<double> last(us.end() - static_cast<std::ptrdiff_t>((us.size() + 3) / 4), us.end());
  fmt::print("{{\"engine\": \"{}\", \"steps\": {}, \"us_median\": {:.1f}, \"us_last_quarter\": {:.1f}{}}}\n",
             name, us.size(), median_of(us), median_of(last), notes());
}

}  // namespace rigor
