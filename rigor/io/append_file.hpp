#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

namespace rigor {

/// A file that only grows, by whole pieces: a piece that cannot be written whole is taken back, so that what
/// was there before stays as it was.
class AppendFile {
 public:
  /// As ::write(); tests give another one.
  using Write = std::function<ssize_t(int fd, const void* bytes, std::size_t count)>;

  /// Makes the file with its first piece, or replaces it: at no moment is there a file without that piece.
  /// Throws std::runtime_error naming path and reason; a file that another process writes is left alone.
  static AppendFile create(const std::filesystem::path& path, std::string_view first, Write write = {});
  /// Opens a file and cuts it to `size` bytes. Throws alike.
  static AppendFile open(const std::filesystem::path& path, std::uint64_t size, Write write = {});

  AppendFile(AppendFile&& other) noexcept;
  AppendFile& operator=(AppendFile&&) = delete;
  ~AppendFile();

  /// All of it or nothing, through short writes and interruptions. Throws std::runtime_error naming path and
  /// reason (a full disk, say); then the file ends where it did before.
  void append(std::string_view piece) { append(piece, {}); }
  /// Several pieces in one, `ends` telling where each ends: where not all can be written, the file ends
  /// behind the last that is whole, and size() tells.
  void append(std::string_view pieces, std::span<const std::size_t> ends);
  /// Waits until the disk has it.
  void sync();
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  AppendFile(std::filesystem::path path, int fd, std::uint64_t size, Write write);
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  int fd_{-1};
  std::uint64_t size_{0};
  Write write_;
};

}  // namespace rigor
