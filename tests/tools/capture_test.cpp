// Covers capture.cpp and bench_problems.cpp: from a run to its hard problems, and to all methods on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/io/fclib.hpp"
#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

class Capture : public ProgramTest {};

TEST_F(Capture, TheHardStepsOfARunAreSolvedAgainByEveryMethod) {
  if (!has_fclib()) GTEST_SKIP() << "built without HDF5";
  const ProgramResult captured = run({"run", "peiret-box", "--set", "run.dt=0.01", "--set", "run.until=0.1",
                                      "--capture", "hard", "--capture-count", "2"});
  EXPECT_EQ(captured.status, 0) << captured.err;
  EXPECT_THAT(captured.err, HasSubstr("the problems of the 2 hardest steps are in hard"));
  const ProgramResult measured = run({"bench", "problems", "hard", "--tolerance", "1e-8", "--repeat", "1"});
  EXPECT_EQ(measured.status, 0) << measured.out << measured.err;
  EXPECT_THAT(measured.out, HasSubstr("tolerance 1e-08: 2 of 2 solved"));
  const JsonValue value = json_of(
      run({"bench", "problems", "hard", "--tolerance", "1e-8", "--repeat", "1", "--perturb", "2", "--json"}));
  EXPECT_EQ(value.find("problems")->if_array()->size(), 6U);
  std::string file;
  for (const JsonValue& problem : *value.find("problems")->if_array())
    if (file.empty()) file = "hard/" + *problem.find("name")->if_string() + ".hdf5";
  const ProgramResult solved = run({"solve", file, "--method", "proximal-newton", "--tolerance", "1e-9"});
  EXPECT_EQ(solved.status, 0) << solved.out << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("sparse cone problem, 4 contacts"));
  const ProgramResult compared = run({"solve", file, "--compare", "--tolerance", "1e-6"});
  EXPECT_EQ(compared.status, 0) << compared.out << compared.err;
  for (const char* method : {"nsgs", "admm", "interior-point", "proximal-newton"})
    EXPECT_THAT(compared.out, HasSubstr(method));
}

TEST_F(Capture, BenchProblemsNeedsProblems) {
  const ProgramResult none = run({"bench", "problems"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no files are given. Name files or folders of FCLIB problems."));
  EXPECT_THAT(run({"list", "cone-solvers"}).out, HasSubstr("proximal-newton"));
}

}  // namespace
}  // namespace rigor
