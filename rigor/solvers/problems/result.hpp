#pragma once

#include <Eigen/Core>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rigor {

/// How a solve ended. Not converging is an answer, not an exception.
enum class Status {
  kSolved,      // the residuals of z, recomputed from the given data without rounding, meet the tolerance
  kRay,         // a pivoting method ended on a secondary ray that proves nothing for this matrix
  kInfeasible,  // no solution: `proof` was checked without rounding
  kNoneBelow,  // no solution below the bound of `proof`, which was checked without rounding; beyond it, undecided
  kIterationLimit,  // gave up; z is the best point met
  kRounding,        // above the tolerance, and as near as rounding of these numbers allows: answer_check.hpp
  kNumericalTrouble,  // the method claims an end that its residual does not confirm, or met a singular basis
};

/// The names that the command line and Python print: "solved", "ray", "infeasible", …
[[nodiscard]] std::string_view to_string(Status status);

/// Whether a result of this status carries a proof that ends the search: kInfeasible, kNoneBelow.
[[nodiscard]] bool has_proof(Status status);

/// Why an LCP has no solution. With y ≥ 0 and every z ≥ 0, w = M z + q ≥ 0:
///
///     0 ≤ yᵀw = qᵀy + zᵀ(Mᵀy) ≤ qᵀy + ‖z‖₁ max((Mᵀy)₊)    so    ‖z‖₁ ≥ −qᵀy / max((Mᵀy)₊).           (1)
///
/// Mixed problems: y belongs to all rows, y ≥ 0 only on the complementary ones, and (1) holds for x = (u, z)
/// with |Kᵀy| in place of (Kᵀy)₊ at the free variables. `bound` is (1), rounded down; `exact` when it is
/// infinite. Cone problems: cone_infeasible.hpp.
struct InfeasibilityProof {
  Eigen::VectorXd y;
  double bound{0.0};
  bool exact{false};

  /// What it makes of a problem: without solution, or without one below the bound.
  [[nodiscard]] Status status() const { return exact ? Status::kInfeasible : Status::kNoneBelow; }
};

/// The answer to an LCP, mixed or boxed LCP.
struct LcpResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd z;      // mixed problems: free variables, then complementary ones
  Eigen::VectorXd w;      // M z + q
  Eigen::VectorXd v;      // global cone problems: velocities of the bodies
  Eigen::VectorXd scale;  // |M| |z| + |q|: the size of what is summed in each row of w; LCPs only
  double residual{std::numeric_limits<double>::infinity()};  // natural_residual(problem, z), relative to ‖q‖∞
  double row_residual{std::numeric_limits<double>::infinity()};  // the same row by row, relative to its scale
  int iterations{0};                                             // pivots, sweeps or Newton steps
  int factorisations{0};
  double seconds{0.0};
  std::string solver;                       // the method whose answer this is
  std::string note;                         // what a ray proves; what `auto` did; why it gave up
  Eigen::VectorXd ray;                      // where the status is kRay: direction in z, else empty
  std::optional<InfeasibilityProof> proof;  // where has_proof(status)
};

}  // namespace rigor
