// `rigor solve`, `generate` and `bench` as a person calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rigor/math/sparse_cholesky.hpp"
#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Solve : public ProgramTest {
 protected:
  JsonValue json_of(std::vector<std::string> words, int status = 0) const {
    words.emplace_back("--json");
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, status) << result.err;
    return ProgramTest::json_of(result);
  }

  static std::string text_at(const JsonValue& value, const char* key) {
    return *value.find(key)->if_string();
  }
  static double number_at(const JsonValue& value, const char* key) { return *value.find(key)->if_number(); }

  // w = M z + q by hand: z = (4/3, 7/3)
  void write_two_by_two() const {
    folder_.write("two.json", R"({"rigor_problem": 1, "kind": "lcp", "M": [[2, 1], [1, 2]], "q": [-5, -6]})");
  }
};

TEST_F(Solve, AnswersWithTheKeysThatScriptsRelyOn) {
  write_two_by_two();
  for (const char* solver : {"auto", "lemke", "murty", "principal-pivot", "block-pivot", "dantzig", "pgs",
                             "newton", "interior-point", "enumerate"}) {
    SCOPED_TRACE(solver);
    const JsonValue value = json_of({"solve", "two.json", "--solver", solver});
    EXPECT_EQ(text_at(value, "status"), "solved");
    EXPECT_LE(number_at(value, "residual"), 1e-10);
    EXPECT_GE(number_at(value, "seconds"), 0.0);
    EXPECT_NE(value.find("iterations"), nullptr);
    EXPECT_NE(value.find("solver"), nullptr);
    EXPECT_NEAR(*value.find("z")->if_array()->at(1).if_number(), 7.0 / 3.0, 1e-8);
    EXPECT_NEAR(*value.find("w")->if_array()->at(1).if_number(), 0.0, 1e-8);
  }
  EXPECT_THAT(run({"solve", "two.json"}).out, HasSubstr("z = [1.333333333, 2.333333333]"));
}

// Two cubes' worth of contacts: what was tried, in its order, ends with the method that the answer names.
TEST_F(Solve, ExplainsWhatWasTried) {
  folder_.write("slide.json", R"({"rigor_problem": 1, "kind": "cone", "q": [-1, 3, -1, 3], "sizes": [2, 2],
    "mu": [0.5, 0.5], "W": [[1, 0, 0.2, 0], [0, 1, 0, 0.2], [0.2, 0, 1, 0], [0, 0.2, 0, 1]]})");
  for (const char* solver : {"auto", "newton", "interior-point", "admm"}) {
    SCOPED_TRACE(solver);
    const JsonValue value = json_of({"solve", "slide.json", "--solver", solver, "--explain"});
    const JsonValue::Array& tiers = *value.find("tiers")->if_array();
    ASSERT_FALSE(tiers.empty());
    int iterations = 0;
    for (const JsonValue& tier : tiers) {
      iterations += static_cast<int>(number_at(tier, "iterations"));
      EXPECT_GE(number_at(tier, "seconds"), 0.0);
      EXPECT_EQ(*tier.find("answered")->if_bool(), &tier == &tiers.back());
    }
    EXPECT_LE(iterations, static_cast<int>(number_at(value, "iterations")));
  }
  EXPECT_THAT(run({"solve", "slide.json", "--explain"}).out, HasSubstr("answered"));
  EXPECT_EQ(run({"solve", "slide.json", "--json"}).out.find("tiers"), std::string::npos);
  // a plain LCP has one method, and says so
  write_two_by_two();
  const ProgramResult refused = run({"solve", "two.json", "--explain"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("--explain: two.json is not a cone problem"));
}

