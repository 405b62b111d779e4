// Tests contact_products.cpp and kept_start.cpp: products without a matrix, and starts that still hold.
#include <gtest/gtest.h>

#include "rigor/contact/cone_law.hpp"
#include "rigor/contact/contact_finder.hpp"
#include "rigor/math/exact_sum.hpp"
#include "rigor/math/random.hpp"
#include "tests/support/contact_scenes.hpp"

namespace rigor {
namespace {

// Boxes on one another, and a chain of two links beside them, one contact with compliance.
struct Heap {
  Heap() : model(make_model(make_scene())), system(model), rows(system) {
    Random random(7);
    Eigen::VectorXd q = model.q_initial;
    system.set_motion(q, model.v_initial);
    system.compute_inertia(Eigen::VectorXd::Zero(model.nv));
    system.compute_rows(0.0);
    (void)system.factor_rows({});
    ContactFinder finder(model);
    finder.find(system.kinematics(), 1e-2, contacts);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      rows.add_contact(contacts[k], static_cast<int>(k));
      if (k == 1) rows.last().compliance = 0.2;
    }
    rows.finish();
    v = draw(random, model.nv);
    r = draw(random, rows.size());
  }
  static Scene make_scene() {
    Scene scene = test::make_floor(0.6);
    test::add_box(scene, "low", {0.4, 0.2, 0.2}, 1.0, {0.0, 0.0, 0.1});
    test::add_box(scene, "high", {0.4, 0.2, 0.2}, 3.0, {0.1, 0.05, 0.3});
    test::add_box(scene, "link", {0.4, 0.2, 0.2}, 1.0, {2.0, 0.0, 0.1});
    Body& child = test::add_box(scene, "child", {0.4, 0.2, 0.2}, 1.0, {0.5, 0.0, 0.0});
    child.joint.type = JointType::kRevolute;
    child.joint.parent = "link";
    child.joint.axis = {0.0, 1.0, 0.0};
    return scene;
  }
  static Eigen::VectorXd draw(Random& random, Eigen::Index size) {
    Eigen::VectorXd x(size);
    for (double& value : x) value = random.gaussian();
    return x;
  }

  Model model;
  ConstrainedSystem system;
  ContactRows rows;
  std::vector<Contact> contacts;
  Eigen::VectorXd v, r;
};

// u = J v to the last digit of the exact sum: rows of J as Jᵀ e_k, which rounds nothing
TEST(ContactProducts, ExactSpeedsAreThoseOfSumsWithoutRounding) {
  Heap heap;
  heap.v[0] = 1e9;  // what cancels in plain sums
  Eigen::VectorXd u;
  heap.rows.compute_exact_speeds(heap.v, u);
  for (Eigen::Index k = 0; k < u.size(); ++k) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(heap.model.nv);
    heap.rows.add_forces(Eigen::VectorXd::Unit(u.size(), k), row);
    ExactSum sum;
    for (Eigen::Index i = 0; i < row.size(); ++i) sum.add_product(row[i], heap.v[i]);
    EXPECT_NEAR(u[k], sum.lower(),
                0x1p-52 * std::abs(sum.lower()) + 1e-22 * row.cwiseAbs().dot(heap.v.cwiseAbs()))
        << k;
  }
}

