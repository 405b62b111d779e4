#pragma once

#include <Eigen/Core>

#include "rigor/collision/contact_point.hpp"

namespace rigor {

/// The motion of a body's material at some place x of the world.
struct MaterialMotion {
  Eigen::Vector3d velocity{Eigen::Vector3d::Zero()};          // of the material point at x, m/s
  Eigen::Vector3d acceleration{Eigen::Vector3d::Zero()};      // of the same material point, m/s²
  Eigen::Vector3d angular_velocity{Eigen::Vector3d::Zero()};  // rad/s
};

/// First and second time derivative of the gap, and where the contact goes on the two surfaces.
struct GapRates {
  double velocity{0.0};                                  // ġ, m/s
  double acceleration{0.0};                              // g̈, m/s²
  Eigen::Vector3d normal_rate{Eigen::Vector3d::Zero()};  // ṅ, 1/s
  Eigen::Vector3d slip_a{Eigen::Vector3d::Zero()};       // contact point over the material of A, m/s
  Eigen::Vector3d slip_b{Eigen::Vector3d::Zero()};       // and of B, m/s
  bool defined{true};  // false where two faces (or parallel lines) touch: the contact has no place of its own
};

/// Contact kinematics with curvature, after Montana [1]. Our derivation, which also covers gaps that are not
/// 0, edges and vertices, is in docs/theory/collision.md. `a` and `b` are the motions of the material at the
/// witness points point.on_a and point.on_b. With u = v_A − v_B, α and β the velocities of the contact point
/// over the material of A and B, K the curvatures (the outward normal of B is n, of A −n):
///
///     ġ = n·u
///     ṅ = ω_B × n + K_B β = ω_A × n − K_A α
///     α − β = g ṅ − u_t                                                                              (1)
///     g̈ = n·(a_A − a_B) + ṅ·u − α·(ω_A × n) + β·(ω_B × n)                                            (2)
///
/// Exact for pairs of nearest points and for a vertex over a face; for the other corners of a clipped face,
/// which move with both outlines, ġ is exact where the faces are parallel.
///
/// [1] D. J. Montana. The kinematics of contact and grasp. Int. J. Robotics Research 7 (3), 1988.
[[nodiscard]] GapRates compute_gap_rates(const ContactPoint& point, const MaterialMotion& a,
                                         const MaterialMotion& b);

}  // namespace rigor
