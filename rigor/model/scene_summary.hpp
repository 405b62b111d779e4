#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "rigor/model/scene.hpp"

namespace rigor {

/// What a checked scene contains, in numbers.
struct SceneSummary {
  std::size_t bodies{0};
  std::array<std::size_t, 9> joints{};  // by JointType
  std::size_t shapes{0};                // of bodies and of the world
  double mass{0.0};                     // of all bodies that are not fixed to the world, kg
  int position_coordinates{0};          // size of q
  int velocity_coordinates{0};          // size of v: degrees of freedom before constraints
  bool has_planar_bodies{false};
  bool has_spatial_bodies{false};

  /// "in the plane xz", "in space", or "partly in planes, partly in space".
  std::string dimension;
};

/// The scene must pass check_scene().
[[nodiscard]] SceneSummary summarize(const Scene& scene);

}  // namespace rigor
