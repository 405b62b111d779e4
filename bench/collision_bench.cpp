// Broad and narrow phase together, in one run with Bullet and FCL where they are installed.
//
//   collision_bench [--quick]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>

#include "bench/collision_scenes.hpp"
#include "rigor/collision/broad_phase.hpp"
#include "rigor/collision/collide.hpp"

namespace rigor::bench {

using Clock = std::chrono::steady_clock;

Measurement measure_rigor(const Scene& scene, int steps) {
  std::vector<Geometry> geometries;
  for (const Shape& shape : scene.shapes) geometries.push_back(make_geometry(shape));
  BroadPhase broad_phase;
  for (std::size_t i = 0; i < geometries.size(); ++i)
    broad_phase.add(compute_bounds(geometries[i], scene.poses[i]));
  CollisionScratch scratch;
  std::vector<ContactPoint> points;
  Measurement out;
  for (int step = 0; step <= steps; ++step) {
    const std::vector<Pose> poses = scene.poses_at(step);
    const auto start = Clock::now();
    for (std::size_t i = 0; i < geometries.size(); ++i)
      broad_phase.set_bounds(static_cast<int>(i), compute_bounds(geometries[i], poses[i]));
    points.clear();
    out.touching.clear();
    for (const auto& [a, b] : broad_phase.find_pairs(scene.margin)) {
      const std::size_t first = points.size();
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      collide(geometries[i], poses[i], geometries[j], poses[j], {scene.margin, Eigen::Vector3d::Zero()},
              scratch, points);
      for (std::size_t k = first; k < points.size(); ++k)
        if (points[k].gap < 0.0) {
          out.touching.emplace_back(a, b);
          break;
        }
    }
    if (step > 0) out.seconds += std::chrono::duration<double>(Clock::now() - start).count() / steps;
  }
  out.points = points.size();
  return out;
}

#ifndef RIGOR_HAVE_BULLET
Measurement measure_bullet(const Scene&, int) {
  return {{}, -1.0, 0};
}
#endif
#ifndef RIGOR_HAVE_FCL
Measurement measure_fcl(const Scene&, int) {
  return {{}, -1.0, 0};
}
#endif

}  // namespace rigor::bench

namespace {

using namespace rigor::bench;

std::string cell(const Measurement& m) {
  return m.seconds < 0.0 ? fmt::format("{:>12} {:>8}", "not there", "")
                         : fmt::format("{:9.3f} ms {:>8}", 1e3 * m.seconds, m.touching.size());
}

// Pairs that only one of the two reports.
std::size_t difference(const Measurement& a, const Measurement& b) {
  std::vector<std::pair<int, int>> only;
  std::set_symmetric_difference(a.touching.begin(), a.touching.end(), b.touching.begin(), b.touching.end(),
                                std::back_inserter(only));
  return only.size();
}

void compare(const Scene& scene, int steps) {
  const Measurement rigor = measure_rigor(scene, steps), bullet = measure_bullet(scene, steps),
                    fcl = measure_fcl(scene, steps);
  fmt::print("{:<8} {:>7} {} {} {}   pairs not in common: Bullet {}, FCL {}\n", scene.name,
             scene.shapes.size(), cell(rigor), cell(bullet), cell(fcl),
             bullet.seconds < 0 ? "-" : std::to_string(difference(rigor, bullet)),
             fcl.seconds < 0 ? "-" : std::to_string(difference(rigor, fcl)));
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  const int steps = quick ? 3 : 20;
  fmt::print("one thread; time per step of broad and narrow phase, and pairs that overlap\n");
  fmt::print("{:<8} {:>7} {:>21} {:>21} {:>21}\n", "scene", "shapes", "Rigor", "Bullet", "FCL");
  compare(spheres(10000), steps);
  compare(wall(1000), steps);
  compare(hulls(1000), steps);
  fmt::print(
      "\ngrowth, spheres: time per step over n log n, relative to n = 1000; first step (tree built) and "
      "later ones\n");
  double first = 0.0, first_build = 0.0;
  for (const int n : {1000, 3000, 10000, 30000, 100000}) {
    const Scene scene = spheres(n);
    const double build = measure_rigor(scene, 0).seconds;
    const auto start = std::chrono::steady_clock::now();
    (void)measure_rigor(scene, 0);
    const double cold =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() + build;
    const double warm = measure_rigor(scene, quick ? 2 : 5).seconds, scale = n * std::log(n);
    if (n == 1000) first = warm / scale, first_build = cold / scale;
    fmt::print("{:>7} {:9.3f} ms {:6.2f}   cold {:9.3f} ms {:6.2f}\n", n, 1e3 * warm, warm / scale / first,
               1e3 * cold, cold / scale / first_build);
  }
  return 0;
}
