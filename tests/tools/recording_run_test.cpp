// Recordings as a person makes and uses them: run -o, --checkpoint, resume, replay, export; kills and full
// disks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

#include "rigor/math/random.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing_support::read_file;

class RecordedRun : public ProgramTest {
 protected:
  // Starts the program and ends it by kill -9, or another signal, after so many microseconds. Whether it was still
  // running and the signal ended it.
  bool run_and_kill(std::vector<std::string> words, useconds_t delay, int signal = SIGKILL) const {
    words.insert(words.begin(), RIGOR_PROGRAM);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::chdir(folder_.path().c_str()) == 0 && ::freopen("/dev/null", "w", stdout))
        ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::usleep(delay);
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }
  std::string file(const std::string& name) const { return read_file(folder_.path() / name); }
  const std::vector<std::string> run_{
      "run", "peiret-box", "--set", "run.until=0.3", "--every", "0.002", "--checkpoint", "0.01", "-o"};
  std::vector<std::string> run_to(const std::string& name) const {
    std::vector<std::string> words = run_;
    words.push_back(name);
    return words;
  }
};

// Ctrl-C within a step once closed the recording as if the run had come to its end, and checkpoints came only with
// frames, here every 100 s.
TEST_F(RecordedRun, ThatIsInterruptedIsNotAtItsEnd) {
  for (const useconds_t delay : {400'000U, 450'000U, 500'000U, 550'000U}) {
    (void)run_and_kill({"run", "crates", "--set", "run.until=100000", "-o", "a.rec", "--checkpoint", "0.01"},
                       kSanitized ? 10 * delay : delay, SIGINT);
    const JsonValue replay = json_of(run({"replay", "a.rec", "--json"}));
    EXPECT_FALSE(*replay.find("finished")->if_bool());
    EXPECT_GT(*replay.find("checkpoints")->if_number(), 0.0);
    EXPECT_THAT(run({"replay", "a.rec"}).out,
                HasSubstr("the run did not reach its end; 'rigor resume a.rec' goes on"));
  }
}

// RIGOR_KILLS=200 kills more often.
TEST_F(RecordedRun, AfterKillsAtRandomMomentsTheResumedRunIsTheUninterruptedOne) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramResult whole = run(run_to("whole.rec"));
  const std::chrono::duration<double, std::micro> length = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(whole.status, 0) << whole.err;
  const std::string expected = file("whole.rec");
  const char* const wanted = std::getenv("RIGOR_KILLS");
  const int kills = wanted ? std::atoi(wanted) : kSanitized ? 10 : 50;
  Random random(3);
  int killed = 0;
  for (int tries = 0; killed < kills && tries < 20 * kills;) {
    std::filesystem::remove(folder_.path() / "a.rec");
    if (run_and_kill(run_to("a.rec"), static_cast<useconds_t>(random.uniform(0.0, length.count())))) ++killed;
    ++tries;
    // sometimes the resumed run is killed too
    while (random.uniform(0.0, 1.0) < 0.3 && std::filesystem::exists(folder_.path() / "a.rec"))
      if (run_and_kill({"resume", "a.rec"}, static_cast<useconds_t>(random.uniform(0.0, length.count()))))
        ++killed;
    if (!std::filesystem::exists(folder_.path() / "a.rec")) continue;  // it had not begun
    const ProgramResult resumed = run({"resume", "a.rec"});
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    ASSERT_TRUE(file("a.rec") == expected) << "after " << killed << " kills";
  }
  EXPECT_GE(killed, kills);
}

TEST_F(RecordedRun, ReplayRunsItAgainAndFindsTheSameBits) {
  ASSERT_EQ(run(run_to("a.rec")).status, 0);
  const ProgramResult same = run({"replay", "--verify", "a.rec"});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("the same state, bit for bit, at all 151 frames"));
  const JsonValue value = json_of(run({"replay", "a.rec", "--json"}));
  EXPECT_EQ(*value.find("frames")->if_number(), 151.0);
  EXPECT_EQ(*value.find("checkpoints")->if_number(), 29.0);
  EXPECT_TRUE(*value.find("finished")->if_bool());
  EXPECT_THAT(run({"resume", "a.rec"}).out, HasSubstr("nothing to resume"));
}

