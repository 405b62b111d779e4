// Files of others and a system without room, met by the whole program: it says one sentence and ends, within a second
// where it is told to, and nothing of a file commands the terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>

#include "tests/support/sanitized.hpp"
#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::read_file;

class HostileFiles : public ProgramTest {
 protected:
  ProgramResult shell(const std::string& command) const {
    return testing_support::run_program({"/bin/bash", "-c", command}, folder_.path());
  }
  // Seconds from a signal to the end of the program, which has worked for `before` microseconds then.
  double seconds_to_end(std::vector<std::string> words, int signal, useconds_t before) const {
    words.insert(words.begin(), RIGOR_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::chdir(folder_.path().c_str()) == 0 && ::freopen("/dev/null", "w", stdout) &&
          ::freopen("/dev/null", "w", stderr))
        ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::usleep(before);
    EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it was done before the signal";
    ::kill(child, signal);
    const auto start = std::chrono::steady_clock::now();
    ::waitpid(child, nullptr, 0);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  static constexpr double kSoon =
      kSanitized ? 10.0 : 2.0;  // s: one second on a machine that does nothing else
};

// Names with commands to a terminal and marks that turn the writing round: from a scene, and from its recording.
TEST_F(HostileFiles, NothingOfAFileCommandsTheTerminal) {
  const std::string scene =
      R"({"rigor": 1, "name": "\u001b[2J\u001b]0;owned\u0007title", "description": "\u001b[31mred\u009b",
          "bodies": [{"name": "a\u202egpj", "mass": 1, "inertia": [1, 1, 1]}], "run": {"until": 0.002}})";
  folder_.write("esc.json", scene);
  folder_.write("bad.json", R"({"rigor": 1, "\u001b[1m": 2, "bodies": [{"name": "b\u009b", "mass": 1}]})");
  folder_.write("bad.dat", "2 0 \x1b[31m\x9b");
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", "esc.json"},
                                             {"check", "esc.json", "--json"},
                                             {"run", "esc.json", "-o", "esc.rec"},
                                             {"run", "esc.json", "--json"},
                                             {"replay", "esc.rec"},
                                             {"replay", "esc.rec", "--json"},
                                             {"convert", "esc.json", "-"},
                                             {"check", "bad.json"},
                                             {"check", "bad.json", "--json"},
                                             {"solve", "bad.dat"},
                                             {"check", "\x1b[31m.json"}}) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    const ProgramResult result = run(words);
    for (const std::string& text : {result.out, result.err}) {
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      EXPECT_THAT(text, Not(HasSubstr("\x07")));
      EXPECT_THAT(text, Not(HasSubstr("\u202e")));
      EXPECT_THAT(text, Not(HasSubstr("\x9b")));
    }
    if (words.back() == "--json") (void)json_of(result);
  }
  EXPECT_THAT(run({"run", "esc.json"}).out, HasSubstr("a\\u202egpj"));
  const JsonValue value = json_of(run({"run", "esc.json", "--json"}));
  EXPECT_EQ(*value.find("bodies")->if_array()->at(0).find("name")->if_string(), "a\u202Egpj");
}

TEST_F(HostileFiles, StreamsThatCannotBeWrittenEndNothing) {
  const std::string program = RIGOR_PROGRAM;
  EXPECT_EQ(shell(program + " check none.json 2>/dev/full").status, 2);
  EXPECT_EQ(shell(program + " frobnicate 2>/dev/full").status, 2);
  EXPECT_EQ(shell(program + " check crates 2>/dev/full").status, 0);
  const ProgramResult full = shell(program + " run peiret-box --json >/dev/full");
  EXPECT_EQ(full.status, 1);
  EXPECT_EQ(full.err, "rigor: standard output cannot be written (No space left on device).\n");
}

// libhdf5 crashed when it closed what it could not write.
TEST_F(HostileFiles, AFullDiskLeavesNoHalfOfAnExport) {
  ASSERT_EQ(run({"run", "peiret-box", "--set", "run.until=0.2", "--every", "0.001", "-o", "a.rec"}).status,
            0);
  for (const char* file : {"a.h5", "a.npz", "a.csv"}) {
    const ProgramResult full =
        shell(fmt::format("ulimit -f 8; exec {} export a.rec {}", RIGOR_PROGRAM, file));
    if (full.err.find("built without HDF5") != std::string::npos) continue;
    EXPECT_EQ(full.status, 1) << file;
    EXPECT_EQ(full.err,
              fmt::format("rigor: {}: cannot be written (File too large). Nothing was changed.\n", file));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(HostileFiles, PipesAreNoFiles) {
  ASSERT_EQ(shell("mkfifo p.json p.rec p.hdf5 p.dat").status, 0);
  for (const auto& words : std::vector<std::vector<std::string>>{{"check", "p.json"},
                                                                 {"run", "p.json"},
                                                                 {"replay", "p.rec"},
                                                                 {"resume", "p.rec"},
                                                                 {"export", "p.rec", "a.csv"},
                                                                 {"solve", "p.hdf5"},
                                                                 {"solve", "p.dat"},
                                                                 {"analyse", "p.json"},
                                                                 {"solve", "/dev/zero"}}) {
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << words[0];
    EXPECT_THAT(result.err, HasSubstr("is not a regular file.")) << words[0];
  }
}

// Loops of 126 bytes that never ended; each adds nothing.
TEST_F(HostileFiles, LoopsThatAddNothingHaveABound) {
  folder_.write("loops.json", R"({"rigor": 1, "repeat": [{"for": [["a", 200000], ["b", 200000], ["c", 0]],
                                  "bodies": [{"name": "x_{a}_{b}_{c}", "mass": 1}]}]})");
  const ProgramResult result = run({"check", "loops.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("the loops of this scene turn more than 4000000 times."));
  // the same from many small ones: the turns of a whole scene are counted
  std::string many = R"({"rigor": 1, "repeat": [)";
  for (int i = 0; i < 1000; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"for": [["a", 200000], ["b", 0]], "bodies": []})";
  folder_.write("many.json", many + "]}");
  EXPECT_THAT(run({"check", "many.json"}).err, HasSubstr("turn more than 4000000 times."));
}

