#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "rigor/solvers/lcp/auto.hpp"
#include "rigor/solvers/lcp/block_pivot.hpp"
#include "rigor/solvers/lcp/dantzig.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"
#include "rigor/solvers/lcp/interior_point.hpp"
#include "rigor/solvers/lcp/lemke.hpp"
#include "rigor/solvers/lcp/murty.hpp"
#include "rigor/solvers/lcp/newton.hpp"
#include "rigor/solvers/lcp/pgs.hpp"
#include "rigor/solvers/lcp/principal_pivot.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// The options type names the algorithm: no enum to keep in step, no untyped parameter array.
using LcpMethod =
    std::variant<AutoOptions, LemkeOptions, MurtyOptions, PrincipalPivotOptions, BlockPivotOptions,
                 DantzigOptions, PgsOptions, NewtonOptions, InteriorPointOptions, EnumerateOptions>;

/// Scratch of all methods. A second solve of the same size allocates nothing where the method is lemke,
/// murty, principal-pivot or block-pivot and the answer is a solution.
struct LcpWorkspace {
  LemkeWorkspace lemke;
  PivotTable table;
  BlockPivotWorkspace block;
};

/// Validates, calls the method, and certifies its answer: `solved` only by the residual on the given data,
/// `infeasible` only by a checked proof.
[[nodiscard]] LcpResult solve(const LcpProblem& problem, const LcpMethod& method);

/// The same into storage that is kept.
void solve(const LcpProblem& problem, const LcpMethod& method, LcpWorkspace& workspace, LcpResult& result);

/// A sparse LCP. Where it pays (is_worth_sparse), block-pivot and pgs work on the sparse form, and `auto`
/// begins with block-pivot on it; otherwise, and for every other method, the matrix is made dense, up to 6000
/// unknowns.
[[nodiscard]] LcpResult solve(const SparseLcpProblem& problem, const LcpMethod& method);

/// A mixed LCP. block-pivot (sparse where that pays), newton and interior-point work on it directly; the
/// others on the Schur complement of the free variables, and where that block is singular the answer is
/// kNumericalTrouble. `auto` tries both ways.
[[nodiscard]] LcpResult solve(const MlcpProblem& problem, const LcpMethod& method);

/// A boxed LCP. dantzig and pgs work on it directly, the others on its reduction to a mixed LCP.
[[nodiscard]] LcpResult solve(const BoxedLcpProblem& problem, const LcpMethod& method);

/// The default options of the method of that name ("lemke", "block-pivot", …). Throws InvalidInput on an
/// unknown name, listing the known ones.
[[nodiscard]] LcpMethod make_method(std::string_view name);

/// All names that make_method knows, in the order of DESIGN.
[[nodiscard]] const std::vector<std::string_view>& method_names();

/// Gives the method another tolerance.
void set_tolerance(LcpMethod& method, double tolerance);
[[nodiscard]] double get_tolerance(const LcpMethod& method);

/// Sets w, residual and the final status of a result whose z, claimed status and ray a method has filled in.
/// A claim that the residual does not confirm becomes kNumericalTrouble; a ray becomes kInfeasible or kNoneBelow
/// where the checker accepts it.
void certify(const LcpProblem& problem, double tolerance, LcpResult& result);

}  // namespace rigor
