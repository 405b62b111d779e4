#pragma once

#include <string>

#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// What a secondary ray proves where it does not prove that there is no solution.
///
/// Lemke's method ends on a ray v ≥ 0, v ≠ 0 with M v + d v0 ≥ 0, v0 ≥ 0, v·(M v + d v0) = 0, so that
///
///     v_i (M v)_i ≤ 0 for all i      M reverses the sign of v: it is no P-matrix
///     vᵀM v ≤ 0                      M is not strictly copositive                                    (1)
///     vᵀM v < 0 where v0 > 0         M is not copositive, and so not positive semidefinite
///
/// For copositive M the product (1) is zero, and if M is copositive-plus the ray proves that there is no
/// solution
/// [CPS92, 4.4]. So the sign of vᵀM v says whether that theorem applies.
enum class RayFact {
  kNotCopositive,  // vᵀM v < 0, beyond the rounding of its evaluation: no theorem applies, nothing is proved
  kZero,           // vᵀM v = 0 up to rounding: no solution, if M is copositive-plus
  kNothing,        // vᵀM v > 0: the ray is the method's rounding
};

struct RayReading {
  RayFact fact{RayFact::kNothing};
  bool no_p_matrix{false};  // v_i (M v)_i ≤ 0 for all i, certain in spite of rounding
  double curvature{0.0};    // vᵀM v
};

/// Every sign is accepted only where it exceeds the bound of the rounding error of its sum.
[[nodiscard]] RayReading read_ray(const LcpProblem& problem, const Eigen::VectorXd& ray);

/// The same in words, for the `note` of a result.
[[nodiscard]] std::string describe_ray(const LcpProblem& problem, const Eigen::VectorXd& ray);

}  // namespace rigor
