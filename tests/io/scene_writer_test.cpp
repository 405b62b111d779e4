// scene_writer.cpp and scene_to_json.hpp
#include "rigor/io/scene_writer.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "rigor/io/scene_reader.hpp"
#include "tests/support/random_scene.hpp"
#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

TEST(SceneWriter, WritesOnlyWhatDiffersFromTheDefaults) {
  EXPECT_EQ(write_scene(Scene{}), "{\n  \"rigor\": 1\n}\n");
  Scene scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "a";
  scene.bodies[0].joint.type = JointType::kFixed;
  EXPECT_EQ(write_scene(scene),
            "{\n  \"rigor\": 1,\n  \"bodies\": [{\"name\": \"a\", \"joint\": \"fixed\"}]\n}\n");
}

TEST(SceneWriter, EveryShippedSceneReadsBackTheSame) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(RIGOR_SOURCE) / "scenes")) {
    if (!entry.is_regular_file()) continue;  // problems/ holds no scenes
    SCOPED_TRACE(entry.path());
    const std::string once = write_scene(read_scene(entry.path()));
    EXPECT_EQ(write_scene(parse_scene(once)), once);
    ++count;
  }
  EXPECT_GT(count, 0);
}

// Random scenes fill every field with random values of its range, so the round trip is tried on all of them.
TEST(SceneWriter, RandomScenesReadBackTheSame) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const Scene scene = testing_support::make_random_scene(seed);
    const std::string once = write_scene(scene);
    const Scene again = parse_scene(once);
    EXPECT_EQ(write_scene(again), once);
    ASSERT_EQ(again.bodies.size(), scene.bodies.size());
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
      EXPECT_EQ(again.bodies[i].pose, scene.bodies[i].pose);
      EXPECT_EQ(again.bodies[i].mass, scene.bodies[i].mass);
      EXPECT_EQ(again.bodies[i].joint.axis, scene.bodies[i].joint.axis);
    }
  }
}

}  // namespace
}  // namespace rigor
