// analyse.cpp, analyse_output.cpp, analyse_details.cpp, reproduce.cpp, terminal.cpp, embedded_scenes.cpp: what
// `rigor analyse` claims of problems whose truth was worked out on paper, and what it refuses.
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>

#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing::Not;

class AnalyseClaims : public ProgramTest {
 protected:
  JsonValue analyse(const std::string& text) const {
    folder_.write("asked.json", text);
    const ProgramResult result = run({"analyse", "asked.json", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    return json_of(result);
  }
  [[nodiscard]] std::string report() const { return run({"analyse", "asked.json"}).out; }

  static const JsonValue& proposition(const JsonValue& value, const std::string& id) {
    for (const JsonValue& item : *value.find("propositions")->if_array())
      if (*item.find("id")->if_string() == id) return item;
    ADD_FAILURE() << id;
    return value;
  }
  static double number(const JsonValue& value, const char* key, std::size_t at) {
    const JsonValue& item = value.find(key)->if_array()->at(at);
    return item.is_null() ? std::nan("") : *item.if_number();
  }
};

// A cube that slides and spins on four rigid corners: loads move from corner to corner, and friction with them.
TEST_F(AnalyseClaims, ASlidingBoxHasManyAccelerations) {
  const JsonValue value = json_of(run({"analyse", "peiret-box-rigid", "--json"}));
  EXPECT_FALSE(*value.find("acceleration_unique")->if_bool());
  EXPECT_FALSE(*value.find("forces_unique")->if_bool());
  EXPECT_TRUE(*value.find("solutions_complete")->if_bool());
  EXPECT_TRUE(value.find("solutions")->is_null());  // infinitely many
  EXPECT_NEAR(number(value, "acceleration_min", 3), 3.897, 1e-3);
  EXPECT_NEAR(number(value, "acceleration_max", 3), 5.963, 1e-3);
  const std::string text = run({"analyse", "peiret-box-rigid"}).out;
  EXPECT_THAT(text, HasSubstr("All contacts can stay closed while they slide as they do"));
  EXPECT_THAT(text, Not(HasSubstr("All contacts stick")));
}

// Painlevé's rod, pulled up: open, a = (0, 1, 0), and closed both solve.
TEST_F(AnalyseClaims, RangesOfASlidingRodHaveTheOpeningSolution) {
  const JsonValue value =
      analyse(R"({"rigor_problem": 1, "M": [[1,0,0],[0,1,0],[0,0,0.0625]], "F": [0, -1, 0],
 "contacts": [{"name":"tip","normal":[0,1,-0.30901699437494745],"tangent":[[1,0,0.9510565162951535]],"mu":0.75,"mode":"slide","slip":[-1]}]})");
  EXPECT_FALSE(*value.find("acceleration_unique")->if_bool());
  EXPECT_EQ(*value.find("solutions")->if_number(), 2.0);
  EXPECT_TRUE(*value.find("ranges_cover_all")->if_bool());
  const JsonValue& tip = value.find("contacts")->if_array()->at(0);
  EXPECT_NEAR(number(tip, "min", 0), 0.0, 1e-9);
  EXPECT_NEAR(number(tip, "max", 0), 1.00115386, 1e-7);
  EXPECT_EQ(*value.find("coulomb")->find("solutions")->if_number(), 2.0);
}

// Two tangents that are one row with two biases: no accelerations at all, whatever Cor. 2 says in print.
TEST_F(AnalyseClaims, CorollaryTwoAsksForRowsThatDoNotContradict) {
  const JsonValue value =
      analyse(R"({"rigor_problem": 1, "M": [[1,0,0],[0,1,0],[0,0,1]], "F": [0, 9.81, 0], "contacts": [
 {"name": "A", "normal": [0, 1, 0.5], "tangent": [[1, 0, 0.25]], "tangent_bias": [0], "mu": 0.5},
 {"name": "B", "normal": [0, 1, -0.5], "tangent": [[1, 0, 0.25]], "tangent_bias": [1], "mu": 0.5}]})");
  EXPECT_FALSE(*value.find("without_cones")->if_bool());
  EXPECT_FALSE(*proposition(value, "Cor. 2").find("applies")->if_bool());
}

