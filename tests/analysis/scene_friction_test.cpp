// Least coefficients of friction asked of scenes, to 1e-6: scene_problem.cpp with least_friction.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/scene_problem.hpp"
#include "tests/analysis/least_friction_of.hpp"
#include "tests/analysis/witness.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using test::least_friction_of;
using test::make_shape;

AccelerationProblem bare_problem_of(const Scene& scene) {
  const Model model = make_model(scene);
  return make_scene_problem(model, make_state(model)).problem;
}

void set_mu(AccelerationProblem& problem, double mu) {
  for (AccelerationContact& contact : problem.contacts) contact.mu = mu;
}

// Its inertia is the same about every axis.
Body make_round_body(const std::string& name, double mass, const Vector3d& position) {
  Body body;
  body.name = name;
  body.mass = mass;
  body.inertia = {0.1, 0.1, 0.1};
  body.pose.position = position;
  return body;
}

TEST(SceneFriction, BlockOnSlopeIsTheTangent) {
  for (const double slope : {0.05, 0.3, 0.9})
    EXPECT_NEAR(least_friction_of(bare_problem_of(test::make_incline(slope, 0.5))).mu, slope, 1e-6);
}

// One coefficient for floor and wall: tan φ = (1 − mu²)/(2 mu).
TEST(SceneFriction, LadderAsOnPaper) {
  for (const double mu : {0.2, 0.4, 0.8}) {
    const double phi = std::atan((1.0 - mu * mu) / (2.0 * mu));
    Scene scene = test::make_floor(0.5);
    scene.planar = Plane::kXZ;
    ShapeInstance wall = make_shape(HalfSpace{});
    wall.pose.rotation = Eigen::Quaterniond(Eigen::AngleAxisd(M_PI / 2, Vector3d::UnitY()));
    scene.shapes.push_back(wall);
    const Vector3d half(std::cos(phi), 0.0, -std::sin(phi));
    Body ladder = make_round_body("ladder", 8.0, {std::cos(phi), 0.0, std::sin(phi)});
    ladder.shapes = {make_shape(Point{}, half), make_shape(Point{}, -half)};
    scene.bodies.push_back(ladder);
    EXPECT_NEAR(least_friction_of(bare_problem_of(scene)).mu, mu, 1e-6);
  }
}

// A weightless wedge of angle α, tip down, pushed up: tan(α/2), by squeezing without bound.
TEST(SceneFriction, WedgeIsHalfItsAngle) {
  for (const double alpha : {0.4, 1.0}) {
    Scene scene = test::make_floor(0.5);
    scene.planar = Plane::kXZ;
    scene.gravity.setZero();
    scene.shapes.clear();
    for (const double side : {1.0, -1.0}) {
      ShapeInstance face = make_shape(HalfSpace{});
      face.pose.rotation =
          Eigen::Quaterniond(Eigen::AngleAxisd(side * (M_PI / 2 - alpha / 2), Vector3d::UnitY()));
      scene.shapes.push_back(face);
    }
    Hull wedge;
    for (const double z : {0.1, 0.6})
      for (const double side : {1.0, -1.0})
        for (const double y : {-0.2, 0.2})
          wedge.points.emplace_back(side * z * std::tan(alpha / 2), y, z - 0.3);
    Body body = make_round_body("wedge", 1.0, {0.0, 0.0, 0.3});
    body.shapes.push_back(make_shape(wedge));
    scene.bodies.push_back(body);
    Force push;
    push.name = "push";
    push.body = "wedge";
    push.force = {0.0, 0.0, 1.0};
    scene.forces.push_back(push);
    const LeastFriction least = least_friction_of(bare_problem_of(scene));
    EXPECT_NEAR(least.mu, std::tan(alpha / 2), 1e-6);
    EXPECT_FALSE(least.attained);
  }
}

Scene make_cannonballs(int rows) {
  Scene scene = test::make_floor(0.5);
  scene.planar = Plane::kXZ;
  const double r = 0.5;
  for (int j = 0; j < rows; ++j)
    for (int i = 0; i < rows - j; ++i) {
      Body ball = make_round_body("ball" + std::to_string(j) + "_" + std::to_string(i), 1.0,
                                  {2.0 * r * (i + 0.5 * j), 0.0, r * (1.0 + std::sqrt(3.0) * j)});
      ball.shapes.push_back(make_shape(Disk{r}));
      scene.bodies.push_back(ball);
    }
  return scene;
}

// Case E. Twenty rows by two verdicts, each with its witness: yes above, and below no with a checked motion.
TEST(SceneFriction, CannonballsOfCaseE) {
  for (const auto& [rows, mu] : {std::pair{2, 0.2679491713643074},
                                 {3, 0.4339875094592571},
                                 {4, 0.4729599431157112},
                                 {6, 0.5127112437039614},
                                 {8, 0.5306366225704551},
                                 {10, 0.5408140085637569},
                                 {20, 0.5598979732021689}}) {
    SCOPED_TRACE(rows);
    if (kSanitized && rows > 4) break;
    AccelerationProblem pile = bare_problem_of(make_cannonballs(rows));
    ASSERT_EQ(pile.contacts.size(), static_cast<std::size_t>((3 * rows * rows - rows) / 2));
    if (rows < 20) {
      EXPECT_NEAR(least_friction_of(pile).mu, mu, 1e-6);
      continue;
    }
    set_mu(pile, mu + 1e-6);
    EXPECT_EQ(StickingSet(pile, FrictionKind::kCones).decide().answer, Answer::kYes);
    set_mu(pile, mu - 1e-6);
    const StickingAnswer below = StickingSet(pile, FrictionKind::kCones).decide();
    ASSERT_EQ(below.answer, Answer::kNo);
    EXPECT_TRUE(check_blocking_motion(pile, below.verdict.motion).holds);
  }
}

// Fifteen stones in a half circle of radius 1 on the floor, by the simplex method on both sides.
TEST(SceneFriction, ArchOfFifteenVoussoirsAsLinearProgramsSay) {
  const double thickness = 0.2, step = M_PI / 15;
  Scene scene = test::make_floor(0.5);
  scene.planar = Plane::kXZ;
  for (int k = 0; k < 15; ++k) {
    const auto at = [&](double radius, double angle) {
      return Vector3d(radius * std::cos(angle), 0.0, radius * std::sin(angle));
    };
    const Vector3d middle = at(1.0, (k + 0.5) * step);
    Hull stone;
    for (const double radius : {1.0 - thickness / 2, 1.0 + thickness / 2})
      for (const int side : {0, 1})
        for (const double y : {-0.1, 0.1})
          stone.points.push_back(at(radius, (k + side) * step) - middle + Vector3d(0.0, y, 0.0));
    Body body = make_round_body("stone" + std::to_string(k), 1.0, middle);
    body.shapes.push_back(make_shape(stone));
    scene.bodies.push_back(body);
  }
  AccelerationProblem arch = bare_problem_of(scene);
  ASSERT_EQ(arch.contacts.size(), 32u);  // two at each of 14 joints and at both feet
  if (kSanitized) return;
  const LeastFriction least = least_friction_of(arch);
  ASSERT_EQ(least.exists, Answer::kYes);
  const std::vector<int> signs(arch.contacts.size(), 0);
  set_mu(arch, least.mu + 1e-6);
  EXPECT_TRUE(test::sticks_by_simplex(arch, signs));
  set_mu(arch, least.mu - 1e-6);
  EXPECT_FALSE(test::sticks_by_simplex(arch, signs));
}

}  // namespace
}  // namespace rigor
