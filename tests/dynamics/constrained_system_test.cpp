// Constraints on random forests: constraint_rows.cpp, island_rows.cpp, islands.cpp, constrained_inertia.cpp,
// constrained_system.cpp, applied_forces.cpp.
#include "rigor/dynamics/constrained_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>

#include "tests/support/random_constraints.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd local_part(const Island& island, const VectorXd& v) {
  VectorXd local(island.speeds);
  for (const TreeRange& tree : island.trees)
    local.segment(tree.offset, tree.end - tree.begin) = v.segment(tree.begin, tree.end - tree.begin);
  return local;
}

// All rows of all islands, one after the other, with J over all speeds.
struct AllRows {
  MatrixXd J;
  VectorXd error, target, bias;
  std::vector<std::string> names;
  std::vector<RowLevel> level;
};

AllRows collect(ConstrainedSystem& system, double t) {
  system.compute_rows(t);
  int count = 0;
  for (const Island& island : system.islands().list) count += island.rows;
  AllRows all;
  all.J.setZero(count, system.model().nv);
  all.error.resize(count);
  all.target.resize(count);
  all.bias.resize(count);
  int at = 0;
  for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
    const Island& island = system.islands().list[i];
    const IslandRows& rows = system.rows(i);
    for (int r = 0; r < island.rows; ++r, ++at) {
      for (const TreeRange& tree : island.trees)
        all.J.row(at).segment(tree.begin, tree.end - tree.begin) =
            rows.Jt.col(r).segment(tree.offset, tree.end - tree.begin).transpose();
      all.error[at] = rows.error[r];
      all.target[at] = rows.target[r];
      all.bias[at] = rows.bias[r];
      all.names.push_back(describe_row(system.model(), island, r));
      all.level.push_back(rows.level[static_cast<std::size_t>(r)]);
    }
  }
  return all;
}

// Θ̇ = J v − target and Θ̈ = J v̇ + bias, by central differences along a motion of every joint type.
TEST(ConstrainedSystem, RowsAreTheDerivativesOfTheErrors) {
  const double e = 1e-5;
  for (int seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const auto id = static_cast<std::uint64_t>(seed);
    Scene scene = test::make_random_forest(id, {.bodies = 2 + seed % 12});
    test::add_random_constraints(scene, id + 1000);
    const Model model = make_model(scene);
    const State state = make_state(model);
    ConstrainedSystem system(model);
    test::Random random(id);
    VectorXd a(model.nv);
    for (double& value : a) value = random.uniform(-2, 2);
    const double t = 0.4;

    system.set_motion(state.q, state.v);
    const AllRows now = collect(system, t);
    AllRows side[2];
    VectorXd velocity_error[2];
    for (int s = 0; s < 2; ++s) {
      const double step = s == 0 ? -e : e;
      VectorXd q = state.q;
      const VectorXd v = state.v + step * a;
      move(model, step * (state.v + 0.5 * step * a), q);
      system.set_motion(q, v);
      side[s] = collect(system, t + step);
      velocity_error[s] = side[s].J * v - side[s].target;
    }
    const VectorXd velocity = now.J * state.v - now.target;
    const VectorXd acceleration = now.J * a + now.bias;
    for (Eigen::Index r = 0; r < velocity.size(); ++r) {
      const double scale = 1.0 + std::pow(now.J.row(r).norm() * (1.0 + state.v.norm()), 3);
      SCOPED_TRACE(now.names[static_cast<std::size_t>(r)]);
      if (now.level[static_cast<std::size_t>(r)] == RowLevel::kPosition) {
        EXPECT_NEAR((side[1].error[r] - side[0].error[r]) / (2 * e), velocity[r], 1e-7 * scale);
      }
      EXPECT_NEAR((velocity_error[1][r] - velocity_error[0][r]) / (2 * e), acceleration[r], 1e-6 * scale);
    }
  }
}

// M x − Jᵀ p = f, J x = b with M invertible (massless = 0) and singular; multipliers against a
// pseudo-inverse.
void check_solves(int massless) {
  int solved = 0;
  const int forests = kSanitized ? 60 : 1000;
  for (int seed = 0; seed < forests; ++seed) {
    SCOPED_TRACE(seed);
    const auto id = static_cast<std::uint64_t>(seed);
    Scene scene = test::make_random_forest(id, {.bodies = 1 + seed % 30});
    test::add_massless_bodies(scene, massless, id);
    if (massless == 0) {
      test::add_random_constraints(scene, id);
      scene.constraints.resize(static_cast<std::size_t>(1 + seed % 4));
    }
    const Model model = make_model(scene);
    if (model.nv == 0 || (massless > 0 && model.gears.empty())) continue;
    const State state = make_state(model);
    ConstrainedSystem system(model);
    system.set_motion(state.q, state.v);
    const AllRows rows = collect(system, 0.0);
    system.compute_inertia(VectorXd::Zero(model.nv));
    std::vector<VectorXd> epsilon, b;
    test::Random random(id);
    VectorXd wanted(model.nv), f(model.nv), x = VectorXd::Zero(model.nv);
    for (double& value : wanted) value = random.uniform(-1, 1);
    for (double& value : f) value = random.uniform(-1, 1);
    for (std::size_t i = 0; i < system.islands().list.size(); ++i) {
      epsilon.emplace_back(VectorXd::Zero(system.islands().list[i].rows));
      b.emplace_back(system.rows(i).Jt.transpose() *
                     local_part(system.islands().list[i], wanted));  // one that fits
    }
    ASSERT_EQ(system.factor_rows(epsilon), -1);
    system.solve(f, b, x);
    ++solved;

    VectorXd p(rows.J.rows());
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < epsilon.size(); ++i) {
      EXPECT_EQ(system.inertia(i).uses_null_space(), massless > 0);
      p.segment(at, epsilon[i].size()) = system.multipliers(i);
      at += epsilon[i].size();
    }
    const MatrixXd M = system.M().to_dense();
    const VectorXd force = rows.J.transpose() * p;
    EXPECT_LE((M * x - force - f).norm(), 1e-12 * (M.norm() * x.norm() + force.norm() + f.norm()));
    EXPECT_LE((rows.J * (x - wanted)).norm(), 1e-12 * rows.J.norm() * (x.norm() + wanted.norm()));
    // of least norm: nothing of p lies where Jᵀ does not see it
    const MatrixXd Jt = rows.J.transpose();
    const VectorXd seen = Jt.completeOrthogonalDecomposition().solve(Jt * p);
    EXPECT_LE((seen - p).norm(), 1e-8 * (1.0 + p.norm()));
  }
  EXPECT_GT(solved, forests / 2);
}

