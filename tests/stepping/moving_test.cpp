// Scenes in motion: cone_island.cpp where neither rest nor the answer of the step before is near, and
// kinetic_keeper.cpp.
#include <gtest/gtest.h>

#include <tuple>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/moving_scenes.hpp"
#include "tests/support/standing_scenes.hpp"
#include "tests/support/total_energy.hpp"

namespace rigor {
namespace {

struct Course {
  long unsolved{0};
  int most_iterations{0};
  double penetration{0.0};  // m
};

Course run_for(Scene scene, double seconds, double tolerance) {
  scene.run.tolerance = tolerance;
  scene.run.overlap = 1e-4;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(scene);
  Course course;
  for (long k = 0; static_cast<double>(k) * scene.run.dt < seconds; ++k) {
    const StepReport report = simulation.step();
    EXPECT_TRUE(report.is_taken()) << report.message;
    if (!report.is_taken()) break;
    course.unsolved += report.contact.unsolved_islands > 0 ? 1 : 0;
    course.most_iterations = std::max(course.most_iterations, report.contact.iterations);
    if (k > 0) course.penetration = std::max(course.penetration, report.contact.penetration);
  }
  return course;
}

// A ball of 150 kg at 10 m/s: the first steps of the hit took seconds each and were not solved.
TEST(Moving, ABallThatHitsAWallIsSolvedInEveryStep) {
  const Course course = run_for(test::make_wall_and_ball(6), 0.3, 1e-4);
  EXPECT_EQ(course.unsolved, 0);
  EXPECT_LE(course.most_iterations, 1000);
}

TEST(Moving, AHeapThatFallsIsSolvedInEveryStep) {
  const Course course = run_for(test::make_heap(40), 1.0, 1e-4);
  EXPECT_EQ(course.unsolved, 0);
  EXPECT_LE(course.most_iterations, 1000);
}

TEST(Moving, AKickedTowerAndDominoesAreSolvedTightly) {
  EXPECT_EQ(run_for(test::make_kicked_tower(12), 1.0, 1e-8).unsolved, 0);
  EXPECT_EQ(run_for(test::make_dominoes(12), 1.0, 1e-8).unsolved, 0);
}

// A pile of discs that spreads: planar islands of 64 contacts and more go to sparse factors.
TEST(Moving, DiscsInAPlaneAreSolvedInEveryStep) {
  Scene scene = test::make_cannonballs(12, 0.2);
  scene.shapes.resize(1);  // without walls
  scene.run.dt = 0.05;
  EXPECT_EQ(run_for(scene, 0.5, 1e-9).unsolved, 0);
}

// With a loose tolerance sweeps came first, and crawled towards the rest that a tight one finds at once.
TEST(Moving, ALooseToleranceIsNotSlowerThanATightOne) {
  const Scene pile = test::make_cannonballs(16, 0.2);
  const Course loose = run_for(pile, 0.2, 1e-6), tight = run_for(pile, 0.2, 1e-10);
  EXPECT_EQ(loose.unsolved + tight.unsolved, 0);
  EXPECT_LE(loose.most_iterations, tight.most_iterations);
}

// Shapes of all kinds between walls, spheres, mechanisms that lie on themselves, a robot: as above.
TEST(Moving, WhatFallsIntoABinOrOverABarIsSolvedInEveryStep) {
  EXPECT_EQ(run_for(test::make_mixed_bin(72), 0.5, 1e-4).unsolved, 0);
  EXPECT_EQ(run_for(test::make_poured_spheres(64), 0.5, 1e-4).unsolved, 0);
  EXPECT_EQ(run_for(test::make_rope(20), 1.0, 1e-4).unsolved, 0);
  EXPECT_EQ(run_for(test::make_stumbling_robot(), 1.0, 1e-4).unsolved, 0);
}

// A chain with a loop once made energy until it was beyond all numbers, and then still 6 J
// where its end, thrown fast, was pushed out of the floor.
TEST(Moving, AChainWithALoopFallsOntoTheFloorAndNeverGainsEnergy) {
  for (const auto& [tail, ring, steps] : {std::tuple{8, 8, 360}, {22, 8, 240}}) {
    SCOPED_TRACE(tail);
    Scene scene = test::make_chain_with_loop(tail, ring);
    scene.run.tolerance = 1e-6;
    scene.run.overlap = 1e-4;
    scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
    Simulation simulation(scene);
    const double first = test::total_energy(simulation);
    double before = first;
    for (int k = 0; k < steps; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << "step " << k;
      EXPECT_LE(report.constraint_error, 1e-10);
      const double now = test::total_energy(simulation);
      EXPECT_LE(now, before + 1e-6 * first)
          << "step " << k;  // the tolerance, and a step of order 4 in flight
      before = now;
    }
    EXPECT_EQ(simulation.totals().unsolved_steps, 0);
    EXPECT_LE(simulation.totals().worst_made, 1e-3);
  }
}

// What rests keeps the state of the last step to the last bit; what has slid comes to rest, and then does the same.
TEST(Moving, AHeapComesToRest) {
  Scene scene = test::make_heap(8);
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation simulation(scene);
  for (int k = 0; k < 2400; ++k) (void)simulation.step();
  EXPECT_LE(simulation.state().v.cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace rigor
