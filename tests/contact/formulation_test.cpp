// Covers formulation.cpp, cone_law.cpp, polyhedral_law.cpp, phantom_law.cpp, box_law.cpp, friction_rows.cpp,
// anisotropy.cpp: one point mass on a floor, pushed in many directions.
#include "rigor/contact/formulation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rigor/base/require.hpp"
#include "rigor/contact/anisotropy.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

// A unit mass on the floor: W = 1, pressed down by 1 N s, pushed by q_t.
struct PointOnFloor {
  PointOnFloor() : model(make_model(make_scene())), system(model), rows(system) {
    system.set_motion(model.q_initial, model.v_initial);
    system.compute_inertia(Eigen::VectorXd::Zero(model.nv));
    system.compute_rows(0.0);
    (void)system.factor_rows({});
    Contact contact;
    contact.a = 1;
    contact.frame << 0, 1, 0, 0, 0, 1, 1, 0, 0;
    contact.mu = 0.5;
    rows.add_contact(contact, 0);
    rows.finish();
  }
  static Scene make_scene() {
    Scene scene = test::make_floor(0.5);
    Body& body = test::add_sphere(scene, "point", 0.1, 1.0, Eigen::Vector3d::Zero());
    body.inertia = {1.0, 1.0, 1.0};
    return scene;
  }
  // The tangential speed after a push of size `push` at this angle.
  double slip_after(ContactFormulation& law, double push, double angle) {
    f = Eigen::VectorXd::Zero(model.nv);
    f.tail(3) = Eigen::Vector3d(push * std::cos(angle), push * std::sin(angle), -1.0);
    Eigen::VectorXd u_free;
    rows.compute_speeds(f, u_free);  // unit masses: velocities are impulses
    ConeProblem problem;
    rows.assemble(rows.islands()[0], u_free, problem);
    ContactAnswer answer;
    law.solve({rows, rows.islands()[0], problem, u_free, f}, answer);
    EXPECT_EQ(answer.status, Status::kSolved);
    EXPECT_LT(answer.residual, 1e-9);
    const Eigen::VectorXd u = problem.W * answer.r + problem.q;
    return u.tail(2).norm();
  }

  Model model;
  ConstrainedSystem system;
  ContactRows rows;
  Eigen::VectorXd f;
};

TEST(Formulations, AnisotropyOfConeAndPolyhedra) {
  for (const Formulation formulation :
       {Formulation::kCone, Formulation::kAnitescuPotra, Formulation::kStewartTrinkle})
    for (const int m : {4, 8, 16}) {
      RunSettings settings;
      settings.formulation = formulation;
      settings.directions = m;
      const double least = formulation == Formulation::kCone ? 1.0 : std::cos(std::numbers::pi / m);
      const Anisotropy found = measure_anisotropy(settings);
      EXPECT_GT(std::min(found.breakaway_least, found.sliding_least), least - 1e-9) << m;
      EXPECT_LT(std::max(found.breakaway_most, found.sliding_most), 1.0 + 1e-9) << m;
    }
}

// From 1 to `most`, both reached: 144 directions meet the corners.
void expect_range(const RunSettings& settings, double breakaway_most, double sliding_most) {
  const Anisotropy found = measure_anisotropy(settings, 144);
  EXPECT_NEAR(found.breakaway_least, 1.0, 1e-9);
  EXPECT_NEAR(found.breakaway_most, breakaway_most, 1e-9);
  EXPECT_NEAR(found.sliding_least, 1.0, 1e-9);
  EXPECT_NEAR(found.sliding_most, sliding_most, 1e-9);
}

TEST(Formulations, AnisotropyOfBoxHybridAndPhantom) {
  RunSettings settings;
  settings.formulation = Formulation::kBox;
  expect_range(settings, std::sqrt(2.0), std::sqrt(2.0));
  settings.formulation = Formulation::kHybrid;
  expect_range(settings, std::sqrt(2.0), 1.0);
  settings.formulation = Formulation::kPhantom;
  for (const int k : {2, 4}) {
    settings.directions = 2 * k;
    expect_range(settings, 1.0 / std::cos(std::numbers::pi / (2 * k)), 1.0);
  }
}

TEST(Formulations, ConvexLiftsOffByFrictionTimesSlip) {
  PointOnFloor point;
  RunSettings settings;
  settings.formulation = Formulation::kConvex;
  const auto law = make_formulation(settings);
  for (const double push : {0.3, 1.0, 3.0}) {
    const double slip = point.slip_after(*law, push, 0.4);
    // min ½|u|² over the cone: sticks inside the dual of what lifts off, else u_n = μ u_t
    if (push <= 0.5)
      EXPECT_LT(slip, 1e-9);
    else
      EXPECT_NEAR(slip, (push - 0.5) / 1.25, 1e-9);
  }
}

TEST(Formulations, WrongSettingsAreNamed) {
  RunSettings settings;
  for (const Formulation formulation : {Formulation::kAnitescuPotra, Formulation::kPhantom}) {
    settings.formulation = formulation;
    settings.directions = 5;
    EXPECT_THROW((void)make_formulation(settings), InvalidInput);
    settings.directions = 4;
    settings.solver = Solver::kAdmm;
    EXPECT_THROW((void)make_formulation(settings), InvalidInput);
    settings.solver = Solver::kAuto;
  }
}

// The slides' list: overlapping, or kept closed by the last LCP; a margin never counts.
TEST(Formulations, AnitescuPotraKeepsTheListOfTheSlides) {
  RunSettings settings;
  settings.formulation = Formulation::kAnitescuPotra;
  const auto law = make_formulation(settings);
  Contact contact;
  contact.gap = 1e-4;
  EXPECT_FALSE(law->takes(contact, nullptr));
  ContactMemory memory;
  EXPECT_FALSE(law->takes(contact, &memory));
  memory.is_closed = true;
  EXPECT_TRUE(law->takes(contact, &memory));
  contact.gap = -1e-4;
  EXPECT_TRUE(law->takes(contact, nullptr));
  EXPECT_FALSE(law->uses_gap());
}

}  // namespace
}  // namespace rigor
