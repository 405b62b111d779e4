#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "rigor/solvers/boxed_lcp.hpp"
#include "rigor/solvers/lemke.hpp"
#include "rigor/solvers/mlcp.hpp"
#include "rigor/solvers/result.hpp"

namespace rigor {

/// The options type names the algorithm: no enum to keep in step, no untyped parameter array.
using LcpMethod = std::variant<LemkeOptions>;

/// Scratch of all methods. A second solve of the same size with the same method allocates nothing (lemke,
/// murty, principal-pivot, block-pivot, pgs).
struct LcpWorkspace {
  LemkeWorkspace lemke;
};

/// Validates, dispatches on the method, certifies: `solved` only by the residual on the given data,
/// `infeasible` only by a checked proof.
[[nodiscard]] LcpResult solve(const LcpProblem& problem, const LcpMethod& method);

/// The same into storage that is kept.
void solve(const LcpProblem& problem, const LcpMethod& method, LcpWorkspace& workspace, LcpResult& result);

/// The default options of the method of that name ("lemke", "block-pivot", …). Throws InvalidInput on an
/// unknown name, listing the known ones.
[[nodiscard]] LcpMethod make_method(std::string_view name);

/// All names that make_method knows, in the order of DESIGN.
[[nodiscard]] const std::vector<std::string_view>& method_names();

/// Gives the method another tolerance.
void set_tolerance(LcpMethod& method, double tolerance);

/// Sets w, residual and the final status of a result whose z, claimed status and ray a method has filled in.
/// A claim that the residual does not confirm becomes kNumericalTrouble; a ray becomes kInfeasible where the
/// checker accepts it.
void certify(const LcpProblem& problem, double tolerance, LcpResult& result);

}  // namespace rigor
