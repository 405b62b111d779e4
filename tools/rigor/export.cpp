#include <fmt/format.h>

#include <filesystem>

#include "rigor/io/npz.hpp"
#include "rigor/io/recording_file.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/write_hdf5.hpp"

namespace rigor {
namespace {

// The files written, the first as it was asked for.
std::vector<std::string> write_files(const Recording& recording, const Model& model,
                                     const std::string& output) {
  const std::string ending = std::filesystem::path(output).extension().string();
  if (ending == ".npz") {
    write_text_file(output, write_npz(make_arrays(recording, model)));
    return {output};
  }
#ifdef RIGOR_HAVE_HDF5
  if (ending == ".h5") {
    write_hdf5(output, make_arrays(recording, model));
    return {output};
  }
#endif
  write_text_file(output, to_csv(recording, model));
  std::string contacts = output;
  contacts.insert(contacts.size() - ending.size(), "-contacts");
  write_text_file(contacts, contacts_to_csv(recording, model));
  return {output, contacts};
}

}  // namespace

int run_export(const std::string& recording, const std::vector<std::string>& beside,
               const std::string& output, bool json) {
  const std::string ending = std::filesystem::path(output).extension().string();
  require(ending == ".csv" || ending == ".npz" || ending == ".h5" || ending == ".html",
          "{}: must end in .csv, .npz, .h5 or .html, which says what to write.", output);
  require(beside.empty() || ending == ".html", "--beside: only a page (.html) shows several runs, not {}.",
          output);
  if (ending == ".html") require_page();
#ifndef RIGOR_HAVE_HDF5
  if (ending == ".h5")
    throw std::runtime_error(
        "this program was built without HDF5 (Debian: libhdf5-dev). Export to .npz, or build it again.");
#endif
  std::vector<std::string> names{recording};
  names.insert(names.end(), beside.begin(), beside.end());
  std::vector<RecordingContent> contents;
  bool is_sound = true;
  for (const std::string& name : names) {
    const RecordingContent& content = contents.emplace_back(read_recording(name));
    if (!content.damage.empty()) complain("rigor: {}\n", content.damage);
    // a file that a crash cut off is as good as it can be; one that was changed is not
    is_sound = is_sound && (content.damage.empty() || content.is_cut);
  }
  std::vector<std::string> files{output};
  if (ending == ".html") {
    std::vector<LabelledRecording> runs;
    for (std::size_t i = 0; i < names.size(); ++i)
      runs.push_back(
          {&contents[i].recording, beside.empty() ? "" : std::filesystem::path(names[i]).stem().string()});
    write_page(output, runs);
  } else {
    files = write_files(contents[0].recording, make_recorded_model(contents[0].recording, recording), output);
  }
  const std::size_t frames = contents[0].recording.frames.size();
  if (json) {
    JsonValue value{JsonValue::Object{}};
    value.add("frames", static_cast<double>(frames));
    value.add("files", JsonValue::Array(files.begin(), files.end()));
    print_json(value);
  } else {
    say("wrote {} ({} frames)\n", fmt::join(files, " and "), frames);
  }
  return is_sound ? kAnswered : kNotAnswered;
}

}  // namespace rigor
