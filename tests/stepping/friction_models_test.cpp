// The formulations beside each other: where they agree with the exact cone, how fast, and where they do not.
#include <gtest/gtest.h>

#include <cmath>

#include "rigor/model/run_rules.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

Eigen::VectorXd run_to(Scene scene, Formulation formulation, double h, double until, int directions = 16) {
  scene.run.formulation = formulation;
  scene.run.directions = directions;
  reset_unused(scene.run);
  scene.run.dt = h;
  scene.run.until = until;
  Simulation simulation(scene);
  while (!simulation.is_finished()) {
    const StepReport report = simulation.step();
    EXPECT_EQ(report.status, StepStatus::kSolved) << report.message << " at t = " << simulation.state().t;
    if (report.status != StepStatus::kSolved) break;
  }
  return simulation.state().q;
}

// A box and a chain that slide on the floor, without impacts that would hide the order of the method.
Scene make_sliding(const std::string& name) {
  if (name == "wheel") return test::make_mechanism(name);
  if (name == "box") {
    Scene scene = test::make_floor(0.3);
    Body& box = test::add_box(scene, "box", {0.4, 0.3, 0.2}, 2.0, {0.0, 0.0, 0.1});
    box.velocity.linear = {1.5, 0.5, 0.0};
    box.velocity.angular = {0.0, 0.0, 3.0};
    return scene;
  }
  Scene scene = test::make_mechanism("chain");
  scene.bodies[0].pose.position.z() = 0.05;
  scene.bodies[0].velocity.linear = {0.3, 0.8, 0.0};
  for (std::size_t i = 1; i < scene.bodies.size(); ++i)
    scene.bodies[i].joint.v = {0.0, 0.0, (i % 2 == 1 ? 0.6 : -0.6) * static_cast<double>(i)};
  return scene;
}

constexpr double kTime = kSanitized ? 0.05 : 0.3;  // s

TEST(FrictionModels, ConeIsOfFirstOrderAndHybridAndPhantomTendToIt) {
  for (const char* name : {"box", "chain", "wheel"}) {
    const Scene scene = make_sliding(name);
    const Eigen::VectorXd exact = run_to(scene, Formulation::kCone, 5e-5, kTime);
    const Eigen::VectorXd cone[2] = {run_to(scene, Formulation::kCone, 2e-3, kTime),
                                     run_to(scene, Formulation::kCone, 1e-3, kTime)};
    // exact is h/20 away itself: (1 − 1/40)/(1 − 1/20) from 2
    EXPECT_NEAR((cone[0] - exact).norm() / (cone[1] - exact).norm(), 2.0, 0.25) << name;
    for (const Formulation formulation : {Formulation::kHybrid, Formulation::kPhantom}) {
      const double coarse = (run_to(scene, formulation, 2e-3, kTime) - cone[0]).norm();
      const double fine = (run_to(scene, formulation, 1e-3, kTime) - cone[1]).norm();
      EXPECT_LT(coarse, 1e-3) << name;
      EXPECT_LT(fine, coarse / 1.8 + 1e-12) << name << " " << static_cast<int>(formulation);
    }
  }
}

TEST(FrictionModels, PolyhedraTendToTheConeWithMoreDirections) {
  if (kSanitized) GTEST_SKIP() << "hundreds of thousands of pivots";
  for (const char* name : {"box", "chain"}) {
    const Scene scene = make_sliding(name);
    const Eigen::VectorXd cone = run_to(scene, Formulation::kCone, 4e-3, kTime);
    for (const Formulation formulation : {Formulation::kAnitescuPotra, Formulation::kStewartTrinkle}) {
      const double few = (run_to(scene, formulation, 4e-3, kTime, 8) - cone).norm();
      const double many = (run_to(scene, formulation, 4e-3, kTime, 32) - cone).norm();
      EXPECT_LT(many, few / 8.0) << name;  // 1 − cos(π/m): a sixteenth
    }
  }
}

// What strikes a stop ends against it with every law.
TEST(FrictionModels, MechanismsEndWhereTheConeSays) {
  for (const char* name : {"four-bar", "slider", "door"}) {
    const Scene scene = test::make_mechanism(name);
    const double until = kSanitized ? 0.45 : 1.0;
    const Eigen::VectorXd cone = run_to(scene, Formulation::kCone, 2e-3, until);
    for (const Formulation formulation :
         {Formulation::kConvex, Formulation::kAnitescuPotra, Formulation::kStewartTrinkle, Formulation::kBox,
          Formulation::kHybrid, Formulation::kPhantom})
      EXPECT_LT((run_to(scene, formulation, 2e-3, until) - cone).norm(), 1e-3)
          << name << " " << static_cast<int>(formulation);
  }
}

