#include "tools/rigor/run_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "tools/rigor/page.hpp"

namespace rigor {

void RunOutput::check(const Request& request) {
  const std::string& path = request.path;
  require(path.empty() || path.ends_with(".rec") || path.ends_with(".html"),
          "-o {}: must end in .html, a page to look at, or .rec, a recording.", path);
  if (path.ends_with(".html")) require_page();
  require(request.checkpoint == 0.0 || path.ends_with(".rec"),
          "--checkpoint needs a recording to put the states into. Add -o run.rec.");
}

RunOutput::RunOutput(const Scene& scene, const Simulation& simulation, const Request& request)
    : path_(request.path), simulation_(simulation), verdict_(request.verdict) {
  if (path_.empty()) return;
  RecordingHeader header = make_recording_header(scene, simulation, request.every, request.checkpoint);
  header.program = RIGOR_VERSION;
  header.lead_matrix = request.lead_matrix;
  recorder_.emplace(simulation, header.every, header.checkpoint);
  if (path_.ends_with(".rec"))
    writer_ = std::make_unique<RecordingWriter>(path_, header);
  else
    page_.header = header;
  add_frame();
}

RunOutput::RunOutput(const std::string& path, const Simulation& simulation, const ResumePoint& point)
    : path_(path), simulation_(simulation) {
  recorder_.emplace(simulation, point.header.every, point.header.checkpoint);
  writer_ = std::make_unique<RecordingWriter>(path, point.header, point.position);
  if (point.position.frames == 0) add_frame();
}

void RunOutput::add_frame() {
  if (writer_)
    writer_->append(recorder_->make_frame());
  else
    page_.frames.push_back(recorder_->make_frame());
}

void RunOutput::note(const StepReport& report) {
  if (recorder_ && recorder_->note(report)) add_frame();
}

// A run that was interrupted within a step, or whose step failed, is over without having come to its end.
bool RunOutput::is_at_end() const {
  return simulation_.is_finished() && !simulation_.has_failed();
}

std::string RunOutput::finish() {
  if (!recorder_) return {};
  if (!writer_) {
    page_.is_finished = is_at_end();
    write_page(path_, {{&page_, "", verdict_}});
    return fmt::format("wrote {} ({} frames): open it in a browser\n",
                       std::filesystem::absolute(path_).string(), page_.frames.size());
  }
  if (is_at_end())
    writer_->finish();
  else
    writer_->flush();
  return fmt::format("wrote {} ({} frames, {:.3g} MB)\n", path_, writer_->frame_count(),
                     1e-6 * static_cast<double>(writer_->size()));
}

}  // namespace rigor
