// `rigor analyse` as a person calls it: analyse.cpp, analyse_output.cpp, analysis_page.cpp,
// scene_answers_output.cpp, reproduce_analyse.cpp, reproduce_mechanisms.cpp.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

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
  for (const char* id :
       {"brogliato-sticking", "brogliato-examples", "brogliato-pendulum", "brogliato-hand"}) {
    const ProgramResult result = run({"reproduce", id, "--json"});
    EXPECT_EQ(result.status, 0) << result.out << result.err;
  }
}

// analyse_details.cpp, the fields "actuators" and "normal_max": a load of 3 N along a floor that bears 10 N
// with mu = 0.2 needs a push of 1 N; one that is bounded by 0.5 N is proved not to do.
TEST_F(Analyse, TheLeastPushIsFoundOrProvedNotToExist) {
  const auto change = [&](double most) {
    folder_.write("push.json", fmt::format(R"({{"rigor_problem": 1, "M": [[1, 0], [0, 1]], "F": [3, 10],
 "contacts": [{{"name": "floor", "normal": [0, 1], "tangent": [[1, 0]], "mu": 0.2, "normal_max": 20}}],
 "actuators": [{{"name": "push", "force": [1, 0], "max": {}}}]}})",
                                           most));
    return json_of(run({"analyse", "push.json", "--json"}));
  };
  const JsonValue enough = change(5.0), little = change(0.5);
  EXPECT_TRUE(*enough.find("change")->find("possible")->if_bool());
  EXPECT_NEAR(*enough.find("change")->find("cost")->if_number(), 1.0, 1e-7);
  EXPECT_FALSE(*little.find("change")->find("possible")->if_bool());
  EXPECT_TRUE(*little.find("change")->find("checked")->if_bool());
}

TEST_F(Analyse, NaturalCoordinatesSayTheSame) {
  const std::string natural = run({"analyse", "ladder", "--coordinates", "natural"}).out;
  EXPECT_THAT(natural, HasSubstr("Least friction, one coefficient for all: 0.36397023"));
  const ProgramResult refused = run({"analyse", "ladder", "--free", "nothing"});
  EXPECT_EQ(refused.status, 2) << refused.out;
}

// A block on a slope of tan = 0.3 with mu = 0.5: tilts, loads and grasps as pencil and paper have them.
TEST_F(Analyse, TiltsLoadsAndGraspsAreAskedForByOptions) {
  folder_.write("box.json", R"({"rigor": 1, "shapes": [{"type": "half-space"}],
 "bodies": [{"name": "box", "mass": 2, "pose": [0, 0, 0.25], "shapes": [{"type": "box", "size": [2, 2, 0.5]}]}]})");
  const ProgramResult result =
      run({"analyse", "box.json", "--tilt", "--tilt-towards", "1,1,0", "--load", "box=0,1,0", "--load",
           "box=0,0,-1", "--object", "box", "--facets", "8", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const JsonValue value = json_of(result);
  const double angle = std::atan(0.5);
  for (const char* name : {"+x", "-x", "+y", "-y", "1,1,0"})
    EXPECT_NEAR(*value.find("tilt")->find(name)->if_number(), angle, 1e-6) << name;
  const JsonValue::Array& loads = *value.find("loads")->if_array();
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_NEAR(*loads[0].find("max")->if_number(), 9.81, 1e-6);
  EXPECT_TRUE(loads[1].find("max")->is_null());  // pressing harder never ends it
  EXPECT_NEAR(*loads[1].find("min")->if_number(), -19.62, 1e-6);
  const JsonValue& closure = *value.find("closure");
  EXPECT_FALSE(*closure.find("form")->if_bool());
  EXPECT_FALSE(*closure.find("force")->if_bool());  // nothing holds it down
  EXPECT_EQ(closure.find("escape")->if_array()->size(), 6u);
  EXPECT_TRUE(*value.find("facets")->find("inside")->find("sticks")->if_bool());
  EXPECT_TRUE(*value.find("facets")->find("outside")->find("sticks")->if_bool());
  const std::string report =
      run({"analyse", "box.json", "--tilt", "--object", "box", "--load", "box=0,1,0"}).out;
  EXPECT_THAT(report, HasSubstr("Largest tilt towards +x: 26.5651 degrees"));
  EXPECT_THAT(report, HasSubstr("Grasp of box: form closure no, force closure no"));
  EXPECT_THAT(report, HasSubstr("Load (0, 1, 0) N on box: holds with factors from -9.81 to 9.81"));
}

// Between 2 cos(pi/8) and 2 mu m g the 8-gon around the cone says yes and the one inside says no.
TEST_F(Analyse, PolygonsBracketTheCones) {
  const auto sticks = [&](double force, const char* side) {
    folder_.write("pushed.json", fmt::format(R"({{"rigor": 1, "shapes": [{{"type": "half-space"}}],
 "bodies": [{{"name": "box", "mass": 1, "pose": [0, 0, 0.05], "shapes": [{{"type": "box", "size": [2, 2, 0.1]}}]}}],
 "forces": [{{"name": "push", "body": "box", "point": [0, 0, -0.05], "force": [{}, {}, 0]}}]}})",
                                             force * std::cos(M_PI / 8), force * std::sin(M_PI / 8)));
    const JsonValue value = json_of(run({"analyse", "pushed.json", "--facets", "8", "--json"}));
    return *value.find("facets")->find(side)->find("sticks")->if_bool();
  };
  const double limit = 0.5 * 9.81;
  EXPECT_TRUE(sticks(0.92 * limit, "inside"));
  EXPECT_FALSE(sticks(0.93 * limit, "inside"));
  EXPECT_TRUE(sticks(0.999 * limit, "outside"));
  EXPECT_FALSE(sticks(1.001 * limit, "outside"));
}

