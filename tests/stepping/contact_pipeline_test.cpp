// The stages of a step's contacts one by one: contact_step.cpp, contact_search.cpp, contact_assembly.cpp,
// contact_solver.cpp, contact_judge.cpp, overlap.cpp and remember_contacts.cpp; and the certificate, which nobody can
// fake: it is made of H v⁺ and r, not of what a solver says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/dynamics/assembly.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/stepping/anchors.hpp"
#include "rigor/stepping/contact_assembly.hpp"
#include "rigor/stepping/contact_judge.hpp"
#include "rigor/stepping/contact_search.hpp"
#include "rigor/stepping/contact_solver.hpp"
#include "rigor/stepping/overlap.hpp"
#include "rigor/stepping/remember_contacts.hpp"
#include "rigor/stepping/simulation.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

constexpr double kStep = 1e-2;  // s

// A box of 2 kg that slides and turns on the floor, with every stage of one step at hand.
struct SlidingBox {
  explicit SlidingBox(Formulation formulation = Formulation::kCone, double height = 0.5)
      : model(make_model(make_scene(height))), system(model), step(system) {
    settings.formulation = formulation;
    search.emplace(model, settings, system);
    solver.emplace(settings);
    demand = {solver->formulation().law(), settings.tolerance};
    state = assemble(model).state;
    state.v << 0.3, -0.2, 0.5, 1.0, 0.5, 0.0;
  }

  static Scene make_scene(double height) {
    Scene scene = test::make_floor(0.4);
    test::add_box(scene, "box", {1.0, 1.0, 1.0}, 2.0, {0.0, 0.0, height});
    return scene;
  }

  void solve() {
    system.set_motion(state.q, state.v);
    search->find(state, kStep, solver->formulation(), step);
    system.compute_inertia(Eigen::VectorXd::Zero(model.nv));
    system.compute_rows(state.t + kStep);
    ASSERT_EQ(system.factor_rows({}), -1);
    assemble_contacts(solver->formulation(), {}, step);
    step.rows.finish();
    v_free = state.v;
    v_free.tail<3>() += kStep * model.gravity;
    Eigen::VectorXd f(model.nv);
    system.M().multiply(v_free, f);
    WorkMeter meter;
    solver->solve(state.v, v_free, f, meter, step);
    Eigen::VectorXd impulses = Eigen::VectorXd::Zero(model.nv);
    step.rows.add_forces(step.r, impulses);
    v = v_free;
    std::vector<Eigen::VectorXd> none;
    Eigen::VectorXd change = Eigen::VectorXd::Zero(model.nv);
    system.solve(impulses, none, change);
    v += change;
  }

  ContactCertificate certify() {
    ContactCertificate certificate;
    certify_contacts(demand, v, step, certificate);
    return certificate;
  }

  RunSettings settings;
  Model model;
  ConstrainedSystem system;
  std::optional<ContactSearch> search;
  std::optional<ContactSolver> solver;
  ContactDemand demand;
  ContactStep step;
  State state;
  Eigen::VectorXd v_free, v;
};

TEST(ContactPipeline, FindsFourCornersAndSolvesThem) {
  SlidingBox box;
  box.solve();
  EXPECT_EQ(box.step.contacts.size(), 4u);
  EXPECT_EQ(box.step.candidates.size(), 4u);
  ASSERT_EQ(box.step.rows.islands().size(), 1u);
  EXPECT_EQ(box.step.rows.islands()[0].rows, 12);
  const ContactCertificate certificate = box.certify();
  EXPECT_EQ(certificate.unsolved_islands, 0);
  EXPECT_LT(certificate.residual, 1e-13);
  // relative to ‖q‖₂ of the velocities without impulses
  EXPECT_NEAR(certificate.relative_residual, certificate.residual / box.step.u_free.norm(), 1e-20);
}

