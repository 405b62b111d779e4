// closed_contacts.cpp: contacts that wander over curved surfaces, against formulas and central differences.
#include "rigor/contact/closed_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rigor/contact/contact_finder.hpp"
#include "rigor/dynamics/assembly.hpp"
#include "rigor/dynamics/constrained_system.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;

std::vector<ClosedContact> find(const Scene& scene, const ClosedContactOptions& options = {}) {
  const Model model = make_model(scene);
  const State state = make_state(model);
  ConstrainedSystem system(model);
  system.set_motion(state.q, state.v);
  return find_closed_contacts(model, system.kinematics(), options);
}

// On a floor a rolling ball's contact goes straight on: no bias, though its material turns back up at ω²r.
TEST(ClosedContacts, ABallThatRollsOnAFloorHasNoBias) {
  Scene scene = test::make_floor(0.5);
  Body& ball = test::add_sphere(scene, "ball", 0.2, 3.0, {0.0, 0.0, 0.2});
  ball.velocity.linear = {2.0, 0.0, 0.0};
  ball.velocity.angular = {0.0, 10.0, 0.0};
  const std::vector<ClosedContact> closed = find(scene);
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_LT(closed[0].u.norm(), 1e-14);
  EXPECT_LT(closed[0].bias.norm(), 1e-13);
}

// A ball of radius r that rolls over a fixed one of radius R at speed v: g̈ = v²/(R + r) at v̇ = 0.
TEST(ClosedContacts, ABallThatRollsOverABallIsThrownOff) {
  const double R = 1.5, r = 0.5, v = 3.0;
  Scene scene = test::make_floor(0.5);
  scene.shapes.clear();
  ShapeInstance dome;
  dome.geometry = Sphere{R};
  scene.shapes.push_back(dome);
  Body& ball = test::add_sphere(scene, "ball", r, 1.0, {0.0, 0.0, R + r});
  ball.velocity.linear = {v, 0.0, 0.0};
  ball.velocity.angular = {0.0, v / r, 0.0};
  const std::vector<ClosedContact> closed = find(scene);
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_NEAR(closed[0].bias[0], v * v / (R + r), 1e-12);
  EXPECT_NEAR(closed[0].bias[1], 0.0, 1e-12);
}

// A bar that turns about its end on the floor: the end's material keeps ω × (ω × r).
TEST(ClosedContacts, ABarThatSpinsAboutItsEnd) {
  const double half = 0.5, angle = 0.7;
  const Vector3d omega(0.3, 2.0, 5.0), to_end(half * std::cos(angle), 0.0, -half * std::sin(angle));
  Scene scene = test::make_floor(0.5);
  Body bar;
  bar.name = "bar";
  bar.mass = 1.0;
  bar.inertia = {0.1, 0.1, 0.1};
  bar.pose.position = {0.0, 0.0, half * std::sin(angle)};
  bar.velocity.angular = {omega.x(), omega.y(), omega.z()};
  const Vector3d linear = -omega.cross(to_end);
  bar.velocity.linear = {linear.x(), linear.y(), linear.z()};
  ShapeInstance end;
  end.geometry = Point{};
  end.pose.position = to_end;
  bar.shapes.push_back(end);
  scene.bodies.push_back(bar);
  const std::vector<ClosedContact> closed = find(scene);
  ASSERT_EQ(closed.size(), 1u);
  const Contact& contact = closed[0].contact;
  const double sign = contact.a == kWorldIndex ? -1.0 : 1.0;
  const Vector3d expected = sign * contact.frame.transpose() * omega.cross(omega.cross(to_end));
  EXPECT_LT((closed[0].bias - expected).norm(), 1e-12);
}