// Prop. 13 speaks of contacts that open as well: their normals may contradict those of others.
TEST_F(AnalyseClaims, PropositionThirteenAsksForHeldRowsAlone) {
  const JsonValue value = analyse(R"({"rigor_problem": 1, "M": [[1,0],[0,1]], "F": [0, 9.81], "contacts": [
 {"name":"st","normal":[0,1],"tangent":[[1,0]],"mu":0.5},
 {"name":"sl","normal":[0,1],"tangent":[[1,0]],"mu":0.1,"mode":"slide","slip":[1],"normal_bias":1}]})");
  EXPECT_TRUE(*proposition(value, "Prop. 13").find("applies")->if_bool());
  EXPECT_FALSE(*proposition(value, "Cor. 5").find("applies")->if_bool());  // P is singular
  EXPECT_EQ(*value.find("sliding")->find("corollary_5")->if_number(), 0.0);
  EXPECT_TRUE(*value.find("acceleration_unique")->if_bool());
}

// Two guides that press against each other: A takes 3 N with |λn| ≥ 3/mu, so every mu > 0 is enough, and with less
// load A slips backwards: λtA = mu |λnA| < 3, λtB = 1.8 − 0.6 λtA, a continuum of accelerations.
TEST_F(AnalyseClaims, GuidesThatPressAgainstEachOther) {
  const JsonValue value =
      analyse(R"({"rigor_problem": 1, "M": [[1,0,0],[0,1,0],[0,0,1]], "F": [3, 9.81, 1.5], "contacts": [
 {"name": "A", "kind":"bilateral","normal": [0, 1, 0], "tangent": [[1, 0, 0.5]], "mu": 0.5},
 {"name": "B", "kind":"bilateral","normal": [0, 1, 0], "tangent": [[1, 0, -0.5]], "mu": 0.5}]})");
  EXPECT_TRUE(*value.find("all_sticking")->if_bool());
  EXPECT_TRUE(value.find("coulomb")->find("solutions")->is_null());
  EXPECT_FALSE(*value.find("coulomb")->find("acceleration_unique")->if_bool());
  EXPECT_TRUE(value.find("attained")->is_null());
  EXPECT_EQ(*value.find("mu_below")->if_number(), 0.0);
  EXPECT_LT(*value.find("mu_min")->if_number(), 1e-6);
  EXPECT_THAT(report(), HasSubstr("Coulomb's law has infinitely many solutions"));
}

// A coordinate without mass under a contact that it only lifts: a3 ≥ 0, else free.
TEST_F(AnalyseClaims, AMasslessCoordinateIsNotUnique) {
  const JsonValue value =
      analyse(R"({"rigor_problem": 1, "M": [[1,0,0],[0,1,0],[0,0,0]], "F": [0.5, 9.81, 0], "contacts": [
 {"name":"a","normal":[0,1,0],"tangent":[[1,0,0]],"mu":0.5},{"name":"b","normal":[0,1,1],"tangent":[[1,0,0]],"mu":0.5}]})");
  EXPECT_FALSE(*value.find("acceleration_unique")->if_bool());
  EXPECT_TRUE(*value.find("forces_unique")->if_bool());
  EXPECT_NEAR(number(value, "acceleration_min", 2), 0.0, 1e-9);
  EXPECT_TRUE(std::isnan(number(value, "acceleration_max", 2)));  // infinite, null in JSON
  EXPECT_THAT(report(), HasSubstr("acceleration 3 lies in [0, ∞]"));
}

// Normal forces of 4.905 N each; friction of 1 N is shared in infinitely many ways, accelerations are zero.
TEST_F(AnalyseClaims, SharedFrictionIsInfinitelyManySolutionsOfOneAcceleration) {
  const JsonValue value =
      analyse(R"({"rigor_problem": 1, "M": [[1,0,0],[0,0,0],[0,0,1]], "F": [1, 9.81, 0], "contacts": [
 {"name": "g", "kind":"bilateral","normal": [0, 1, 0.5], "tangent": [[1, 0, 0]], "mu": 0.5},
 {"name": "g2", "kind":"bilateral","normal": [0, 1, -0.5], "tangent": [[1, 0, 0]], "mu": 0.5}]})");
  EXPECT_TRUE(value.find("coulomb")->find("solutions")->is_null());
  EXPECT_TRUE(*value.find("coulomb")->find("complete")->if_bool());
  EXPECT_TRUE(*value.find("coulomb")->find("acceleration_unique")->if_bool());
  EXPECT_EQ(*value.find("force_dimension")->if_number(), 1.0);
}

