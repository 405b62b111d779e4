// The algorithms of dynamics on random forests, against each other and against differences:
// kinematics.cpp, inverse_dynamics.cpp, mass_matrix.cpp, tree_matrix.cpp, articulated_body.cpp, jacobian.cpp,
// energy.cpp.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/energy.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/jacobian.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/random_forest.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kForests = kSanitized ? 60 : 1000;

// A random forest with everything evaluated at its initial state.
struct Forest {
  explicit Forest(int seed)
      : scene(test::make_random_forest(static_cast<std::uint64_t>(seed), {.bodies = 1 + seed % 30})),
        model(make_model(scene)),
        state(make_state(model)),
        pattern(make_tree_pattern(model)) {
    M.pattern = &pattern;
    compute_positions(model, state.q, kin);
    compute_velocities(model, state.v, kin);
    std::vector<SpatialInertia<double>> composite;
    compute_mass_matrix(model, kin, composite, M);
    compute_bias(model, kin, inverse, bias);
    test::Random random(static_cast<std::uint64_t>(seed) + 7);
    tau.resize(model.nv);
    for (double& value : tau) value = random.uniform(-5, 5);
  }

  Scene scene;
  Model model;
  State state;
  TreePattern pattern;
  Kinematics<double> kin;
  TreeMatrix M;
  InverseDynamicsWorkspace inverse;
  VectorXd bias, tau;
};

double backward_error(const Forest& forest, const VectorXd& a) {
  const MatrixXd M = forest.M.to_dense();
  return (M * a + forest.bias - forest.tau).norm() / (M.norm() * a.norm() + forest.bias.norm() + 1e-300);
}

TEST(RandomForests, ThreeWaysToTheMassMatrixAgree) {
  for (int seed = 0; seed < kForests; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    if (forest.model.nv == 0) continue;
    const MatrixXd M = forest.M.to_dense();
    const double size = M.norm();

    // columns by inverse dynamics of unit accelerations, the bias taken off
    MatrixXd by_columns(M.rows(), M.cols());
    VectorXd tau, energy_diagonal(M.rows());
    for (Eigen::Index i = 0; i < M.cols(); ++i) {
      compute_inverse_dynamics(forest.model, VectorXd::Unit(M.cols(), i), forest.kin, forest.inverse, tau);
      by_columns.col(i) = tau - forest.bias;
    }
    EXPECT_LE((by_columns - M).norm(), 1e-12 * (size + forest.bias.norm()));

    // and by the kinetic energy of a random motion: ½ vᵀ M v
    const VectorXd& v = forest.state.v;
    const double energy = compute_kinetic_energy(forest.model, forest.kin, v);
    EXPECT_NEAR(energy, 0.5 * v.dot(M * v), 1e-12 * (energy + size * v.squaredNorm()));
    // entry by entry where that is cheap: M(i, j) = T(eᵢ + eⱼ) − T(eᵢ) − T(eⱼ)
    if (M.rows() <= 12) {
      const auto energy_of = [&](const VectorXd& motion) {
        compute_velocities(forest.model, motion, forest.kin);
        return compute_kinetic_energy(forest.model, forest.kin, motion);
      };
      MatrixXd by_energy(M.rows(), M.cols());
      for (Eigen::Index i = 0; i < M.rows(); ++i)
        for (Eigen::Index j = 0; j < M.cols(); ++j) {
          const VectorXd a = VectorXd::Unit(M.rows(), i), b = VectorXd::Unit(M.rows(), j);
          by_energy(i, j) = energy_of(a + b) - energy_of(a) - energy_of(b);
        }
      EXPECT_LE((by_energy - M).norm(), 1e-12 * size);
    }
    VectorXd Mv;
    forest.M.multiply(v, Mv);
    EXPECT_LE((Mv - M * v).norm(), 1e-13 * size * v.norm());
  }
}

