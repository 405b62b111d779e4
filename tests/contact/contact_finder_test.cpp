#include "rigor/contact/contact_finder.hpp"

#include <gtest/gtest.h>

#include "rigor/dynamics/kinematics.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

std::vector<Contact> find_contacts(const Model& model, double h = 1e-3) {
  Kinematics<double> kin;
  compute_positions(model, model.q_initial, kin);
  compute_velocities(model, model.v_initial, kin);
  ContactFinder finder(model);
  std::vector<Contact> contacts;
  finder.find(kin, h, contacts);
  return contacts;
}

TEST(ContactFinder, ABoxOnTheFloorHasFourContactsWithNormalsUp) {
  Scene scene = test::make_floor(0.3);
  test::add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
  const std::vector<Contact> contacts = find_contacts(make_model(scene));
  ASSERT_EQ(contacts.size(), 4u);
  for (const Contact& contact : contacts) {
    EXPECT_EQ(contact.a, 1);
    EXPECT_EQ(contact.b, kWorldIndex);
    EXPECT_NEAR(contact.gap, 0.0, 1e-15);
    EXPECT_LT((contact.frame - (Eigen::Matrix3d() << 0, 1, 0, 0, 0, 1, 1, 0, 0).finished()).norm(), 1e-14);
    EXPECT_EQ(contact.mu, 0.3);
  }
}

TEST(ContactFinder, TheReachFollowsTheSpeed) {
  Scene scene = test::make_floor(0.3);
  Body& ball = test::add_sphere(scene, "ball", 0.1, 1.0, {0.0, 0.0, 0.15});
  EXPECT_TRUE(find_contacts(make_model(scene)).empty());
  ball.velocity.linear = {0.0, 0.0, -40.0};
  ASSERT_EQ(find_contacts(make_model(scene)).size(), 1u);
  EXPECT_NEAR(find_contacts(make_model(scene))[0].gap, 0.05, 1e-15);
}

// A ball that overlaps touches at its own radius, whichever shape is larger; a box at the floor's surface.
TEST(ContactFinder, ThePointLiesOnTheSmoothSurface) {
  Scene scene = test::make_floor(0.3);
  test::add_box(scene, "box", {20.0, 20.0, 1.0}, 1.0, {0.0, 0.0, 0.49});
  test::add_sphere(scene, "ball", 0.5, 1.0, {1.0, 2.0, 1.48});
  int balls = 0, corners = 0;
  for (const Contact& contact : find_contacts(make_model(scene))) {
    if (contact.a == 2 || contact.b == 2) {
      ++balls;
      EXPECT_LT((contact.point - Eigen::Vector3d(1.0, 2.0, 0.98)).norm(), 1e-14);
      EXPECT_NEAR(contact.gap, -0.01, 1e-14);
    } else {
      ++corners;
      EXPECT_NEAR(contact.point.z(), 0.0, 1e-14);
    }
  }
  EXPECT_EQ(balls, 1);
  EXPECT_EQ(corners, 4);
}

TEST(ContactFinder, ParentAndChildDoNotMeetNorDoBodiesThatAHingeTies) {
  Scene scene;
  test::add_box(scene, "one", {1.0, 1.0, 1.0}, 1.0, {0.0, 0.0, 0.0});
  test::add_box(scene, "two", {1.0, 1.0, 1.0}, 1.0, {0.9, 0.0, 0.0});
  scene.materials = test::make_floor(0.5).materials;
  EXPECT_FALSE(find_contacts(make_model(scene)).empty());
  HingeConstraint hinge;
  hinge.point_a = {0.45, 0.0, 0.0};
  hinge.point_b = {-0.45, 0.0, 0.0};
  scene.constraints.push_back(test::make_constraint("hinge", hinge, "one", "two"));
  EXPECT_TRUE(find_contacts(make_model(scene)).empty());
  scene.constraints.clear();
  scene.bodies[1].joint = test::make_joint(JointType::kRevolute, Eigen::Vector3d::UnitZ(), "one");
  EXPECT_TRUE(find_contacts(make_model(scene)).empty());
}

TEST(ContactFinder, APlanarSceneHasOneContactAndOneTangentPerCorner) {
  Scene scene = test::make_floor(0.3);
  scene.planar = Plane::kXZ;
  test::add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
  const std::vector<Contact> contacts = find_contacts(make_model(scene));
  ASSERT_EQ(contacts.size(), 2u);
  for (const Contact& contact : contacts) {
    EXPECT_EQ(contact.rows, 2);
    EXPECT_LT((contact.frame.col(1) - Eigen::Vector3d::UnitX()).norm(), 1e-14);
  }
}

TEST(ContactFinder, AnEllipseTurnsWithTheShapeThatHasIt) {
  Scene scene = test::make_floor(0.9);
  Material ski;
  ski.name = "ski";
  ski.mu = {0.1, 0.4};
  scene.materials.push_back(ski);
  Body& box = test::add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
  box.shapes[0].material = "ski";
  box.pose.rotation = Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitZ());
  const std::vector<Contact> contacts = find_contacts(make_model(scene));
  ASSERT_EQ(contacts.size(), 4u);
  EXPECT_LT((contacts[0].frame.col(1) - Eigen::Vector3d(std::cos(0.5), std::sin(0.5), 0.0)).norm(), 1e-14);
  EXPECT_EQ(contacts[0].mu, 0.1);
  EXPECT_DOUBLE_EQ(contacts[0].mu_ratio, 4.0);
}

}  // namespace
}  // namespace rigor
