#pragma once

#include "rigor/math/random.hpp"
#include "rigor/model/scene.hpp"

namespace rigor::test {

/// Random numbers, with what geometry needs of them.
class Random : public rigor::Random {
 public:
  using rigor::Random::Random;
  int index(int count) { return below(count); }
  Eigen::Vector3d vector(double size = 1.0) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Eigen::Vector3d direction();
  Eigen::Quaterniond rotation();
  Pose pose(double size = 1.0) { return {vector(size), rotation()}; }
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
