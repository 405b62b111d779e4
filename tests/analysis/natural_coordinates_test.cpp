// natural_coordinates.cpp: the same scenes in points and vectors and on their joints, answer by answer.
#include "rigor/analysis/natural_coordinates.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "rigor/analysis/analyse.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/random_constraints.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::make_shape;
using test::Random;

// A pendulum or double pendulum in space: ball, universal or revolute joints at an angle, moving.
Scene make_pendulum(Random& random) {
  Scene scene;
  const JointType types[] = {JointType::kRevolute, JointType::kBall, JointType::kUniversal};
  const int count = 1 + random.index(3);
  for (int i = 0; i < count; ++i) {
    const JointType type = types[random.index(3)];
    const double length = random.uniform(0.3, 1.0), m = random.uniform(0.5, 3.0);
    Body body = test::make_body(
        "link" + std::to_string(i), m, {0.0, 0.0, -0.5 * length}, {m * 0.02, m * 0.03, m * 0.012},
        test::make_joint(type, random.direction(), i == 0 ? kWorld : "link" + std::to_string(i - 1)));
    if (type == JointType::kUniversal) {
      body.joint.axis = Vector3d::UnitX();
      body.joint.axis2 = Vector3d::UnitY();
    }
    body.pose.position = {0.0, 0.0, i == 0 ? 0.0 : -0.8};
    const int nv = type == JointType::kRevolute ? 1 : type == JointType::kBall ? 3 : 2;
    for (int k = 0; k < nv; ++k) body.joint.v.push_back(random.uniform(-2.0, 2.0));
    if (type != JointType::kBall)
      for (int k = 0; k < nv; ++k) body.joint.q.push_back(random.uniform(-0.8, 0.8));
    scene.bodies.push_back(body);
  }
  return scene;
}

// Boxes on the floor, alone or stacked; gravity tilted by up to the friction angle and beyond.
Scene make_boxes(Random& random) {
  Scene scene = test::make_floor(random.uniform(0.2, 0.8));
  const double tilt = random.uniform(0.0, 0.5), turn = random.uniform(0.0, 6.0);
  scene.gravity =
      9.81 * Vector3d(std::sin(tilt) * std::cos(turn), std::sin(tilt) * std::sin(turn), -std::cos(tilt));
  double height = 0.0;
  const int count = 1 + random.index(2);
  for (int i = 0; i < count; ++i) {
    const Vector3d size(random.uniform(0.5, 1.0), random.uniform(0.5, 1.0), random.uniform(0.2, 0.5));
    test::add_box(scene, "box" + std::to_string(i), size, random.uniform(0.5, 4.0),
                  {random.uniform(-0.05, 0.05), random.uniform(-0.05, 0.05), height + 0.5 * size.z()});
    scene.bodies.back().shapes.back().material = "floor";
    height += size.z();
  }
  return scene;
}

// A ladder against nothing: a chain of hinged boxes that lies on the floor.
Scene make_lying_chain(Random& random) {
  Scene scene = test::make_floor(random.uniform(0.2, 0.8));
  const double tilt = random.uniform(0.0, 0.5);
  scene.gravity = 9.81 * Vector3d(std::sin(tilt), 0.0, -std::cos(tilt));
  const int count = 2 + random.index(3);
  for (int i = 0; i < count; ++i) {
    Body body;
    body.name = "link" + std::to_string(i);
    body.mass = random.uniform(0.5, 2.0);
    body.shapes.push_back(make_shape(Box{{0.4, 0.2, 0.1}}));
    if (i == 0) {
      body.pose.position = {0.0, 0.0, 0.05};
    } else {
      const bool upright = random.chance(0.5);
      body.pose.position = {0.5, 0.0, 0.0};
      body.joint = test::make_joint(random.chance(0.5) ? JointType::kRevolute : JointType::kBall,
                                    upright ? Vector3d(Vector3d::UnitZ()) : Vector3d(Vector3d::UnitY()),
                                    "link" + std::to_string(i - 1));
      body.joint.pose.position = {-0.25, 0.0, 0.0};
    }
    scene.bodies.push_back(body);
  }
  return scene;
}

