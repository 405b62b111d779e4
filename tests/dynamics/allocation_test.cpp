// After the first call the algorithms of dynamics live on the room they have.
#include <gtest/gtest.h>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/random_forest.hpp"

namespace rigor {
namespace {

TEST(Allocation, DynamicsOfAWarmModelAllocatesNothing) {
  if (kSanitized) GTEST_SKIP() << "malloc belongs to the sanitizer here";
  const test::AllocationCount from_start;
  // all joint types, armature, and every third speed prescribed
  Model model = make_model(test::make_random_forest(3, {.bodies = 30}));
  const State first = make_state(model);
  State second = first;
  move(model, 0.1 * first.v, second.q);
  second.v *= -0.5;
  const Eigen::VectorXd tau = Eigen::VectorXd::Constant(model.nv, 0.5);
  for (std::size_t i = 0; i < model.speeds.size(); i += 3) model.speeds[i].motion = 0;
  const std::vector<char> is_fixed(static_cast<std::size_t>(model.nv), 0);
  const std::vector<Vec6<double> > forces(model.bodies.size(), Vec6<double>::Ones());

  const TreePattern pattern = make_tree_pattern(model);
  Kinematics<double> kin;
  ArticulatedBody articulated;
  InverseDynamicsWorkspace inverse;
  std::vector<SpatialInertia<double> > composite;
  std::vector<Vec6<double> > wrenches = forces;
  TreeMatrix M{&pattern, {}};
  TreeFactor factor;
  Eigen::VectorXd a = Eigen::VectorXd::Ones(model.nv), bias, required, product;
  const auto compute = [&](const State& state) {
    compute_positions(model, state.q, kin);
    compute_velocities(model, state.v, kin);
    bool is_solved = articulated.solve(model, kin, &forces, tau, a) < 0;
    compute_inverse_dynamics(model, a, kin, inverse, required);
    compute_bias(model, kin, inverse, bias);
    wrenches = forces;
    add_generalized_forces(model, kin, wrenches, bias);
    compute_mass_matrix(model, kin, composite, M);
    M.multiply(a, product);
    factor.compute(M, tau, is_fixed);
    is_solved = is_solved && !factor.is_singular(0, model.nv);
    factor.solve(0, model.nv, bias);
    return is_solved;
  };
  ASSERT_TRUE(compute(first));
  const test::AllocationCount count;
  const bool is_solved = compute(second);
  EXPECT_EQ(count.since(), 0);
  EXPECT_TRUE(is_solved);
  EXPECT_GT(from_start.since(), 0);  // the counter works
}

}  // namespace
}  // namespace rigor
