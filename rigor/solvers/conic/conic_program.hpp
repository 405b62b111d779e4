#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace rigor {

/// A convex program over half-lines and second-order cones: find x, s with
///
///     min ½ xᵀP x + qᵀx,     A x + s = b,     s ∈ K,                                                 (1)
///
/// and the forces z ∈ K* = K of the constraints:
///
///     P x + Aᵀz + q = 0,     sᵀz = 0,     −½ xᵀP x − bᵀz  the same value.                            (2)
///
/// P is symmetric and positive semidefinite, or empty where the program is linear. The rows of K are
/// half-lines s ≥ 0 first, then cones { s : s₀ ≥ ‖s₁ …‖ } of the given sizes. Equations must be eliminated by
/// the caller, and [P; A] should have full column rank.
///
/// No x with (1) exists iff there is z ∈ K with Aᵀz = 0, bᵀz < 0 (where such z do not only come close); (1)
/// falls without bound along an x with P x = 0, −A x ∈ K, qᵀx < 0.
struct ConicProgram {
  Eigen::MatrixXd P;
  Eigen::VectorXd q;  // n
  Eigen::MatrixXd A;  // m x n
  Eigen::VectorXd b;  // m
  int half_lines{0};
  std::vector<int> cones;  // sizes, each ≥ 2

  /// Throws InvalidInput where sizes do not fit or a number is not finite.
  void validate() const;
};

enum class ConicStatus {
  kSolved,
  kInfeasible,        // z proves it
  kUnbounded,         // x falls for ever
  kNumericalTrouble,  // x, s, z are the best point met
};

struct ConicResult {
  ConicStatus status{ConicStatus::kNumericalTrouble};
  Eigen::VectorXd x, s, z;
  double value{0.0};                                         // of (1)
  double residual{std::numeric_limits<double>::infinity()};  // conic_residual(), or that of the proof
  int iterations{0};
};

/// How far (x, s, z) is from (1) and (2): the largest of
///
///     ‖A x + s − b‖∞ / (1 + ‖b‖∞),   ‖P x + Aᵀz + q‖∞ / (1 + ‖q‖∞),   |gap| / (1 + |value|),
///     distances of s and z from K over (1 + ‖s‖∞), (1 + ‖z‖∞).
///
/// Recomputed from the program; knows no method.
[[nodiscard]] double conic_residual(const ConicProgram& program, const Eigen::VectorXd& x,
                                    const Eigen::VectorXd& s, const Eigen::VectorXd& z);

/// Of a proof that nothing solves (1): (‖Aᵀz‖∞ + distance of z from K) / −bᵀz, infinite where bᵀz ≥ 0.
[[nodiscard]] double infeasibility_residual(const ConicProgram& program, const Eigen::VectorXd& z);
/// Of a ray: (‖P x‖∞ + distance of −A x from K) / −qᵀx, infinite where qᵀx ≥ 0.
[[nodiscard]] double ray_residual(const ConicProgram& program, const Eigen::VectorXd& x);

/// How far the worst block of v sticks out of K: max(0, −v) of a half-line, max(0, ‖v₁‖ − v₀) of a cone.
[[nodiscard]] double distance_from_cones(const ConicProgram& program, const Eigen::VectorXd& v);

}  // namespace rigor