// The residual from H v⁺ is that of the dense problem u = W r + q, judged by exact sums, in the same unit.
TEST(ContactPipeline, TheResidualIsThatOfTheProblemAsAFileHasIt) {
  for (const double error : {0.0, 1e-9, 1e-5, 1e-2}) {
    SlidingBox box;
    box.solve();
    // impulses that are wrong, and the velocity that they give
    box.step.r[1] += error;
    box.step.r[3] += error;
    Eigen::VectorXd impulses = Eigen::VectorXd::Zero(box.model.nv), change = impulses;
    box.step.rows.add_forces(box.step.r, impulses);
    std::vector<Eigen::VectorXd> none;
    box.system.solve(impulses, none, change);
    box.v = box.v_free + change;
    const ContactCertificate certificate = box.certify();

    ConeProblem problem = std::get<ConeProblem>(box.solver->make_problem(box.step, 0));
    const double mean = problem.W.diagonal().mean();
    problem.W /= mean;
    const double truth = check_solution(problem, mean * box.step.r);
    EXPECT_NEAR(certificate.residual, truth, 1e-13) << error;
    EXPECT_EQ(certificate.unsolved_islands, error > 1e-10 ? 1 : 0) << error;
  }
}

// A solver that lies about its residual, or whose impulses do not belong to the velocity that is taken, is found out.
TEST(ContactPipeline, AFalseClaimIsFoundOut) {
  for (const Formulation formulation : {Formulation::kCone, Formulation::kConvex, Formulation::kAnitescuPotra,
                                        Formulation::kBox, Formulation::kPhantom}) {
    SCOPED_TRACE(static_cast<int>(formulation));
    SlidingBox box(formulation);
    box.solve();
    EXPECT_EQ(box.certify().unsolved_islands, 0);
    box.step.answers[0].residual = 0.0;
    box.step.answers[0].status = Status::kSolved;
    box.v[5] -= 1e-6;  // sinks
    const ContactCertificate certificate = box.certify();
    EXPECT_EQ(certificate.unsolved_islands, 1);
    EXPECT_GT(certificate.residual, 0.9e-6);
    EXPECT_LT(certificate.residual, 1e-5);
  }
}

TEST(ContactPipeline, JudgesModesWorkAndMemory) {
  SlidingBox box;
  box.solve();
  StepReport report;
  report.contact = box.certify();
  judge_contacts(box.model, box.demand, box.system.kinematics(), box.v, box.step, report);
  EXPECT_EQ(report.contact.sliding, 4);
  EXPECT_LT(report.energy.friction, 0.0);
  double normal = 0.0;
  for (const ContactReport& contact : box.step.reports) normal += contact.force.z();
  EXPECT_NEAR(normal * kStep, 2.0 * (box.v[5] - box.v_free[5]), 1e-12);

  find_anchors(box.demand, box.system.kinematics(), box.system.kinematics(), box.step);
  std::vector<ContactMemory> old;
  (void)remember_contacts(box.demand, box.system.kinematics(), false, box.step, box.state, old,
                          report.contact);
  ASSERT_EQ(box.state.contacts.size(), 4u);
  EXPECT_TRUE(old.empty());
  for (std::size_t k = 1; k < 4; ++k) EXPECT_TRUE(box.state.contacts[k - 1].is_before(box.state.contacts[k]));
  for (const ContactMemory& memory : box.state.contacts) {
    EXPECT_EQ(memory.mode, ContactMode::kSliding);
    EXPECT_EQ(memory.h, kStep);
  }
}

