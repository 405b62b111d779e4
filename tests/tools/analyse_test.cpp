// `rigor analyse` as a person calls it: analyse.cpp, analyse_output.cpp, reproduce_analyse.cpp.
#include <gmock/gmock.h>

#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

class Analyse : public ProgramTest {
 protected:
  void write_fingers() const {
    folder_.write("fingers.json", R"({"rigor_problem": 1,
 "M": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]], "F": [0, 9.81, -20, 20], "contacts": [
 {"name": "guide", "kind": "bilateral", "normal": [1,0,0,0]},
 {"name": "A1", "normal": [1,0,-1,0], "tangent": [[0,1,0,0]], "mu": 0.3},
 {"name": "A2", "normal": [-1,0,0,1], "tangent": [[0,1,0,0]], "mu": 0.3}]})");
  }
};

TEST_F(Analyse, AnswersWithTheKeysThatScriptsRelyOn) {
  write_fingers();
  const ProgramResult result = run({"analyse", "fingers.json", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const JsonValue value = json_of(result);
  EXPECT_TRUE(*value.find("solvable")->if_bool());
  EXPECT_TRUE(*value.find("all_sticking")->if_bool());
  EXPECT_TRUE(*value.find("acceleration_unique")->if_bool());
  EXPECT_FALSE(*value.find("forces_unique")->if_bool());
  EXPECT_NEAR(*value.find("mu_min")->if_number(), 0.24525, 1e-6);
  EXPECT_TRUE(*value.find("attained")->if_bool());
  EXPECT_TRUE(value.find("proof")->is_null());
  EXPECT_EQ(value.find("redundant")->if_array()->size(), 1u);
  const JsonValue& contact = value.find("contacts")->if_array()->at(1);
  EXPECT_NEAR(*contact.find("normal")->if_number(), 20.0, 1e-9);
  EXPECT_NEAR(*contact.find("min")->if_array()->at(1).if_number(), 3.81, 1e-7);
  EXPECT_NEAR(*contact.find("max")->if_array()->at(1).if_number(), 6.0, 1e-7);
  EXPECT_THAT(run({"analyse", "fingers.json"}).out, HasSubstr("All contacts stick"));
}

TEST_F(Analyse, APileThatCannotStandIsProvedAndWrittenAsAProblem) {
  const ProgramResult result =
      run({"analyse", "anitescu-cannonball", "--write-problem", "pile.json", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const JsonValue value = json_of(result);
  EXPECT_FALSE(*value.find("all_sticking")->if_bool());
  EXPECT_TRUE(*value.find("proof")->find("checked")->if_bool());
  EXPECT_NEAR(*value.find("mu_min")->if_number(), 0.5127112437, 1e-6);  // case E, six rows
  const JsonValue again = json_of(run({"analyse", "pile.json", "--json"}));
  EXPECT_NEAR(*again.find("mu_min")->if_number(), 0.5127112437, 1e-6);
}

TEST_F(Analyse, WrongShapesAreNamed) {
  folder_.write("bad.json", R"({"rigor_problem": 1, "M": [[1, 0]], "F": [1, 2], "contacts": []})");
  const ProgramResult result = run({"analyse", "bad.json"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("bad.json:1:27: M = 1 row, must have 2"));
}

TEST_F(Analyse, ReproducesThePaper) {
  const ProgramResult result = run({"reproduce", "brogliato-sticking", "--json"});
  EXPECT_EQ(result.status, 0) << result.out;
}

}  // namespace
}  // namespace rigor
