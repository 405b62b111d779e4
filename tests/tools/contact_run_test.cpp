// `rigor run` on scenes with contact, as a person calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/program_test.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing_support::read_file;

class ContactRun : public ProgramTest {
 protected:
  static double number_at(const JsonValue& value, const char* key) { return *value.find(key)->if_number(); }
};

TEST_F(ContactRun, APileStandsAboveItsLeastFrictionAndSpreadsBelow) {
  const JsonValue stands = json_of(run(
      {"run", "anitescu-cannonball", "--set", "parameters.rows=4", "--set", "parameters.mu=0.8", "--json"}));
  EXPECT_EQ(stands.find("contacts")->if_array()->size(), 22U);
  for (const JsonValue& contact : *stands.find("contacts")->if_array())
    EXPECT_EQ(*contact.find("mode")->if_string(), "sticking");
  const JsonValue& certificate = *stands.find("certificate");
  EXPECT_LT(number_at(certificate, "worst_residual"), 1e-8);
  EXPECT_LT(number_at(certificate, "sticking_drift"), 1e-10);
  EXPECT_EQ(number_at(certificate, "unsolved_steps"), 0.0);

  // case E after 1 s: top at 2.161 m, to a tenth
  const JsonValue spreads = json_of(
      run({"run", "anitescu-cannonball", "--set", "parameters.rows=4", "--set", "run.until=1", "--json"}));
  double top = 0.0;
  for (const JsonValue& body : *spreads.find("bodies")->if_array())
    top = std::max(top, *body.find("position")->if_array()->at(2).if_number());
  EXPECT_NEAR(top, 2.161, 0.2161);
}

TEST_F(ContactRun, PrintsACertificateForPeople) {
  const ProgramResult result = run({"run", "peiret-box", "--set", "run.dt=0.01"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("contacts, cone\n"));
  EXPECT_THAT(result.out, HasSubstr("sticking drift"));
  EXPECT_THAT(result.out, HasSubstr("friction -"));
}

TEST_F(ContactRun, AStepThatIsNotSolvedLeavesItsProblem) {
  // a mass under which doubles no longer know how fast a cube moves
  folder_.write("heavy.json", R"({
    "rigor": 1,
    "materials": [{"name": "stone", "mu": 0.5}],
    "shapes": [{"name": "floor", "type": "half-space", "material": "stone"}],
    "bodies": [
      {"name": "cube", "mass": 1, "pose": {"position": [0, 0, 0.5]},
       "shapes": [{"type": "box", "size": [1, 1, 1], "material": "stone"}]},
      {"name": "weight", "mass": 1e15, "pose": {"position": [0, 0, 1.5]},
       "shapes": [{"type": "box", "size": [1, 1, 1], "material": "stone"}]}],
    "run": {"dt": 0.01, "until": 0.05}})");
  const std::vector<std::string> words = {"run", "heavy.json"};
  const ProgramResult stopped = run(words);
  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(stopped.err, HasSubstr("contact rows around \"cube\" and \"weight\""));
  EXPECT_THAT(stopped.err, HasSubstr("'rigor solve unsolved.json'"));
  const ProgramResult solved = run({"solve", "unsolved.json", "--tolerance", "0.1"});
  // the weight takes 1e14 N s: more than the bound below which the rounded numbers have no solution
  EXPECT_EQ(solved.status, 1) << solved.out << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("cone problem, 8 contacts, 24 rows"));
  EXPECT_THAT(solved.out, HasSubstr("none-below-bound"));
  EXPECT_EQ(run({"solve", "unsolved.json", "--solver", "lemke"}).status, 2);

  std::vector<std::string> accept = words;
  accept.insert(accept.end(), {"--on-unsolved", "accept"});
  const ProgramResult accepted = run(accept);
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_THAT(accepted.out, HasSubstr("taken at their best residual"));
}

// Case A: the polyhedral matrix of a box on four corners with relaxed normals has 24 rows and rank 15.
TEST_F(ContactRun, ReportsTheLeadMatrixOnRequest) {
  const JsonValue value = json_of(run({"run", "peiret-box", "--set", "run.until=0.001", "--set",
                                       "run.formulation=anitescu-potra", "--lead-matrix", "--json"}));
  const JsonValue& lead = *value.find("certificate")->find("lead_matrix");
  EXPECT_EQ(number_at(lead, "size"), 24.0);
  EXPECT_EQ(number_at(lead, "rank"), 15.0);
}

TEST_F(ContactRun, WrongSettingsAreNamed) {
  const ProgramResult odd =
      run({"run", "peiret-box", "--set", "run.formulation=anitescu-potra", "--set", "run.directions=5"});
  EXPECT_EQ(odd.status, 2);
  EXPECT_THAT(odd.err, HasSubstr("run.directions = 5"));
  const ProgramResult smooth = run({"run", "peiret-box", "--set", "run.method=runge-kutta-4"});
  EXPECT_EQ(smooth.status, 1);
  EXPECT_THAT(smooth.err, HasSubstr("runge-kutta-4 knows no contacts"));
}

}  // namespace
}  // namespace rigor
