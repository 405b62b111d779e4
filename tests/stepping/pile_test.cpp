// Piles in simulation: contact_solver.cpp and large_cone_law.cpp on islands that threads share.
#include <gtest/gtest.h>

#include "rigor/stepping/simulation.hpp"
#include "tests/support/standing_scenes.hpp"

namespace rigor {
namespace {

// 1728 spheres that touch in a lattice, over 5000 contacts in one island
TEST(Pile, IsSweptToTheToleranceAndThreadsChangeNoBit) {
  Scene scene = test::make_lattice(12, 0.4);
  scene.run.tolerance = 1e-2;
  State first;
  for (const int threads : {1, 3}) {
    scene.run.threads = threads;
    Simulation simulation(scene);
    for (int k = 0; k < 3; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved);
      EXPECT_EQ(report.contact.method, "nsgs");
      EXPECT_LE(report.contact.residual, 1e-2);
      // m: a step must not sink by more than the tolerance allows
      EXPECT_LE(report.contact.penetration, 2e-4);
    }
    if (threads == 1) first = simulation.state();
    EXPECT_TRUE((simulation.state().q.array() == first.q.array()).all());
    EXPECT_TRUE((simulation.state().v.array() == first.v.array()).all());
  }
}

// `max_iterations` is the price of a step: what it leaves is in the certificate, or stops the run
TEST(Pile, ABudgetOfSweepsIsKeptAndSaid) {
  Scene scene = test::make_falling_spheres(512, 0.4);
  scene.run.tolerance = 1e-6;
  scene.run.max_iterations = 7;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Simulation accepting(scene);
  int unsolved = 0;
  for (int k = 0; k < 30; ++k) {
    const StepReport report = accepting.step();
    ASSERT_TRUE(report.is_taken());
    EXPECT_EQ(report.status == StepStatus::kAccepted, report.contact.unsolved_islands > 0);
    if (report.contact.unsolved_islands == 0) continue;
    ++unsolved;
    EXPECT_GT(report.contact.residual, 1e-6);
  }
  EXPECT_GT(unsolved, 0);
  EXPECT_EQ(accepting.totals().unsolved_steps, unsolved);

  scene.run.on_unsolved = RunSettings::OnUnsolved::kStop;
  Simulation stopping(scene);
  StepReport report;
  for (int k = 0; k < 30 && report.status == StepStatus::kSolved; ++k) report = stopping.step();
  EXPECT_EQ(report.status, StepStatus::kUnsolved);
}

// A sphere 5 µm deep in the floor stays there where that is allowed, and is pushed out where it is not.
TEST(Pile, OverlapThatIsAllowedStays) {
  for (const auto& [allowed, left] : {std::pair{1e-5, 5e-6}, {1e-6, 0.0}, {0.0, 0.0}}) {
    Scene scene = test::make_falling_spheres(1, 0.4);
    scene.bodies.front().pose.position.z() = 0.1 - 5e-6;
    scene.run.overlap = allowed;
    Simulation simulation(scene);
    (void)simulation.step();
    EXPECT_NEAR(simulation.state().q[2], 0.1 - left, 1e-11) << allowed;
  }
}

}  // namespace
}  // namespace rigor
