#include "tests/support/run_program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace rigor::testing_support {

ProgramResult run_program(const std::vector<std::string>& words, const std::filesystem::path& folder) {
  // output goes to files, so that no pipe can fill up
  const TemporaryFolder outputs;
  const std::string out = outputs.path() / "out", err = outputs.path() / "err";
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);

  const pid_t child = ::fork();
  if (child == 0) {
    const auto redirect = [](const char* path, int flags, int to) {
      const int fd = ::open(path, flags, 0600);
      if (fd < 0 || ::dup2(fd, to) < 0) ::_exit(126);
    };
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(out.c_str(), O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect(err.c_str(), O_WRONLY | O_CREAT, STDERR_FILENO);
    ::alarm(60);
    if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  struct rusage usage {};
  ::wait4(child, &status, 0, &usage);

  ProgramResult result;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result.seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;
  result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rigor-test-XXXXXX").string();
  path_ = ::mkdtemp(name.data()) ? name : "";
  EXPECT_FALSE(path_.empty()) << "no temporary folder could be made";
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::string& name, const std::string& text) const {
  const std::filesystem::path path = path_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace rigor::testing_support