// A cart of 1 kg on the ground, mu = 0.1, falling with 1 m/s: its motor pushes with at most 0.2 N s towards
// 2 m/s, and a rail takes the 0.3 m/s across. By hand: it slides at 0.2 − 0.1 = 0.1 m/s.
TEST_F(Solve, MotorsAndJointsStandBesideContacts) {
  folder_.write("cart.json", R"({"rigor_problem": 1, "kind": "cone",
    "W": [[1, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 1]], "q": [-1, 0, -2, 0.3],
    "sizes": [2, 1, 1], "mu": [0.1, 0, 0], "lower": [0, -0.2, null], "upper": [null, 0.2, null]})");
  const double r[] = {1.0, -0.1, 0.2, -0.3}, u[] = {0.0, 0.1, -1.9, 0.0};
  for (const char* solver : {"auto", "newton", "nsgs", "proximal-newton", "interior-point", "admm"}) {
    SCOPED_TRACE(solver);
    const JsonValue value = json_of({"solve", "cart.json", "--solver", solver});
    EXPECT_EQ(text_at(value, "status"), "solved");
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(*value.find("r")->if_array()->at(i).if_number(), r[i], 1e-8);
      EXPECT_NEAR(*value.find("u")->if_array()->at(i).if_number(), u[i], 1e-8);
    }
  }
  const ProgramResult compared = run({"solve", "cart.json", "--compare"});
  EXPECT_EQ(compared.status, 0);
  EXPECT_THAT(compared.out, HasSubstr("cone problem, 1 contact, 1 bilateral row, 1 boxed row, 4 rows"));
  // the file comes back, and FCLIB says that it has no place for a motor
  EXPECT_EQ(run({"solve", "cart.json", "-o", "again.json"}).status, 0);
  EXPECT_EQ(text_at(json_of({"solve", "again.json"}), "status"), "solved");
  const ProgramResult refused = run({"solve", "cart.json", "-o", "cart.hdf5"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "cart.hdf5"));
}

TEST_F(Solve, ANegativeAnswerIsAnAnswerWithItsProof) {
  folder_.write("none.dat", "1\n0\n1\n1\n1 1\n-1\n-1\n");  // w = −z − 1
  const JsonValue value = json_of({"solve", "none.dat"});
  EXPECT_EQ(text_at(value, "status"), "infeasible");
  const JsonValue& proof = *value.find("proof");
  EXPECT_EQ(*proof.find("y")->if_array()->at(0).if_number(), 1.0);
  EXPECT_TRUE(proof.find("bound")->is_null());  // infinite
  EXPECT_TRUE(*proof.find("exact")->if_bool());
  EXPECT_THAT(run({"solve", "none.dat"}).out, HasSubstr("no solution: y ≥ 0, qᵀy < 0 and Mᵀy ≤ 0 hold"));
}

// Random numbers whose Mᵀy = 0 holds to rounding only: larger z than the bound are not excluded.
TEST_F(Solve, NoSolutionBelowABoundIsNotCalledInfeasible) {
  ASSERT_EQ(
      run({"generate", "lcp", "--class", "psd-infeasible", "--size", "20", "--seed", "1", "-o", "far.json"})
          .status,
      0);
  const JsonValue value = json_of({"solve", "far.json"}, 1);
  ASSERT_EQ(text_at(value, "status"), "none-below-bound");
  EXPECT_GE(*value.find("proof")->find("bound")->if_number(), 1e8);
  EXPECT_FALSE(*value.find("proof")->find("exact")->if_bool());
  EXPECT_THAT(run({"solve", "far.json"}).out, HasSubstr("none-below-bound by lemke"));
}

// the sum of the rows says −(z_1 + z_2) ≥ 2: no solution, which pgs cannot know
TEST_F(Solve, FactorsAreEigensUnlessCholmodIsAskedForAndThere) {
  folder_.write("two.json",
                R"({"rigor_problem": 1, "kind": "cone", "q": [-1, -2], "sizes": [1, 1], "mu": [0, 0],
    "W": [[2, 1], [1, 2]]})");
  const JsonValue eigen = json_of({"solve", "two.json", "--solver", "admm", "--factors", "eigen"});
  EXPECT_EQ(text_at(eigen, "status"), "solved");
  const ProgramResult other = run({"solve", "two.json", "--solver", "admm", "--factors", "cholmod"});
  if (has_cholmod()) {
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_THAT(other.out, HasSubstr("solved by"));
  } else {
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err,
                HasSubstr("cholmod: this program was built without it. Install libsuitesparse-dev and "
                          "build with -DRIGOR_WITH_CHOLMOD=ON, or use eigen."));
  }
  EXPECT_EQ(run({"solve", "two.json", "--factors", "other"}).status, 2);
}

