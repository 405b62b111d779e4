// After the first call the algorithms of dynamics live on the room they have. Every allocation ends in malloc
// on Linux, operator new's and Eigen's alike, so this program counts the calls of it.
#include <gtest/gtest.h>

#include <cstdlib>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/random_forest.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIGOR_MALLOC_IS_TAKEN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RIGOR_MALLOC_IS_TAKEN 1
#endif
#endif

#if defined(__GLIBC__) && !defined(RIGOR_MALLOC_IS_TAKEN)
#define RIGOR_COUNTS_MALLOC 1
namespace {
std::size_t allocations = 0;
}
extern "C" void* __libc_malloc(std::size_t);  // glibc's own, so that ours can count
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace rigor {
namespace {

TEST(Allocation, DynamicsOfAWarmModelAllocatesNothing) {
#ifndef RIGOR_COUNTS_MALLOC
  GTEST_SKIP() << "malloc belongs to the sanitizer here";
#else
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
  const std::size_t before = allocations;
  const bool is_solved = compute(second);
  EXPECT_EQ(allocations, before);
  EXPECT_TRUE(is_solved);
  ASSERT_GT(before, 0u);  // the counter works
#endif
}

}  // namespace
}  // namespace rigor
