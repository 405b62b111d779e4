// Starts the program once and forks it for every call: loaded before the program (LD_PRELOAD), this takes the place of
// main() once libraries are linked and static objects are made, which is nine tenths of a short call's time, most of it
// the 36 libraries behind HDF5. Every call is a process of its own, with its own limits, that runs the program's own
// main() with its own arguments: nothing that a call does is seen by the next.
//
// Standard input brings requests, standard output takes answers away:
//
//     request   u32 bytes, then the folder and the words of the command line, each ended by a zero
//     answer    i32 status as of waitpid(), -1 where it was killed for waiting too long
//               f64 seconds of CPU time, u32 bytes of standard output, u32 of standard error, then both
//
// The limits of a call are the server's own, set by who starts it in RIGOR_FORK_LIMITS: seconds of CPU time, bytes of
// addresses, bytes of a file, seconds of waiting.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main program = nullptr;

struct Limits {
  rlim_t cpu_seconds;
  rlim_t memory;
  rlim_t file;
  int wait_seconds;
};

bool read_all(void* to, std::size_t bytes) {
  for (char* at = static_cast<char*>(to); bytes > 0;) {
    const ssize_t got = read(STDIN_FILENO, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(const void* from, std::size_t bytes) {
  for (const char* at = static_cast<const char*>(from); bytes > 0;) {
    const ssize_t put = write(STDOUT_FILENO, at, bytes);
    if (put <= 0) _exit(1);
    at += put;
    bytes -= static_cast<std::size_t>(put);
  }
}

void limit(int resource, rlim_t soft, rlim_t hard) {
  const rlimit limits{soft, hard};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &limits) != 0) _exit(125);
}

/// What a call sees of the world: an empty input, files for its output, a process group of its own.
void become_call(const std::vector<char*>& words, int out, int err, const Limits& limits) {
  setpgid(0, 0);
  const int empty = open("/dev/null", O_RDONLY);
  if (empty < 0 || dup2(empty, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(err, STDERR_FILENO) < 0)
    _exit(125);
  for (const int file : {empty, out, err}) close(file);
  if (chdir(words[0]) != 0) _exit(125);
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 1);
  limit(RLIMIT_FSIZE, limits.file, limits.file);
  limit(RLIMIT_AS, limits.memory, limits.memory);
}

/// The status of a call, -1 where it neither computes nor ends.
int wait_for(pid_t call, const Limits& limits, double& seconds) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, call, 0));
  pollfd ended{handle, POLLIN, 0};
  const bool is_late = poll(&ended, 1, limits.wait_seconds * 1000) == 0;
  kill(-call, SIGKILL);  // whatever it has started; itself, where it is late
  close(handle);
  int status = 0;
  rusage used{};
  wait4(call, &status, 0, &used);
  seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  return is_late ? -1 : status;
}

std::string take_contents(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(file);
  return text;
}

template <typename T>
void answer(const T& value) {
  write_all(&value, sizeof value);
}

Limits read_limits() {
  const char* text = std::getenv("RIGOR_FORK_LIMITS");
  unsigned long cpu = 0, memory = 0, file = 0;
  int wait = 0;
  if (!text || std::sscanf(text, "%lu %lu %lu %d", &cpu, &memory, &file, &wait) != 4) _exit(125);
  return {cpu, memory, file, wait};
}

/// In place of main(). Returns in the calls alone, with their status, so that each ends as the program does.
int serve(int, char** argv, char** environment) {
  const Limits limits = read_limits();
  unsetenv("LD_PRELOAD");
  unsetenv("RIGOR_FORK_LIMITS");
  for (std::uint32_t bytes = 0; read_all(&bytes, sizeof bytes);) {
    std::string request(bytes, '\0');
    if (!read_all(request.data(), bytes)) break;
    std::vector<char*> words;  // the folder, the words
    for (char* at = request.data(); at < request.data() + bytes; at += std::strlen(at) + 1)
      words.push_back(at);
    const int out = memfd_create("out", 0), err = memfd_create("err", 0);
    const pid_t call = fork();
    if (call == 0) {
      become_call(words, out, err, limits);
      words[0] = argv[0];
      const int count = static_cast<int>(words.size());
      words.push_back(nullptr);
      return program(count, words.data(), environment);
    }
    if (call < 0) _exit(1);
    double seconds = 0.0;
    answer(wait_for(call, limits, seconds));
    answer(seconds);
    const std::string said = take_contents(out), complained = take_contents(err);
    answer(static_cast<std::uint32_t>(said.size()));
    answer(static_cast<std::uint32_t>(complained.size()));
    write_all(said.data(), said.size());
    write_all(complained.data(), complained.size());
  }
  _exit(0);
}

}  // namespace

/// The C library's own, which the program's first instructions call: it makes the static objects, then calls main().
extern "C" __attribute__((visibility("default"))) int __libc_start_main(Main main, int argc, char** argv,
                                                                        void (*init)(), void (*fini)(),
                                                                        void (*linker_fini)(), void* stack) {
  program = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(serve, argc, argv, init, fini, linker_fini, stack);
}
