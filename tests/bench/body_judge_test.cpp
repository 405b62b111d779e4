// Tests body_judge.cpp, and pile_record.cpp with boxes: against StepJudge, by hand, and against Rigor's certificate.
#include "bench/body_judge.hpp"

#include <gtest/gtest.h>

#include "bench/rigor_pile.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

constexpr double kBoxStep = 0.005, kBoxFall = 9.81 * kBoxStep;

PileScene make_floor() {
  PileScene scene;
  scene.h = kBoxStep;
  scene.steps = 60;
  scene.mu = 0.5;
  scene.planes.push_back({});
  return scene;
}

// A few bodies that fall on each other, boxes or spheres.
PileScene make_pile(bool boxes) {
  PileScene scene = make_floor();
  Random random(5);
  for (int k = 0; k < 12; ++k) {
    PileSphere body;
    body.mass = 2.0;
    if (boxes)
      body.size = {0.2, 0.15, 0.25};
    else
      body.radius = 0.1;
    body.start.p = {0.22 * (k % 2) + random.uniform(0.0, 0.03), 0.22 * (k / 2 % 2), 0.16 + 0.3 * (k / 4)};
    if (boxes)
      body.start.turn =
          Eigen::Quaterniond(1.0, random.gaussian(), random.gaussian(), random.gaussian()).normalized();
    scene.spheres.push_back(body);
  }
  return scene;
}

// The step at `count` of Rigor's run.
PileRecord::Step take_step(const PileScene& scene, int count, double tolerance) {
  Scene made = make_pile_scene(scene);
  made.run.tolerance = tolerance;
  made.run.overlap = 1e-4;
  RigorPile engine(made);
  PileRecord::Step step;
  for (int k = 0; k <= count; ++k) {
    step.before.clear();
    step.after.clear();
    for (int i = 0; i < static_cast<int>(scene.spheres.size()); ++i)
      step.before.push_back(engine.get_motion(i));
    (void)engine.step();
    for (int i = 0; i < static_cast<int>(scene.spheres.size()); ++i)
      step.after.push_back(engine.get_motion(i));
  }
  return step;
}

TEST(BodyJudge, AgreesWithTheOneForSpheres) {
  const PileScene scene = make_pile(false);
  PileRecord::Step step = take_step(scene, 50, 1e-8);
  for (SphereMotion& motion : step.after) motion.v.z() -= 0.01;
  const StepJudgement spheres = StepJudge(scene).judge(step, {}), bodies = BodyJudge(scene).judge(step, {});
  EXPECT_GT(spheres.residual, 0.01);
  EXPECT_NEAR(bodies.residual, spheres.residual, 0.02 * spheres.residual);
}

TEST(BodyJudge, ABoxThatSinksIntoTheFloorIsOffByItsSpeed) {
  PileScene scene = make_floor();
  PileSphere& box = scene.spheres.emplace_back();
  box.mass = 3.0;
  box.size = {0.2, 0.2, 0.2};
  box.start.p.z() = 0.1;
  PileRecord::Step step;
  step.before = step.after = {box.start};
  EXPECT_LT(BodyJudge(scene).judge(step, {.tolerance = 1e-12}).residual, 1e-9);
  // held by a fifth less than its weight: its four corners approach the floor at that speed
  step.after[0].v.z() = -0.2 * kBoxFall;
  const StepJudgement sunk = BodyJudge(scene).judge(step, {});
  EXPECT_NEAR(sunk.approach, 0.2 * kBoxFall, 1e-12);
  EXPECT_GT(sunk.residual, 0.5 * 0.2 * kBoxFall);
}

TEST(BodyJudge, AgreesWithTheCertificateOfRigorOnBoxesThatTumble) {
  const PileScene scene = make_pile(true);
  for (const int count : {20, 40, 55}) {
    const StepJudgement exact = BodyJudge(scene).judge(take_step(scene, count, 1e-8), {});
    EXPECT_GT(exact.loaded, 3);
    EXPECT_LT(exact.relative, 1e-3) << count;
    PileRecord::Step off = take_step(scene, count, 1e-8);
    for (SphereMotion& motion : off.after) motion.w *= 1.1;
    EXPECT_GT(BodyJudge(scene).judge(off, {}).residual, 3.0 * exact.residual) << count;
  }
}

TEST(PileRecord, BoxesComeBackAsTheyWereWritten) {
  const PileScene scene = make_pile(true);
  const testing_support::TemporaryFolder folder;
  const auto file = folder.path() / "record.txt";
  const PileRecord::Step step = take_step(scene, 10, 1e-6);
  {
    PileWriter writer(scene, file);
    writer.add_step(0.05, step.before, step.after);
  }
  const PileRecord record = read_pile_record(file);
  ASSERT_EQ(record.scene.spheres.size(), scene.spheres.size());
  EXPECT_TRUE(record.scene.has_boxes());
  EXPECT_EQ(record.scene.spheres[3].size, scene.spheres[3].size);
  EXPECT_LT(record.steps[0].after[3].turn.angularDistance(step.after[3].turn), 1e-12);
}

}  // namespace
}  // namespace rigor
