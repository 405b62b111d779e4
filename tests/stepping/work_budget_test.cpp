// step_work.cpp, simulation.cpp, semi_implicit.cpp, contact_solver.cpp: one budget of work for a step and all of its parts, and what
// an interruption within a step leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/base/interruption.hpp"
#include "rigor/stepping/simulation.hpp"
#include "rigor/stepping/step_work.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/moving_scenes.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

void expect_same_bits(const State& a, const State& b) {
  EXPECT_EQ(a.t, b.t);
  EXPECT_TRUE((a.q.array() == b.q.array()).all());
  EXPECT_TRUE((a.v.array() == b.v.array()).all());
}

// A cube that lands on a corner beside others that lie: problems that take some iterations each.
Scene make_tumbling_boxes(int count) {
  Scene scene = test::make_floor(0.5);
  for (int k = 0; k < count; ++k) {
    Body& box =
        test::add_box(scene, "box " + std::to_string(k), {1.0, 1.0, 1.0}, 1.0 + k, {3.0 * k, 0.0, 0.5});
    box.velocity.linear = {2.0, 1.0 + 0.1 * k, -1.0};
    box.velocity.angular = {0.3, 0.2 * k, 1.0};
  }
  return scene;
}

TEST(WorkBudget, AStepThatSpendsItEndsUnsolvedAndLeavesTheState) {
  Scene scene = test::make_wall(5, 5);
  scene.run.work = 1e3;
  Simulation simulation(scene);
  const State before = simulation.state();
  const StepReport report = simulation.step();
  EXPECT_EQ(report.status, StepStatus::kUnsolved);
  EXPECT_THAT(report.message, HasSubstr("unsolved when the step's"));
  EXPECT_THAT(report.message,
              HasSubstr("multiplications were spent (run.work = 1000 for every 100 contact rows)"));
  expect_same_bits(simulation.state(), before);
}

// Ten halvings with a budget each would spend it hundreds of times.
TEST(WorkBudget, HalvesOfAStepShareIt) {
  Scene scene = test::make_wall(5, 5);
  scene.run.work = 1e4;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kHalve;
  Simulation halving(scene);
  const State before = halving.state();
  const StepReport report = halving.step();
  scene.run.on_unsolved = RunSettings::OnUnsolved::kStop;
  Simulation whole(scene);
  EXPECT_EQ(report.status, StepStatus::kUnsolved);
  EXPECT_EQ(report.work, whole.step().work);
  expect_same_bits(halving.state(), before);
}

TEST(WorkBudget, WhatIsNotReachedChangesNoBit) {
  Scene scene = make_tumbling_boxes(6);
  Simulation usual(scene);
  scene.run.work = 1e18;
  Simulation ample(scene);
  for (int k = 0; k < 50; ++k) {
    const StepReport report = usual.step();
    ASSERT_TRUE(report.is_taken()) << report.message;
    EXPECT_EQ(report.work, ample.step().work);
    EXPECT_LT(report.work, 1e8) << "ordinary steps are far from it";
  }
  expect_same_bits(usual.state(), ample.state());
}

// Which islands are left when it is spent is decided by their order, not by who was first.
TEST(WorkBudget, ThreadsChangeNoBitOfWhatASpentBudgetLeaves) {
  Scene scene = make_tumbling_boxes(40);
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  int spent = 0;
  for (const double work : {1e3, 3e3, 1e4, 3e4}) {
    scene.run.work = work;
    State first;
    for (const int threads : {1, 4}) {
      scene.run.threads = threads;
      Simulation simulation(scene);
      for (int k = 0; k < 5; ++k) spent += simulation.step().contact.unsolved_islands > 0;
      if (threads == 1) first = simulation.state();
      expect_same_bits(simulation.state(), first);
    }
  }
  EXPECT_GT(spent, 0) << "else nothing was tested";
}