// J v at q moved by dt along v.
Eigen::VectorXd speeds_at(const Model& model, const State& state, double dt, const Contact& same) {
  ConstrainedSystem system(model);
  Eigen::VectorXd q = state.q;
  move(model, dt * state.v, q);
  system.set_motion(q, state.v);
  ContactFinder finder(model);
  std::vector<Contact> contacts;
  finder.find(system.kinematics(), 1e-3, contacts);
  for (const Contact& contact : contacts) {
    if (contact.shape_a != same.shape_a || contact.shape_b != same.shape_b || contact.id != same.id) continue;
    const auto velocity = [&](BodyIndex b) -> Vector3d {
      const BodyKinematics<double>& body = system.kinematics().bodies[static_cast<std::size_t>(b)];
      return body.velocity_at(contact.point - body.p);
    };
    return contact.frame.transpose() * (velocity(contact.a) - velocity(contact.b));
  }
  ADD_FAILURE() << "the contact is gone";
  return Vector3d::Zero();
}

// Rounded bodies on rounded ones, rolling, spinning and sliding in any direction: (1) against the difference
// of J v along the motion. Tangential rows where nothing slides.
TEST(ClosedContacts, BiasIsTheRateOfTheRows) {
  Random random(17);
  const auto draw = [&] { return random.uniform(-1.0, 1.0); };
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    Scene scene = test::make_floor(0.5);
    scene.shapes.clear();
    ShapeInstance below;
    const int kind = trial % 3;
    const double R = 0.5 + std::abs(draw());
    if (kind == 0) below.geometry = Sphere{R}, below.pose.position = {0.0, 0.0, -R};
    if (kind == 1) below.geometry = HalfSpace{};
    if (kind == 2) {
      below.geometry = Capsule{R, 8.0};
      below.pose.position = {0.0, 0.0, -R};
      const Eigen::AngleAxisd turn(M_PI / 2.0, Vector3d(std::cos(trial), std::sin(trial), 0.0));
      below.pose.rotation = Eigen::Quaterniond(turn);
    }
    scene.shapes.push_back(below);
    const double r = 0.2 + 0.3 * std::abs(draw());
    Body& ball = test::add_sphere(scene, "ball", r, 1.0, {0.0, 0.0, r});
    const Vector3d omega(3.0 * draw(), 3.0 * draw(), 3.0 * draw());
    const bool slides = trial % 2 == 1;
    const Vector3d linear =
        omega.cross(Vector3d(0.0, 0.0, r)) + (slides ? Vector3d(draw(), draw(), 0.0) : Vector3d::Zero());
    ball.velocity.angular = {omega.x(), omega.y(), omega.z()};
    ball.velocity.linear = {linear.x(), linear.y(), linear.z()};
    const std::vector<ClosedContact> closed = find(scene, {1e-9, 1e-9});
    ASSERT_EQ(closed.size(), 1u);
    const Model model = make_model(scene);
    const State state = make_state(model);
    const double dt = 1e-4;
    const Vector3d rate =
        (speeds_at(model, state, dt, closed[0].contact) - speeds_at(model, state, -dt, closed[0].contact)) /
        (2.0 * dt);
    const int rows = slides ? 1 : 3;
    EXPECT_LT((closed[0].bias - rate).head(rows).norm(), 1e-6 * (1.0 + rate.norm()));
  }
}

TEST(ClosedContacts, WhatIsApartOrOpensIsLeftOut) {
  Scene scene = test::make_floor(0.5);
  test::add_sphere(scene, "rests", 0.2, 1.0, {0.0, 0.0, 0.2});
  test::add_sphere(scene, "apart", 0.2, 1.0, {1.0, 0.0, 0.2 + 1e-5});
  test::add_sphere(scene, "opens", 0.2, 1.0, {2.0, 0.0, 0.2}).velocity.linear = {0.0, 0.0, 1e-3};
  EXPECT_EQ(find(scene).size(), 1u);
  EXPECT_EQ(find(scene, {1e-4, 1e-9}).size(), 2u);
  EXPECT_EQ(find(scene, {1e-9, 1e-2}).size(), 2u);
}

}  // namespace
}  // namespace rigor