TEST_F(Analyse, NamedContactsAreTheOnlyOnes) {
  const JsonValue value = json_of(run(
      {"analyse", "brogliato-hand", "--contact", "ball/distal_0", "--contact", "distal_2/ball", "--json"}));
  EXPECT_EQ(value.find("contacts")->if_array()->size(), 2u);
  const ProgramResult result = run({"analyse", "brogliato-hand", "--contact", "ball/knuckle_0"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("--contact ball/knuckle_0: no contact of these two bodies is closed"));
}

// The keys that are of scenes alone. The capsule of the demo stands still for ten seconds; with less friction
// than m g/(2 N) it cannot.
TEST_F(Analyse, APinchedCapsuleStandsStillOrIsProvedToSlip) {
  const ProgramResult demo = run({"demo", "pinch", "--json"});
  ASSERT_EQ(demo.status, 0) << demo.err;
  const JsonValue value = json_of(demo);
  EXPECT_LT(*value.find("certificate")->find("sticking_drift")->if_number(), 1e-12);
  EXPECT_TRUE(*value.find("verdict")->find("holds")->if_bool());
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "rigor-pinch.json"));

  const JsonValue holds = json_of(run({"analyse", "pinch", "--json"}));
  EXPECT_TRUE(*holds.find("rest")->find("possible")->if_bool());
  EXPECT_NEAR(*holds.find("rest")->find("mu_min")->if_number(), 0.045 * 9.81 / 9.0, 1e-6);
  const JsonValue slips = json_of(run({"analyse", "pinch", "--set", "parameters.mu=0.04", "--json"}));
  EXPECT_FALSE(*slips.find("rest")->find("possible")->if_bool());
  EXPECT_TRUE(*slips.find("rest")->find("proof")->find("checked")->if_bool());
}

// What a scene is as matrices says the same as the scene, digit by digit.
TEST_F(Analyse, AWrittenProblemGivesTheSameAnswers) {
  for (const char* scene : {"brogliato-hand", "brogliato-pendulum", "ladder", "four-bar"}) {
    SCOPED_TRACE(scene);
    const std::string first = run({"analyse", scene, "--write-problem", "same.json", "--json"}).out;
    const std::string second = run({"analyse", "same.json", "--json"}).out;
    // but for "rest", which is asked of scenes alone, at the end
    const std::string same = second.substr(0, second.rfind('}'));
    EXPECT_EQ(first.substr(0, same.find_last_not_of(" \n")), same.substr(0, same.find_last_not_of(" \n")));
  }
}

TEST_F(Analyse, QuestionsThatCannotBeAskedAreRefused) {
  write_fingers();
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "analyse");
    words.insert(words.end(), {"--write-problem", "half.json"});
    const ProgramResult result = run(words);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "half.json"));
    return result.err;
  };
  EXPECT_THAT(refusal({"brogliato-hand", "--load", "ball=1,2"}),
              HasSubstr("--load ball=1,2: must have three numbers that are not all zero"));
  EXPECT_THAT(refusal({"brogliato-hand", "--load", "1,2,3"}), HasSubstr("must be BODY=FX,FY,FZ"));
  EXPECT_THAT(refusal({"brogliato-hand", "--load", "bell=1,2,3"}), HasSubstr("Did you mean \"ball\""));
  EXPECT_THAT(refusal({"brogliato-hand", "--tilt-towards", "0,0,0"}), HasSubstr("--tilt-towards 0,0,0"));
  EXPECT_THAT(refusal({"brogliato-hand", "--object", "world"}), HasSubstr("--object world"));
  EXPECT_THAT(refusal({"fingers.json", "--tilt"}), HasSubstr("fingers.json is a problem as plain matrices"));
}

}  // namespace
}  // namespace rigor
