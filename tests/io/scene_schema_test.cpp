// scene_schema.cpp and scene_reference.cpp; scene_schema_test.py judges the schema by an independent
// validator
#include "rigor/io/scene_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

TEST(SceneSchema, EveryReferenceLeadsToADefinition) {
  const JsonValue schema = make_scene_schema();
  const std::string text = write_json(schema, 0);
  const std::string mark = "\"$ref\":\"#/definitions/";
  int count = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1), ++count) {
    const std::size_t begin = at + mark.size();
    const std::string name = text.substr(begin, text.find('"', begin) - begin);
    EXPECT_NE(schema.find("definitions")->find(name), nullptr) << name;
  }
  EXPECT_GT(count, 20);
}

TEST(SceneSchema, CarriesUnitRangeDefaultAndMeaning) {
  const JsonValue schema = make_scene_schema();
  const JsonValue& dt = *schema.find("definitions")->find("run")->find("properties")->find("dt");
  EXPECT_EQ(*dt.find("unit")->if_string(), "s");
  EXPECT_EQ(*dt.find("minimum")->if_number(), 1e-9);
  EXPECT_EQ(*dt.find("default")->if_number(), 1e-3);
  EXPECT_EQ(*dt.find("description")->if_string(), "Time step.");
}

TEST(SceneReference, TheCommittedPageIsTheOneThatTheProgramWrites) {
  const auto page =
      testing_support::read_file(std::filesystem::path(RIGOR_SOURCE) / "docs/guide/scene-reference.md");
  EXPECT_EQ(page, make_scene_reference())
      << "renew it: rigor schema --markdown > docs/guide/scene-reference.md";
}

}  // namespace
}  // namespace rigor
