// scene_answers.cpp: tilts, loads and grasps of scenes against formulas and a linear program.
#include "rigor/analysis/scene_answers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/simplex.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

struct Ready {
  explicit Ready(const Scene& scene)
      : model(make_model(scene)), state(make_state(model)), problem(make_scene_problem(model, state)) {}
  Model model;
  State state;
  SceneProblem problem;
};

// A box slides where tan = mu, or topples over its edge where tan = width/height.
TEST(SceneAnswers, ABoxTiltsUntilItSlidesOrTopples) {
  Scene scene = test::make_floor(0.5);
  test::add_box(scene, "box", {0.3, 2.0, 1.0}, 2.0, {0.0, 0.0, 0.5});
  const Ready ready(scene);
  const auto tilts = find_scene_tilts(
      ready.problem, {Vector3d::UnitX(), Vector3d(0.0, -3.0, 0.0), Vector3d::UnitZ(), {1.0, 0.0, 7.0}});
  ASSERT_EQ(tilts.size(), 3u);  // none along gravity
  EXPECT_NEAR(tilts[0].tilt.angle, std::atan(0.3), 1e-7);
  EXPECT_NEAR(tilts[1].tilt.angle, std::atan(0.5), 1e-7);
  EXPECT_NEAR(tilts[2].tilt.angle, std::atan(0.3), 1e-7);
  EXPECT_NEAR(tilts[2].towards.x(), 1.0, 1e-12);
}

// A push along x holds up to mu m g; pressing down holds for ever, lifting up to the weight.
TEST(SceneAnswers, AForceMayGrowUntilTheBoxSlidesOrLifts) {
  Scene scene = test::make_floor(0.5);
  test::add_box(scene, "box", {2.0, 2.0, 0.5}, 2.0, {0.0, 0.0, 0.25});
  const Ready ready(scene);
  const SceneLoad push = find_scene_load(ready.model, ready.state, ready.problem, "box", {1.0, 0.0, 0.0});
  EXPECT_NEAR(push.range.factor.max, 0.5 * 2.0 * 9.81, 1e-6);
  EXPECT_NEAR(push.range.factor.min, -0.5 * 2.0 * 9.81, 1e-6);
  const SceneLoad press = find_scene_load(ready.model, ready.state, ready.problem, "box", {0.0, 0.0, -1.0});
  EXPECT_EQ(press.range.factor.max, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(press.range.factor.min, -2.0 * 9.81, 1e-6);
  EXPECT_THROW((void)find_scene_load(ready.model, ready.state, ready.problem, "bax", {1.0, 0.0, 0.0}),
               InvalidInput);
}

// A ball of radius 0.5 between three fixed ones at 120 degrees.
Scene make_grasp(double mu) {
  Scene scene = test::make_floor(mu);
  scene.shapes.clear();
  for (int i = 0; i < 3; ++i) {
    ShapeInstance finger;
    finger.geometry = Sphere{0.1};
    finger.material = "floor";
    finger.pose.position = 0.6 * Vector3d(std::cos(2.0 * M_PI * i / 3), std::sin(2.0 * M_PI * i / 3), 0.0);
    scene.shapes.push_back(finger);
  }
  test::add_sphere(scene, "ball", 0.5, 1.0, Vector3d::Zero());
  return scene;
}

// Least Σ λn of a linear program that balances a wrench (torque/length, force) with a polygon of k corners
// in (inside) or around each cone: contacts from the geometry above, nothing from the library.
double cost_by_simplex(double mu, const Eigen::VectorXd& wrench, int k, bool inside) {
  Eigen::MatrixXd A(6, 3 * k);
  const double widen = inside ? 1.0 : 1.0 / std::cos(M_PI / k);
  for (int i = 0; i < 3; ++i) {
    const Vector3d out(std::cos(2.0 * M_PI * i / 3), std::sin(2.0 * M_PI * i / 3), 0.0);
    const Vector3d up = Vector3d::UnitZ(), side = up.cross(out);
    for (int j = 0; j < k; ++j) {
      const double angle = 2.0 * M_PI * (j + 0.5) / k;
      const Vector3d force = -out + widen * mu * (std::cos(angle) * up + std::sin(angle) * side);
      A.col(k * i + j) << out.cross(force), force;  // arm 0.5 over the length 0.5
    }
  }
  const test::SimplexResult result = test::solve_simplex(A, wrench, Eigen::VectorXd::Ones(3 * k));
  return result.status == test::SimplexResult::kOptimal ? result.value : HUGE_VAL;
}

TEST(SceneAnswers, AGraspHoldsItsWeakestWrenchAsALinearProgramSays) {
  const double mu = 0.6;
  const Ready ready(make_grasp(mu));
  ASSERT_EQ(ready.problem.problem.contacts.size(), 3u);
  const Grasp grasp = find_grasp(ready.model, ready.state, ready.problem, "ball");
  EXPECT_NEAR(grasp.length, 0.5, 1e-12);
  EXPECT_EQ(grasp.closure.form, Answer::kNo);
  ASSERT_EQ(grasp.closure.force, Answer::kYes);

  // the cost of the weakest wrench between two polygons
  const double cost = 1.0 / grasp.closure.weakest;
  const double above = cost_by_simplex(mu, grasp.closure.weakest_wrench, 32, true);
  const double below = cost_by_simplex(mu, grasp.closure.weakest_wrench, 32, false);
  EXPECT_LE(below, cost * (1.0 + 1e-7));
  EXPECT_GE(above, cost * (1.0 - 1e-7));
  EXPECT_LT(above - below, 0.02 * cost);
  // and none among many is weaker
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    Eigen::VectorXd wrench(6);
    for (Eigen::Index i = 0; i < 6; ++i) wrench[i] = random.gaussian();
    ASSERT_LE(cost_by_simplex(mu, wrench.normalized(), 16, false), cost * (1.0 + 1e-6)) << trial;
  }
}

TEST(SceneAnswers, AGraspWithoutFrictionLetsTheBallOut) {
  const Ready ready(make_grasp(0.0));
  const Grasp grasp = find_grasp(ready.model, ready.state, ready.problem, "ball");
  EXPECT_EQ(grasp.closure.form, Answer::kNo);
  EXPECT_EQ(grasp.closure.force, Answer::kNo);
  ASSERT_EQ(grasp.closure.escape.size(), 6);
  for (const AccelerationContact& contact : ready.problem.problem.contacts) {
    Eigen::VectorXd unscaled = grasp.closure.escape;
    unscaled.head(3) /= grasp.length;
    EXPECT_GE(contact.normal.dot(unscaled), -1e-9);
  }
  EXPECT_THROW((void)find_grasp(ready.model, ready.state, ready.problem, "world"), InvalidInput);
}

}  // namespace
}  // namespace rigor
