#include "rigor/io/source_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace rigor {
namespace {

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, const std::string& rule,
                                   const std::string& remedy) {
  throw InvalidDocument({{.file = path.string(), .rule = rule, .remedy = remedy}});
}

// A file descriptor that closes itself.
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category());
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

SourceId Sources::add(std::string name, std::string text) {
  sources_.push_back({std::move(name), std::move(text)});
  return static_cast<SourceId>(sources_.size() - 1);
}

std::string_view Sources::slice(const TextSpan& span) const {
  return std::string_view(text(span.source)).substr(span.begin, span.end - span.begin);
}

void Sources::locate(const TextSpan& span, Diagnostic& diagnostic) const {
  const std::string_view before = std::string_view(text(span.source)).substr(0, span.begin);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0: the first line
  diagnostic.file = name(span.source);
  diagnostic.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  // a character of UTF-8 is one byte that is not a continuation byte
  const std::string_view in_line = before.substr(line_start);
  diagnostic.column = 1 + static_cast<int>(std::count_if(in_line.begin(), in_line.end(), [](char c) {
                        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                      }));
}

std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a pipe without a writer must not hang
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    throw_unreadable(path, fmt::format("cannot be read ({})", std::strerror(errno)), "Check the path.");

  struct stat info {};
  if (::fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode))
    throw_unreadable(path, "is not a regular file", "Give the path of a file.");
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > max_bytes)
    throw_unreadable(path, fmt::format("has {} bytes, the limit is {}", size, max_bytes),
                     "Use \"repeat\" for many equal parts, or split it by \"include\".");

  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(file.fd, text.data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unreadable(path, fmt::format("cannot be read ({})", std::strerror(errno)), "");
    if (got == 0) break;  // it shrank while we read
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

void write_text_file(const std::filesystem::path& path, std::string_view text) {
  // devices and pipes take the text as it comes; only regular files can be replaced by renaming
  const bool replace = !std::filesystem::exists(path) || std::filesystem::is_regular_file(path);
  const std::string target = replace ? fmt::format("{}.{}.tmp", path.string(), ::getpid()) : path.string();
  try {
    {
      const int flags = replace ? O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC : O_WRONLY | O_CLOEXEC;
      const Descriptor file{::open(target.c_str(), flags, 0666)};
      if (file.fd < 0) throw std::system_error(errno, std::generic_category());
      write_all(file.fd, text);
      if (replace && ::fsync(file.fd) != 0) throw std::system_error(errno, std::generic_category());
    }
    if (replace) std::filesystem::rename(target, path);
  } catch (const std::system_error& error) {
    if (replace) ::unlink(target.c_str());
    throw std::runtime_error(fmt::format("{}: cannot be written ({}). Nothing was changed.", path.string(),
                                         error.code().message()));
  }
}

}  // namespace rigor
