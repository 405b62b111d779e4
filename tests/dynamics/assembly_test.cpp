// Initial states brought onto their constraints: assembly.cpp, projection.cpp.
#include "rigor/dynamics/assembly.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/message_of.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_constraint;
using test::make_joint;
using testing::AllOf;
using testing::HasSubstr;

std::string assembly_error(const Scene& scene) {
  return test::message_of([&] { (void)assemble(make_model(scene)); });
}

// The trigonometry of the four-bar is found again from a start a few degrees off, the driven crank held.
TEST(Assembly, ClosesAFourBarFromARoughStart) {
  Scene scene = test::make_four_bar(0.5, 0.1, 0.4, 0.3, 0.3);
  const double coupler = scene.bodies[1].joint.q[0], rocker = scene.bodies[2].joint.q[0];
  scene.bodies[1].joint.q[0] += 0.1;
  scene.bodies[2].joint.q[0] -= 0.1;
  scene.motions.push_back({"drive", "crank", 0, 0.3, std::nullopt, std::nullopt});
  const Assembly assembly = assemble(make_model(scene));
  EXPECT_EQ(assembly.state.q[0], 0.3);
  EXPECT_NEAR(assembly.state.q[1], coupler, 1e-11);
  EXPECT_NEAR(assembly.state.q[2], rocker, 1e-11);
  EXPECT_LE(assembly.error, 1e-12);
  EXPECT_NEAR(assembly.moved, 0.1, 1e-10);
}

TEST(Assembly, LeavesAConsistentStateBitForBit) {
  Scene scene;
  scene.bodies.push_back(make_body("door", 1.0, {0.5, 0, 0}, {1, 1, 1}));
  scene.constraints.push_back(make_constraint("hinge", HingeConstraint{}, "door"));
  const Model model = make_model(scene);
  EXPECT_EQ(assemble(model).state, make_state(model));
}

// Velocities: the nearest as the mass measures it. A point mass on a wall keeps its tangential part.
TEST(Assembly, ProjectsVelocities) {
  Scene scene;
  scene.bodies.push_back(make_body("bead", 2.0, {0, 0, 0}, {1, 1, 1}));
  scene.bodies[0].velocity.linear = {1.0, 2.0, 3.0};
  scene.constraints.push_back(
      make_constraint("wall", PointInPlaneConstraint{{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, "bead"));
  const Assembly assembly = assemble(make_model(scene));
  EXPECT_NEAR(assembly.state.v[3], 0.0, 1e-15);
  EXPECT_DOUBLE_EQ(assembly.state.v[4], 2.0);
  EXPECT_DOUBLE_EQ(assembly.state.v[5], 3.0);
}

TEST(Assembly, NamesConstraintsThatContradictEachOther) {
  Scene scene;
  scene.bodies.push_back(make_body("bob", 1.0, {0, 0, 0}, {1, 1, 1}));
  scene.bodies[0].pose.position = {0.5, 0, 0};
  scene.constraints.push_back(make_constraint("left", DistanceConstraint{{0, 0, 0}, {0, 0, 0}, 0.4}, "bob"));
  scene.constraints.push_back(make_constraint("right", DistanceConstraint{{0, 0, 0}, {1, 0, 0}, 0.4}, "bob"));
  EXPECT_THAT(assembly_error(scene),
              AllOf(HasSubstr("cannot hold together at the initial positions"),
                    HasSubstr("constraint \"left\""), HasSubstr("constraint \"right\""), HasSubstr("0.1")));
}

TEST(Assembly, NamesSpeedsThatContradictEachOther) {
  Scene scene;
  scene.bodies.push_back(
      make_body("cart", 1.0, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic, {1, 0, 0})));
  scene.constraints.push_back(make_constraint("slow", SpeedConstraint{{0, 0, 0}, {1, 0, 0}, 1.0}, "cart"));
  scene.constraints.push_back(make_constraint("fast", SpeedConstraint{{0, 0, 0}, {1, 0, 0}, 2.0}, "cart"));
  EXPECT_THAT(assembly_error(scene),
              AllOf(HasSubstr("initial velocities"), HasSubstr("constraint \"fast\"")));
}

TEST(Assembly, NamesTheFreeMasslessMotion) {
  Scene scene;
  scene.bodies.push_back(make_body("arm", 1.0, {0.5, 0, 0}, {1, 1, 1}, make_joint(JointType::kRevolute)));
  Body link;
  link.name = "link";
  link.mass = 0.0;
  link.joint = make_joint(JointType::kRevolute, {0, 0, 1}, "arm");
  scene.bodies.push_back(link);
  EXPECT_THAT(
      assembly_error(scene),
      AllOf(HasSubstr("body \"link\", coordinate 0 of its revolute joint, can move without moving any mass"),
            HasSubstr("armature")));
  // held by a constraint it is welcome
  scene.constraints.push_back(make_constraint("hold", ParallelAxesConstraint{{1, 0, 0}, {1, 0, 0}}, "link"));
  EXPECT_EQ(assembly_error(scene), "");
}

TEST(Assembly, RefusesAWeldThatCameOutTheOtherWayRound) {
  Scene scene;
  scene.bodies.push_back(make_body("plate", 1.0, {0, 0, 0}, {1, 1, 1}));
  scene.bodies[0].pose.rotation = quaternion_from_axis_angle(Eigen::Vector3d::UnitX(), 3.1);
  scene.constraints.push_back(make_constraint("glue", WeldConstraint{}, "plate"));
  EXPECT_THAT(assembly_error(scene),
              HasSubstr("constraint \"glue\": the frames were assembled turned against each other"));
}

}  // namespace
}  // namespace rigor
