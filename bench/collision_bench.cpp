// Broad and narrow phase together, Rigor beside Bullet and FCL where they are installed. One thread, CPU
// time; the engines take turns, and each figure is the least of many short batches, so that what else runs on
// the machine is left out as far as it can be. Exit status 1 where an engine in double precision finds other
// pairs, or where an engine is faster than Rigor.
//
//   collision_bench [--quick] [spheres] [wall] [hulls] [growth]
//
// What is equal for all: the shapes, and their poses in each step. Every shape is moved and turned at random
// by 1e-4 from step to step: no engine can rest on what it found before, and none puts shapes to sleep. A
// pair counts where its gap is below 0. All engines compute contact points with depth and normal for these:
// Bullet up to 4 for two boxes, FCL up to 8, Rigor up to 8; of two hulls Bullet and FCL one.
//
// What differs: Bullet and FCL find boxes and spheres only where they overlap, so that "Rigor" asks with
// margin 0. "Rigor, 1 cm" asks with a margin of 0.01 m as a time stepper does; it has more pairs to answer.
// Bullet comes in double and in single precision; the latter misjudges pairs within its rounding, 4e-6 m at
// 30 m.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iterator>
#include <limits>
#include <string_view>

#include "bench/collision_engine.hpp"
#include "rigor/collision/broad_phase.hpp"
#include "rigor/collision/collide.hpp"

namespace rigor::bench {
namespace {

constexpr double kMargin = 0.01;  // m

class Rigor : public CollisionEngine {
 public:
  Rigor(const Scene& scene, double margin) : margin_(margin) {
    for (const Shape& shape : scene.shapes) geometries_.push_back(make_geometry(shape));
    insert(scene.poses);
  }

  // The broad phase from nothing.
  void insert(const std::vector<Pose>& poses) {
    broad_phase_ = {};
    for (std::size_t i = 0; i < geometries_.size(); ++i)
      broad_phase_.add(compute_bounds(geometries_[i], poses[i]));
  }

  void step(const std::vector<Pose>& poses) override {
    for (std::size_t i = 0; i < geometries_.size(); ++i)
      broad_phase_.set_bounds(static_cast<int>(i), compute_bounds(geometries_[i], poses[i]));
    collide_all(poses);
  }

  void collide_all(const std::vector<Pose>& poses) {
    points_.clear();
    ends_.clear();
    pairs_ = &broad_phase_.find_pairs(margin_);
    for (const auto& [a, b] : *pairs_) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      collide(geometries_[i], poses[i], geometries_[j], poses[j], {margin_, Eigen::Vector3d::Zero()},
              scratch_, points_);
      ends_.push_back(points_.size());
    }
  }

  [[nodiscard]] Found get_found() const override {
    Found out{{}, points_.size()};
    for (std::size_t k = 0, at = 0; k < ends_.size(); ++k) {
      bool touches = false;
      for (; at < ends_[k]; ++at) touches |= points_[at].gap < 0.0;
      if (touches) out.touching.push_back((*pairs_)[k]);
    }
    return out;
  }

  // |gap| of a pair at these poses
  [[nodiscard]] double distance(const std::pair<int, int>& pair, const std::vector<Pose>& poses) {
    const auto i = static_cast<std::size_t>(pair.first), j = static_cast<std::size_t>(pair.second);
    return std::abs(find_nearest(geometries_[i], poses[i], geometries_[j], poses[j], scratch_).gap);
  }

