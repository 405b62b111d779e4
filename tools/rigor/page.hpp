#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/io/page_data.hpp"

namespace rigor {

/// The replay page without runs; empty where the program was built without npm's packages.
[[nodiscard]] std::string_view page_template();

/// Throws std::runtime_error with one sentence where this program has no page.
void require_page();

/// A run for a page, and what tells it from others there.
struct LabelledRecording {
  const Recording* recording{nullptr};
  std::string label;           // the formulation where empty
  JsonValue verdict{nullptr};  // make_verdict(); none where null
};

/// Writes one HTML file that shows the runs, side by side where there are several, on one clock.
void write_page(const std::string& path, const std::vector<LabelledRecording>& runs);

}  // namespace rigor
