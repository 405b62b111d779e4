#pragma once

#include <filesystem>

namespace rigor {

/// A new file that is gone with this object unless it is given its name: what is to be whole or not at all is
/// written to one. Nobody can foretell what it is called, and it is never a file, or a link, that was there.
class TemporaryFile {
 public:
  /// Throws std::system_error where it cannot be made.
  explicit TemporaryFile(const std::filesystem::path& folder);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// Open for reading and writing.
  [[nodiscard]] int fd() const { return fd_; }
  /// The descriptor, which is the caller's from now on.
  [[nodiscard]] int release();
  /// In the same folder, or at least on the same disk; replaces what has the name. Throws std::system_error.
  void rename_to(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int fd_{-1};
  bool renamed_{false};
};

/// Removes all that are there in this process. For a signal handler that ends it: nothing is asked of memory or locks.
void remove_temporary_files() noexcept;

}  // namespace rigor
