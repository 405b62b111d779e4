#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <vector>

namespace rigor {

enum class ContactSide { kUnilateral, kBilateral };
enum class ContactMotion { kStick, kSlide };

/// A contact, or a constraint, of an AccelerationProblem: forces on a and accelerations of n coordinates.
struct AccelerationContact {
  std::string name;
  ContactSide side{ContactSide::kUnilateral};
  Eigen::VectorXd normal;        // n: ∇h
  Eigen::MatrixXd tangent;       // k x n, k = 0 without friction, 1 in the plane, 2 in space
  double normal_bias{0.0};       // d/dt(∇hᵀ) q̇, m/s²
  Eigen::VectorXd tangent_bias;  // k
  double mu{0.0};                // of the friction cone ‖λt‖ ≤ mu |λn|; without effect where k = 0
  ContactMotion motion{ContactMotion::kStick};
  Eigen::VectorXd slip;  // k, of a contact that slides: the direction in which it does, of length 1
  /// What |λn| may be, N, where forces are sought for actuators; other questions do not heed it.
  double normal_min{0.0}, normal_max{std::numeric_limits<double>::infinity()};

  [[nodiscard]] Eigen::Index tangents() const { return tangent.rows(); }
  [[nodiscard]] bool is_unilateral() const { return side == ContactSide::kUnilateral; }
  [[nodiscard]] bool slides() const { return motion == ContactMotion::kSlide; }
  /// Friction that holds: a tangent, mu > 0, and no slip.
  [[nodiscard]] bool has_cone() const { return tangents() > 0 && mu > 0.0 && !slides(); }
};

/// A force that may be chosen: u times `force` is applied, so that F becomes F − u `force`.
struct Actuator {
  std::string name;
  Eigen::VectorXd force;  // n, per unit of u
  double min{-std::numeric_limits<double>::infinity()}, max{std::numeric_limits<double>::infinity()};
  double weight{1.0};  // > 0, of u² in the cost
};

/// A mechanical system at one instant, its contacts closed and their normal speeds zero [BKA, (1), (71)]:
///
///     M a + F = Σ normal λn + Σ tangentᵀ λt,                                                         (1)
///     a_n = normal·a + normal_bias,     a_t = tangent a + tangent_bias.
///
/// F is minus the applied force. M is symmetric and positive semidefinite; it may be singular where
/// coordinates are more than the system has freedoms. A contact that slides has λt = −mu |λn| slip.
///
/// [BKA] Brogliato, Kövecses, Acary. The contact problem in Lagrangian systems with redundant frictional
///       bilateral and unilateral constraints and singular mass matrix: the all-sticking contacts problem.
///       Multibody System Dynamics 48, 2020.
struct AccelerationProblem {
  Eigen::MatrixXd M;  // n x n
  Eigen::VectorXd F;  // n
  std::vector<AccelerationContact> contacts;
  std::vector<Actuator> actuators;  // none where no forces are sought

  [[nodiscard]] Eigen::Index size() const { return F.size(); }

  /// Throws InvalidInput saying which matrix is wrong and which size was expected.
  void validate() const;
};

}  // namespace rigor
