#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "rigor/dynamics/articulated_body.hpp"
#include "rigor/dynamics/inverse_dynamics.hpp"
#include "rigor/dynamics/mass_matrix.hpp"
#include "rigor/model/state.hpp"
#include "tests/support/random_forest.hpp"

/// Rigor's dynamics before another engine: the same scene at the same state under the same forces, compared
/// in what does not depend on anybody's choice of coordinates (how bodies accelerate), and in the mass matrix
/// once the engine's speeds are written in Rigor's.
namespace rigor::test {

/// What an engine says of a scene.
struct EngineAnswer {
  Eigen::MatrixXd M;            // in the speeds of Rigor's model
  std::vector<Vec6<double>> A;  // of each of Model::bodies: α and acceleration of the centre of mass, in W
};

/// A scene with everything evaluated at its initial state, and random forces along the speeds.
struct JudgedForest {
  explicit JudgedForest(const Scene& judged, std::uint64_t seed)
      : scene(judged), model(make_model(scene)), state(make_state(model)), pattern(make_tree_pattern(model)) {
    M.pattern = &pattern;
    compute_positions(model, state.q, kin);
    compute_velocities(model, state.v, kin);
    std::vector<SpatialInertia<double>> composite;
    compute_mass_matrix(model, kin, composite, M);
    Random random(seed);
    tau.resize(model.nv);
    for (double& value : tau) value = random.uniform(-5, 5);
  }

  [[nodiscard]] const ModelBody& body(const std::string& name) const {
    return model.bodies[static_cast<std::size_t>(model.find_body(name))];
  }

  /// Largest difference of body accelerations from those of the engine, relative to the largest of them.
  [[nodiscard]] double compare(const Eigen::VectorXd& a, const EngineAnswer& engine) {
    compute_accelerations<double>(model, a, Eigen::Vector3d::Zero(), kin);
    double largest = 0.0, difference = 0.0;
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      const BodyKinematics<double>& own = kin.bodies[b];
      Vec6<double> A;
      A << own.angular_acceleration(), own.acceleration_at(own.inertia.h / own.inertia.m);
      largest = std::max(largest, A.norm());
      difference = std::max(difference, (A - engine.A[b]).norm());
    }
    return difference / (largest + 1e-300);
  }

  Scene scene;
  Model model;
  State state;
  TreePattern pattern;
  Kinematics<double> kin;
  TreeMatrix M;
  Eigen::VectorXd tau;
};

/// Rigor's mass matrix, its articulated bodies and its factor against the engine's answer.
inline void expect_agreement(JudgedForest& forest, const EngineAnswer& engine) {
  constexpr double kTolerance = 1e-10;
  const Model& model = forest.model;
  const Eigen::MatrixXd M = forest.M.to_dense();
  EXPECT_LE((M - engine.M).norm(), kTolerance * M.norm());

  Eigen::VectorXd a = Eigen::VectorXd::Zero(model.nv);
  ArticulatedBody articulated;
  ASSERT_EQ(articulated.solve(model, forest.kin, nullptr, forest.tau, a), -1);
  EXPECT_LE(forest.compare(a, engine), kTolerance) << "articulated bodies";

  InverseDynamicsWorkspace inverse;
  Eigen::VectorXd bias;
  compute_bias(model, forest.kin, inverse, bias);
  TreeFactor factor;
  factor.compute(forest.M, Eigen::VectorXd::Zero(model.nv),
                 std::vector<char>(static_cast<std::size_t>(model.nv), 0));
  a = forest.tau - bias;
  factor.solve(0, model.nv, a);
  EXPECT_LE(forest.compare(a, engine), kTolerance) << "factor";
}

}  // namespace rigor::test
