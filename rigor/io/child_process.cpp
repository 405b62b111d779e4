#include "rigor/io/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "rigor/base/interruption.hpp"

namespace rigor {
namespace {

constexpr std::size_t kMostAddresses = std::size_t{1} << 40;
constexpr char kDoneMark = 'D', kThrewMark = 'T';  // the first byte of an answer

// Address space in use, which a limit on it counts from.
std::size_t measure_address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void set_limit(int resource, rlim_t value) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = std::min(value, limit.rlim_max);
  ::setrlimit(resource, &limit);
}

void send_all(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::write(fd, bytes, count);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) ::_exit(2);
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
}

// The whole life of the child. _exit(): no handler of a library that has just failed is to run.
[[noreturn]] void live_as_child(const std::function<std::string()>& work, const ChildLimits& limits,
                                int answer, std::size_t address_space) {
  for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= 2 && nowhere >= 0; ++fd) ::dup2(nowhere, fd);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds));
  // but for sanitizers, which have terabytes of addresses
  if (address_space < kMostAddresses) set_limit(RLIMIT_AS, address_space + limits.memory_bytes);
  char mark = kDoneMark;
  std::string bytes;
  try {
    bytes = work();
  } catch (const std::bad_alloc&) {
    ::_exit(3);
  } catch (const std::exception& error) {
    mark = kThrewMark;
    bytes = error.what();
  }
  send_all(answer, &mark, 1);
  send_all(answer, bytes.data(), bytes.size());
  ::_exit(0);
}

// All that the child says until it ends. False where somebody asked us to end, or the time is over.
bool listen_to(int answer, int seconds, std::string& bytes) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  constexpr int kPatience = 200;  // ms between looks at the request to end
  char piece[1 << 16];
  while (true) {
    pollfd ready{answer, POLLIN, 0};
    const int count = ::poll(&ready, 1, kPatience);
    if (is_interrupted() || std::chrono::steady_clock::now() > end) return false;
    if (count < 0 && errno != EINTR) return true;
    if (count <= 0) continue;
    const ssize_t got = ::read(answer, piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    bytes.append(piece, static_cast<std::size_t>(got));
  }
}

}  // namespace

ChildResult run_in_child(const std::function<std::string()>& work, const ChildLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(fmt::format("no pipe can be made ({}).", std::strerror(errno)));
  const std::size_t address_space = measure_address_space();
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    live_as_child(work, limits, ends[1], address_space);
  }
  const int error = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    throw std::runtime_error(fmt::format("no process can be made ({}).", std::strerror(error)));
  }
  std::string bytes;
  bool is_whole = false;
  try {
    is_whole = listen_to(ends[0], limits.wall_seconds, bytes);
  } catch (const std::bad_alloc&) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ends[0]);
    throw;
  }
  ::close(ends[0]);
  if (!is_whole) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!is_whole) check_interruption();

  ChildResult result;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || bytes.empty()) return result;
  result.end = bytes[0] == kDoneMark ? ChildResult::End::kDone : ChildResult::End::kThrew;
  result.bytes = bytes.substr(1);
  return result;
}

}  // namespace rigor