// A finished run is resumed from its last checkpoint: the answer is that of the run, forces included, but for the time
// it took.
TEST_F(RecordedRun, ResumingAFinishedRunGivesItsAnswerAgain) {
  for (const std::string scene : {"peiret-box", "four-bar"}) {
    const JsonValue ran = json_of(
        run({"run", scene, "--set", "run.until=0.05", "--checkpoint", "0.01", "-o", "a.rec", "--json"}));
    const std::string before = file("a.rec");
    const JsonValue resumed = json_of(run({"resume", "a.rec", "--json"}));
    for (const char* key :
         {"time", "steps", "constraints", "motions", "bodies", "joints", "contacts", "energy"})
      EXPECT_EQ(write_json(*resumed.find(key)), write_json(*ran.find(key))) << scene << ", " << key;
    EXPECT_TRUE(file("a.rec") == before) << scene;
    std::filesystem::remove(folder_.path() / "a.rec");
  }
}

TEST_F(RecordedRun, AFullDiskKeepsTheEarlierFramesAndSaysSo) {
  // the file may not grow beyond 8 blocks of 512 bytes
  const std::string command =
      fmt::format("ulimit -f 8; exec {} run peiret-box --every 0.001 -o a.rec", RIGOR_PROGRAM);
  const ProgramResult full = testing_support::run_program({"/bin/bash", "-c", command}, folder_.path());
  EXPECT_EQ(full.status, 1);
  EXPECT_THAT(full.err, testing::MatchesRegex(
                            "rigor: a.rec: cannot be written \\(File too large\\)\\. The [0-9]+ frames? "
                            "before it are intact\\.\n"));
  const ProgramResult replay = run({"replay", "--verify", "a.rec"});
  EXPECT_EQ(replay.status, 0) << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("did not reach its end"));
  EXPECT_EQ(run({"resume", "a.rec"}).status, 0);  // now there is room
  EXPECT_TRUE(*json_of(run({"replay", "--json", "a.rec"})).find("finished")->if_bool());
}

TEST_F(RecordedRun, ExportsTables) {
  ASSERT_EQ(run(run_to("a.rec")).status, 0);
  EXPECT_EQ(run({"export", "a.rec", "a.csv"}).out, "wrote a.csv and a-contacts.csv (151 frames)\n");
  EXPECT_THAT(file("a.csv"), testing::StartsWith("time,step,cube.x,"));
  EXPECT_EQ(run({"export", "a.rec", "a.npz"}).status, 0);
  EXPECT_EQ(file("a.npz").substr(0, 2), "PK");
  const ProgramResult hdf5 = run({"export", "a.rec", "a.h5"});
  if (hdf5.status == 0)
    EXPECT_EQ(file("a.h5").substr(1, 3), "HDF");
  else
    EXPECT_THAT(hdf5.err, HasSubstr("built without HDF5"));
}

TEST_F(RecordedRun, WrongFilesGetOneSentence) {
  EXPECT_EQ(run({"run", "peiret-box", "-o", "a.txt"}).status, 2);
  EXPECT_THAT(run({"run", "peiret-box", "-o", "a.txt"}).err,
              HasSubstr("-o a.txt: must end in .html, a page to look at, or .rec, a recording."));
  EXPECT_EQ(run({"run", "peiret-box", "--checkpoint", "0.1"}).err,
            "rigor: --checkpoint needs a recording to put the states into. Add -o run.rec.\n");
  EXPECT_EQ(run({"replay", "none.rec"}).err,
            "none.rec: does not exist. Give a file that 'rigor run -o' wrote.\n");
  EXPECT_EQ(run({"replay", "none.rec"}).status, 2);
  folder_.write("b.rec", "a picture");
  EXPECT_EQ(run({"export", "b.rec", "b.csv"}).err,
            "b.rec: is not a recording. Give a file that 'rigor run -o' wrote.\n");
  EXPECT_EQ(run({"export", "b.rec", "b.xls"}).err,
            "rigor: b.xls: must end in .csv, .npz, .h5 or .html, which says what to write.\n");
  EXPECT_EQ(run({"run", "peiret-box", "-o", "none/a.rec"}).status, 1);
  EXPECT_THAT(run({"run", "peiret-box", "-o", "none/a.rec"}).err,
              HasSubstr("none/a.rec: cannot be written (No such file or directory)."));

  ASSERT_EQ(run(run_to("a.rec")).status, 0);
  std::string bytes = file("a.rec");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  folder_.write("c.rec", bytes);
  const ProgramResult damaged = run({"replay", "c.rec"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_THAT(damaged.err, testing::MatchesRegex(
                               "rigor: c.rec: frame [0-9]+ is damaged\\. The [0-9]+ frames before it are "
                               "sound\\.\n"));
}

}  // namespace
}  // namespace rigor
