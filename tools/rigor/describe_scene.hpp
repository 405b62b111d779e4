#pragma once

#include <string>

#include "rigor/io/json.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// What a checked scene contains, for people: a few lines.
[[nodiscard]] std::string describe_scene(const Scene& scene);

/// The same for programs.
[[nodiscard]] JsonValue scene_to_summary(const Scene& scene);

}  // namespace rigor
