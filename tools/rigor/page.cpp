#include "tools/rigor/page.hpp"

#include <stdexcept>

#include "rigor/io/recording_table.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {

void require_page() {
  if (page_template().empty())
    throw std::runtime_error(
        "this program was built without the replay page: node and npm, or npm's packages, were missing. "
        "Install them "
        "(Debian: npm), then configure and build again.");
}

void write_page(const std::string& path, const std::vector<LabelledRecording>& runs) {
  require_page();
  std::vector<PageRun> pages;
  for (const LabelledRecording& run : runs) {
    PageOptions options;
    options.label = run.label;
    options.max_pose_bytes /= runs.size();
    options.max_contact_bytes /= runs.size();
    pages.push_back(make_page_run(*run.recording, make_recorded_model(*run.recording, path), options));
    if (!run.verdict.is_null()) pages.back().scene.add("verdict", run.verdict);
  }
  write_text_file(path, make_page(page_template(), pages));
}

}  // namespace rigor