// Rods without thickness around a hub: their M is singular, and so are the hub's second and third points.
Scene make_star(Random& random) {
  Scene scene;
  scene.bodies = {test::make_body("hub", 1.5, {0.02, 0.0, 0.0}, {0.02, 0.03, 0.025},
                                  test::make_joint(JointType::kRevolute, random.direction()))};
  scene.bodies[0].joint.v = {random.uniform(-2.0, 2.0)};
  for (int i = 0; i < 3; ++i) {
    const double m = random.uniform(0.3, 2.0), I = m * 0.25 / 12.0;
    Body rod = test::make_body("rod" + std::to_string(i), m, {0.25, 0.0, 0.0}, {0.0, I, I},
                               test::make_joint(JointType::kRevolute, Vector3d::UnitZ(), "hub"));
    rod.pose.position = 0.3 * random.direction();
    rod.pose.rotation = random.rotation();
    rod.joint.v = {random.uniform(-3.0, 3.0)};
    scene.bodies.push_back(rod);
  }
  return scene;
}

constexpr int kKinds = 7;

Scene make_scene(Random& random, int kind) {
  switch (kind) {
    case 5:
      return make_star(random);
    case 0:
      return make_pendulum(random);
    case 1: {
      Scene scene = test::make_four_bar(1.0, 0.4, 1.0, 0.8, random.uniform(0.4, 2.5));
      scene.bodies[0].joint.v = {random.uniform(-2.0, 2.0)};
      return scene;
    }
    case 2:
      return make_boxes(random);
    case 3:
      return make_lying_chain(random);
    case 4:
      return test::make_incline(random.uniform(0.0, 0.7), 0.5);
    default: {
      test::ForestOptions options;
      options.bodies = 1 + random.index(5);
      return test::make_random_forest(static_cast<std::uint64_t>(random.below(1 << 30)), options);
    }
  }
}

double relative(const VectorXd& a, const VectorXd& b) {
  return (a - b).norm() / (1.0 + b.norm());
}

