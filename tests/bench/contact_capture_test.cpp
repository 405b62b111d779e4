// Tests contact_capture.cpp, motion_methods.cpp and motion_report.cpp: what is copied from a run is what the step
// solved, and a method's curve is that of its residual.
#include "bench/contact_capture.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "bench/motion_methods.hpp"
#include "bench/motion_report.hpp"
#include "rigor/base/require.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/moving_scenes.hpp"

namespace rigor {
namespace {

constexpr double kTolerance = 1e-9;  // m/s

std::vector<CapturedContacts> capture_some() {
  std::vector<CapturedContacts> some =
      capture_scene("heap", test::make_heap(40), {.seconds = 1.0, .every = 3, .tolerance = kTolerance},
                    {.fewest = 4, .per_class = 3});
  for (const auto& [name, scene] :
       {std::pair("chain", test::make_chain_with_loop(6, 6)), {"robot", test::make_stumbling_robot()}})
    for (CapturedContacts& each :
         capture_scene(name, scene, {.seconds = 1.5, .every = 3, .tolerance = kTolerance},
                       {.fewest = 4, .per_class = 3, .least_residual = 0.0}))
      some.push_back(std::move(each));
  return some;
}

const std::vector<CapturedContacts>& problems() {
  static const std::vector<CapturedContacts> some = capture_some();
  return some;
}

double relative_residual(const CapturedContacts& problem, const Eigen::VectorXd& r) {
  UnitConeMatrix W;
  W.set(problem.problem);
  ScaledCone cone;
  scale_captured(W, problem.problem, cone);
  Eigen::VectorXd scaled, u;
  cone.from_given(r, scaled);
  cone.compute_velocity(scaled, u);
  return cone.residual(scaled, u);
}

// W r
Eigen::VectorXd velocity_of(const CapturedContacts& problem, const Eigen::VectorXd& r) {
  const ConeProblem dense = make_dense_cone(problem.problem);
  std::vector<int> sizes;
  for (const ConeBlock& block : dense.blocks) sizes.push_back(block.size);
  return dense.W * drop_unused_rows(sizes, r);
}

TEST(ContactCapture, SolvedAloneAProblemGivesTheImpulsesOfItsStep) {
  ASSERT_GE(problems().size(), 10u);
  int large = 0, dense = 0;
  for (const CapturedContacts& each : problems()) {
    SCOPED_TRACE(each.scene + ", step " + std::to_string(each.step));
    const AloneAnswer alone = solve_as_step(each, kTolerance);
    EXPECT_EQ(alone.method, each.method);
    // the dense solver's W is summed in another order, which impulses that are not unique feel: its velocities then
    const double scale = each.problem.q.norm(), off = (alone.r - each.taken).norm();
    if (each.is_large) {
      EXPECT_LE(off, 1e-7 * each.taken.norm());
    }
    EXPECT_LE(velocity_of(each, alone.r - each.taken).norm(), 1e-7 * scale);
    (each.is_large ? large : dense)++;
  }
  EXPECT_GT(large, 3);
  EXPECT_GT(dense, 3);
}

TEST(ContactCapture, TheAnswerOfTheStepSolvesTheCopy) {
  for (const CapturedContacts& each : problems())
    EXPECT_LE(relative_residual(each, each.taken) * each.problem.q.norm(), 1.01 * each.residual + 1e-13)
        << each.scene << ", step " << each.step;
}

TEST(ContactCapture, AWatchChangesNothing) {
  const Scene scene = test::make_dominoes(6);
  Simulation alone(scene), watched(scene);
  ContactCapture capture({.fewest = 1});
  watched.watch_contacts(&capture);
  for (long k = 0; k < 60; ++k) {
    capture.begin_step("dominoes", k, true);
    ASSERT_TRUE(alone.step().is_taken());
    ASSERT_TRUE(watched.step().is_taken());
  }
  EXPECT_EQ(alone.state().q, watched.state().q);
  EXPECT_EQ(alone.state().v, watched.state().v);
  EXPECT_FALSE(capture.take().empty());
}

TEST(ContactCapture, KeepsNoMoreThanAskedForAndNoneThatWasNearlySolved) {
  const std::vector<CapturedContacts> some = capture_scene(
      "dominoes", test::make_dominoes(8), {.seconds = 0.5}, {.fewest = 4, .most = 40, .per_class = 5});
  ASSERT_FALSE(some.empty());
  int in_class[std::size(kSizeClasses)]{};
  for (const CapturedContacts& each : some) {
    EXPECT_GE(each.contacts(), 4);
    EXPECT_LE(each.contacts(), 40);
    EXPECT_LE(++in_class[size_class_of(each.contacts())], 5);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(each.taken.size());
    EXPECT_GE(relative_residual(each, each.start.size() > 0 ? each.start : none), 1e-3);
  }
}

TEST(ContactCapture, AFileGivesTheProblemsBack) {
  std::stringstream file;
  write_captured(problems(), file);
  const std::vector<CapturedContacts> read = read_captured(file);
  ASSERT_EQ(read.size(), problems().size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(read[k].scene, problems()[k].scene);
    EXPECT_EQ(read[k].step, problems()[k].step);
    EXPECT_EQ(read[k].slid, problems()[k].slid);
    EXPECT_EQ(read[k].start, problems()[k].start);
    EXPECT_EQ(relative_residual(read[k], read[k].taken),
              relative_residual(problems()[k], problems()[k].taken));
  }
  std::stringstream other("something else altogether"), cut(file.str().substr(0, 100));
  EXPECT_THROW((void)read_captured(other), InvalidInput);
  EXPECT_THROW((void)read_captured(cut), InvalidInput);
}

TEST(MotionMethods, CurvesFallAndEveryMethodSolvesMostProblems) {
  for (const Method& method : motion_methods()) {
    int reached = 0;
    for (const CapturedContacts& each : problems()) {
      const Curve curve = method.run(each, {.target = 1e-6});
      ASSERT_FALSE(curve.empty());
      for (std::size_t k = 1; k < curve.size(); ++k) {
        EXPECT_LT(curve[k].residual, curve[k - 1].residual);
        EXPECT_GE(curve[k].seconds, curve[k - 1].seconds);
      }
      reached += find_point(curve, 1e-2) ? 1 : 0;
    }
    EXPECT_GE(2 * reached, static_cast<int>(problems().size())) << method.name;
  }
}

TEST(MotionReport, WhatWasNotReachedCountsAsNever) {
  const Curve good{{0.0, 0, 0, 1.0}, {0.002, 5, 0, 1e-3}, {0.004, 9, 0, 1e-9}}, bad{{0.0, 0, 0, 0.5}};
  EXPECT_EQ(find_point(good, 1e-2), &good[1]);
  EXPECT_EQ(find_point(bad, 1e-2), nullptr);
  const double never = std::numeric_limits<double>::infinity();
  EXPECT_EQ(quantile_reached({3.0, 1.0, 2.0, never}, 0.5), 2.0);
  EXPECT_EQ(quantile_reached({3.0, 1.0, 2.0, never}, 0.9), never);
  CapturedContacts problem;
  problem.scene = "heap";
  const std::string times = describe_times({problem, problem}, {{"one", {good, bad}}}, "heap", 0);
  EXPECT_NE(times.find("| one | 5e-01 | 5e-01 | 1e-03 | 1e-09 |"), std::string::npos) << times;
  const std::string table = describe_methods({{"one", {good, bad}}});
  EXPECT_NE(table.find("| one | 50 %: 2 / – ms, 5 / – |"), std::string::npos) << table;
}

}  // namespace
}  // namespace rigor
