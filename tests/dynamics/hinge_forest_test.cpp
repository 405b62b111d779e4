#include "rigor/dynamics/hinge_forest.hpp"

#include <gtest/gtest.h>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/free_motion.hpp"
#include "rigor/math/random.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/robot_scenes.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::make_joint;

Eigen::Vector3d make_vector(Random& random) {
  return {random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
}

// Two trees: one on a hinge, one on a free body. Some links have no mass.
Model make_hinges(std::uint64_t seed, int bodies) {
  Random random(seed);
  Scene scene;
  for (int b = 0; b < 2 * bodies; ++b) {
    const bool is_root = b % bodies == 0, is_free = b == bodies;
    const int first = b < bodies ? 0 : bodies;
    const std::string parent =
        is_root ? kWorld : scene.bodies[static_cast<std::size_t>(first + random.below(b - first))].name;
    const bool is_empty = !is_root && b % bodies + 1 < bodies && random.chance(0.3);
    Joint joint = make_joint(is_free ? JointType::kFree : JointType::kRevolute,
                             make_vector(random).normalized(), parent);
    joint.armature = is_empty ? 0.01 : 0.0;
    Body body =
        make_body("b" + std::to_string(b), is_empty ? 0.0 : 0.5 + random.uniform(), make_vector(random),
                  is_empty ? Eigen::Vector3d(0, 0, 0) : Eigen::Vector3d(0.1, 0.12, 0.15), joint);
    body.pose.rotation =
        Eigen::Quaterniond(Eigen::AngleAxisd(random.uniform(0.0, 3.0), make_vector(random).normalized()));
    if (is_free) body.pose.rotation.setIdentity();
    scene.bodies.push_back(body);
  }
  return make_model(scene);
}

// Both by articulated bodies, but there about each body's own point, and from positions by joint.
TEST(HingeForest, AgreesWithArticulatedBodiesAtPositionsNearBy) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Model model = make_hinges(seed, 7);
    model.gravity.setZero();
    ASSERT_TRUE(HingeForest::takes(model));
    HingeForest forest(model);
    ArticulatedBody articulated;
    Kinematics<double> kin;
    Random random(seed);
    Eigen::VectorXd q = model.q_initial, v(model.nv), d = Eigen::VectorXd::Zero(model.nv), ours(model.nv),
                    theirs(model.nv);
    normalize(model, q);
    compute_positions(model, q, kin);
    ASSERT_TRUE(forest.begin(kin));
    for (const double far : {0.0, 0.05, 0.4, 2.0}) {
      for (double& x : d) x = far * random.uniform(-1.0, 1.0);
      for (double& x : v) x = 3.0 * random.uniform(-1.0, 1.0);
      Eigen::VectorXd there = q;
      move(model, d, there);
      compute_positions(model, there, kin);
      compute_velocities(model, v, kin);
      theirs.setZero();
      ASSERT_EQ(articulated.solve(model, kin, nullptr, Eigen::VectorXd::Zero(model.nv), theirs), -1);
      ASSERT_TRUE(far == 0.0 || forest.place(d));
      forest.accelerate(v, ours);
      EXPECT_LT((ours - theirs).norm(), 1e-10 * theirs.norm()) << seed << ", " << far;
    }
  }
}

TEST(HingeForest, TakesHingesAndFreeRootsThatNothingDrives) {
  EXPECT_TRUE(HingeForest::takes(make_model(test::make_humanoid(test::RobotMotion::kHold))));
  Scene scene;
  scene.bodies.push_back(make_body("a", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kRevolute)));
  EXPECT_TRUE(HingeForest::takes(make_model(scene)));
  Motion drive;
  drive.name = "drive";
  drive.joint = "a";
  drive.velocity = 1.0;
  scene.motions.push_back(drive);
  EXPECT_FALSE(HingeForest::takes(make_model(scene)));
  scene.motions.clear();
  scene.bodies.push_back(
      make_body("b", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kPrismatic, {0, 1, 0}, "a")));
  EXPECT_FALSE(HingeForest::takes(make_model(scene)));
}

TEST(HingeForest, SaysWhereAHingeMeetsNoInertia) {
  Scene scene;
  scene.bodies.push_back(make_body("a", 1.0, {0.1, 0, 0}, {0.1, 0.2, 0.1}, make_joint(JointType::kRevolute)));
  scene.bodies.push_back(
      make_body("ghost", 0.0, {0, 0, 0}, {0, 0, 0}, make_joint(JointType::kRevolute, {0, 1, 0}, "a")));
  const Model model = make_model(scene);
  Kinematics<double> kin;
  compute_positions(model, model.q_initial, kin);
  EXPECT_FALSE(HingeForest(model).begin(kin));
}

// Half the step, a sixteenth of the error; where little turns, a quarter.
TEST(HingeForest, FreeMotionByItIsOfOrderFourAndOfOrderTwoForLittleTurns) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = make_hinges(seed, 5);
    Random random(seed);
    Eigen::VectorXd v(model.nv);
    for (double& x : v) x = random.uniform(-1.0, 1.0);
    const auto go = [&](const Eigen::VectorXd& v0, double time, int steps) {
      FreeMotion motion(model);
      Kinematics<double> kin;
      Eigen::VectorXd q = model.q_initial, now = v0;
      for (int k = 0; k < steps; ++k) {
        compute_positions(model, q, kin);
        EXPECT_EQ(motion.move(kin, time / steps, q, now), -1);
      }
      Eigen::VectorXd both(q.size() + now.size());
      both << q, now;
      return both;
    };
    // 0.03 rad a step and less, above kLittle
    const Eigen::VectorXd exact = go(v, 0.08, 16);
    const double coarse = (go(v, 0.08, 4) - exact).norm(), fine = (go(v, 0.08, 8) - exact).norm();
    EXPECT_GT(coarse / fine, 11.0) << seed;
    EXPECT_LT(coarse / fine, 24.0) << seed;
    const Eigen::VectorXd slow = 0.01 * v;
    const double little = (go(slow, 0.08, 4) - go(slow, 0.08, 64)).norm(),
                 less = (go(slow, 0.08, 8) - go(slow, 0.08, 64)).norm();
    EXPECT_GT(little / less, 3.2) << seed;
    EXPECT_LT(little / less, 5.0) << seed;
  }
}

}  // namespace
}  // namespace rigor
