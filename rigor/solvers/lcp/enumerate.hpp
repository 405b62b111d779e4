#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// Tries all index sets F of a small LCP: z_F ≥ 0 with M_FF z_F = −q_F, z = 0 and w ≥ 0 outside. Problems
/// that are too large are refused.
///
/// Guarantee: in exact arithmetic every solution is found. For a singular M_FF the solutions over F, if any,
/// are a polyhedron, reported by one of its points and its dimension. In floating point a nearly singular set
/// may be missed, so that only enumerate_exact proves that a list is complete.
struct EnumerateOptions {
  double tolerance{1e-10};  // accept by natural_residual()
  int max_size{20};         // 2ⁿ sets: refuses larger problems
};

/// Stops at the first solution. That none is found is kNumericalTrouble, not a proof.
void solve_enumerate(const LcpProblem& problem, const EnumerateOptions& options, LcpResult& result);

/// One piece of the solution set: the solutions with z = 0 outside `positive` and w = 0 on it.
struct SolutionPiece {
  std::vector<char> positive;  // F
  Eigen::VectorXd z;           // a point of it (rounded to nearest in the exact version)
  int dimension{0};  // 0: this point alone; else |F| − rank M_FF, the dimension of the affine hull at most
};

/// Every solution (rational arithmetic on the given doubles; needs GMP). Pieces that repeat a point already
/// listed are left out. Throws InvalidInput where n > `max_size`.
[[nodiscard]] std::vector<SolutionPiece> enumerate_exact(const LcpProblem& problem, int max_size = 12);

/// Every solution in floating point, each accepted by natural_residual() ≤ tolerance.
[[nodiscard]] std::vector<SolutionPiece> enumerate_all(const LcpProblem& problem,
                                                       const EnumerateOptions& options);

}  // namespace rigor
