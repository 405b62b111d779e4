#include "rigor/contact/contact_rows.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rigor/dynamics/jacobian.hpp"
#include "rigor/math/random.hpp"
#include "rigor/math/rotation.hpp"
#include "tests/support/contact_scenes.hpp"
#include "tests/support/scenes.hpp"

namespace rigor {
namespace {

// Contacts at random points between random bodies of a mechanism: nothing needs to touch for rows to be made.
Contact make_contact(const Model& model, Random& random) {
  Contact contact;
  contact.a = random.below(static_cast<int>(model.bodies.size()) - 1) + 1;
  contact.b = random.below(static_cast<int>(model.bodies.size()));
  if (contact.b == contact.a) contact.b = kWorldIndex;
  contact.point = {random.gaussian(), random.gaussian(), random.gaussian()};
  const Eigen::Vector3d n =
      Eigen::Vector3d(random.gaussian(), random.gaussian(), random.gaussian()).normalized();
  const Tangents tangents = tangents_of(n);
  contact.frame << n, tangents.t1, tangents.t2;
  contact.mu = 0.5;
  return contact;
}

// The rows of J for all speeds, from the Jacobians of frames.
Eigen::MatrixXd dense_rows(const ConstrainedSystem& system, const Contact& contact) {
  const Model& model = system.model();
  const auto point_velocity = [&](BodyIndex b) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, model.nv);
    if (b != kWorldIndex) {
      const Pose X = get_body_pose(model, system.kinematics(), b);
      compute_frame_jacobian(model, system.kinematics(), b,
                             X.rotation.conjugate() * (contact.point - X.position), J);
    }
    return Eigen::MatrixXd(J.bottomRows(3));
  };
  return contact.frame.transpose() * (point_velocity(contact.a) - point_velocity(contact.b));
}

// W = J A Jᵀ, A the block of the inverse of [M −Jbᵀ; Jb E] that belongs to speeds, by a dense solve of it
// all.
TEST(ContactRows, WIsWhatTheWholeSystemAnswersToUnitImpulses) {
  for (const char* name : {"chain", "four-bar", "free box", "door"}) {
    Scene scene = test::make_mechanism(name);
    if (std::string(name) == "chain") {  // a soft constraint as well
      Constraint rope = test::make_constraint("rope", BallConstraint{}, "link4");
      rope.stiffness = 1e3;
      scene.constraints.push_back(rope);
    }
    const Model model = make_model(scene);
    ConstrainedSystem system(model);
    system.set_motion(model.q_initial, model.v_initial);
    const Eigen::VectorXd extra = Eigen::VectorXd::Constant(model.nv, 0.01);
    system.compute_inertia(extra);
    system.compute_rows(0.0);
    std::vector<Eigen::VectorXd> epsilon;
    for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
      epsilon.emplace_back(system.islands().list[i].rows);
      for (Eigen::Index r = 0; r < epsilon[i].size(); ++r)
        epsilon[i][r] = system.rows(i).is_rigid[static_cast<std::size_t>(r)] ? 0.0 : 0.3;
    }
    ASSERT_LT(system.factor_rows(epsilon), 0);

    Random random(7);
    ContactRows rows(system);
    std::vector<Contact> contacts;
    for (int k = 0; k < 6; ++k) {
      const Contact contact = make_contact(model, random);
      if (rows.add_contact(contact, k)) contacts.push_back(contact);
    }
    rows.finish();

    Eigen::MatrixXd J(3 * static_cast<Eigen::Index>(contacts.size()), model.nv);
    for (std::size_t k = 0; k < contacts.size(); ++k)
      J.middleRows(3 * static_cast<Eigen::Index>(k), 3) = dense_rows(system, contacts[k]);
    // independent rows of the constraints alone: redundant ones say nothing new
    Eigen::MatrixXd A = system.M().to_dense() + Eigen::MatrixXd(extra.asDiagonal());
    Eigen::MatrixXd response = A.ldlt().solve(Eigen::MatrixXd::Identity(model.nv, model.nv));
    for (std::size_t i = 0; i < epsilon.size(); ++i)
      for (Eigen::Index r = 0; r < epsilon[i].size(); ++r) {  // one row after the other
        Eigen::VectorXd row = Eigen::VectorXd::Zero(model.nv);
        for (const TreeRange& tree : system.islands().list[i].trees)
          row.segment(tree.begin, tree.end - tree.begin) =
              system.rows(i).Jt.col(r).segment(tree.offset, tree.end - tree.begin);
        const Eigen::VectorXd moved = response * row;
        const double s = row.dot(moved) + epsilon[i][r];
        if (s > 1e-9) response -= moved * moved.transpose() / s;
      }
    const Eigen::MatrixXd expected = J * response * J.transpose();

    Eigen::VectorXd u;
    const Eigen::VectorXd v = Eigen::VectorXd::Random(model.nv);
    rows.compute_speeds(v, u);
    EXPECT_LT((u - J * v).norm(), 1e-12);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(model.nv);
    rows.add_forces(u, f);
    EXPECT_LT((f - J.transpose() * u).norm(), 1e-12 * (1.0 + f.norm()));

    for (const ContactIsland& island : rows.islands()) {
      ConeProblem problem;
      rows.assemble(island, u, problem);
      for (std::size_t a = 0; a < island.blocks.size(); ++a)
        for (std::size_t b = 0; b < island.blocks.size(); ++b)
          EXPECT_LT(
              (problem.W.block<3, 3>(3 * static_cast<Eigen::Index>(a), 3 * static_cast<Eigen::Index>(b)) -
               expected.block<3, 3>(3 * island.blocks[a], 3 * island.blocks[b]))
                  .norm(),
              1e-9 * (1.0 + expected.norm()))
              << name;
    }
  }
}

TEST(ContactRows, BodiesThatNothingJoinsAreSolvedApart) {
  Scene scene = test::make_floor(0.5);
  for (int k = 0; k < 3; ++k)
    test::add_box(scene, "box" + std::to_string(k), {0.4, 0.4, 0.4}, 1.0, {2.0 * k, 0.0, 0.2});
  const Model model = make_model(scene);
  ConstrainedSystem system(model);
  system.set_motion(model.q_initial, model.v_initial);
  system.compute_inertia(Eigen::VectorXd::Zero(model.nv));
  system.compute_rows(0.0);
  ASSERT_LT(system.factor_rows({}), 0);
  ContactRows rows(system);
  Contact contact;
  contact.rows = 3;
  for (const auto& [a, b] : {std::pair{1, 0}, {2, 0}, {1, 0}, {3, 1}}) {
    contact.a = a;
    contact.b = b;
    ASSERT_TRUE(rows.add_contact(contact, 0));
  }
  contact.a = contact.b = 0;
  EXPECT_FALSE(rows.add_contact(contact, 0));
  rows.finish();
  ASSERT_EQ(rows.islands().size(), 2u);
  EXPECT_EQ(rows.islands()[0].blocks, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(rows.islands()[1].blocks, (std::vector<int>{1}));
}

}  // namespace
}  // namespace rigor