TEST_F(AnalyseClaims, WithoutContactsNothingSticks) {
  folder_.write("free.json",
                R"({"rigor": 1, "bodies": [{"name": "ball", "mass": 1, "inertia": [1, 1, 1]}]})");
  const std::string text = run({"analyse", "free.json"}).out;
  EXPECT_THAT(text, HasSubstr("No contact is closed: nothing sticks"));
  EXPECT_THAT(text, Not(HasSubstr("to spare")));
  EXPECT_TRUE(json_of(run({"analyse", "free.json", "--json"})).find("margin")->is_null());
}

// One contact whose rows are one: the shortest impulse, 0.005 (1, 0.1)/1.01, as is said.
TEST_F(AnalyseClaims, OneSingularContactGetsTheImpulseOfEqualCompliance) {
  folder_.write("one.json", R"({"rigor_problem": 1, "kind": "cone", "sizes": [3], "mu": [0.3],
 "W": [[2.857142857142857, 0.28571428571428575, 0], [0.28571428571428575, 0.028571428571428577, 0], [0, 0, 0]],
 "q": [-0.014285714285714287, -0.0014285714285714288, 0]})");
  const JsonValue value = json_of(run({"solve", "one.json", "--json"}));
  const char* const key = value.find("r") ? "r" : "z";
  EXPECT_NEAR(number(value, key, 0), 0.005 / 1.01, 1e-10);
  EXPECT_NEAR(number(value, key, 1), 0.0005 / 1.01, 1e-10);
  EXPECT_NEAR(number(value, key, 2), 0.0, 1e-10);
}

TEST_F(AnalyseClaims, ASlidingBoxOnRigidCornersHasOtherVelocitiesNearBy) {
  const JsonValue value = json_of(run({"run", "peiret-box-rigid", "--json"}));
  const JsonValue& steps = *value.find("certificate")->find("velocity_steps");
  EXPECT_LT(*steps.find("unknown")->if_number(), 50.0);
  EXPECT_GT(*steps.find("continuum")->if_number(), 500.0);
}

TEST_F(AnalyseClaims, PolygonsOfProblemsWithoutTangentsOrContactsAreAnswered) {
  for (const char* scene : {"anitescu-damper", "slide-to-roll", "ladder"})
    EXPECT_EQ(run({"analyse", scene, "--facets", "6"}).status, 0) << scene;
  // without its sign the cone of a bilateral contact is everything: polygons must not forget it
  folder_.write("guide.json", R"({"rigor_problem": 1, "M": [[1, 0], [0, 1]], "F": [2, 1],
 "contacts": [{"name": "guide", "kind": "bilateral", "normal": [0, 1], "tangent": [[1, 0]], "mu": 0.5}]})");
  const JsonValue value = json_of(run({"analyse", "guide.json", "--facets", "6", "--json"}));
  EXPECT_FALSE(*value.find("facets")->find("outside")->find("sticks")->if_bool());
}

