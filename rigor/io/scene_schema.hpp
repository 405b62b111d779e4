#pragma once

#include <string>

#include "rigor/io/json.hpp"

namespace rigor {

/// The JSON Schema (draft-07) of scene files, made from the same table as the reader (scene_fields.hpp), so
/// that editors complete and check scenes while they are written. It never refuses what the reader takes; the
/// reader knows more (names that must exist, inertias that must be possible), and says it better.
///
/// Beside the standard keywords each field carries "unit".
[[nodiscard]] JsonValue make_scene_schema();

/// The reference page of the format in Markdown, made from the schema.
[[nodiscard]] std::string make_scene_reference();

}  // namespace rigor