// rᵀ (J v) = (Jᵀ r)ᵀ v; and |Jᵀ| |r| is Jᵀ r of impulses that all pull the same way
TEST(ContactProducts, ForcesAreTheTransposeOfSpeeds) {
  Heap heap;
  ASSERT_GE(heap.rows.size(), 36);
  Eigen::VectorXd u, f = Eigen::VectorXd::Zero(heap.model.nv), magnitudes = f;
  heap.rows.compute_speeds(heap.v, u);
  heap.rows.add_forces(heap.r, f);
  EXPECT_NEAR(heap.r.dot(u), heap.v.dot(f), 1e-12 * heap.r.norm() * u.norm());
  heap.rows.add_magnitudes(heap.r, magnitudes);
  Eigen::VectorXd expected = Eigen::VectorXd::Zero(heap.model.nv);
  for (Eigen::Index k = 0; k < heap.r.size(); ++k) {
    Eigen::VectorXd own = Eigen::VectorXd::Zero(heap.model.nv);
    heap.rows.add_forces(heap.r[k] * Eigen::VectorXd::Unit(heap.r.size(), k), own);
    expected += own.cwiseAbs();
  }
  EXPECT_LT((magnitudes - expected).norm(), 1e-12 * expected.norm());
  // speeds are those of the bodies' points
  Kinematics<double> kin = heap.system.kinematics();
  compute_velocities(heap.model, heap.v, kin);
  for (const OneSidedBlock& block : heap.rows.blocks()) {
    const Contact& contact = heap.contacts[static_cast<std::size_t>(block.index)];
    const auto at = [&](BodyIndex b) -> Eigen::Vector3d {
      const BodyKinematics<double>& body = kin.bodies[static_cast<std::size_t>(b)];
      return body.velocity_at(contact.point - body.p);
    };
    const Eigen::Vector3d relative = contact.frame.transpose() * (at(contact.a) - at(contact.b));
    EXPECT_LT((u.segment<3>(block.first) - relative).norm(), 1e-13 * (1.0 + relative.norm()));
  }
}

TEST(ContactProducts, TheProductIsThatOfTheMatrix) {
  Heap heap;
  ConeProblem dense;
  Eigen::VectorXd half, u_free = Eigen::VectorXd::Zero(heap.rows.size());
  for (const ContactIsland& island : heap.rows.islands()) {
    heap.rows.assemble(island, u_free, dense);
    Eigen::VectorXd own, u = Eigen::VectorXd::Zero(island.rows);
    heap.rows.gather(island, heap.r, own);
    heap.rows.add_product(island, own, half, u);
    EXPECT_LT((u - dense.W * own).norm(), 1e-13 * u.norm());
    double trace = 0.0;
    for (const int k : island.blocks)
      trace += heap.rows.blocks()[static_cast<std::size_t>(k)].trace +
               heap.rows.blocks()[static_cast<std::size_t>(k)].compliance;
    EXPECT_NEAR(trace, dense.W.trace(), 1e-13 * trace);
  }
}

// The answer of a step is kept in the next one that asks the same, and not where a weight has changed.
TEST(KeptStart, HoldsWhereTheAnswerStillSolves) {
  Heap heap;
  Eigen::VectorXd v = Eigen::VectorXd::Zero(heap.model.nv), u_free, f;
  for (const std::size_t b : {std::size_t{1}, std::size_t{2}}) v[heap.model.bodies[b].v0 + 5] = -0.0981;
  heap.rows.compute_speeds(v, u_free);
  RunSettings settings;
  ConeLaw law(settings, false);
  const ContactIsland& island = heap.rows.islands()[0];
  ConeProblem dense;
  heap.rows.assemble(island, u_free, dense);
  ContactAnswer answer;
  answer.has_start = false;
  EXPECT_FALSE(law.keep({heap.rows, island, dense, u_free, f, {}, 1e-2}, answer));
  law.solve({heap.rows, island, dense, u_free, f, {}, 1e-2}, answer);
  ASSERT_EQ(answer.status, Status::kSolved);
  const Eigen::VectorXd r = answer.r;

  answer.has_start = true;
  answer.start_freedom = answer.force_freedom;
  ASSERT_TRUE(law.keep({heap.rows, island, dense, u_free, f, {}, 1e-2}, answer));
  EXPECT_EQ(answer.method, "kept");
  EXPECT_EQ(answer.r, r);
  // the residual is that of the problem, scaled to velocities
  const double mean = mean_inverse_mass(dense.W);
  dense.W /= mean;
  EXPECT_LT(std::abs(answer.residual - cone_residual(dense, mean * r)), 1e-14);
  u_free *= 1.0 + 1e-12;
  EXPECT_FALSE(law.keep({heap.rows, island, dense, u_free, f, {}, 1e-2}, answer));
}

}  // namespace
}  // namespace rigor