// A ball between two walls that come nearer.
TEST_F(Solve, AConeProblemWithoutSolutionHasAProofToo) {
  folder_.write(
      "press.json",
      R"({"rigor_problem": 1, "kind": "cone", "q": [-1, 0, -1, 0], "sizes": [2, 2], "mu": [0.5, 0.5],
    "W": [[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1]]})");
  const JsonValue value = json_of({"solve", "press.json"});
  EXPECT_EQ(text_at(value, "status"), "infeasible");
  const JsonValue& proof = *value.find("proof");
  EXPECT_TRUE(*proof.find("exact")->if_bool());
  EXPECT_EQ(*proof.find("y")->if_array()->at(2).if_number(), 1.0);
  EXPECT_THAT(run({"solve", "press.json"}).out, HasSubstr("  no solution: every solution has yᵀu ≥ 0"));
  // a single method proves nothing
  EXPECT_EQ(text_at(json_of({"solve", "press.json", "--solver", "newton"}, 1), "status"), "iteration-limit");
}

TEST_F(Solve, UndecidedIsStatusOne) {
  folder_.write("limit.json",
                R"({"rigor_problem": 1, "kind": "lcp", "M": [[1, -2], [-2, 1]], "q": [-1, -1]})");
  const ProgramResult result = run({"solve", "limit.json", "--solver", "pgs"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.out, HasSubstr("by pgs: residual "));
  EXPECT_EQ(text_at(json_of({"solve", "limit.json"}), "status"), "infeasible");
}

// A pile whose problem takes 5e6 multiplications: with 1e5 it ends where it is, at the same place every time, and says so.
TEST_F(Solve, AMethodEndsWithItsBudgetOfWork) {
  ASSERT_EQ(run({"generate", "cannonball", "--rows", "8", "-o", "pile.json"}).status, 0);
  for (const char* plain : {"", "--plain"}) {
    SCOPED_TRACE(plain);
    std::vector<std::string> words = {"solve", "pile.json"};
    if (*plain) words.emplace_back(plain);
    const JsonValue ample = json_of(words);
    EXPECT_EQ(number_at(*ample.find("work"), "limit"), 2e11);
    EXPECT_GT(number_at(*ample.find("work"), "spent"), 1e5);
    words.insert(words.end(), {"--work", "1e5"});
    const JsonValue first = json_of(words, 1), second = json_of(words, 1);
    EXPECT_EQ(text_at(first, "status"), "iteration-limit");
    EXPECT_THAT(text_at(first, "note"),
                HasSubstr("ended by its budget of 1e+05 multiplications; --work 1e+06 goes on"));
    EXPECT_EQ(number_at(*first.find("work"), "spent"), number_at(*second.find("work"), "spent"));
    EXPECT_EQ(number_at(first, "residual"), number_at(second, "residual"));
  }
  EXPECT_EQ(run({"solve", "pile.json", "--work", "0"}).status, 2);
  EXPECT_THAT(run({"solve", "pile.json", "--compare", "--work", "1e5"}).out,
              HasSubstr("ended by its budget of"));
}

TEST_F(Solve, ComparesAllMethods) {
  write_two_by_two();
  const ProgramResult table = run({"solve", "two.json", "--compare"});
  EXPECT_EQ(table.status, 0);
  for (const char* name : {"auto", "lemke", "murty", "interior-point", "enumerate"})
    EXPECT_THAT(table.out, HasSubstr(std::string("\n") + name));
  EXPECT_EQ(json_of({"solve", "two.json", "--compare"}).find("methods")->if_array()->size(), 10U);
}

// M = −I, q = 1: z_i = 0 or 1 each, four solutions. M = 0, q = 0: every z ≥ 0.
TEST_F(Solve, ListsAllSolutionsOfASmallProblem) {
  folder_.write("four.json", R"({"rigor_problem": 1, "kind": "lcp", "M": [[-1, 0], [0, -1]], "q": [1, 1]})");
  const JsonValue four = json_of({"solve", "four.json", "--all"});
  EXPECT_EQ(four.find("all")->find("solutions")->if_array()->size(), 4U);
  EXPECT_EQ(number_at(*four.find("all"), "dimension"), 0.0);
  folder_.write("plane.json", R"({"rigor_problem": 1, "kind": "lcp", "M": [[0, 0], [0, 0]], "q": [0, 0]})");
  EXPECT_EQ(number_at(*json_of({"solve", "plane.json", "--all"}).find("all"), "dimension"), 2.0);
  EXPECT_EQ(run({"generate", "lcp", "--size", "30", "-o", "large.json"}).status, 0);
  const ProgramResult large = run({"solve", "large.json", "--all"});
  EXPECT_EQ(large.status, 2);
  EXPECT_THAT(large.err, StartsWith("rigor: --all: 30 complementary unknowns, must be ≤ 16"));
}

TEST_F(Solve, ReportsTheClassOfTheMatrix) {
  write_two_by_two();
  const JsonValue value = json_of({"solve", "two.json", "--classes"});
  const JsonValue& matrix = *value.find("matrix");
  EXPECT_TRUE(*matrix.find("p_matrix")->if_bool());
  EXPECT_TRUE(*matrix.find("symmetric")->if_bool());
  EXPECT_EQ(number_at(matrix, "rank"), 2.0);
  EXPECT_NEAR(*matrix.find("singular_values")->if_array()->at(0).if_number(), 3.0, 1e-14);
  EXPECT_THAT(text_at(matrix, "guarantee"), StartsWith("P-matrix"));
}

TEST_F(Solve, SolvesMixedAndBoxedProblems) {
  folder_.write("mixed.json",
                R"({"rigor_problem": 1, "kind": "mlcp", "free": 1, "K": [[1, 1], [-1, 2]], "q": [-3, 0]})");
  const JsonValue mixed = json_of({"solve", "mixed.json"});
  EXPECT_NEAR(*mixed.find("z")->if_array()->at(0).if_number(), 2.0, 1e-12);  // free variables first
  folder_.write("block.json",
                R"({"rigor_problem": 1, "kind": "boxed-lcp", "M": [[1, 0], [0, 1]], "q": [-2, 1.5],
    "lo": [0, -0.5], "hi": [null, 0.5], "scaled_by": [null, 0]})");
  EXPECT_NEAR(*json_of({"solve", "block.json"}).find("z")->if_array()->at(1).if_number(), -1.0, 1e-9);
}