TEST(RandomForests, ForwardDynamicsByArticulatedBodiesAndByTheFactorSolveTheEquations) {
  double worst = 0.0;
  for (int seed = 0; seed < kForests; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    if (forest.model.nv == 0) continue;
    VectorXd a = VectorXd::Zero(forest.model.nv);
    ArticulatedBody articulated;
    ASSERT_EQ(articulated.solve(forest.model, forest.kin, nullptr, forest.tau, a), -1);
    EXPECT_LE(backward_error(forest, a), 1e-12);
    worst = std::max(worst, backward_error(forest, a));

    TreeFactor factor;
    factor.compute(forest.M, VectorXd::Zero(forest.model.nv),
                   std::vector<char>(static_cast<std::size_t>(forest.model.nv), 0));
    ASSERT_FALSE(factor.is_singular(0, forest.model.nv));
    VectorXd b = forest.tau - forest.bias;
    VectorXd half = b;
    factor.half_solve(0, forest.model.nv, half);
    factor.solve(0, forest.model.nv, b);
    EXPECT_LE(backward_error(forest, b), 1e-12);
    EXPECT_NEAR(half.squaredNorm(), b.dot(forest.tau - forest.bias), 1e-9 * half.squaredNorm());

    // free bodies with nothing on them have loops of their own
    for (int i = 0; i + 6 <= forest.model.nv; ++i) {
      const bool is_tree =
          forest.pattern.begins_six(i) &&
          (i + 6 == forest.model.nv || forest.model.speeds[static_cast<std::size_t>(i) + 6].parent < 0);
      if (!is_tree) continue;
      Eigen::Matrix<double, 6, 1> own = (forest.tau - forest.bias).segment<6>(i), own_half;
      factor.half_solve_six(i, 1, own.data(), own_half.data());
      factor.solve_six(i, own.data());
      EXPECT_LE((own_half - half.segment<6>(i)).norm(), 1e-14 * half.norm());
      EXPECT_LE((own - b.segment<6>(i)).norm(), 1e-14 * b.norm());
    }

    std::vector<Vec6<double>> V;
    compute_body_velocities(forest.model, forest.kin, forest.state.v, V);
    for (std::size_t k = 0; k < V.size(); ++k)
      EXPECT_LE((V[k] - forest.kin.bodies[k].V).norm(), 1e-14 * (1.0 + V[k].norm()));
  }
  RecordProperty("worst_backward_error", testing::PrintToString(worst));
}

// Some speeds prescribed: the others obey their equations, and the motors' forces close the rest.
TEST(RandomForests, HybridDynamicsObeysTheEquationsWithTheMotorsForces) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    if (forest.model.nv == 0) continue;
    test::Random random(static_cast<std::uint64_t>(seed));
    VectorXd a = VectorXd::Zero(forest.model.nv);
    std::vector<char> fixed(static_cast<std::size_t>(forest.model.nv), 0);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      if (random.uniform(0, 1) > 0.4) continue;
      fixed[i] = 1;
      forest.model.speeds[i].motion = 0;
      a[static_cast<Eigen::Index>(i)] = random.uniform(-3, 3);
    }
    const VectorXd prescribed = a;
    ArticulatedBody articulated;
    ASSERT_EQ(articulated.solve(forest.model, forest.kin, nullptr, forest.tau, a), -1);
    for (std::size_t i = 0; i < fixed.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      if (fixed[i])
        EXPECT_EQ(a[k], prescribed[k]);
      else
        EXPECT_EQ(articulated.motor_forces()[k], 0.0);
    }
    forest.tau += articulated.motor_forces();
    EXPECT_LE(backward_error(forest, a), 1e-12 * (1.0 + articulated.motor_forces().norm()));
  }
}

