// Piles in simulation: contact_stage.cpp and large_cone_law.cpp on islands that threads share.
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

}  // namespace
}  // namespace rigor
