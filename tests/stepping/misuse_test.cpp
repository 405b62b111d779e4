// Numbers that overflow are stopped where they arise (rigor/dynamics/overflow.cpp), and a caller's mistakes are told:
// neither ends the process, and the state stays as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

using test::make_body;
using test::message_of;
using testing::HasSubstr;

Scene make_free_body() {
  Scene scene;
  scene.gravity.setZero();
  scene.bodies = {make_body("crate", 1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d(1.0, 2.0, 2.5))};
  scene.run.dt = 1e-3;
  scene.run.until = 1e-2;
  return scene;
}

Scene with_torque(const char* torque) {
  Scene scene = make_free_body();
  Force force;
  force.name = "f";
  force.body = "crate";
  force.torque.fill(Expression::parse(torque));
  scene.forces = {force};
  return scene;
}

// Torques whose squares are no doubles: the force is named, and the state before is kept.
TEST(Overflow, OfAForceIsToldByItsName) {
  for (const char* torque : {"1e160*t", "1e300*t", "1/(0.002 - t)", "log(0.0015 - t)"}) {
    for (const auto method : {RunSettings::Method::kSemiImplicit, RunSettings::Method::kRungeKutta4}) {
      Scene scene = with_torque(torque);
      scene.run.method = method;
      Simulation simulation(scene);
      const StepReport report = simulation.run();
      EXPECT_EQ(report.status, StepStatus::kNotFinite) << torque;
      EXPECT_THAT(report.message, HasSubstr("force \"f\" on \"crate\" is ")) << torque;
      EXPECT_TRUE(simulation.has_failed());
      EXPECT_TRUE(simulation.state().q.allFinite() && simulation.state().v.allFinite());
      EXPECT_TRUE(std::isfinite(simulation.totals().worst_residual));
    }
  }
}

TEST(Overflow, OfSpeedsAloneIsToldByTheBody) {
  Scene scene = make_free_body();
  Simulation simulation(scene);
  State state = simulation.state();
  state.v[3] = 1e99;
  simulation.restart(state, 0);
  const State before = simulation.state();
  const auto stepper = make_stepper(simulation.model(), simulation.settings());
  State far = before;
  EXPECT_TRUE(stepper->step(far, 1e-3).is_taken());
  far = before;
  const StepReport report = stepper->step(far, 1e3);
  EXPECT_EQ(report.status, StepStatus::kNotFinite);
  EXPECT_THAT(report.message, HasSubstr("body \"crate\""));
  EXPECT_EQ(far, before);
}

// A spring with a damper between the world and a body that cannot move: there is nothing to solve for.
TEST(Overflow, ASpringOnAFixedBodyHasNothingToMove) {
  Scene scene;
  scene.bodies = {make_body("post", 1.0, Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones(),
                            test::make_joint(JointType::kFixed))};
  Spring spring;
  spring.name = "spring";
  spring.a = "post";
  spring.damping = 1.0;
  scene.springs = {spring};
  scene.run.until = 2e-3;
  Simulation simulation(scene);
  EXPECT_TRUE(simulation.run().is_taken());
}

class NullForce final : public ForceElement {
 public:
  explicit NullForce(int body) : body_(body) {}
  [[nodiscard]] std::string name() const override { return "push"; }
  void add_forces(const MotionView& view, ForceSink& sink) const override {
    sink.add_force(view, body_, Eigen::Vector3d::Zero(), Eigen::Vector3d::UnitX());
  }

 private:
  int body_;
};

TEST(Misuse, OfStatesIsTold) {
  Simulation simulation(make_free_body());
  const auto stepper = make_stepper(simulation.model(), simulation.settings());
  State state = simulation.state();
  for (const double h : {0.0, -1.0, double(NAN), double(INFINITY)})
    EXPECT_THAT(message_of([&] { (void)stepper->step(state, h); }), HasSubstr("must be > 0 and finite")) << h;
  State empty;
  EXPECT_THAT(message_of([&] { (void)stepper->step(empty, 1e-3); }),
              HasSubstr("the state has 0 coordinates and 0 speeds, the model 7 and 6"));
  EXPECT_THAT(message_of([&] { simulation.restart(empty, 0); }), HasSubstr("the model 7 and 6"));
  EXPECT_THAT(message_of([&] { simulation.restart(state, -1); }), HasSubstr("-1 steps"));
  State bad = state;
  bad.v[2] = NAN;
  EXPECT_THAT(message_of([&] { (void)stepper->step(bad, 1e-3); }), HasSubstr("v[2] = nan, must be finite"));
  bad = state;
  bad.q[0] = 1e200;
  EXPECT_THAT(message_of([&] { (void)stepper->step(bad, 1e-3); }), HasSubstr("q[0] = 1e+200"));
  bad = state;
  bad.t = INFINITY;
  EXPECT_THAT(message_of([&] { (void)stepper->step(bad, 1e-3); }), HasSubstr("t = inf s"));
  EXPECT_EQ(state, simulation.state());
}

TEST(Misuse, OfUserElementsIsTold) {
  UserElements user;
  user.forces = {nullptr};
  EXPECT_EQ(message_of([&] { Simulation simulation(make_free_body(), user); }),
            "UserElements: force 0 is null, must be an element.");
  user.forces.clear();
  user.constraints = {nullptr};
  EXPECT_EQ(message_of([&] { Simulation simulation(make_free_body(), user); }),
            "UserElements: constraint 0 is null, must be an element.");
  user.constraints.clear();
  for (const int body : {-1, 2, 1000000}) {
    user.forces = {std::make_shared<NullForce>(body)};
    Simulation simulation(make_free_body(), user);
    EXPECT_THAT(message_of([&] { (void)simulation.step(); }), HasSubstr("must lie in [0, 2)")) << body;
  }
}

}  // namespace
}  // namespace rigor
