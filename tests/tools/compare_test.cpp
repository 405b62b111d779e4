// Covers compare.cpp, comparison.cpp, reproduce_peiret.cpp: `rigor compare` and the figures of Peiret's
// paper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sanitized.hpp"
#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing_support::read_file;

class Compare : public ProgramTest {
 protected:
  static double number_at(const JsonValue& value, const char* key) { return *value.find(key)->if_number(); }
};

TEST_F(Compare, RunsAllAndMeasuresThemAgainstTheFinestCone) {
  const JsonValue value = json_of(
      run({"compare", "peiret-box", "--formulations", "phantom,box,cone", "--dt", "0.02,0.01", "--json"}));
  const JsonValue::Array& runs = *value.if_array();
  ASSERT_EQ(runs.size(), 6U);
  EXPECT_EQ(*runs[0].find("formulation")->if_string(), "cone");
  EXPECT_EQ(number_at(runs[0], "dt"), 0.01);
  EXPECT_EQ(number_at(runs[0], "position_error"), 0.0);
  for (const JsonValue& one : runs) {
    EXPECT_EQ(*one.find("failure")->if_string(), "");
    EXPECT_LT(number_at(one, "worst_residual"), 1e-10);
    EXPECT_LT(number_at(one, "worst_energy_imbalance"), 1e-12);
    EXPECT_EQ(*one.find("body")->if_string(), "cube");
    const bool is_box = *one.find("formulation")->if_string() == "box";
    EXPECT_EQ(number_at(one, "position_error") > 0.3, is_box);
    EXPECT_EQ(number_at(one, "position_error") < 0.06, !is_box);
  }
}

// The path of the paper's box by one, in a table for people, with a plot.
TEST_F(Compare, PrintsATableAndDrawsThePaths) {
  const ProgramResult result =
      run({"compare", "peiret-pull", "--formulations", "phantom,hybrid", "--set", "parameters.angle=0.1,0.3",
           "--set", "run.until=0.08", "-o", "paths.svg"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("parameters.angle=0.1\n"));
  EXPECT_THAT(result.out, HasSubstr("parameters.angle=0.3\n"));
  EXPECT_THAT(result.out, HasSubstr("1.000000000 … 1.414213562"));
  EXPECT_THAT(read_file(folder_.path() / "paths.svg"), HasSubstr("phantom, 0.001 s, parameters.angle=0.3"));
}

TEST_F(Compare, ShowsTheRunsOnOnePage) {
  const ProgramResult result =
      run({"compare", "peiret-pull", "--formulations", "phantom,box", "-o", "side.html"});
  if (result.status == 1 && result.err.find("without the replay page") != std::string::npos)
    GTEST_SKIP() << "built without npm";
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(read_file(folder_.path() / "side.html"), HasSubstr("box, 0.001 s"));
  EXPECT_EQ(run({"compare", "peiret-pull", "-o", "side.txt"}).status, 2);
}

TEST_F(Compare, SolversSideBySide) {
  const JsonValue value = json_of(run({"compare", "peiret-box", "--formulations", "anitescu-potra",
                                       "--solvers", "lemke,block-pivot", "--dt", "0.02", "--json"}));
  const JsonValue::Array& runs = *value.if_array();
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(number_at(runs[1], "fallbacks"), 0.0);  // lemke
  EXPECT_GT(number_at(runs[2], "fallbacks"), 0.0);  // a singular matrix
  EXPECT_NEAR(number_at(runs[1], "end_position_error"), number_at(runs[2], "end_position_error"), 1e-9);
}

TEST_F(Compare, BadInputIsNamed) {
  EXPECT_EQ(run({"compare", "peiret-box", "--formulations", "cone,coulomb"}).status, 2);
  EXPECT_EQ(run({"compare", "peiret-box", "--dt", "0"}).status, 2);
  const ProgramResult empty = run({"compare", "peiret-box", "--set", "parameters.mu=0.1,,0.2"});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("an empty value between commas"));
  const ProgramResult many = run({"compare", "peiret-box", "--set", "parameters.mu=nonsense,0.2"});
  EXPECT_EQ(many.status, 2);
}

TEST_F(Compare, AccelerationsOfPainlevesRodHaveNoSolution) {
  const ProgramResult written =
      run({"run", "anitescu-painleve", "--set", "run.until=0", "--acceleration-problem", "rod.json"});
  EXPECT_EQ(written.status, 0) << written.err;
  const ProgramResult solved = run({"solve", "rod.json"});
  EXPECT_EQ(solved.status, 0);
  EXPECT_THAT(solved.out, HasSubstr("infeasible"));
  // and the step that exists
  EXPECT_EQ(run({"run", "anitescu-painleve", "--contact-problem", "step.json"}).status, 0);
  EXPECT_THAT(run({"solve", "step.json"}).out, HasSubstr("solved"));
  EXPECT_EQ(run({"run", "simbody-bead", "--set", "run.until=0.01", "--contact-problem", "none.json"}).status,
            2);
}

TEST_F(Compare, PeiretsFiguresAreReproduced) {
  if (kSanitized) GTEST_SKIP() << "thousands of steps";
  for (const char* entry :
       {"peiret-box", "peiret-fig1", "peiret-fig2", "peiret-fig4", "peiret-rank", "peiret-solvers"}) {
    const ProgramResult result = run({"reproduce", entry, "-o", folder_.path().string()});
    EXPECT_EQ(result.status, 0) << result.out;
    EXPECT_THAT(result.out, HasSubstr(std::string(entry) + ": pass"));
  }
  EXPECT_THAT(read_file(folder_.path() / "peiret-fig4-1.svg"), HasSubstr("phantom"));
}

}  // namespace
}  // namespace rigor
