#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rigor/base/diagnostic.hpp"
#include "rigor/base/interruption.hpp"
#include "rigor/model/scene.hpp"
#include "rigor/model/scene_limits.hpp"

namespace rigor {

/// Scene files: JSON with comments, version 1. The grammar is that of scene_fields.hpp; beyond it the reader
/// knows keys that are gone once a scene is read:
///
///     "rigor": 1                        the version of the format; required
///     "parameters": {"n": 5, "a": "n/2"}   names for expressions; --set parameters.n=7 changes them
///     "defaults": {"body": {…}}         values for keys that bodies (joints, shapes, …) do not give
///     "include": ["parts/wheel.json", {"file": "arm.json", "prefix": "left_"}]
///     "repeat": [{"for": [["i", 10], ["j", "10 - i"]], "bodies": [{"name": "b_{i}_{j}", …}]}]
///
/// Any number may be written as an expression in a string, over parameters and repeat's indices.
/// Docs: docs/guide/scenes.md; the reference docs/guide/scene-reference.md is written from the same table.
struct SceneReadOptions {
  std::vector<std::string> set;  // changes to the document before it is read: "bodies.crate.mass=2"
  SceneLimits limits{};
  /// Settings of `run` that the method or formulation does not use go back to their defaults instead of being an error:
  /// for those who run one scene by several formulations.
  bool drops_unused_settings{false};
  /// Called now and then with the number of elements read; answering false ends the reading with Cancelled, as a
  /// request of interruption.hpp does.
  std::function<bool(std::size_t)> on_progress{};
};

/// Reads and checks a scene. Throws InvalidDocument with every error found, in the order of the text.
[[nodiscard]] Scene read_scene(const std::filesystem::path& file, const SceneReadOptions& options = {});

/// The same from a text; `name` is what messages call it. Includes are looked for below `folder`, and
/// refused when that is empty.
[[nodiscard]] Scene parse_scene(const std::string& text, const std::string& name = "scene",
                                const SceneReadOptions& options = {},
                                const std::filesystem::path& folder = {});

}  // namespace rigor
