#include "tools/rigor/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "rigor/base/interruption.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {

std::string find_program(const std::vector<std::string>& names) {
  const char* const path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path ? path : "/usr/bin:/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::filesystem::path file = std::filesystem::path(folder) / name;
      if (::access(file.c_str(), X_OK) == 0) return file.string();
    }
  }
  return {};
}

int run_program(const std::vector<std::string>& words, const std::filesystem::path& output, int seconds) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string out = output.empty() ? "/dev/null" : output.string();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);  // with all that it starts, to be ended together
    const int null = ::open("/dev/null", O_RDWR),
              file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (null < 0 || file < 0 || ::dup2(null, 0) < 0 || ::dup2(file, 1) < 0 || ::dup2(null, 2) < 0)
      ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  if (child < 0) return 127;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end || was_interrupted()) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      check_interruption();
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "rigor-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder can be made.");
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void open_in_browser(const std::filesystem::path& page, const std::string& fragment, int width, int height,
                     const std::string& action, const std::filesystem::path& output) {
  const std::string browser = find_program({"chromium", "chromium-browser", "google-chrome"});
  if (browser.empty())
    throw std::runtime_error("Chromium draws the picture, and is not installed (Debian: chromium).");
  const ScratchFolder profile;
  // --disable-gpu would give a blank picture: WebGL by software needs these two
  // Chromium's own sandbox stays on, but for root, for whom it cannot work
  std::vector<std::string> words{browser};
  if (::geteuid() == 0) words.emplace_back("--no-sandbox");
  const std::vector<std::string> more{"--headless",
                                      "--use-angle=swiftshader",
                                      "--enable-unsafe-swiftshader",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-sync",
                                      "--no-first-run",
                                      "--hide-scrollbars",
                                      "--user-data-dir=" + profile.path().string(),
                                      fmt::format("--window-size={},{}", width, height),
                                      "--virtual-time-budget=20000",
                                      action,
                                      fmt::format("file://{}#{}", page.string(), fragment)};
  words.insert(words.end(), more.begin(), more.end());
  constexpr int kPatience = 300;  // s
  const int status = run_program(words, output, kPatience);
  if (status != 0)
    throw std::runtime_error(status < 0 ? fmt::format("{} took longer than {} s.", browser, kPatience)
                                        : fmt::format("{} ended with status {}.", browser, status));
}

}  // namespace rigor