TEST(WorkBudget, AnInterruptedStepIsNotTakenAndCanBeTakenLater) {
  for (const auto on_unsolved :
       {RunSettings::OnUnsolved::kStop, RunSettings::OnUnsolved::kAccept, RunSettings::OnUnsolved::kHalve}) {
    Scene scene = make_tumbling_boxes(3);
    scene.run.on_unsolved = on_unsolved;
    Simulation simulation(scene), undisturbed(scene);
    const State before = simulation.state();
    request_interruption();
    const StepReport report = simulation.step();
    clear_interruption();
    EXPECT_EQ(report.status, StepStatus::kInterrupted);
    EXPECT_EQ(to_string(report.status), "interrupted");
    EXPECT_TRUE(simulation.is_finished()) << "loops over is_finished() end";
    expect_same_bits(simulation.state(), before);
    EXPECT_TRUE(simulation.step().is_taken());
    EXPECT_FALSE(simulation.has_failed());
    EXPECT_TRUE(undisturbed.step().is_taken());
    expect_same_bits(simulation.state(), undisturbed.state());
  }
}

// The formulas of step_work.hpp, by hand.
TEST(WorkBudget, ItsLimitFollowsTheRowsAndWhatIsUsual) {
  RunSettings settings;
  settings.work = 1e6;
  StepWork plain(settings);
  plain.begin(0.0);
  plain.bound(30);
  EXPECT_EQ(plain.meter().limit(), 3e6);
  plain.bound(1000);
  EXPECT_EQ(plain.meter().limit(), 1e7);
  EXPECT_EQ(plain.follow_usual(1e6, 1000), 0.0);  // nobody asks for it

  settings.budget = 2.0;
  StepWork bounded(settings);
  bounded.begin(6e3);
  bounded.bound(100);
  EXPECT_EQ(bounded.meter().limit(), 2.0 * 6e3 * 100);
  EXPECT_EQ(bounded.follow_usual(7e5, 100), 6e3 * 1.05);
  EXPECT_EQ(bounded.follow_usual(5e5, 100), 6e3 / 1.05);
  EXPECT_EQ(bounded.follow_usual(5e5, 0), 6e3);
  bounded.begin(10.0);  // of a step that rested
  bounded.bound(100);
  EXPECT_EQ(bounded.meter().limit(), 2.0 * 5e3 * 100);

  WorkMeter meter(10.0);
  bounded.share(&meter);
  EXPECT_EQ(&bounded.meter(), &meter);
}

// A ball hits a wall: single steps took a hundred times the usual, and thousands of times that of the flight before.
TEST(WorkBudget, ABudgetBoundsStepsByWhatIsUsual) {
  Scene scene = test::make_wall_and_ball(6);
  scene.run.tolerance = 1e-6;
  scene.run.overlap = 1e-4;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  scene.run.budget = 5.0;
  Simulation simulation(scene);
  double most = 0.0;  // over what is allowed
  for (int k = 0; k < 90; ++k) {
    const double usual = std::max(simulation.state().usual_work, 5e3);
    const bool is_known = simulation.state().usual_work > 0.0;
    const StepReport report = simulation.step();
    ASSERT_TRUE(report.is_taken()) << report.message;
    const double rows = 3.0 * (report.contact.open + report.contact.sticking + report.contact.sliding);
    if (is_known) most = std::max(most, report.work / (scene.run.budget * usual * rows));
  }
  EXPECT_GT(simulation.state().usual_work, 0.0);
  EXPECT_LE(most, 1.2);  // what is under way is not cut off
}

// What is usual belongs to the state: a run that goes on from there takes the same steps.
TEST(WorkBudget, ABudgetGoesOnFromAState) {
  Scene scene = make_tumbling_boxes(6);
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  scene.run.budget = 1.0;
  Simulation first(scene), second(scene);
  for (int k = 0; k < 20; ++k) (void)first.step();
  second.restart(first.state(), first.totals());
  for (int k = 0; k < 20; ++k) EXPECT_EQ(first.step().work, second.step().work);
  expect_same_bits(first.state(), second.state());
  EXPECT_EQ(first.state().usual_work, second.state().usual_work);
}

TEST(WorkBudget, ABudgetIsNamedWhereItEndsARun) {
  Scene scene = test::make_wall_and_ball(6);
  scene.run.budget = 1e-3;
  Simulation simulation(scene);
  const StepReport report = simulation.run();
  EXPECT_THAT(report.message, HasSubstr("(run.budget = 0.001 times what steps usually take)"));
}

}  // namespace
}  // namespace rigor
