#pragma once

#include <string>
#include <variant>

#include "rigor/math/sparse_cholesky.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/contact_lcp.hpp"
#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// Any complementarity problem that a file can hold.
struct Problem : std::variant<LcpProblem, SparseLcpProblem, MlcpProblem, BoxedLcpProblem, ContactLcpProblem,
                              ConeProblem, SparseConeProblem, GlobalConeProblem> {
  using variant::variant;  // a type of its own, so that headers can name it without what is in it
};

/// "lcp", "sparse-lcp", "mlcp", "boxed-lcp", "contact-lcp", "cone", "sparse-cone", "global-cone".
[[nodiscard]] std::string kind_name(const Problem& problem);

/// "LCP, 12 unknowns", "mixed LCP, 3 free and 4 complementary unknowns", …: one line for people.
[[nodiscard]] std::string describe(const Problem& problem);

/// Throws InvalidInput saying what is wrong.
void validate(const Problem& problem);

/// Number of entries of z: free, then complementary variables (contact problems: of the plain LCP).
[[nodiscard]] Eigen::Index size_of(const Problem& problem);

/// The matrix of the problem as a dense one, free rows first: M, K or W.
[[nodiscard]] Eigen::MatrixXd get_lead_matrix(const Problem& problem);

/// Solves whatever it is. A contact problem goes to its structured portfolio where the method is `auto`, and
/// then, if that gives up and the plain LCP has at most 2000 unknowns, to `auto` for plain LCPs, which can
/// also prove that there is no solution; every other method gets the plain LCP. A cone problem is for `auto`
/// alone, its z and w are the impulses r and the velocities u, and its residual is relative_cone_residual().
[[nodiscard]] LcpResult solve(const Problem& problem, const LcpMethod& method);

/// The same by name: method_names() for LCPs, cone_method_names() for cone problems, dense ones made sparse
/// where the name is not `auto`. Throws InvalidInput on a name that this kind of problem has no method for.
/// `factors` are those of sparse symmetric positive definite systems of cone problems (SparseConeOptions).
[[nodiscard]] LcpResult solve(const Problem& problem, std::string_view solver, double tolerance,
                              FactorLibrary factors = FactorLibrary::kEigen);

/// The names that solve() knows for this problem.
[[nodiscard]] const std::vector<std::string_view>& solvers_for(const Problem& problem);

[[nodiscard]] bool is_cone(const Problem& problem);

/// The complementary part as one dense LCP: what the classes of the matrix and the list of all solutions are
/// asked of. Mixed problems by the Schur complement of their free block, boxed ones through their reduction.
/// Throws InvalidInput where the free block is singular.
struct PlainForm {
  LcpProblem lcp;
  Eigen::MatrixXd to_original;  // z of the problem = to_original · z of `lcp` + offset
  Eigen::VectorXd offset;
};
[[nodiscard]] PlainForm make_plain(const Problem& problem);

}  // namespace rigor
