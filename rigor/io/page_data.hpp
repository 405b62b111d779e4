#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/recording.hpp"
#include "rigor/model/model.hpp"

/// Recordings as the replay page shows them (viewer/): what the bodies are as JSON, and how they move as
/// arrays of small numbers. docs/architecture/viewer.md has the format.
namespace rigor {

/// The frames of a run, or some of them in a row, as arrays.
struct PageChunk {
  JsonValue arrays;   // list of {name, type: f8, f4, i4, i2, u1, shape}, in the order of the bytes
  std::string bytes;  // every array at a multiple of 8; bytes of f4 and i2 ordered by their places
};

struct PageOptions {
  std::string label;                         // tells runs on one page apart; the formulation where empty
  std::size_t max_pose_bytes{48u << 20};     // above, frames are left out
  std::size_t max_contact_bytes{48u << 20};  // above, the contacts of frames are
};

/// One run of a page.
struct PageRun {
  JsonValue scene;  // name, settings, bodies with their shapes, notes about what was left out
  PageChunk chunk;
};

[[nodiscard]] PageRun make_page_run(const Recording& recording, const Model& model,
                                    const PageOptions& options = {});

/// The bodies and settings alone, for a run whose frames are still to come.
[[nodiscard]] JsonValue describe_for_page(const Scene& scene, const Model& model, const std::string& label);

/// These frames, nothing left out.
[[nodiscard]] PageChunk make_page_chunk(const std::vector<RecordedFrame>& frames, const Model& model);

/// The page: the template with the runs in its place, all clocks one. Needs no network and no other file.
[[nodiscard]] std::string make_page(std::string_view page_template, const std::vector<PageRun>& runs);

/// A value as the text of a <script> element: JSON without the character that could end the element.
[[nodiscard]] std::string to_script_text(const JsonValue& value);

}  // namespace rigor
