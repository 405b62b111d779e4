#include "rigor/io/append_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "rigor/io/temporary_file.hpp"

namespace rigor {
namespace {

[[noreturn]] void throw_unwritable(const std::filesystem::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("{}: cannot be written ({}).", path.string(), reason));
}

// Two writers would spoil the file for both. The lock goes with the descriptor.
void lock(const std::filesystem::path& path, int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  const int error = errno;
  ::close(fd);
  throw_unwritable(path, error == EWOULDBLOCK ? "another process writes it" : std::strerror(error));
}

int open_locked(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) throw_unwritable(path, std::strerror(errno));
  lock(path, fd);
  return fd;
}

}  // namespace

AppendFile::AppendFile(std::filesystem::path path, int fd, std::uint64_t size, Write write)
    : path_(std::move(path)), fd_(fd), size_(size), write_(std::move(write)) {
  if (!write_) write_ = ::write;
}

AppendFile::AppendFile(AppendFile&& other) noexcept
    : path_(std::move(other.path_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      write_(std::move(other.write_)) {}

AppendFile::~AppendFile() {
  if (fd_ >= 0) ::close(fd_);
}

AppendFile AppendFile::create(const std::filesystem::path& path, std::string_view first, Write write) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  if (exists && !std::filesystem::is_regular_file(path, ignored))
    throw_unwritable(path, "it is not a regular file");
  const int old = exists ? open_locked(path) : -1;  // held until the new file has taken its place

  // the first piece is written beside it, and the whole takes the name
  const auto make = [&] {
    TemporaryFile fresh(path.parent_path());
    if (::flock(fresh.fd(), LOCK_EX | LOCK_NB) != 0) throw_unwritable(path, std::strerror(errno));
    AppendFile file(path, fresh.release(), 0, std::move(write));
    file.append(first);
    fresh.rename_to(path);
    return file;
  };
  try {
    AppendFile file = make();
    if (old >= 0) ::close(old);
    return file;
  } catch (const std::system_error& error) {
    if (old >= 0) ::close(old);
    throw_unwritable(path, error.code().message());
  } catch (...) {
    if (old >= 0) ::close(old);
    throw;
  }
}

AppendFile AppendFile::open(const std::filesystem::path& path, std::uint64_t size, Write write) {
  AppendFile file(path, open_locked(path), size, std::move(write));
  const auto end = static_cast<off_t>(size);
  if (::ftruncate(file.fd_, end) != 0 || ::lseek(file.fd_, end, SEEK_SET) != end) file.fail(errno);
  return file;
}

void AppendFile::append(std::string_view pieces, std::span<const std::size_t> ends) {
  std::size_t done = 0;
  while (done < pieces.size()) {
    const ssize_t written = write_(fd_, pieces.data() + done, pieces.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      const auto whole = std::upper_bound(ends.begin(), ends.end(), done);
      if (whole != ends.begin()) size_ += *std::prev(whole);
      fail(error);
    }
    done += static_cast<std::size_t>(written);
  }
  size_ += pieces.size();
}

void AppendFile::sync() {
  // some file systems cannot, and say EINVAL
  if (::fdatasync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail(errno);
}

// Back to the last whole piece; where even that is refused, the reader's checksums tell.
void AppendFile::fail(int error) {
  const auto end = static_cast<off_t>(size_);
  if (::ftruncate(fd_, end) == 0) ::lseek(fd_, end, SEEK_SET);
  throw_unwritable(path_, std::strerror(error));
}

}  // namespace rigor
