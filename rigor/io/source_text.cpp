#include "rigor/io/source_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "rigor/io/temporary_file.hpp"

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

[[noreturn]] void throw_errno() {
  throw std::system_error(errno, std::generic_category());
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_errno();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Where a path leads: the file behind symbolic links, which need not exist yet.
std::filesystem::path follow_links(std::filesystem::path path) {
  constexpr int kMaxLinks = 40;  // as Linux itself
  std::error_code ignored;
  for (int i = 0; std::filesystem::is_symlink(path, ignored); ++i) {
    if (i == kMaxLinks) throw std::system_error(ELOOP, std::generic_category());
    path = path.parent_path() / std::filesystem::read_symlink(path);  // an absolute one replaces all
  }
  return path;
}

}  // namespace

SourceId Sources::add(std::string name, std::string text) {
  Source source{std::move(name), std::move(text), {}};
  Position position;
  for (std::size_t i = 0; i < source.text.size(); ++i) {
    if (i % kMarkEvery == 0) source.marks.push_back(position);
    position.advance(source.text[i]);
  }
  sources_.push_back(std::move(source));
  return static_cast<SourceId>(sources_.size() - 1);
}

void Sources::Position::advance(char c) {
  const bool begins_character = (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // of UTF-8
  if (c == '\n')
    ++line, column = 1;
  else if (begins_character)
    ++column;
}

std::string_view Sources::slice(const TextSpan& span) const {
  return std::string_view(text(span.source)).substr(span.begin, span.end - span.begin);
}

void Sources::locate(const TextSpan& span, Diagnostic& diagnostic) const {
  const Source& source = sources_[span.source];
  const std::size_t end = std::min<std::size_t>(span.begin, source.text.size());
  const std::size_t mark = source.marks.empty() ? 0 : std::min(end / kMarkEvery, source.marks.size() - 1);
  Position position = source.marks.empty() ? Position{} : source.marks[mark];
  for (std::size_t i = mark * kMarkEvery; i < end; ++i) position.advance(source.text[i]);

  // no editor counts the byte order mark
  const bool after_bom = position.line == 1 && end > 0 && source.text.starts_with("\xEF\xBB\xBF");
  diagnostic.file = source.name;
  diagnostic.line = position.line;
  diagnostic.column = position.column - (after_bom ? 1 : 0);
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
  try {
    struct stat old {};
    const bool exists = ::stat(path.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode)) {
      // devices and pipes take the text as it comes; only regular files can be replaced by renaming
      const Descriptor file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
      if (file.fd < 0) throw_errno();
      write_all(file.fd, text);
      return;
    }
    // renaming asks only for rights on the folder; a file that forbids writing is not to be replaced
    if (exists && ::access(path.c_str(), W_OK) != 0) throw_errno();

    const std::filesystem::path target = follow_links(path);
    TemporaryFile temporary(target.parent_path());
    write_all(temporary.fd(), text);
    if (exists) {
      // the owner can be kept only by root: what cannot be kept is ours
      if (::fchown(temporary.fd(), old.st_uid, old.st_gid) != 0) old.st_mode &= 0777U;
      if (::fchmod(temporary.fd(), old.st_mode & 07777U) != 0) throw_errno();
    }
    if (::fsync(temporary.fd()) != 0) throw_errno();
    temporary.rename_to(target);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("{}: cannot be written ({}). Nothing was changed.", path.string(),
                                         error.code().message()));
  }
}

}  // namespace rigor