// Table 1's bristles: the block gives by m g sin/(4 k_t) and then stays. (On a steeper slope its rear
// corners, which carry less, slip first and the front ones give more.)
TEST(FrictionModels, BristlesGiveAndHold) {
  for (const Formulation formulation : {Formulation::kPhantom, Formulation::kBox, Formulation::kHybrid}) {
    Scene scene = test::make_incline(0.3, 0.5);
    Material& floor = scene.materials[0];
    floor.friction_stiffness = 1e8;
    floor.friction_damping = 1e5;
    floor.stiffness = 1e10;
    floor.damping = 1e8;
    Material own = floor;  // the block's, rigid: in series the floor's alone remains
    own.name = "own";
    own.friction_stiffness.reset();
    own.friction_damping = 0.0;
    own.stiffness.reset();
    own.damping = 0.0;
    scene.materials.push_back(own);
    scene.bodies[0].shapes[0].material = "own";
    scene.run.formulation = formulation;
    scene.run.dt = 1e-2;
    scene.run.until = kSanitized ? 3.0 : 100.0;
    Simulation simulation(scene);
    double early = 0.0;
    while (!simulation.is_finished()) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.status, StepStatus::kSolved) << report.message;
      if (simulation.totals().steps == 100) early = simulation.state().q[0];
    }
    const double angle = std::atan(0.3), given = 2.0 * 9.81 * std::sin(angle) / (4.0 * 1e8);
    EXPECT_NEAR(simulation.state().q[0], given, 0.01 * given) << static_cast<int>(formulation);
    EXPECT_LT(std::abs(simulation.state().q[0] - early), 1e-14) << static_cast<int>(formulation);
  }
}

// A pull that grows: friction follows it to μ_s N, then falls to μ_k N.
TEST(FrictionModels, PhantomSlipsAtTheStaticLimitForAnyInertia) {
  for (const double rho : {0.0, 1e-7, 1e-3, 1.0})
    for (const int k : {2, 4, 8}) {
      Scene scene = test::make_floor(0.5);
      scene.materials[0].mu_static = 0.6;
      Body& block = test::add_sphere(scene, "block", 0.1, 1.0, {0.0, 0.0, 0.1});
      block.inertia = {0.1, 0.1, 0.1};
      Force pull;
      pull.name = "pull";
      pull.body = "block";
      pull.point = {0.0, 0.0, -0.1};  // at the contact: it does not roll
      pull.force[0] = TableFunction{{0.0, 1.0}, {0.0, 100.0}};
      scene.forces.push_back(pull);
      scene.run.formulation = Formulation::kPhantom;
      scene.run.directions = 2 * k;
      scene.run.phantom_inertia = rho;
      scene.run.until = 0.1;
      Simulation simulation(scene);
      bool slipped = false;
      while (!simulation.is_finished() && !slipped) {
        const StepReport report = simulation.step();
        ASSERT_EQ(report.status, StepStatus::kSolved) << report.message;
        const ContactReport& contact = simulation.stepper().contacts().front();
        slipped = contact.mode == ContactMode::kSliding;
        if (slipped) {
          EXPECT_NEAR(contact.force.head<2>().norm() / contact.force.z(), 0.6, 1e-9) << rho << " " << k;
        }
      }
      EXPECT_TRUE(slipped);
      EXPECT_NEAR(simulation.state().t, 0.6 * 9.81 / 100.0, 2.1e-3);
      EXPECT_GT(simulation.totals().phantom_inertia, 0.0);
      EXPECT_GT(simulation.totals().phantom_limit, 0.0);
    }
}

// Every sliding law and both forms on the cube of case A, against its table.
TEST(FrictionModels, TheSpinningCubeByEveryVariantOfPhantom) {
  struct Row {
    RunSettings::Sliding sliding;
    RunSettings::Form form;
    double x, y, yaw, tolerance;
  };
  using Sliding = RunSettings::Sliding;
  using Form = RunSettings::Form;
  for (const Row& row : {Row{Sliding::kLateral, Form::kReduced, 0.438427, 1.556559, 1.923725, 1e-5},
                         Row{Sliding::kLateral, Form::kMixed, 0.438427, 1.556559, 1.923725, 1e-5},
                         Row{Sliding::kTangent, Form::kReduced, 0.4439, 1.5594, 1.9133, 1e-4}}) {
    Scene scene = test::make_spinning_cube(true);
    scene.materials[1].friction_stiffness = 1e8;
    scene.materials[1].friction_damping = 1e5;
    scene.run.formulation = Formulation::kPhantom;
    scene.run.sliding = row.sliding;
    scene.run.form = row.form;
    scene.run.dt = 1e-2;
    scene.run.until = 0.8;
    Simulation simulation(scene);
    while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
    EXPECT_NEAR(simulation.state().q[0], row.x, row.tolerance);
    EXPECT_NEAR(simulation.state().q[1], row.y, row.tolerance);
    EXPECT_NEAR(2.0 * std::atan2(simulation.state().q[6], simulation.state().q[3]), row.yaw, row.tolerance);
  }
}

// Three piles that do not touch each other, by one, two and five threads.
TEST(FrictionModels, TheNumberOfThreadsChangesNoBit) {
  for (const Formulation formulation :
       {Formulation::kCone, Formulation::kAnitescuPotra, Formulation::kPhantom, Formulation::kHybrid}) {
    State first;
    for (const int threads : {1, 2, 5}) {
      Scene scene = test::make_floor(0.4);
      for (int pile = 0; pile < 3; ++pile)
        for (int k = 0; k < 2; ++k) {
          Body& box = test::add_box(scene, "box" + std::to_string(10 * pile + k), {0.5, 0.4, 0.5}, 1.0 + k,
                                    {5.0 * pile, 0.1 * k, 0.25 + 0.5 * k});
          box.velocity.linear = {0.5 * k, 0.3 * pile, 0.0};
        }
      scene.run.formulation = formulation;
      scene.run.threads = threads;
      scene.run.until = 0.1;
      Simulation simulation(scene);
      while (!simulation.is_finished()) ASSERT_EQ(simulation.step().status, StepStatus::kSolved);
      if (threads == 1) first = simulation.state();
      EXPECT_TRUE(simulation.state() == first) << threads << " " << static_cast<int>(formulation);
    }
  }
}

}  // namespace
}  // namespace rigor