// Contacts that go on are written over in their place. What is remembered is what a memory made anew has, as it is
// made where one that went away stands among the last ones.
TEST(ContactPipeline, WhatGoesOnIsRememberedInItsPlaceAsIfItWereNew) {
  for (const bool slides : {false, true}) {
    SlidingBox kept, anew;
    if (!slides) kept.state.v.setZero();
    anew.state.v = kept.state.v;
    std::vector<ContactMemory> old;
    const auto remember = [&old](SlidingBox& box) {
      StepReport report;
      box.solve();
      report.contact = box.certify();
      judge_contacts(box.model, box.demand, box.system.kinematics(), box.v, box.step, report);
      find_anchors(box.demand, box.system.kinematics(), box.system.kinematics(), box.step);
      return remember_contacts(box.demand, box.system.kinematics(), true, box.step, box.state, old,
                               report.contact);
    };
    EXPECT_FALSE(remember(kept));
    EXPECT_FALSE(remember(anew));
    bool is_same = false;
    for (int k = 0; k < 3; ++k) {
      ContactMemory gone;
      gone.shape_a = gone.shape_b = 7;
      anew.state.contacts.push_back(gone);
      const ContactMemory* const place = kept.state.contacts.data();
      is_same = remember(kept);
      EXPECT_EQ(kept.state.contacts.data(), place);
      EXPECT_FALSE(remember(anew));
      EXPECT_EQ(kept.state.contacts, anew.state.contacts) << k;
    }
    EXPECT_TRUE(is_same);  // from the same motion each time
  }
}

// 1 mm above the floor and rising: nothing has rows, and the answer of none is the answer of all.
TEST(ContactPipeline, WhatKeepsItsGapIsLeftAside) {
  SlidingBox box(Formulation::kCone, 0.501);
  box.state.v << 0.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  box.solve();
  ASSERT_EQ(box.step.candidates.size(), 4u);
  EXPECT_TRUE(box.step.is_empty());
  EXPECT_FALSE(box.search->take_missed(box.v, box.step));
  box.v[5] = -1.0;  // had it come down by 1 cm in the step, all four were missed
  EXPECT_TRUE(box.search->take_missed(box.v, box.step));
  for (const ContactCandidate& candidate : box.step.candidates) EXPECT_FALSE(candidate.is_aside);
}

// 1 mm deep: positions move up by that much, velocities stay.
TEST(ContactPipeline, OverlapIsTakenBackByPositions) {
  SlidingBox box(Formulation::kCone, 0.499);
  box.state.v.setZero();
  box.solve();
  (void)box.certify();
  OverlapCorrector corrector(box.settings);
  Eigen::VectorXd q = box.state.q;
  EXPECT_TRUE(corrector.correct(box.model, box.step, box.system, box.solver->pool(), q));
  EXPECT_NEAR(q[2] - box.state.q[2], 1e-3, 1e-12);
  EXPECT_FALSE(SlidingBox(Formulation::kCone, 0.6).step.rows.size() > 0);
}

// A step that fails ends the run, is reported, and leaves the state alone; a loop over is_finished() ends too.
TEST(SimulationRun, AFailedStepEndsTheRunAndIsReported) {
  Scene scene = SlidingBox::make_scene(0.5);
  scene.run.until = 1.0;
  Simulation good(scene);
  EXPECT_TRUE(good.run().is_taken());
  EXPECT_TRUE(good.is_finished());
  EXPECT_FALSE(good.has_failed());
  EXPECT_LE(good.totals().worst_relative_residual, good.totals().worst_residual / 1e-3);

  // two numbers that no double can hold together
  test::add_box(scene, "heavy", {1.0, 1.0, 1.0}, 1e15, {0.0, 0.0, 1.5});
  Simulation bad(scene);
  const State before = bad.state();
  const StepReport report = bad.run();
  EXPECT_FALSE(report.is_taken());
  EXPECT_TRUE(bad.has_failed());
  EXPECT_TRUE(bad.is_finished());
  EXPECT_FALSE(report.message.empty());
  if (bad.totals().steps == 0) {
    EXPECT_TRUE(bad.state() == before);
  }
  bad.restart(before, 0);
  EXPECT_FALSE(bad.has_failed());
}

TEST(SimulationRun, EndsWhereItsWatcherSaysSo) {
  Simulation simulation(SlidingBox::make_scene(0.5));
  int seen = 0;
  const StepReport last =
      simulation.run([&](const StepReport& report) { return report.is_taken() && ++seen < 5; });
  EXPECT_TRUE(last.is_taken());
  EXPECT_EQ(simulation.totals().steps, 5);
  EXPECT_FALSE(simulation.is_finished());
}

}  // namespace
}  // namespace rigor
