// A scene made into a model, its coordinates moved, and what users' elements see of it: model.cpp, state.cpp,
// elements.cpp.
#include "rigor/model/model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rigor/model/state.hpp"
#include "tests/support/random_forest.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_joint;
using testing::HasSubstr;

TEST(Model, PutsParentsBeforeChildrenAndTreesTogether) {
  Scene scene;
  scene.bodies = {
      make_body("leaf", 1, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kBall, {0, 0, 1}, "middle")),
      make_body("other", 1, {0, 0, 0}, {1, 1, 1}),
      make_body("middle", 1, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kRevolute, {0, 0, 1}, "root")),
      make_body("root", 1, {0, 0, 0}, {1, 1, 1}, make_joint(JointType::kPrismatic))};
  const Model model = make_model(scene);
  std::vector<std::string> names;
  for (const ModelBody& body : model.bodies) names.push_back(body.name);
  EXPECT_THAT(names, testing::ElementsAre("world", "other", "root", "middle", "leaf"));
  EXPECT_EQ(model.nq, 7 + 1 + 1 + 4);
  EXPECT_EQ(model.nv, 6 + 1 + 1 + 3);
  // each speed's way to the root
  EXPECT_EQ(model.speeds[6].parent, -1);
  EXPECT_EQ(model.speeds[7].parent, 6);
  EXPECT_EQ(model.speeds[8].parent, 7);
  EXPECT_EQ(model.speeds[10].parent, 9);
  EXPECT_EQ(model.find_body("leaf"), 4);
}

TEST(Model, AMisspeltNameGetsTheClosest) {
  Scene scene;
  scene.bodies = {make_body("rocker", 1, {0, 0, 0}, {1, 1, 1})};
  const Model model = make_model(scene);
  try {
    (void)model.find_body("roker");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "There is no body \"roker\". Did you mean \"rocker\"?");
  }
}

// A free body moves by its centre of mass, wherever its frame is.
TEST(Model, AFreeBodyHasItsCoordinatesAtTheCentreOfMass) {
  Scene scene;
  Body body = make_body("body", 2.0, {0.1, 0.2, 0.3}, {1, 2, 2.5});
  body.pose = {{1, 2, 3}, quaternion_from_axis_angle(Eigen::Vector3d::UnitZ(), 1.5707963267948966)};
  body.velocity = {{1, 0, 0}, {0, 0, 2}};
  scene.bodies = {body};
  const Model model = make_model(scene);
  EXPECT_LE((model.q_initial.head<3>() - Eigen::Vector3d(0.8, 2.1, 3.3)).norm(), 1e-15);
  EXPECT_LE((model.v_initial - (Eigen::VectorXd(6) << 0, 0, 2, 1 - 0.2, -0.4, 0).finished()).norm(), 1e-15);
  EXPECT_EQ(model.bodies[1].inertia_J.h, Eigen::Vector3d::Zero());
}

// In the plane xz a free body has x, z and the angle from x to z.
TEST(Model, AFreeBodyInAPlaneHasThreeCoordinates) {
  Scene scene;
  scene.planar = Plane::kXZ;
  Body body = make_body("plate", 2.0, {0.1, 0, 0}, {1, 1, 1});
  body.pose.position = {1, 0.5, 3};
  body.velocity = {{1, 0, 2}, {0, -3, 0}};
  scene.bodies = {body};
  const Model model = make_model(scene);
  ASSERT_EQ(model.nv, 3);
  EXPECT_LE((model.q_initial - Eigen::Vector3d(1.1, 3, 0)).norm(), 1e-15);
  EXPECT_LE((model.v_initial - Eigen::Vector3d(1, 2 + 0.3, 3)).norm(), 1e-15);
  EXPECT_TRUE(is_rotation(model, 2));
  EXPECT_FALSE(is_rotation(model, 0));
}

// A body turned by 90° about z, 2 m up, spinning: a point of it 1 m along its own x.
TEST(Elements, AMotionViewSpeaksOfTheBodysOwnFrame) {
  Scene scene;
  scene.bodies = {make_body("body", 2.0, {0.5, 0, 0}, {1, 1, 1})};
  const Model model = make_model(scene);
  Kinematics<double> kin;
  kin.bodies.resize(2);
  kin.bodies[1].R << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  kin.bodies[1].p = {0, 0.5, 2};  // the centre of mass, which is 0.5 m along the body's x
  kin.bodies[1].V << 0, 0, 3, 1, 0, 0;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(6);
  const MotionView view{model, 0.0, zero, zero, zero, kin};
  const Eigen::Vector3d point(1, 0, 0);
  EXPECT_LE((view.position(1, point) - Eigen::Vector3d(0, 1, 2)).norm(), 1e-15);
  EXPECT_LE((view.velocity(1, point) - Eigen::Vector3d(1 - 3 * 0.5, 0, 0)).norm(), 1e-15);
  EXPECT_LE((view.acceleration(1, point) - Eigen::Vector3d(0, -9 * 0.5, 0)).norm(), 1e-14);
  EXPECT_LE((view.direction(1, point) - Eigen::Vector3d(0, 1, 0)).norm(), 1e-15);

  ForceSink sink;
  sink.reset(2, 6);
  sink.add_force(view, 1, point, {2, 0, 0});
  sink.add_speed_force(4, 7.0);
  EXPECT_LE((sink.wrenches()[1] - (Vec6<double>() << 0, 0, -1, 2, 0, 0).finished()).norm(), 1e-15);
  EXPECT_EQ(sink.speed_forces()[4], 7.0);
}

TEST(State, MovesAlongSpeedsAndTheirRateIsQDot) {
  const double e = 1e-6;
  for (int seed = 0; seed < 50; ++seed) {
    const Model model =
        make_model(test::make_random_forest(static_cast<std::uint64_t>(seed), {.bodies = 12}));
    const State state = make_state(model);
    Eigen::VectorXd q_dot, one = state.q, two = state.q;
    compute_q_dot(model, state.q, state.v, q_dot);
    move(model, -e * state.v, one);
    move(model, e * state.v, two);
    EXPECT_LE(((two - one) / (2 * e) - q_dot).norm(), 1e-8 * (1.0 + q_dot.norm()));
    Eigen::VectorXd back = two;
    move(model, -e * state.v, back);
    EXPECT_LE((back - state.q).norm(), 1e-12 * (1.0 + state.q.norm()));
  }
}

}  // namespace
}  // namespace rigor
