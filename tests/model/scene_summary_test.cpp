// scene_summary.cpp, and joint_size() of scene.cpp
#include "rigor/model/scene_summary.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(SceneSummary, CountsCoordinatesOfEveryJoint) {
  Scene scene;
  for (int type = 0; type < 9; ++type) {
    Body& body = scene.bodies.emplace_back();
    body.name = "b" + std::to_string(type);
    body.mass = 1.0;
    body.joint.type = static_cast<JointType>(type);
  }
  const SceneSummary summary = summarize(scene);
  // free 6, revolute 1, prismatic 1, cylindrical 2, screw 1, universal 2, ball 3, planar 3
  EXPECT_EQ(summary.velocity_coordinates, 19);
  EXPECT_EQ(summary.position_coordinates, 21);
  EXPECT_EQ(summary.mass, 8.0);  // without the one fixed in the world
  EXPECT_EQ(summary.dimension, "in space");
}

TEST(SceneSummary, FreeBodiesInAPlaneHaveThreeCoordinates) {
  Scene scene;
  for (const char* name : {"a", "b"}) {
    Body& body = scene.bodies.emplace_back();
    body.name = name;
    body.mass = 1.0;
  }
  scene.groups.push_back({"g", Plane::kXY, {"a"}});
  EXPECT_EQ(summarize(scene).velocity_coordinates, 9);
  EXPECT_EQ(summarize(scene).dimension, "partly in planes, partly in space");
  scene.planar = Plane::kXZ;
  EXPECT_EQ(summarize(scene).velocity_coordinates, 6);
  EXPECT_EQ(summarize(scene).dimension, "in the plane xz");
}

}  // namespace
}  // namespace rigor
