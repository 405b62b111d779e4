#pragma once

#include "rigor/math/sparse_cholesky.hpp"
#include "rigor/solvers/conic/conic_program.hpp"

namespace rigor {

/// A primal-dual interior point method for ConicProgram, on the homogeneous embedding [GC24]
///
///     P x + Aᵀz + q τ = 0
///     A x + s − b τ = 0
///     qᵀx + bᵀz + κ + xᵀP x / τ = 0
///     s, z ∈ K,   τ, κ ≥ 0,   sᵀz + τ κ = 0,                                                         (1)
///
/// which always has a solution: one with τ > 0 solves the program, one with κ > 0 proves that there is none.
/// Steps are Mehrotra's, in the scaling of Nesterov and Todd, W z = W⁻¹ s; each solves
///
///     (P + Aᵀ W⁻² A) Δx = …                                                                          (2)
///
/// by the orthogonal factor of [P^½; W⁻¹A] (by a sparse Cholesky factor beyond kDenseSize unknowns), with
/// refinement on the unreduced equations. The answer is judged by conic_residual() on the given data.
///
/// [GC24] Goulart, Chen. Clarabel: an interior-point solver for conic programs with quadratic objectives.
///        2024. Departure: the orthogonal factor in place of a quasidefinite LDLᵀ: our programs have few
///        unknowns (motions) and many rows (contacts), and verdicts want the last digits.
struct ConicOptions {
  double tolerance{1e-9};  // conic_residual() that counts as solved; the method goes on while it gains
  double proof{1e-8};      // infeasibility_residual() or ray_residual() that counts as proof
  int max_iterations{60};
  FactorLibrary factors{FactorLibrary::kEigen};  // of (2) beyond kDenseSize
  double step{
      0.99};  // of the way to the boundary; shorter steps keep to the middle, for the hardest programs
};

inline constexpr Eigen::Index kDenseSize = 120;

[[nodiscard]] ConicResult solve_conic(const ConicProgram& program, const ConicOptions& options = {});

}  // namespace rigor