 private:
  double margin_;
  std::vector<Geometry> geometries_;
  BroadPhase broad_phase_;
  CollisionScratch scratch_;
  std::vector<ContactPoint> points_;
  std::vector<std::size_t> ends_;  // of each pair's points
  const std::vector<std::pair<int, int>>* pairs_{nullptr};
};

// Bullet in one of its precisions; null where it was not there to build with.
std::unique_ptr<CollisionEngine> make_bullet([[maybe_unused]] const char* module,
                                             [[maybe_unused]] const Scene& scene) {
#ifdef RIGOR_BULLET_MODULES
  if (void* library = dlopen(fmt::format("{}/{}", RIGOR_BULLET_MODULES, module).c_str(), RTLD_NOW)) {
    using Make = CollisionEngine* (*)(const Scene&);
    return std::unique_ptr<CollisionEngine>(reinterpret_cast<Make>(dlsym(library, "make_bullet"))(scene));
  }
#endif
  return nullptr;
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Entrant {
  std::string name;
  std::unique_ptr<CollisionEngine> engine;
  bool must_agree;
  double least{std::numeric_limits<double>::infinity()};  // s per step
  CollisionEngine::Found found{};
  std::size_t differ{0};  // pairs that Rigor finds and this one does not, or the other way round
  double nearest{0.0};    // m: the largest |gap| of these
};

constexpr int kBatch = 4;  // steps

void run_batch(Entrant& entrant, const std::vector<std::vector<Pose>>& poses, int first) {
  const double begin = thread_seconds();
  for (int k = 0; k < kBatch; ++k)
    entrant.engine->step(poses[static_cast<std::size_t>(first + k) % poses.size()]);
  entrant.least = std::min(entrant.least, (thread_seconds() - begin) / kBatch);
  entrant.found = entrant.engine->get_found();
  std::sort(entrant.found.touching.begin(), entrant.found.touching.end());
}

void compare_pairs(const Entrant& rigor, const std::vector<Pose>& poses, Entrant& other) {
  std::vector<std::pair<int, int>> only;
  std::set_symmetric_difference(rigor.found.touching.begin(), rigor.found.touching.end(),
                                other.found.touching.begin(), other.found.touching.end(),
                                std::back_inserter(only));
  other.differ += only.size();
  for (const auto& pair : only)
    other.nearest = std::max(other.nearest, static_cast<Rigor&>(*rigor.engine).distance(pair, poses));
}

bool compare(const Scene& scene, int rounds) {
  std::vector<Entrant> entrants;
  entrants.push_back({"Rigor", std::make_unique<Rigor>(scene, 0.0), true});
  entrants.push_back({"Rigor, 1 cm", std::make_unique<Rigor>(scene, kMargin), true});
  entrants.push_back({"Bullet", make_bullet("bullet_double_peer.so", scene), true});
  entrants.push_back({"Bullet, single", make_bullet("bullet_single_peer.so", scene), false});
#ifdef RIGOR_HAVE_FCL
  entrants.push_back({"FCL", make_fcl(scene), true});
#endif
  std::erase_if(entrants, [](const Entrant& entrant) { return entrant.engine == nullptr; });

  std::vector<std::vector<Pose>> poses;
  for (int k = 0; k < 16; ++k) poses.push_back(scene.poses_at(k));
  for (int round = 0; round < rounds; ++round) {
    for (Entrant& entrant : entrants) {
      run_batch(entrant, poses, round * kBatch);
      const auto last = static_cast<std::size_t>(round * kBatch + kBatch - 1) % poses.size();
      compare_pairs(entrants.front(), poses[last], entrant);
    }
  }

  bool good = true;
  for (const Entrant& entrant : entrants) {
    fmt::print("{:<8} {:>6}  {:<15} {:8.3f} {:>7} {:>7} {:>10} {:>9}\n", scene.name, scene.moving,
               entrant.name, 1e3 * entrant.least, entrant.found.touching.size(), entrant.found.points,
               entrant.differ, entrant.differ > 0 ? fmt::format("{:.0e}", entrant.nearest) : "");
    good = good && entrant.least >= entrants.front().least && (entrant.differ == 0 || !entrant.must_agree);
  }
  return good;
}

struct Growth {
  double cold{std::numeric_limits<double>::infinity()}, step{std::numeric_limits<double>::infinity()};
};

// Cold: all shapes into an empty broad phase, the tree, the pairs, the contacts. Step: all shapes moved. The
// room for the answers is kept, so that the system's handing out of pages is in neither.
Growth measure_growth(int count, int rounds) {
  const Scene scene = make_spheres(count);
  Rigor rigor(scene, kMargin);
  Growth out;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Pose> poses = scene.poses_at(round);
    double begin = thread_seconds();
    rigor.insert(poses);
    rigor.collide_all(poses);
    if (round > 0) out.cold = std::min(out.cold, thread_seconds() - begin);
    for (int k = 0; k < 3; ++k) {
      const std::vector<Pose> next = scene.poses_at(round + 1 + k);
      begin = thread_seconds();
      rigor.step(next);
      out.step = std::min(out.step, thread_seconds() - begin);
    }
  }
  return out;
}

void print_growth(bool quick) {
  fmt::print("\nspheres: ms, and over n log n relative to n = 1000\n{:>7} {:>10} {:>6} {:>10} {:>6}\n", "n",
             "cold", "", "step", "");
  Growth first;
  for (const int n : {1000, 3000, 10000, 30000, 100000}) {
    const Growth growth = measure_growth(n, quick ? 2 : std::clamp(300000 / n, 5, 60));
    if (n == 1000) first = growth;
    const double scale = n * std::log(n) / (1000 * std::log(1000));
    fmt::print("{:>7} {:>10.3f} {:>6.2f} {:>10.3f} {:>6.2f}\n", n, 1e3 * growth.cold,
               growth.cold / first.cold / scale, 1e3 * growth.step, growth.step / first.step / scale);
  }
}

}  // namespace
}  // namespace rigor::bench

int main(int argc, char** argv) {
  using namespace rigor::bench;
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const auto is_given = [&](std::string_view word) {
    return std::count(words.begin(), words.end(), word) > 0;
  };
  const bool quick = is_given("--quick"), all = words.size() == (quick ? 1u : 0u);
  fmt::print(
      "ms per step; pairs that overlap and points of the last step; pairs not in common with Rigor over all "
      "steps compared, and the largest |gap| of these\n");
  fmt::print("{:<8} {:>6}  {:<15} {:>8} {:>7} {:>7} {:>10} {:>9}\n", "scene", "shapes", "engine", "ms",
             "pairs", "points", "not common", "|gap| m");
  bool good = true;
  for (const Scene& scene : {make_spheres(10000), make_wall(1000), make_hulls(1000)})
    if (all || is_given(scene.name)) good &= compare(scene, quick ? 3 : 25);
  if (all || is_given("growth")) print_growth(quick);
  return good ? 0 : 1;
}
