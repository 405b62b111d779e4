#pragma once

#include "rigor/analysis/scene_problem.hpp"

namespace rigor {

/// A scene in natural coordinates [GB94]: every body carries two points p0, p1 and two unit vectors u, v, and
/// the coordinates are their components in the world, 12 per body that meets no other. Bodies share what they
/// have in common: the point of a ball, universal or revolute joint, the axis of a revolute one; bodies on a
/// fixed joint share everything, and what is fixed in the world is no coordinate.
///
///     r(x) = p0 + c1 (p1 − p0) + c2 u + c3 v,        c constant for every point x of the body,       (1)
///     M = L Π Lᵀ ⊗ 1₃,   Π = ∫ (1, x)(1, x)ᵀ dm,   constant: F has no terms of velocity,             (2)
///     |p1 − p0|² = const,  |u|² = |v|² = 1,  (p1 − p0)·u, (p1 − p0)·v, u·v = const                   (3)
///
/// with L from (1). (3) are bilateral rows with bias 2 (their products of velocities). A joint point or axis
/// beyond p1, u and v is one more point or vector that (1) ties to the body: it has no mass, so that M is
/// singular, as it is for rods and plates. Joints that share no point have rows in the relative twist: what
/// is not in their motions S, with ω = ½ Σ bᵏ × ḃ_k over the reciprocal of the basis b = (p1 − p0, u, v).
///
/// Contacts have the rows of (1) at their points. Everything that the scene has as rows or forces on its
/// speeds w (loops, gears, limits, motions, springs) comes over by w = W q̇, W the pseudoinverse of
/// q̇ = Γ w: with q̈ = q̈0 + Γ ẇ a row j becomes j W with the bias less j W q̈0, a force f becomes Wᵀ f.
///
/// [GB94] J. García de Jalón, E. Bayo. Kinematic and Dynamic Simulation of Multibody Systems: the Real-Time
///        Challenge. Springer, 1994, ch. 2 and 4.
/// Departure: every body has a full basis, also in the plane; Γ and q̈0 come from the tree's kinematics.
struct NaturalProblem {
  SceneProblem scene;      // problem, places and names in natural coordinates; rigidity and joints come last
  Eigen::MatrixXd Gamma;   // coordinates x speeds of the model
  Eigen::VectorXd q_bias;  // q̈ where the speeds do not change
  Eigen::MatrixXd W;       // speeds x coordinates, W Γ = 1

  /// Accelerations of the model's speeds from those of the natural coordinates.
  [[nodiscard]] Eigen::VectorXd to_speeds(const Eigen::VectorXd& acceleration) const {
    return W * (acceleration - q_bias);
  }
};

/// `scene` is that of make_scene_problem() at the same state.
[[nodiscard]] NaturalProblem make_natural_problem(const Model& model, const State& state,
                                                  const SceneProblem& scene);

}  // namespace rigor
