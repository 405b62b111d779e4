// scene_problem.cpp: the matrices of moving scenes against formulas.
#include "rigor/analysis/scene_problem.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/analysis/analyse.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

SceneProblem problem_of(const Scene& scene, const SceneProblemOptions& options = {}) {
  const Model model = make_model(scene);
  return make_scene_problem(model, make_state(model), options);
}

// A rod that falls over about its tip from upright, case H: at the angle φ with φ̇² = 3 g/L (1 − cos φ),
// N/mg = (3 cos φ − 1)²/4 and f/mg = 3/4 sin φ (3 cos φ − 2). The bias of the tip is what makes the
// difference.
TEST(SceneProblem, AFallingPencilNeedsTheFrictionOfTheFormula) {
  const double L = 1.0, g = 9.81, m = 0.3;
  for (const double phi : {0.1, 0.4, 0.8, 1.0}) {
    SCOPED_TRACE(phi);
    Scene scene = test::make_floor(4.0);
    scene.planar = Plane::kXZ;
    const double rate = std::sqrt(3.0 * g / L * (1.0 - std::cos(phi)));
    const Vector3d to_tip = -L / 2 * Vector3d(std::sin(phi), 0.0, std::cos(phi));
    Body rod;
    rod.name = "rod";
    rod.mass = m;
    rod.inertia = {m * L * L / 12, m * L * L / 12, m * L * L / 12};
    rod.pose.position = -to_tip;
    const Vector3d linear = -Vector3d(0.0, rate, 0.0).cross(to_tip);
    rod.velocity.linear = linear;
    rod.velocity.angular = {0.0, rate, 0.0};
    ShapeInstance tip;
    tip.geometry = Point{};
    tip.pose.position = to_tip;
    tip.material = "floor";
    rod.shapes.push_back(tip);
    scene.bodies.push_back(rod);

    const SceneProblem problem = problem_of(scene);
    ASSERT_EQ(problem.problem.contacts.size(), 1u);
    EXPECT_FALSE(problem.problem.contacts[0].slides());
    const Analysis analysis = analyse(problem.problem);
    ASSERT_EQ(analysis.closed.answer, Answer::kYes);
    const double N = m * g * std::pow(3.0 * std::cos(phi) - 1.0, 2) / 4.0;
    const double f = m * g * 0.75 * std::sin(phi) * (3.0 * std::cos(phi) - 2.0);
    EXPECT_NEAR(analysis.contacts[0].force[0], N, 1e-10);
    EXPECT_NEAR(std::abs(analysis.contacts[0].force[1]), std::abs(f), 1e-10);
    EXPECT_NEAR(analysis.mu_min->mu, std::abs(f) / N, 1e-6);
  }
}

// A disc that rolls down a slope sticks iff mu ≥ tan α β/(1 + β), β = 1/2, however fast it rolls.
TEST(SceneProblem, ARollingDiscNeedsTheFrictionOfTheFormula) {
  const double slope = 0.6, r = 0.3, angle = std::atan(slope);
  for (const double speed : {0.0, 1.0, 20.0}) {
    Scene scene = test::make_floor(0.5);
    scene.planar = Plane::kXZ;
    scene.gravity = 9.81 * Vector3d(std::sin(angle), 0.0, -std::cos(angle));
    Body disc;
    disc.name = "disc";
    disc.mass = 2.0;
    disc.inertia = {r * r, r * r, r * r};
    disc.pose.position = {0.0, 0.0, r};
    disc.velocity.linear = {speed, 0.0, 0.0};
    disc.velocity.angular = {0.0, speed / r, 0.0};
    ShapeInstance shape;
    shape.geometry = Disk{r};
    shape.material = "floor";
    disc.shapes.push_back(shape);
    scene.bodies.push_back(disc);
    const SceneProblem problem = problem_of(scene);
    ASSERT_EQ(problem.problem.contacts.size(), 1u);
    EXPECT_LT(std::abs(problem.problem.contacts[0].normal_bias), 1e-11);
    const Analysis analysis = analyse(problem.problem);
    EXPECT_EQ(analysis.closed.answer, Answer::kYes);
    EXPECT_NEAR(analysis.contacts[0].force[0], 2.0 * 9.81 * std::cos(angle), 1e-9);
    EXPECT_NEAR(analysis.mu_min->mu, slope * 0.5 / 1.5, 1e-7);
    EXPECT_LT((problem.problem.M * analysis.closed.acceleration + problem.problem.F -
               problem.problem.contacts[0].normal * analysis.contacts[0].force[0] -
               problem.problem.contacts[0].tangent.transpose() * analysis.contacts[0].force.tail(1))
                  .norm(),
              1e-9);
  }
}

// A ball that rolls over the top of a dome at speed v presses with m (g − v²/(R + r)), and flies off above
// v² = g (R + r).
TEST(SceneProblem, ABallOverADomeFliesOffWhereTheFormulaSays) {
  const double R = 2.0, r = 0.25, m = 1.5, g = 9.81;
  for (const double ratio : {0.2, 0.9, 0.999, 1.001, 2.0}) {
    SCOPED_TRACE(ratio);
    Scene scene = test::make_floor(0.5);
    scene.shapes.clear();
    ShapeInstance dome;
    dome.geometry = Sphere{R};
    dome.material = "floor";
    scene.shapes.push_back(dome);
    const double v = std::sqrt(ratio * g * (R + r));
    Body& ball = test::add_sphere(scene, "ball", r, m, {0.0, 0.0, R + r});
    ball.velocity.linear = {v, 0.0, 0.0};
    ball.velocity.angular = {0.0, v / r, 0.0};
    const Analysis analysis = analyse(problem_of(scene).problem);
    EXPECT_EQ(analysis.closed.answer, ratio < 1.0 ? Answer::kYes : Answer::kNo);
    ASSERT_EQ(analysis.opening.answer, Answer::kYes);
    EXPECT_EQ(analysis.contacts[0].standing == ContactStanding::kOpens, ratio > 1.0);
    if (ratio < 1.0) {
      EXPECT_NEAR(analysis.contacts[0].force[0], m * g * (1.0 - ratio), 1e-8);
    }
  }
}

TEST(SceneProblem, NamedContactsAreTheOnlyOnes) {
  Scene scene = test::make_floor(0.5);
  test::add_box(scene, "lower", {1.0, 1.0, 1.0}, 1.0, {0.0, 0.0, 0.5});
  test::add_box(scene, "upper", {0.5, 0.5, 0.5}, 1.0, {0.0, 0.0, 1.25});
  EXPECT_EQ(problem_of(scene).problem.contacts.size(), 8u);
  SceneProblemOptions options;
  options.names = {"world/lower"};
  EXPECT_EQ(problem_of(scene, options).problem.contacts.size(), 4u);
  options.names = {"upper/lower"};
  EXPECT_EQ(problem_of(scene, options).problem.contacts.size(), 4u);
}

}  // namespace
}  // namespace rigor
