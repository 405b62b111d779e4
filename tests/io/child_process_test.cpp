#include "rigor/io/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rigor/base/interruption.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using End = ChildResult::End;

TEST(ChildProcess, GivesBackBytesAndChangesNothingElse) {
  int here = 1;
  std::string large(5'000'000, 'x');
  large[77] = '\0';
  const ChildResult result = run_in_child(
      [&] {
        here = 2;
        return large;
      },
      {});
  EXPECT_EQ(result.end, End::kDone);
  EXPECT_EQ(result.bytes, large);
  EXPECT_EQ(here, 1);
  EXPECT_EQ(run_in_child([] { return std::string(); }, {}).end, End::kDone);
}

TEST(ChildProcess, WhatItThrowsIsToldAndWhatKillsItIsTold) {
  const ChildResult threw =
      run_in_child([]() -> std::string { throw std::runtime_error("no such place"); }, {});
  EXPECT_EQ(threw.end, End::kThrew);
  EXPECT_EQ(threw.bytes, "no such place");

  const ChildResult killed = run_in_child(
      []() -> std::string {
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
        return "";
      },
      {});
  EXPECT_EQ(killed.end, End::kCrashed);
  EXPECT_EQ(killed.signal, SIGSEGV);
  EXPECT_EQ(run_in_child([]() -> std::string { ::_exit(0); }, {}).end, End::kCrashed);
}

TEST(ChildProcess, TimeAndMemoryHaveTheirLimits) {
  const ChildResult endless = run_in_child(
      []() -> std::string {
        std::atomic<long> turns{0};
        while (turns >= 0) ++turns;
        return "";
      },
      {.cpu_seconds = 1});
  EXPECT_EQ(endless.end, End::kCrashed);
  EXPECT_EQ(endless.signal, SIGXCPU);
  const ChildResult waiting = run_in_child(
      []() -> std::string {
        ::sleep(60);
        return "";
      },
      {.wall_seconds = 1});
  EXPECT_EQ(waiting.end, End::kCrashed);
  EXPECT_EQ(waiting.signal, SIGKILL);
  if (kSanitized) return;
  const ChildResult greedy = run_in_child([] { return std::string(std::vector<char>(1u << 30).data(), 1); },
                                          {.memory_bytes = std::size_t{256} << 20});
  EXPECT_EQ(greedy.end, End::kCrashed);
}

TEST(ChildProcess, AnInterruptionEndsItAtOnce) {
  const auto start = std::chrono::steady_clock::now();
  std::thread other([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    request_interruption();
  });
  EXPECT_THROW((void)run_in_child(
                   []() -> std::string {
                     ::sleep(60);
                     return "";
                   },
                   {}),
               Cancelled);
  other.join();
  clear_interruption();
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
}

}  // namespace
}  // namespace rigor
