#pragma once

#include <limits>
#include <string_view>

#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/solvers/cone_newton.hpp"
#include "rigor/solvers/cone_problem.hpp"
#include "rigor/solvers/result.hpp"

namespace rigor {

/// The dense solver of ConeProblem, meant for islands of up to some hundred contacts. All of it works on the
/// problem divided by the mean diagonal of W, in which impulses are velocities; so are the residuals, in m/s.
///
///   open         r = 0 solves
///   one-contact  a single block, exactly (cone_local.hpp)
///   rest         an answer without slip, preferred wherever it is found: first W r = −q with all blocks
///                sticking, then the associated problem, whose answer is one of Coulomb's law iff nothing
///                slips
///   newton       semismooth Newton from the warm start, or after a few sweeps of Gauss-Seidel
///   nsgs         Gauss-Seidel, stopped by the residual at growing intervals, with Newton tried in between
///   proximal     proximal point around Newton
///
/// Forces that are not unique: the limit of equal compliance, r = lim r(α) for α → 0 with W + α in place of
/// W. From the answer's modes solve W + α, q − α r_k for r_{k+1}, r_0 = 0, until the residual without α
/// vanishes: the null space of W then stays as r_1 chose it, and does not depend on where the solve was
/// started.
struct ConeOptions {
  double tolerance{1e-10};  // residual of the scaled problem, m/s
  int max_sweeps{3000};     // of Gauss-Seidel, in all
  int max_newton{600};      // steps before the answer is found; finishing adds some
  bool warm{false};         // result.r holds a start
};

struct ConeResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;                                         // impulses, N s
  Eigen::VectorXd u;                                         // W r + q, m/s
  double residual{std::numeric_limits<double>::infinity()};  // of the scaled problem, m/s
  int sweeps{0};
  int newton_steps{0};
  int factorisations{0};
  int force_freedom{0};     // dimension of the set of forces at this velocity; 0: unique
  std::string_view method;  // the tier that found the answer
};

/// Keeps its storage: a second problem of the same size allocates nothing.
struct ConeWorkspace {
  ConeSystem system;
  ConeSystem relaxed;  // the same with the associated law, for rest
  ConeNewton newton;
  DenseLu lu;
  OrthogonalFactor factor;
  Eigen::MatrixXd faces;
  Eigen::VectorXd r, u, trial, centre, best;
  std::vector<ConeMode> modes;
};

/// Never throws for numerics; throws InvalidInput for a problem that is none.
void solve_cone(const ConeProblem& problem, const ConeOptions& options, ConeWorkspace& workspace,
                ConeResult& result);

}  // namespace rigor
