#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rigor {

/// A program of this computer by one of its names, looked for in PATH; empty where there is none.
[[nodiscard]] std::string find_program(const std::vector<std::string>& names);

/// Runs a program; standard output goes to a file where one is named. Its exit status, or -1 where it took
/// longer than `seconds` and was ended.
int run_program(const std::vector<std::string>& words, const std::filesystem::path& output, int seconds);

/// A folder that is gone with the object.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Opens a page of this computer in Chromium without a window, renders it by software and does what `action`
/// says (--screenshot=…, --dump-dom). Throws std::runtime_error with one sentence where there is no Chromium.
void open_in_browser(const std::filesystem::path& page, const std::string& fragment, int width, int height,
                     const std::string& action, const std::filesystem::path& output);

}  // namespace rigor
