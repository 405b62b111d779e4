#pragma once

#include "rigor/model/scene.hpp"

namespace rigor::testing_support {

/// A valid scene in which every field of every struct has a random value from its range.
[[nodiscard]] Scene make_random_scene(unsigned seed);

}  // namespace rigor::testing_support
