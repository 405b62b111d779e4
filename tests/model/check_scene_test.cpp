// check_scene.cpp, scene_rules.cpp and connection_rules.cpp on scenes built in a program; on files:
// tests/tools/hostile
#include "rigor/model/check_scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/random_scene.hpp"

namespace rigor {
namespace {

Scene one_crate() {
  Scene scene;
  Body& crate = scene.bodies.emplace_back();
  crate.name = "crate";
  crate.mass = 2.0;
  crate.inertia = {1.0, 1.0, 1.0};
  return scene;
}

std::string errors_of(const Scene& scene) {
  try {
    check_scene(scene);
    return "";
  } catch (const InvalidDocument& error) {
    return error.what();
  }
}

TEST(CheckScene, TakesAGoodScene) {
  EXPECT_EQ(errors_of(one_crate()), "");
}

TEST(CheckScene, NamesThePathOfWhatIsWrong) {
  Scene scene = one_crate();
  scene.bodies[0].mass = -2.0;
  scene.bodies[0].pose.position.y() = NAN;
  scene.run.dt = INFINITY;
  EXPECT_EQ(
      errors_of(scene),
      "bodies.crate.pose.position = [0, nan, 0] m, must be finite.\n"
      "bodies.crate.mass = -2 kg, must be >= 0. For a body that does not move use \"joint\": \"fixed\".\n"
      "run.dt = inf, must be finite.");
}

TEST(CheckScene, AsksForUnitLengthWhereAReaderWouldNormalise) {
  Scene scene = one_crate();
  scene.bodies[0].joint.axis = {0, 0, 2};
  scene.bodies[0].pose.rotation.w() = 2.0;
  EXPECT_EQ(errors_of(scene),
            "bodies.crate.pose.quaternion = [2, 0, 0, 0], has length 2, must have length 1. Normalise it.\n"
            "bodies.crate.joint.axis = [0, 0, 2], a direction must have length 1. Normalise it.");
}

TEST(CheckScene, TakesMasslessBodies) {
  Scene scene = one_crate();
  scene.bodies[0].mass = 0.0;
  scene.bodies[0].inertia.clear();
  EXPECT_EQ(errors_of(scene), "");
}

TEST(CheckScene, RefusesMassesWhoseInverseOverflows) {
  Scene scene = one_crate();
  scene.bodies[0].mass = 5e-324;
  EXPECT_EQ(errors_of(scene),
            "bodies.crate = 5e-324, a mass or density this small has an inverse that overflows. Give 0, or "
            "1e-60 and "
            "more.");
  scene.bodies[0].mass = 1.0;
  scene.bodies[0].inertia = {5e-324, 0.1, 0.1};
  EXPECT_EQ(
      errors_of(scene),
      "bodies.crate.inertia = [5e-324, 0.1, 0.1] kg m^2, a moment this small has an inverse that overflows. "
      "Give 0, or 1e-60 and more.");
}

TEST(CheckScene, AsksForUnitLengthOfDirectionsThatMayBeAbsent) {
  Scene scene = one_crate();
  Constraint& tyre = scene.constraints.emplace_back();
  tyre.name = "tyre";
  tyre.a = "crate";
  tyre.geometry = RollingConstraint{.axis_a = {}, .radius = 0.5};
  EXPECT_EQ(errors_of(scene), "");
  std::get<RollingConstraint>(tyre.geometry).axis_a = Eigen::Vector3d(0, 2, 0);
  EXPECT_EQ(errors_of(scene),
            "constraints.tyre.axis_a = [0, 2, 0], a direction must have length 1. Normalise it.");
}

TEST(CheckScene, AsksForTheVariableOfEachFunction) {
  Scene scene = one_crate();
  Spring& spring = scene.springs.emplace_back();
  spring.name = "s";
  spring.a = "crate";
  spring.law = Expression::parse("x^3");
  EXPECT_EQ(errors_of(scene), "");
  spring.law = Expression::parse("t^3");
  Force& force = scene.forces.emplace_back();
  force.name = "f";
  force.body = "crate";
  force.force[0] = Expression::parse("x");
  EXPECT_EQ(errors_of(scene),
            "springs.s.law = \"t^3\", unknown name 't'. Known: x (the elongation in m), pi, e, and the "
            "scene's parameters.\n"
            "forces.f.force[0] = \"x\", unknown name 'x'. Known: t (the time in s), pi, e, and the scene's "
            "parameters.");
}

// Free bodies and ball joints turn about three axes at once; all other coordinates are angles or advances.
TEST(CheckScene, KnowsWhichCoordinatesHaveAPosition) {
  for (int type = 0; type < 9; ++type) {
    const auto joint = static_cast<JointType>(type);
    for (int k = 0; k < joint_size(joint).v; ++k)
      EXPECT_EQ(has_position(joint, k), joint == JointType::kFree ? k >= 3 : joint != JointType::kBall);
  }
}

TEST(CheckScene, StopsListingAfterAHundredIssues) {
  Scene scene;
  scene.bodies.resize(150);
  const SceneIssues issues = find_issues(scene);
  EXPECT_EQ(issues.list().size(), 100U);
  EXPECT_TRUE(issues.is_full());
  EXPECT_THAT(errors_of(scene), testing::EndsWith("only the first 100 errors are shown."));
}

TEST(CheckScene, ALongChainIsNoCycle) {
  Scene scene;
  scene.bodies.resize(50'000);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    scene.bodies[i].name = "link_" + std::to_string(i);
    scene.bodies[i].mass = 1.0;
    scene.bodies[i].joint.type = JointType::kBall;
    // children before parents: the worst order
    if (i + 1 < scene.bodies.size()) scene.bodies[i].joint.parent = "link_" + std::to_string(i + 1);
  }
  EXPECT_EQ(errors_of(scene), "");
  scene.bodies.back().joint.parent = "link_0";
  EXPECT_THAT(errors_of(scene),
              testing::HasSubstr("makes the body its own ancestor (\"link_0 -> link_1 -> "));
}

TEST(CheckScene, RandomScenesPass) {
  for (unsigned seed = 0; seed < 200; ++seed)
    EXPECT_EQ(errors_of(testing_support::make_random_scene(seed)), "") << seed;
}

}  // namespace
}  // namespace rigor