// rows 4 as a plain LCP and with its structure, all to 1e-10; the same file twice has the same bytes
TEST_F(Solve, SolvesTheCannonballPile) {
  EXPECT_THAT(
      run({"generate", "cannonball", "--rows", "4", "--mu", "0.2", "-o", "pile.json"}).out,
      StartsWith("wrote pile.json (contact LCP, 22 contacts, 2 directions, 30 velocities, 88 unknowns"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--plain"}, {"--solver", "lemke"}, {"--plain", "--solver", "lemke"}}) {
    std::vector<std::string> words = {"solve", "pile.json"};
    words.insert(words.end(), more.begin(), more.end());
    const JsonValue value = json_of(words);
    EXPECT_EQ(text_at(value, "status"), "solved");
    EXPECT_EQ(value.find("z")->if_array()->size(), 88U);
  }
  EXPECT_EQ(run({"generate", "cannonball", "--plain", "-o", "plain.dat"}).status, 0);
  EXPECT_EQ(run({"solve", "plain.dat", "--solver", "lemke"}).status, 0);
}

TEST_F(Solve, GeneratesTheSameProblemForTheSameSeed) {
  const std::string first =
      run({"generate", "lcp", "--class", "psd-infeasible", "--size", "6", "--seed", "3"}).out;
  EXPECT_EQ(first, run({"generate", "lcp", "--class", "psd-infeasible", "--size", "6", "--seed", "3"}).out);
  EXPECT_NE(first, run({"generate", "lcp", "--class", "psd-infeasible", "--size", "6", "--seed", "4"}).out);
  EXPECT_EQ(run({"generate", "friction", "--size", "24", "-o", "f.json"}).status, 0);
  EXPECT_EQ(text_at(json_of({"solve", "f.json"}), "status"), "solved");
}

TEST_F(Solve, BadFilesAndCallsGetOneSentence) {
  folder_.write("nan.dat", "2\n0\n2\n2\n2 2\n1 nan\n0 1\n-1 -1\n");
  const ProgramResult nan = run({"solve", "nan.dat"});
  EXPECT_EQ(nan.status, 2);
  EXPECT_EQ(nan.err, "nan.dat:6:3: matrix entry = nan, must be finite.\n");
  folder_.write("huge.dat", "999999999\n");
  EXPECT_EQ(run({"solve", "huge.dat"}).err,
            "huge.dat:1:1: size = 999999999, must be a whole number from 1 to 20000.\n");
  folder_.write("cut.json", "{\"rigor_problem\": 1, \"kind\": \"lcp\",\n \"M\": [[1, 2], [3, ");
  const ProgramResult cut = run({"solve", "cut.json"});
  EXPECT_EQ(cut.status, 2);
  EXPECT_THAT(cut.err, StartsWith("cut.json:2:"));
  EXPECT_EQ(json_of({"solve", "cut.json"}, 2).find("errors")->if_array()->size(), 1U);
  EXPECT_EQ(run({"solve", "missing.json"}).status, 2);
  write_two_by_two();
  EXPECT_EQ(run({"solve", "two.json", "--solver", "lemk"}).status, 2);
  EXPECT_EQ(run({"solve", "two.json", "--tolerance", "-1"}).err, "rigor: tolerance = -1, must be > 0.\n");
  EXPECT_EQ(run({"generate", "lcp", "--size", "0"}).err, "rigor: --size 0, must lie in [1, 5000].\n");
  EXPECT_EQ(run({"generate", "cannonball", "--rows", "0"}).status, 2);
  EXPECT_EQ(run({"generate", "lcp", "--class", "q"}).status, 2);
}

TEST_F(Solve, BenchTruthCountsClaims) {
  const JsonValue value = json_of({"bench", "truth", "--count", "200", "--seed", "7"});
  EXPECT_EQ(number_at(value, "problems"), 200.0);
  EXPECT_EQ(number_at(value, "wrong"), 0.0);
  EXPECT_TRUE(*value.find("pass")->if_bool());
  EXPECT_EQ(run({"bench", "truth", "--count", "0"}).status, 2);
}

TEST_F(Solve, BenchCanBeInterruptedAndSaysHowFarItCame) {
  const std::string script = "'" RIGOR_PROGRAM
                             "' bench truth & "
                             "until [ $((0x$(sed -n 's/SigCgt:[[:space:]]*//p' /proc/$!/status) & 2)) -ne 0 "
                             "]; do :; done; sleep 0.2; "
                             "kill -INT $!; wait $!";
  const ProgramResult result =
      testing_support::run_program({"/bin/bash", "-m", "-c", script}, folder_.path());
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.err, HasSubstr("rigor: interrupted after "));
  EXPECT_THAT(result.out, HasSubstr("0 wrong"));
}

TEST_F(Solve, ListAndCompletionKnowTheMethods) {
  const std::string listed = run({"list", "solvers"}).out;
  EXPECT_THAT(listed, HasSubstr("block-pivot"));
  EXPECT_THAT(
      listed,
      HasSubstr("  admm                  contacts in 2-D and 3-D, bilateral, one-sided and boxed rows; "));
  EXPECT_THAT(listed, HasSubstr("  cholmod "));
  EXPECT_THAT(run({"completion", "bash"}).out, HasSubstr("principal-pivot"));
  for (const char* command : {"solve", "generate", "bench"}) {
    EXPECT_THAT(run({"man"}).out, HasSubstr(std::string(".SS ") + command + "\n"));
    EXPECT_THAT(run({command, "--help"}).out, HasSubstr("Example:\n"));
  }
}

}  // namespace
}  // namespace rigor
