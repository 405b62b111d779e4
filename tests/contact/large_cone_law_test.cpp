// Tests contact_units.cpp and large_cone_law.cpp: an island as units, and the law on it, against the matrix.
#include "rigor/contact/large_cone_law.hpp"

#include <gtest/gtest.h>

#include "rigor/contact/cone_law.hpp"
#include "rigor/contact/contact_finder.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

// A wall of 3 courses of 3 bricks, every body with a small velocity; one contact gives way, one waits to
// close.
struct Wall {
  explicit Wall(double noise) : model(make_model(make_scene())), system(model), rows(system) {
    system.set_motion(model.q_initial, model.v_initial);
    system.compute_inertia(Eigen::VectorXd::Zero(model.nv));
    system.compute_rows(0.0);
    (void)system.factor_rows({});
    ContactFinder finder(model);
    finder.find(system.kinematics(), 1e-2, contacts);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      rows.add_contact(contacts[k], static_cast<int>(k));
      if (k == 1) rows.last().compliance = 0.2;
      if (k == 2) rows.last().offset = 0.3;
    }
    rows.finish();
    Random random(3);
    Eigen::VectorXd v(model.nv);
    for (double& x : v) x = noise * random.gaussian();
    for (Eigen::Index i = 5; i < v.size(); i += 6) v[i] -= 0.0981;
    rows.compute_speeds(v, u_free);
  }
  static Scene make_scene() {
    Scene scene = test::make_floor(0.6);
    for (int row = 0; row < 3; ++row)
      for (int k = 0; k < 3; ++k)
        test::add_box(scene, "b" + std::to_string(3 * row + k), {0.4, 0.2, 0.2}, 1.0,
                      {0.45 * k + 0.2 * (row % 2), 0.0, 0.1 + 0.2 * row});
    return scene;
  }

  Model model;
  ConstrainedSystem system;
  ContactRows rows;
  std::vector<Contact> contacts;
  Eigen::VectorXd u_free, f;
};

TEST(LargeConeLaw, UnitsSayWhatTheMatrixSays) {
  Wall wall(0.01);
  ASSERT_EQ(wall.rows.islands().size(), 1u);
  const ContactIsland& island = wall.rows.islands()[0];
  ConeProblem dense;
  wall.rows.assemble(island, wall.u_free, dense);
  UnitAssembly units;
  wall.rows.assemble_units(island, wall.u_free, false, units);
  UnitConeMatrix matrix;
  matrix.set(units.problem);
  ASSERT_EQ(3 * matrix.contacts(), dense.q.size());
  EXPECT_EQ(units.problem.q, dense.q);
  const Eigen::VectorXd r = Eigen::VectorXd::LinSpaced(dense.q.size(), -1.0, 2.0);
  Eigen::VectorXd scaled = r, u = Eigen::VectorXd::Zero(r.size());
  for (int i = 0; i < matrix.contacts(); ++i) scaled.segment<3>(3 * i) /= matrix.scale()[i];
  matrix.add_product(scaled, u);
  for (int i = 0; i < matrix.contacts(); ++i) u.segment<3>(3 * i) /= matrix.scale()[i];
  EXPECT_LT((u - dense.W * r).norm(), 1e-12 * u.norm());
  // normals alone, without compliance
  wall.rows.assemble_normals(island, wall.u_free, dense);
  wall.rows.assemble_units(island, wall.u_free, true, units);
  matrix.set(units.problem);
  for (int i = 0; i < matrix.contacts(); ++i)
    EXPECT_NEAR(
        matrix.diagonal()[static_cast<std::size_t>(i)](0, 0) / (matrix.scale()[i] * matrix.scale()[i]),
        dense.W(i, i), 1e-12 * dense.W(i, i));
}

TEST(LargeConeLaw, TakesManyContactsOnSeveralBodiesAndSolvesThemAsJudgedByTheMatrix) {
  for (const double noise : {0.0, 0.01, 0.3}) {
    Wall wall(noise);
    const ContactIsland& island = wall.rows.islands()[0];
    ASSERT_TRUE(LargeConeLaw::takes(wall.rows, island));
    RunSettings settings;
    ConeLaw law(settings, false);
    EXPECT_FALSE(law.needs_matrix(wall.rows, island));
    ConeProblem dense;
    ContactAnswer answer;
    law.solve({wall.rows, island, dense, wall.u_free, wall.f}, answer);
    ASSERT_EQ(answer.status, Status::kSolved) << noise;
    wall.rows.assemble(island, wall.u_free, dense);
    const double mean = mean_inverse_mass(dense.W);
    dense.W /= mean;
    EXPECT_LE(check_solution(dense, mean * answer.r), settings.tolerance) << noise;
    EXPECT_NEAR(check_solution(dense, mean * answer.r), answer.residual, 1e-13);
    // and again from the answer
    answer.has_start = true;
    law.solve({wall.rows, island, dense, wall.u_free, wall.f}, answer);
    EXPECT_EQ(answer.status, Status::kSolved) << noise;
  }
}

}  // namespace
}  // namespace rigor
