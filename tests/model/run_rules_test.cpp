#include "rigor/model/run_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/message_of.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;

std::string complaint(const RunSettings& run) {
  Scene scene;
  scene.run = run;
  return test::message_of([&] { check_scene(scene); });
}

TEST(RunRules, ASettingThatNobodyUsesIsRefused) {
  EXPECT_EQ(complaint({.solver = Solver::kLemke}),
            "run.solver = \"lemke\", would have no effect: it is for formulations that are LCPs; cone and "
            "convex choose "
            "their own solver. Leave it out, or ask for what uses it.");
  EXPECT_THAT(
      complaint({.formulation = Formulation::kPhantom, .solver = Solver::kNsgs}),
      HasSubstr("run.solver = \"nsgs\", would have no effect: it is for `rigor solve` on cone problems"));
  EXPECT_THAT(complaint({.directions = 8}), HasSubstr("run.directions = 8"));
  EXPECT_THAT(complaint({.formulation = Formulation::kBox, .directions = 8}),
              HasSubstr("run.directions = 8"));
  EXPECT_THAT(complaint({.formulation = Formulation::kBox, .max_iterations = 7}),
              HasSubstr("run.max_iterations = 7"));
  EXPECT_THAT(complaint({.phantom_inertia = 2.0}), HasSubstr("it is for formulation phantom"));
  EXPECT_THAT(complaint({.method = RunSettings::Method::kRungeKutta4, .tolerance = 1e-8}),
              HasSubstr("run.tolerance = 1e-08, would have no effect: it is for method semi-implicit"));
}

TEST(RunRules, WhatIsUsedIsNot) {
  EXPECT_EQ(complaint({}), "");
  EXPECT_EQ(
      complaint({.formulation = Formulation::kStewartTrinkle, .solver = Solver::kLemke, .directions = 8}),
      "");
  EXPECT_EQ(complaint({.formulation = Formulation::kPhantom, .directions = 6, .phantom_inertia = 1.0}), "");
  EXPECT_EQ(complaint({.tolerance = 1e-6, .max_iterations = 50}), "");
}

TEST(RunRules, RestitutionIsRefusedUntilThereAreBounces) {
  Scene scene;
  Material rubber;
  rubber.name = "rubber";
  rubber.restitution = 0.5;
  scene.materials.push_back(rubber);
  EXPECT_EQ(test::message_of([&] { check_scene(scene); }),
            "materials.rubber.restitution = 0.5, must be 0: impacts are inelastic, bounces are not computed "
            "yet. Leave it "
            "out.");
}

TEST(RunRules, ResetLeavesOnlyWhatActs) {
  RunSettings run{.solver = Solver::kLemke, .directions = 8, .tolerance = 1e-6, .phantom_inertia = 2.0};
  reset_unused(run);
  EXPECT_EQ(run.solver, Solver::kAuto);
  EXPECT_EQ(run.directions, 4);
  EXPECT_EQ(run.phantom_inertia, 0.0);
  EXPECT_EQ(run.tolerance, 1e-6);
  EXPECT_EQ(complaint(run), "");
}

}  // namespace
}  // namespace rigor
