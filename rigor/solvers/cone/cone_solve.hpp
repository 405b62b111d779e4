#pragma once

#include <limits>
#include <string_view>

#include "rigor/solvers/cone/cone_newton.hpp"
#include "rigor/solvers/cone/cone_select.hpp"
#include "rigor/solvers/cone/cone_uniqueness.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// The dense solver of ConeProblem, for islands (coupled contacts) of up to some hundred contacts. It works
/// on the problem divided by the mean diagonal of W, in which impulses are velocities; so are the residuals,
/// in m/s. A block is loaded where its impulse is not zero. Tiers, in this order, until one succeeds:
///
///   open         r = 0 is a solution
///   one-contact  a single block, exactly (cone_local.hpp)
///   near         where the start resumes a motion: few steps of Newton's method from it (ConeNewton::approach), else
///                of the proximal point. An answer that slips is taken only where something slid before
///   rest         an answer without slip, preferred wherever one is looked for: first W r = −q with all blocks
///                sticking, then the associated problem, whose answer solves Coulomb's law iff no loaded
///                block slips; it is convex, so that rest is found where it exists (W symmetric)
///   newton       semismooth Newton (cone_newton.hpp) from the warm start, from the answer of the associated
///                problem, or after sweeps of Gauss-Seidel
///   nsgs         Gauss-Seidel with exact local solves; residuals are computed at growing intervals
///   proximal     proximal point iterations around Newton's method; also all answers of the associated law
///   lemke        from the answer of Lemke's method for a pyramid of 4, 8 or 16 sides (cone_polyhedral.hpp)
///
/// and at last the fixed point of [ACLM11], the associated law with q_N + mu ‖u_T‖ in place of q_N, and
/// Gauss-Seidel up to max_sweeps. Counts end a tier, never a clock.
///
/// Impulses that are not unique are those of equal compliance: cone_select.hpp. They do not depend on the
/// start beyond rounding, as long as the velocity is unique.
///
/// [ACLM11] Acary, Cadoux, Lemaréchal, Malick. A formulation of the linear discrete Coulomb friction problem
///          via convex optimization. ZAMM 91, 2011.
struct ConeOptions {
  double tolerance{1e-10};      // residual of the scaled problem, m/s
  int max_sweeps{3000};         // of Gauss-Seidel, in all
  int max_newton{4000};         // steps before an answer is found; choosing among forces may add some
  bool warm{false};             // result.r holds a start
  bool slid{false};             // with which something slid: what slips from there is not asked for rest
  bool resumes{false};          // which solved nearly the same problem, as that of the last step
  bool wants_uniqueness{true};  // asks for force_freedom and velocity: some factors of W
};

struct ConeResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;                                         // impulses, N s
  Eigen::VectorXd u;                                         // W r + q, m/s
  double residual{std::numeric_limits<double>::infinity()};  // of the scaled problem, m/s
  int sweeps{0};
  int newton_steps{0};
  int factorisations{0};
  int force_freedom{0};  // dimension of the set of forces at this velocity; 0: unique; −1: not known
  VelocityVerdict velocity{VelocityVerdict::kUnknown};
  std::string_view method;  // the tier that found the answer
};

/// Keeps its storage: a second problem of the same size allocates nothing.
struct ConeWorkspace {
  ConeSystem system;
  ConeNewton newton;
  ConeSelection selection;
  ConeUniqueness uniqueness;
  DenseLu lu;
  Eigen::VectorXd r, u, start, relaxed, trial, best;
};

/// Never throws for numerics; throws InvalidInput for a problem that is none.
void solve_cone(const ConeProblem& problem, const ConeOptions& options, ConeWorkspace& workspace,
                ConeResult& result);

}  // namespace rigor
