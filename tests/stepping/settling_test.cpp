// Tests settling.cpp: rest to rounding is rest, and stays bit for bit what it is; and that answers which are
// given again (semi_implicit.cpp, contact_finder.cpp) are those that would be computed.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

constexpr int kSteps = kSanitized ? 20 : 200;

// Every course is shifted by less than half a brick: the last one's centre of mass is over its support.
Scene make_wall() {
  Scene scene = test::make_floor(0.6);
  for (int row = 0; row < 4; ++row)
    for (int k = 0; k < 4; ++k)
      test::add_box(scene, "b" + std::to_string(4 * row + k), {0.4, 0.2, 0.2}, 1.0,
                    {0.401 * k + 0.15 * (row % 2), 0.0, 0.1 + 0.2 * row});
  scene.run.dt = 1e-2;
  scene.run.until = 10.0;
  return scene;
}

// A tower with a mass on top, a wall, an arch, cards, Kapla: after a few steps not a bit of the state moves.
TEST(Settling, WhatRestsStaysToTheLastBit) {
  for (const Scene& scene : {test::make_tower(10, 1000.0), make_wall(), test::make_arch(15),
                             test::make_card_house(3), test::make_kapla_tower(2)}) {
    SCOPED_TRACE(scene.bodies.size());
    Simulation simulation(scene);
    for (int k = 0; k < 60; ++k) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    const State rest = simulation.state();
    EXPECT_TRUE(rest.v.isZero(0.0));
    for (int k = 0; k < kSteps; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved);
      EXPECT_EQ(report.contact.method, "kept");
      EXPECT_LE(report.contact.residual, 1e-12);
    }
    EXPECT_EQ(simulation.state().q, rest.q);
    EXPECT_EQ(simulation.state().v, rest.v);
    EXPECT_EQ(simulation.state().contacts, rest.contacts);
  }
}

// What moves is left alone, however slowly: a box on ice pushed by 1e-9 of its weight, which moves it by the
// tolerance of a step in each.
TEST(Settling, ASmallForceStillMoves) {
  Scene scene = test::make_floor(0.0);
  test::add_box(scene, "box", {0.4, 0.4, 0.4}, 1.0, {0.0, 0.0, 0.2});
  Force push;
  push.name = "push";
  push.body = "box";
  push.force = {1e-9 * 9.81, 0.0, 0.0};
  scene.forces.push_back(push);
  scene.run.dt = 1e-2;
  scene.run.until = 1.0;
  Simulation simulation(scene);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
  EXPECT_NEAR(simulation.state().v[3], 1e-9 * 9.81, 1e-6 * 1e-9 * 9.81);
}

void expect_same(const StepReport& one, const StepReport& other) {
  EXPECT_EQ(one.contact.residual, other.contact.residual);
  EXPECT_EQ(one.contact.method, other.contact.method);
  EXPECT_EQ(one.contact.sticking, other.contact.sticking);
  EXPECT_EQ(one.contact.force_freedom, other.contact.force_freedom);
  EXPECT_EQ(one.contact.sticking_drift, other.contact.sticking_drift);
  EXPECT_EQ(one.energy.applied, other.energy.applied);
  EXPECT_EQ(one.energy.numerical, other.energy.numerical);
  EXPECT_EQ(one.energy.potential_change, other.energy.potential_change);
}

// With and without what is kept from the last step, in a scene that rests and in one where a ball rolls into
// a wall at rest: the same bits in every step.
TEST(Settling, AnswersGivenAgainAreThoseThatWouldBeComputed) {
  Scene struck = make_wall();
  test::add_sphere(struck, "ball", 0.1, 5.0, {-0.6, 0.0, 0.1}).velocity.linear = {0.8, 0.0, 0.0};
  for (const Scene& scene : {make_wall(), struck, test::make_arch(15)}) {
    SCOPED_TRACE(scene.bodies.size());
    Simulation with(scene), without(scene);
    without.set_reuse(false);
    for (int k = 0; k < kSteps / 2; ++k) {
      const StepReport one = with.step(), other = without.step();
      ASSERT_EQ(one.status, StepStatus::kSolved) << one.message;
      expect_same(one, other);
      ASSERT_TRUE(with.state() == without.state()) << "step " << k;
      ASSERT_EQ(with.stepper().contacts().size(), without.stepper().contacts().size());
    }
  }
}

// A caller who changes the state, or the step, gets an answer to what was asked.
TEST(Settling, AnotherStateIsAnotherQuestion) {
  Simulation simulation(make_wall());
  for (int k = 0; k < 20; ++k) (void)simulation.step();
  State pushed = simulation.state();
  ASSERT_TRUE(pushed.v.isZero(0.0));
  pushed.v[6 * 15 + 3] = 0.5;
  simulation.restart(pushed, 20);
  (void)simulation.step();
  EXPECT_GT(simulation.state().v.norm(), 0.1);
  Simulation fresh(make_wall());
  fresh.restart(pushed, 20);
  (void)fresh.step();
  EXPECT_TRUE(fresh.state() == simulation.state());
}

// The step is dt itself, not the difference of two times that has lost digits.
TEST(Settling, EveryStepIsAsLongAsTheOthers) {
  Scene scene = test::make_tower(1, 1.0);
  scene.run.dt = 1e-2;
  scene.run.until = 1e6;
  Simulation simulation(scene);
  State late = simulation.state();
  late.t = 5e7 * 1e-2;
  simulation.restart(late, 50'000'000);
  (void)simulation.step();
  ASSERT_FALSE(simulation.state().contacts.empty());
  EXPECT_EQ(simulation.state().contacts.front().h, 1e-2);
}

}  // namespace
}  // namespace rigor
