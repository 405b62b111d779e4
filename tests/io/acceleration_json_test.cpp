// acceleration_json.cpp: what is written reads back, what is wrong is named with its place.
#include "rigor/io/acceleration_json.hpp"

#include <gmock/gmock.h>

#include "rigor/base/diagnostic.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

const char* const kBlock = R"({"rigor_problem": 1, "M": [[1, 0], [0, 1]], "F": [3, 9.81], "contacts": [
  {"name": "A1", "normal": [0, 1], "tangent": [[1, 0]], "mu": 0.5},
  {"kind": "bilateral", "normal": [1, 0], "normal_bias": 0.25},
  {"name": "A3", "normal": [0, 1], "tangent": [[1, 0]], "tangent_bias": [2], "mode": "slide", "slip": [-2]}]})";

std::string acceleration_error(const std::string& text) {
  try {
    (void)parse_acceleration_json(text, "p.json");
  } catch (const InvalidDocument& error) {
    return error.what();
  }
  return "no error";
}

// kBlock with one part replaced
std::string change(const std::string& from, const std::string& to) {
  std::string text = kBlock;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(AccelerationJson, ReadsWhatDesignSays) {
  const AccelerationProblem problem = parse_acceleration_json(kBlock, "p.json");
  ASSERT_EQ(problem.contacts.size(), 3u);
  EXPECT_EQ(problem.F[1], 9.81);
  EXPECT_EQ(problem.contacts[0].mu, 0.5);
  EXPECT_TRUE(problem.contacts[0].has_cone());
  EXPECT_EQ(problem.contacts[1].name, "contact 2");
  EXPECT_FALSE(problem.contacts[1].is_unilateral());
  EXPECT_EQ(problem.contacts[1].normal_bias, 0.25);
  EXPECT_TRUE(problem.contacts[2].slides());
  EXPECT_EQ(problem.contacts[2].slip[0], -1.0);
}

TEST(AccelerationJson, WrittenProblemsReadBackTheSame) {
  const AccelerationProblem one = parse_acceleration_json(kBlock, "p.json");
  const std::string text = to_json(one);
  EXPECT_TRUE(is_acceleration_json(text));
  EXPECT_FALSE(is_acceleration_json("{\"bodies\": []}"));
  EXPECT_EQ(to_json(parse_acceleration_json(text, "q.json")), text);
}

TEST(AccelerationJson, NamesTheMatrixAndTheSizeThatWasExpected) {
  EXPECT_THAT(acceleration_error(change("[[1, 0], [0, 1]]", "[[1, 0]]")),
              HasSubstr("p.json:1:27: M = 1 row, must have 2"));
  EXPECT_THAT(acceleration_error(change("[[1, 0], [0, 1]]", "[[1, 0], [0]]")),
              HasSubstr("M[1] = 1 number, must have 2"));
  EXPECT_THAT(acceleration_error(change("[[1, 0], [0, 1]]", "[[1, 2], [0, 1]]")),
              HasSubstr("M must be symmetric"));
  EXPECT_THAT(acceleration_error(change("[[1, 0], [0, 1]]", "[[-1, 0], [0, 1]]")),
              HasSubstr("M has the eigenvalue -1, must have none below 0"));
  EXPECT_THAT(acceleration_error(change("\"normal\": [0, 1]", "\"normal\": [0, 1, 2]")),
              HasSubstr("contacts[0].normal = 3 numbers, must have 2"));
  EXPECT_THAT(acceleration_error(change("\"tangent_bias\": [2]", "\"tangent_bias\": [2, 3]")),
              HasSubstr("contacts[2].tangent_bias = 2 numbers, must have 1"));
  EXPECT_THAT(acceleration_error(change("[[1, 0]], \"mu\"", "[[1, 0], [0, 1], [1, 1]], \"mu\"")),
              HasSubstr("contacts[0].tangent has 3 rows, must have at most 2"));
  EXPECT_THAT(acceleration_error(change("\"mu\": 0.5", "\"mu\": -0.5")),
              HasSubstr("contacts[0].mu = -0.5, must be"));
  EXPECT_THAT(acceleration_error(change("\"mu\": 0.5", "\"mu\": NaN")), HasSubstr("p.json:2:"));
  EXPECT_THAT(acceleration_error(change("9.81", "\"down\"")), HasSubstr("F[1] = a string, must be a number"));
  EXPECT_THAT(acceleration_error(change("\"slip\": [-2]", "\"slip\": [0]")),
              HasSubstr("contacts[2].slip has length 0"));
  EXPECT_THAT(acceleration_error(change(", \"slip\": [-2]", "")),
              HasSubstr("contacts[2].slip has 0 entries"));
  EXPECT_THAT(acceleration_error(change("\"name\": \"A1\"", "\"nmae\": \"A1\"")),
              HasSubstr("Did you mean \"name\"?"));
  EXPECT_THAT(acceleration_error(change("bilateral", "both")),
              HasSubstr("contacts[1].kind = \"both\", must be one of unilateral, bilateral"));
  EXPECT_THAT(acceleration_error("[1]"), HasSubstr("must be an object"));
  EXPECT_THAT(acceleration_error("{\"rigor_problem\": 1}"), HasSubstr("the key \"F\" is missing"));
}

TEST(AccelerationJson, NumbersThatAreNoneAreNamedWhereTheyComeFromCode) {
  AccelerationProblem problem = parse_acceleration_json(kBlock, "p.json");
  problem.M(1, 0) = std::nan("");
  try {
    problem.validate();
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_THAT(error.what(), HasSubstr("M[1][0] = nan, must be finite"));
  }
}

}  // namespace
}  // namespace rigor