// d/dt of everything, by central differences along the motion q ⊕ ±e v, v ± e a.
TEST(RandomForests, VelocitiesAndBiasesAreTheDerivativesOfPositionsAndVelocities) {
  const double e = 1e-5;
  for (int seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    const Model& model = forest.model;
    test::Random random(static_cast<std::uint64_t>(seed));
    VectorXd a(model.nv);
    for (double& value : a) value = random.uniform(-2, 2);
    compute_accelerations<double>(model, a, Eigen::Vector3d::Zero(), forest.kin);
    Kinematics<double> side[2];
    for (int s = 0; s < 2; ++s) {
      const double step = s == 0 ? -e : e;
      VectorXd q = forest.state.q;
      // q to second order: the velocity in the middle of the way
      move(model, step * (forest.state.v + 0.5 * step * a), q);
      compute_positions(model, q, side[s]);
      compute_velocities<double>(model, forest.state.v + step * a, side[s]);
    }
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const BodyKinematics<double>& body = forest.kin.bodies[b];
      const double scale = 1.0 + body.A.norm() + body.V.norm() * body.V.norm();
      const Eigen::Vector3d v = (side[1].bodies[b].p - side[0].bodies[b].p) / (2 * e);
      EXPECT_LE((v - body.V.tail<3>()).norm(), 1e-7 * scale * scale);
      const Eigen::Matrix3d R_dot = (side[1].bodies[b].R - side[0].bodies[b].R) / (2 * e);
      EXPECT_LE((R_dot - skew<double>(body.angular_velocity()) * body.R).norm(), 1e-7 * scale * scale);
      const Vec6<double> A = (side[1].bodies[b].V - side[0].bodies[b].V) / (2 * e);
      EXPECT_LE((A - body.A).norm(), 1e-6 * scale * scale) << model.bodies[b].name;

      // the frame's Jacobian and its bias say the same of a point of the body
      const Eigen::Vector3d point(0.3, -0.2, 0.5);
      const auto index = static_cast<BodyIndex>(b);
      MatrixXd J;
      compute_frame_jacobian(model, forest.kin, index, point, J);
      const MotionView view{model, 0.0, forest.state.q, forest.state.v, a, forest.kin};
      const Vec6<double> velocity = J * forest.state.v;
      EXPECT_LE((velocity.tail<3>() - view.velocity(index, point)).norm(), 1e-12 * scale);
      const Vec6<double> acceleration = J * a + compute_frame_bias(model, forest.kin, index, point);
      EXPECT_LE((acceleration.tail<3>() - view.acceleration(index, point)).norm(), 1e-11 * scale);
      EXPECT_LE((acceleration.head<3>() - view.angular_acceleration(index)).norm(), 1e-11 * scale);
    }
  }
}

// c by Lagrange: d/dt(M v) − ∂T/∂q + ∂U/∂q = bias, along coordinates whose speeds are their derivatives.
TEST(RandomForests, BiasForceIsThatOfLagrange) {
  const double e = 1e-5;
  int compared = 0;
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    const Model& model = forest.model;
    bool has_quaternions = false;
    for (const ModelBody& body : model.bodies)
      has_quaternions = has_quaternions || body.type == JointType::kBall || body.type == JointType::kFree;
    if (has_quaternions || model.nv == 0) continue;
    ++compared;
    const VectorXd& v = forest.state.v;
    const auto mass = [&](const VectorXd& q) {
      Kinematics<double> kin;
      compute_positions(model, q, kin);
      std::vector<SpatialInertia<double>> composite;
      TreeMatrix M{&forest.pattern, {}};
      compute_mass_matrix(model, kin, composite, M);
      return std::pair{M.to_dense(), compute_potential_energy(model, q, 0.0, kin).total()};
    };
    const VectorXd& q = forest.state.q;
    const MatrixXd M_dot = (mass(q + e * v).first - mass(q - e * v).first) / (2 * e);
    VectorXd expected = M_dot * v;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const auto [M1, U1] = mass(q + e * VectorXd::Unit(q.size(), i));
      const auto [M0, U0] = mass(q - e * VectorXd::Unit(q.size(), i));
      expected[i] += (U1 - U0) / (2 * e) - 0.5 * v.dot((M1 - M0) * v) / (2 * e);
    }
    EXPECT_LE((expected - forest.bias).norm(), 1e-6 * (1.0 + forest.bias.norm() + M_dot.norm() * v.norm()));
  }
  EXPECT_GT(compared, 10);
}

// Momentum of the bodies one by one is momentum of the whole, and its rate is the weight where nothing holds.
TEST(RandomForests, MomentaAreThoseOfTheMassMatrix) {
  for (int seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Forest forest(seed);
    const Momenta momenta = compute_momenta(forest.model, forest.kin);
    Eigen::Vector3d linear = Eigen::Vector3d::Zero();
    double mass = 0.0;
    for (std::size_t b = 1; b < forest.model.bodies.size(); ++b) {
      const BodyKinematics<double>& body = forest.kin.bodies[b];
      linear += body.inertia.m * body.velocity_at(body.inertia.h / body.inertia.m);
      mass += body.inertia.m;
    }
    EXPECT_NEAR(momenta.mass, mass, 1e-12 * mass);
    EXPECT_LE((momenta.linear - linear).norm(), 1e-12 * (1.0 + linear.norm()));
    EXPECT_LE((momenta.angular_about_center + momenta.center.cross(momenta.linear) - momenta.angular).norm(),
              1e-12 * (1.0 + momenta.angular.norm()));
  }
}

}  // namespace
}  // namespace rigor