TEST_F(AnalyseClaims, WhatIsTooLargeIsSaidBeforeAnythingIsMade) {
  const ProgramResult result = run({"analyse", "marbles"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("coordinates and 0 contacts, at most 1000 and 2000"));
  EXPECT_THAT(result.err, HasSubstr("Take fewer bodies"));
}

TEST_F(AnalyseClaims, TheExamplesOfThePaperAreProblemsByName) {
  EXPECT_THAT(run({"list", "problems"}).out, HasSubstr("brogliato-6-moving"));
  const JsonValue value = json_of(run({"analyse", "brogliato-6", "--json"}));
  EXPECT_NEAR(*value.find("mu_min")->if_number(), 9.81 / 40.0, 1e-6);
  const ProgramResult solve = run({"solve", "brogliato-6"});
  EXPECT_EQ(solve.status, 2);
  EXPECT_THAT(solve.err, HasSubstr("which 'rigor analyse brogliato-6' answers"));
  const ProgramResult set = run({"reproduce", "brogliato-sticking", "--set", "parameters.mu=1"});
  EXPECT_EQ(set.status, 2);
  EXPECT_THAT(set.err, HasSubstr("for which --set has no meaning"));
}

TEST_F(AnalyseClaims, PlotsGoToAFolderThatIsMade) {
  const ProgramResult result = run({"reproduce", "peiret-box", "-o", "new/plots"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_FALSE(std::filesystem::is_empty(folder_.path() / "new" / "plots"));
}

// Numbers at the ends of the range, nothing at all, and shapes without content: an answer or one sentence, never a
// signal.
TEST_F(AnalyseClaims, HostileProblemsAreAnsweredOrRefused) {
  const char* const problems[] = {
      R"({"rigor_problem": 1, "M": [], "F": [], "contacts": []})",
      R"({"rigor_problem": 1, "M": [], "F": [], "contacts": [{"normal": []}]})",
      R"({"rigor_problem": 1, "M": [], "F": [], "contacts": [{"normal": [], "tangent": [[]], "mu": 1, "mode": "slide", "slip": [1]}]})",
      R"({"rigor_problem": 1, "M": [[0]], "F": [0], "contacts": [{"normal": [0]}]})",
      R"({"rigor_problem": 1, "M": [[1e300]], "F": [1e300], "contacts": [{"normal": [1e300], "tangent": [[1e300]], "mu": 1e300}]})",
      R"({"rigor_problem": 1, "M": [[1e300]], "F": [-1e300], "contacts": [{"normal": [1e300], "tangent": [[1e300]], "mu": 0.5, "mode": "slide", "slip": [1]}]})",
      R"({"rigor_problem": 1, "M": [[1e-300]], "F": [1e-300], "contacts": [{"normal": [1e-300], "tangent": [[1e-300]], "mu": 1e-300}]})",
      R"({"rigor_problem": 1, "M": [[1, 0], [0, 0]], "F": [1e300, 1], "contacts": [{"normal": [1, 1e300], "normal_bias": 1e300, "tangent": [[0, 0]], "mu": 0}, {"kind": "bilateral", "normal": [0, 0], "tangent": [[1, 0]], "mu": 1, "mode": "slide", "slip": [1]}]})",
      R"({"rigor_problem": 1, "M": [[1]], "F": [1], "contacts": [{"kind": "bilateral", "normal": [1], "tangent": [[0], [1]], "mu": 2}, {"normal": [0], "tangent": [[1], [1]], "mu": 0, "mode": "slide", "slip": [0, 1]}]})",
      R"({"rigor_problem": 1, "M": [[1]], "F": [1], "contacts": [{"normal": [1], "tangent": [[1]], "mu": 1, "mode": "slide"}]})",
      R"({"rigor_problem": 1, "M": [[1, 0], [0, 1e300]], "F": [1, 1e8], "contacts": [{"normal": [0, 1]}, {"kind": "bilateral", "normal": [1, -0.1], "normal_bias": 1, "tangent": [[-1, 2]], "mu": 0.3, "mode": "slide", "slip": [-1]}], "actuators": [{"force": [0.5, 0.5], "min": -1e150, "max": 0.5}]})",
      R"({"rigor_problem": 1, "M": [[1]], "F": [1], "contacts": [{"normal": [1]}], "actuators": [{"force": [0], "max": 1e300, "weight": 1e-300}]})",
  };
  for (const char* text : problems) {
    folder_.write("hostile.json", text);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"analyse", "hostile.json"},
                                                  {"analyse", "hostile.json", "--facets", "5", "--json"}}) {
      const ProgramResult result = run(words);
      EXPECT_GE(result.status, 0) << text << result.err;
      EXPECT_LE(result.status, 2) << text << result.err;
    }
  }
}

}  // namespace
}  // namespace rigor