TEST(NaturalCoordinates, AgreeWithJointsOnAHundredScenes) {
  Random random(31);
  int sticks = 0, slips = 0, singular = 0, with_contacts = 0, closed_loops = 0;
  const int count = kSanitized ? 21 : 119;
  for (int k = 0; k < count; ++k) {
    const Scene scene = make_scene(random, k % kKinds);
    const Model model = make_model(scene);
    const State state = assemble(model).state;
    SceneProblem joints = make_scene_problem(model, state);
    const NaturalProblem natural = make_natural_problem(model, state, joints);
    const AccelerationProblem& ours = natural.scene.problem;
    SCOPED_TRACE(testing::Message() << "scene " << k << " of kind " << k % kKinds);
    ASSERT_NO_THROW(ours.validate());

    // the same kinetic energy and the same rows; rigidity holds for every motion of the tree
    const MatrixXd& Gamma = natural.Gamma;
    EXPECT_LT((Gamma.transpose() * ours.M * Gamma - joints.problem.M).norm(), 1e-9 * joints.problem.M.norm());
    for (std::size_t i = 0; i < ours.contacts.size(); ++i) {
      const VectorXd back = Gamma.transpose() * ours.contacts[i].normal;
      const double bias = ours.contacts[i].normal_bias + ours.contacts[i].normal.dot(natural.q_bias);
      if (i < joints.problem.contacts.size()) {
        EXPECT_LT(relative(back, joints.problem.contacts[i].normal), 1e-9) << ours.contacts[i].name;
        EXPECT_NEAR(bias, joints.problem.contacts[i].normal_bias, 1e-8);
      } else {
        EXPECT_LT(back.norm(), 1e-9) << ours.contacts[i].name;
        EXPECT_NEAR(bias, 0.0, 1e-8) << ours.contacts[i].name;
      }
    }

    AnalysisOptions options;
    options.ranges = true;
    options.friction_per_contact = false;
    const Analysis a = analyse(joints.problem, options), b = analyse(ours, options);
    ASSERT_EQ(a.closed.answer, b.closed.answer);
    ASSERT_EQ(a.opening.answer, b.opening.answer);
    EXPECT_EQ(a.frictionless.answer, b.frictionless.answer);
    EXPECT_EQ(a.acceleration_unique, b.acceleration_unique);
    EXPECT_EQ(b.acceleration_unique, b.opening.answer == Answer::kYes ? Answer::kYes : Answer::kUndecided);
    if (std::isfinite(a.closed.verdict.margin) && !a.closed.verdict.is_capped) {
      EXPECT_NEAR(a.closed.verdict.margin, b.closed.verdict.margin, 1e-9 * (1.0 + a.closed.verdict.scale));
    }
    if (a.mu_min && a.mu_min->exists == Answer::kYes) {
      ASSERT_EQ(b.mu_min->exists, Answer::kYes);
      EXPECT_NEAR(a.mu_min->mu, b.mu_min->mu, 1e-9 * (1.0 + a.mu_min->mu));
      EXPECT_EQ(a.mu_min->attained, b.mu_min->attained);
    }
    if (a.opening.answer == Answer::kYes) {
      EXPECT_LT(relative(natural.to_speeds(b.opening.sticking.acceleration), a.opening.sticking.acceleration),
                1e-9);
      for (std::size_t i = 0; i < joints.problem.contacts.size(); ++i)
        for (std::size_t c = 0; c < a.contacts[i].ranges.size(); ++c) {
          const Interval &p = a.contacts[i].ranges[c], &q = b.contacts[i].ranges[c];
          if (std::isfinite(p.min)) {
            EXPECT_NEAR(p.min, q.min, 1e-9 * (1.0 + std::abs(p.min)));
          }
          if (std::isfinite(p.max)) {
            EXPECT_NEAR(p.max, q.max, 1e-9 * (1.0 + std::abs(p.max)));
          }
        }
      ++sticks;
    } else {
      ++slips;
    }
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(ours.M).eigenvalues();
    singular += values[0] < 1e-9 * values[values.size() - 1] ? 1 : 0;
    with_contacts +=
        natural.scene.places.front().is_contact || natural.scene.places.back().is_contact ? 1 : 0;
    for (const AccelerationContact& contact : joints.problem.contacts) {
      closed_loops += contact.is_unilateral() ? 0 : 1;
      if (!contact.is_unilateral()) break;
    }
  }
  EXPECT_GT(sticks, count / 4);
  EXPECT_GT(slips, kSanitized ? -1 : count / 20);
  EXPECT_GT(singular, count / 20);
  EXPECT_GT(with_contacts, count / 4);
  EXPECT_GT(closed_loops, count / 20);
}

// A rod on a revolute joint shares its pivot and its axis with the world: six coordinates, one freedom.
TEST(NaturalCoordinates, APendulumHasOnePointAndOneVectorOfItsOwn) {
  Scene scene;
  scene.bodies = {test::make_body("rod", 2.0, {0.0, 0.0, -0.5}, {0.1667, 0.1667, 1e-6},
                                  test::make_joint(JointType::kRevolute, Vector3d::UnitY()))};
  const Model model = make_model(scene);
  const State state = assemble(model).state;
  const NaturalProblem natural = make_natural_problem(model, state, make_scene_problem(model, state));
  EXPECT_EQ(natural.scene.problem.size(), 6);
  EXPECT_EQ(natural.scene.problem.contacts.size(), 5u);
  EXPECT_EQ(natural.scene.coordinates.front(), "rod.point2.x");
}

}  // namespace
}  // namespace rigor