TEST_F(HostileFiles, AHullHasABoundOnItsPoints) {
  std::string points;
  for (int i = 0; i < 4000; ++i)
    points += fmt::format("{}[{}, {}, {}]", i > 0 ? "," : "", std::cos(i), std::sin(i), i % 2);
  folder_.write(
      "hull.json",
      R"({"rigor": 1, "bodies": [{"name": "a", "density": 1, "shapes": [{"type": "hull", "points": [)" +
          points + "]}]}]}");
  const ProgramResult result = run({"check", "hull.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("has 4000 elements, must have at most 2000."));
}

TEST_F(HostileFiles, ThreadsThatTheSystemDoesNotGiveAreDoneWithout) {
  if (kSanitized) GTEST_SKIP() << "sanitizers have terabytes of addresses";
  folder_.write("threads.json",
                R"({"rigor": 1, "shapes": [{"type": "half-space"}], "bodies": [{"name": "a", "mass": 1,
                    "pose": [0, 0, 0.1], "shapes": [{"type": "box", "size": [0.2, 0.2, 0.2]}]}],
                    "run": {"dt": 0.001, "until": 0.01, "threads": 1024}})");
  const ProgramResult few = shell(fmt::format("ulimit -v 150000; exec {} run threads.json", RIGOR_PROGRAM));
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_LT(few.seconds, 5.0);
}

// A chain whose mass matrix has no room: check called it valid, and run refused it.
TEST_F(HostileFiles, WhatCheckAcceptsCanStart) {
  folder_.write("chain.json", R"({"rigor": 1, "bodies": [{"name": "b0", "mass": 1, "joint": "revolute"}],
      "repeat": [{"for": [["i", 20000]], "bodies": [{"name": "b{i + 1}", "mass": 1,
                  "joint": {"type": "revolute", "parent": "b{i}"}}]}]})");
  const ProgramResult started = run({"run", "chain.json"}), checked = run({"check", "chain.json"});
  EXPECT_EQ(started.status, 2);
  EXPECT_THAT(started.err, HasSubstr("The trees of bodies are too deep"));
  EXPECT_EQ(checked.status, 2);
  EXPECT_THAT(checked.err, HasSubstr("chain.json: The trees of bodies are too deep"));
}

// Dense, of a size that takes minutes: said before, and refused where there is no memory for it.
TEST_F(HostileFiles, LargeProblemsAreAnnounced) {
  std::string text = "6000 1 6000 6000 0 1 1 6000 6000 2 0 0 0";
  for (int i = 0; i < 6000; ++i) text += " -1";
  folder_.write("large.dat", text);
  if (!kSanitized) {
    const ProgramResult small =
        shell(fmt::format("ulimit -v 1000000; exec {} solve large.dat", RIGOR_PROGRAM));
    EXPECT_EQ(small.status, 2);
    EXPECT_EQ(
        small.err,
        "rigor: large.dat: 6000 unknowns in dense matrices take about 1.2 GB, there are 1.0 GB for it.\n");
  }
  EXPECT_LT(seconds_to_end({"solve", "large.dat"}, SIGTERM, 200'000), kSoon);
}

// In the middle of one step, and between steps.
TEST_F(HostileFiles, ASignalEndsEveryCommandSoon) {
  EXPECT_LT(seconds_to_end({"run", "peiret-box", "--set", "run.until=100000"}, SIGTERM, 300'000), kSoon);
  EXPECT_LT(
      seconds_to_end({"run", "peiret-box", "--set", "run.until=100000", "-o", "a.rec"}, SIGINT, 300'000),
      kSoon);
  EXPECT_EQ(run({"replay", "a.rec"}).status, 0);  // whole frames, all of them sound
  EXPECT_LT(seconds_to_end({"run", "marbles", "--set", "run.until=10000"}, SIGINT, 700'000), kSoon);
  EXPECT_LT(seconds_to_end({"view", "peiret-box"}, SIGTERM, 500'000), kSoon);
}

// Chromium with its own sandbox, but for root: a script in its place tells what it was called with.
TEST_F(HostileFiles, TheBrowserKeepsItsSandbox) {
  ASSERT_EQ(run({"run", "peiret-box", "--set", "run.until=0.01", "-o", "a.rec"}).status, 0);
  folder_.write("chromium", "#!/bin/sh\necho \"$@\" > \"" + (folder_.path() / "words").string() + "\"\n");
  const ProgramResult shot =
      shell(fmt::format("chmod +x chromium; PATH=$PWD:$PATH exec {} shot a.rec a.png", RIGOR_PROGRAM));
  if (shot.err.find("built without the replay page") != std::string::npos) GTEST_SKIP() << shot.err;
  EXPECT_THAT(shot.err, HasSubstr("Chromium made no picture."));
  const bool is_without = read_file(folder_.path() / "words").find("--no-sandbox") != std::string::npos;
  EXPECT_EQ(is_without, ::geteuid() == 0);
}

}  // namespace
}  // namespace rigor
