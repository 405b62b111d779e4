#pragma once

#include <random>

#include "rigor/model/scene.hpp"

namespace rigor::test {

/// Numbers that are the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11U) * 0x1p-53);
  }
  int index(int count) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(count)); }
  Eigen::Vector3d vector(double size = 1.0) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Eigen::Vector3d direction();
  Eigen::Quaterniond rotation();
  Pose pose(double size = 1.0) { return {vector(size), rotation()}; }

 private:
  std::mt19937_64 engine_;
};

struct ForestOptions {
  int bodies{10};
  double branching{0.5};  // how often a body hangs on another than the one before it (or on the world)
  bool armature{true};
};

/// A scene of bodies with all types of joints, random frames, masses between 0.2 and 5 kg and inertias of
/// real bodies, at random coordinates and speeds.
[[nodiscard]] Scene make_random_forest(std::uint64_t seed, const ForestOptions& options);

}  // namespace rigor::test
