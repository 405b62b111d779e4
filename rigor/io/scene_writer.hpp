#pragma once

#include <string>

#include "rigor/io/json.hpp"
#include "rigor/model/scene.hpp"

namespace rigor {

/// The text of a scene file: includes, repeats, defaults and expressions resolved, orientations as
/// quaternions, every field that differs from its default. Reading it back gives the same scene, and writing
/// that gives the same text, byte for byte.
[[nodiscard]] std::string write_scene(const Scene& scene);

/// The same as a JSON value.
[[nodiscard]] JsonValue to_json(const Scene& scene);

}  // namespace rigor
