#include "rigor/io/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace rigor {
namespace {

// 64 bits of the system's own randomness: a name is no number of a process that others can read.
std::uint64_t make_secret() {
  std::uint64_t secret = 0;
  if (::getrandom(&secret, sizeof secret, 0) != static_cast<ssize_t>(sizeof secret))
    throw std::system_error(errno, std::generic_category());
  return secret;
}

// Names of the files that are there; a signal handler reads them. One beyond the room is only not in this list.
std::array<std::atomic<const char*>, 16> names_in_use{};

void note_name(const char* from, const char* to) {
  for (std::atomic<const char*>& name : names_in_use) {
    const char* expected = from;
    if (name.compare_exchange_strong(expected, to)) return;
  }
}

}  // namespace

void remove_temporary_files() noexcept {
  for (const std::atomic<const char*>& name : names_in_use)
    if (const char* const path = name.load()) ::unlink(path);
}

TemporaryFile::TemporaryFile(const std::filesystem::path& folder) {
  // O_EXCL: a file or a link of this name, whoever made it, is left alone and another name is tried
  constexpr int kTries = 100;
  for (int i = 0; fd_ < 0; ++i) {
    path_ = folder / fmt::format(".rigor.{:016x}.tmp", make_secret());
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ < 0 && (errno != EEXIST || i == kTries)) throw std::system_error(errno, std::generic_category());
  }
  note_name(nullptr, path_.c_str());
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
  if (renamed_) return;
  ::unlink(path_.c_str());
  note_name(path_.c_str(), nullptr);
}

int TemporaryFile::release() {
  return std::exchange(fd_, -1);
}

void TemporaryFile::rename_to(const std::filesystem::path& target) {
  std::filesystem::rename(path_, target);
  renamed_ = true;
  note_name(path_.c_str(), nullptr);
}

}  // namespace rigor
