#include "rigor/analysis/redundancy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/dynamics/assembly.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::kMinusY;
using test::make_body;
using test::make_constraint;
using test::make_joint;
using testing::ElementsAre;

RedundancyReport redundancy_of(const Scene& scene) {
  const Model model = make_model(scene);
  return find_redundancy(model, assemble(model).state);
}

// A planar four-bar closed by a spatial hinge: the hinge's y and its two rotations hold what the joints hold
// already.
TEST(Redundancy, NamesTheEquationsOfAFourBarThatFollowFromItsJoints) {
  const RedundancyReport report = redundancy_of(test::make_four_bar(0.5, 0.1, 0.4, 0.3, 0.3));
  EXPECT_EQ(report.equations, 5);
  EXPECT_EQ(report.independent, 2);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  EXPECT_FALSE(report.is_singular());
  std::vector<std::string> rows;
  for (const RedundantRow& row : report.redundant) {
    rows.push_back(row.row);
    EXPECT_TRUE(row.follows.empty()) << row.row;
  }
  EXPECT_THAT(rows, ElementsAre("constraint \"pin\": position y", "constraint \"pin\": rotation 1",
                                "constraint \"pin\": rotation 2"));
}

TEST(Redundancy, SaysFromWhichHingesTheThirdHingeFollows) {
  Scene scene;
  scene.bodies.push_back(make_body("door", 30.0, {0.45, 0, 1}, {10, 12, 2}));
  for (const char* name : {"low", "middle", "high"}) {
    const double z = 0.2 + 0.8 * static_cast<double>(scene.constraints.size());
    scene.constraints.push_back(
        make_constraint(name, HingeConstraint{{0, 0, z}, {0, 0, z}, {0, 0, 1}, {0, 0, 1}}, "door"));
  }
  const RedundancyReport report = redundancy_of(scene);
  EXPECT_EQ(report.equations, 15);
  EXPECT_EQ(report.independent, 5);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  ASSERT_EQ(report.redundant.size(), 10U);
  EXPECT_EQ(report.redundant[0].row, "constraint \"middle\": position x");
  EXPECT_THAT(report.redundant[0].follows, ElementsAre("constraint \"low\""));
}

// A parallelogram with a third parallel crank: redundant everywhere; stretched flat it is singular besides.
TEST(Redundancy, ReportsTheSingularPositionOfAParallelogram) {
  const auto make = [](double angle) {
    Scene scene = test::make_four_bar(0.5, 0.2, 0.5, 0.2, angle);
    Body third =
        make_body("third", 0.2, {0.1, 0, 0}, {1e-6, 1e-3, 1e-3}, make_joint(JointType::kRevolute, kMinusY));
    third.pose.position = {0.25, 0, 0};
    third.joint.q = {angle};
    scene.bodies.push_back(third);
    scene.constraints.push_back(
        make_constraint("middle", BallConstraint{{0.25, 0, 0}, {0.2, 0, 0}}, "coupler", "third"));
    return scene;
  };
  const RedundancyReport usual = redundancy_of(make(0.7));
  EXPECT_EQ(usual.degrees_of_freedom, 1);
  EXPECT_FALSE(usual.is_singular());
  Scene flat = make(0.0);
  for (Body& body : flat.bodies) body.joint.q = {0.0};
  const Model model = make_model(flat);
  const RedundancyReport report = find_redundancy(model, make_state(model));
  EXPECT_TRUE(report.is_singular());
  EXPECT_EQ(report.independent_nearby, usual.independent);
  EXPECT_EQ(report.degrees_of_freedom, 2);
}

TEST(Redundancy, PrescribedSpeedsDoNotCountAsFree) {
  Scene scene = test::make_four_bar(0.5, 0.1, 0.4, 0.3, 0.3);
  scene.motions.push_back({"drive", "crank", 0, std::nullopt, 1.0, std::nullopt});
  const RedundancyReport report = redundancy_of(scene);
  EXPECT_EQ(report.speeds, 2);
  EXPECT_EQ(report.independent, 2);
  EXPECT_EQ(report.degrees_of_freedom, 0);
}

}  // namespace
}  // namespace rigor