TEST(ConstrainedSystem, SolvesWithInvertibleMass) {
  check_solves(0);
}

TEST(ConstrainedSystem, SolvesWithMasslessBodies) {
  check_solves(3);
}

// From M v + change and from the change: the same velocities, and where nothing changes the same bits.
TEST(ConstrainedSystem, SolvesForChanges) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Scene scene = test::make_random_forest(seed, {.bodies = 12});
    if (seed % 2 == 1) test::add_random_constraints(scene, seed);
    const Model model = make_model(scene);
    const State state = make_state(model);
    ConstrainedSystem system(model);
    system.set_motion(state.q, state.v);
    system.compute_rows(0.0);
    system.compute_inertia(VectorXd::Zero(model.nv));
    std::vector<VectorXd> epsilon;
    for (const Island& island : system.islands().list) epsilon.emplace_back(VectorXd::Zero(island.rows));
    if (system.factor_rows(epsilon) >= 0) continue;
    const std::vector<VectorXd>& b = epsilon;
    test::Random random(seed);
    VectorXd v(model.nv), change(model.nv), momentum;
    for (double& value : v) value = random.uniform(-1, 1);
    for (double& value : change) value = random.uniform(-1, 1);
    system.M().multiply(v, momentum);
    VectorXd whole = v, by_change = v;
    system.solve(momentum + change, b, whole);
    system.solve(momentum + change, change, v, b, by_change);
    EXPECT_LE((whole - by_change).norm(), 1e-9 * (1.0 + whole.norm()));

    const VectorXd nothing = VectorXd::Zero(model.nv);
    system.solve(momentum, nothing, v, b, by_change);
    for (const TreeRange& tree : system.islands().alone)
      for (int i = tree.begin; i < tree.end; ++i) EXPECT_EQ(by_change[i], v[i]);
  }
}

TEST(ConstrainedSystem, NamesTheMasslessMotion) {
  Scene scene = test::make_random_forest(3, {.bodies = 5});
  test::add_massless_bodies(scene, 2, 3);
  scene.gears.pop_back();
  const Model model = make_model(scene);
  ConstrainedSystem system(model);
  const State state = make_state(model);
  system.set_motion(state.q, state.v);
  system.compute_rows(0.0);
  system.compute_inertia(VectorXd::Zero(model.nv));
  std::vector<VectorXd> epsilon;
  for (const Island& island : system.islands().list) epsilon.emplace_back(VectorXd::Zero(island.rows));
  const int speed = system.factor_rows(epsilon);
  ASSERT_GE(speed, 0);
  EXPECT_EQ(model.bodies[static_cast<std::size_t>(model.speeds[static_cast<std::size_t>(speed)].body)].name,
            "massless_1");
}

TEST(Islands, TiesTogetherWhatConstraintsConnect) {
  Scene scene;
  for (const char* name : {"a", "b", "c", "d"}) {
    Body body;
    body.name = name;
    body.mass = 1.0;
    body.inertia = {1, 1, 1};
    scene.bodies.push_back(body);
  }
  const auto connect = [&](const char* name, const char* a, const char* b) {
    Constraint constraint;
    constraint.name = name;
    constraint.a = a;
    constraint.b = b;
    scene.constraints.push_back(constraint);
  };
  connect("one", "c", "a");
  connect("two", "b", kWorld);
  const Model model = make_model(scene);
  const Islands islands = find_islands(model);
  ASSERT_EQ(islands.list.size(), 2U);
  EXPECT_EQ(islands.list[0].speeds, 12);
  EXPECT_EQ(islands.list[0].rows, 3);
  EXPECT_EQ(islands.list[1].speeds, 6);
  ASSERT_EQ(islands.alone.size(), 1U);
  EXPECT_EQ(islands.alone[0].begin, 18);
  EXPECT_EQ(describe_row(model, islands.list[0], 1), "constraint \"one\": position y");
}

}  // namespace
}  // namespace rigor
