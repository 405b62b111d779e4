#pragma once

#include <string>
#include <vector>

#include "rigor/base/tier_log.hpp"
#include "rigor/io/json.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"
#include "rigor/solvers/lcp/matrix_class.hpp"
#include "rigor/solvers/problem.hpp"

namespace rigor {

/// A result with the keys that scripts rely on: status, residual, iterations, seconds, solver, z, w, and
/// proof (y, bound, exact) or ray where the answer is negative.
[[nodiscard]] JsonValue result_to_json(const LcpResult& result, bool is_cone = false);
[[nodiscard]] std::string describe_result(const LcpResult& result, double tolerance, bool is_cone = false);

/// What was tried on the way, in its order.
[[nodiscard]] JsonValue tiers_to_json(const TierLog& log);
[[nodiscard]] std::string describe_tiers(const TierLog& log);

/// One line per method.
[[nodiscard]] std::string comparison_table(const std::vector<LcpResult>& results);

[[nodiscard]] JsonValue matrix_class_to_json(const MatrixClass& matrix_class);
[[nodiscard]] std::string describe_matrix_class(const MatrixClass& matrix_class);

/// All solutions of a small problem, in its own variables.
struct SolutionList {
  std::vector<SolutionPiece> pieces;
  bool exact{false};  // found in rational arithmetic: the list is complete
};
[[nodiscard]] JsonValue solutions_to_json(const SolutionList& list);
[[nodiscard]] std::string describe_solutions(const SolutionList& list);

/// "[1, 0.5, …]", every entry where there are at most `limit`.
[[nodiscard]] std::string describe_vector(const Eigen::VectorXd& values, Eigen::Index limit = 20);

[[nodiscard]] JsonValue vector_to_json(const Eigen::VectorXd& values);

}  // namespace rigor
