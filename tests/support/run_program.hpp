#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rigor::testing_support {

/// How a program ended and what it cost.
struct ProgramResult {
  int status{-1};         // exit status, or -signal
  std::string out;        // standard output
  std::string err;        // standard error
  double seconds{0.0};    // of processor time: what others do on the machine does not count
  double megabytes{0.0};  // largest resident size
};

/// Runs a program in a folder with no standard input; ends it after 60 s.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& words,
                                        const std::filesystem::path& folder);

/// A folder that is removed with all that is in it when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

/// The whole of a file; fails the test where it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace rigor::testing_support
