#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rigor/solvers/cone/cone_admm.hpp"
#include "rigor/solvers/cone/cone_interior_point.hpp"
#include "rigor/solvers/cone/cone_sweeps.hpp"
#include "rigor/solvers/cone/proximal_newton.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// How a sparse cone problem is solved, by the names of the command line.
///
///   auto             the tiers of run_cone_tiers()
///   newton           the small solver up to kSmallCone contacts, else Newton's method after 20 sweeps
///   nsgs             sweeps, accelerated
///   proximal-newton  sweeps, then proximal point iterations around Newton's method
///   interior-point   the interior point, then Newton's method for the last digits
///   admm             alternating directions
enum class ConeMethod { kAuto, kNewton, kNsgs, kProximalNewton, kInteriorPoint, kAdmm };

[[nodiscard]] const std::vector<std::string_view>& cone_method_names();
/// Throws InvalidInput on an unknown name, listing the known ones.
[[nodiscard]] ConeMethod make_cone_method(std::string_view name);

struct SparseConeOptions {
  double tolerance{1e-8};  // relative_cone_residual(); for steps see ScaledCone::divisor
  ConeMethod method{ConeMethod::kAuto};
  FactorLibrary factors{FactorLibrary::kEigen};  // of symmetric positive definite systems: admm's
  bool warm{false};                              // result.r holds a start
  /// Counts after which it gives up with the best point met; never a clock.
  int max_sweeps{3000};        // accelerated ones; 100000 for the method nsgs
  int max_admm{20000};         // iterations
  int max_interior_point{60};  // steps from each start
  int max_detours{8};          // neighbouring problems that are solved on the way
};

struct SparseConeResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd r;                                         // 3 per contact, N s
  double residual{std::numeric_limits<double>::infinity()};  // relative_cone_residual() of r
  int sweeps{0}, newton_steps{0}, interior_point_steps{0}, admm_iterations{0};
  std::string_view path;  // which tier ended it
};

/// Keeps its storage and the symbolic factors: a second problem with the same pattern allocates nothing.
struct SparseConeWorkspace {
  BlockConeMatrix matrix;
  ScaledCone cone;
  ConeSweeps sweeps;
  ProximalNewton newton;
  ConeInteriorPoint interior;
  ConeAdmm admm;
  Eigen::VectorXd r, best, trial, u;
};

/// Validates nothing: see SparseConeProblem::validate(). Never throws for numerics.
void solve_cone(const SparseConeProblem& problem, const SparseConeOptions& options,
                SparseConeWorkspace& workspace, SparseConeResult& result);

/// The tiers, tried one after the other, on a problem that is already scaled, for any ConeMatrix. workspace.r
/// is the start and in the end the best point met; returns its residual.
///
///   sweeps            20 of Gauss-Seidel
///   accelerated       as many more as five factors would cost, where that is 60 or more
///   newton            from there, at most 10 steps
///   interior-point    from there, again cold from 10 and 100 times ‖q‖ where it stalls above 1e-3; Newton's
///                     method whenever the residual is below 1e-4 and has fallen to a twentieth
///   proximal          from the best point with α = 1e-5, then 1e-6
///   again             the interior point from the best point, lifted into the cones less and less
///   detours           by way of the answers of problems whose mu differ by 1e-4 to 0.1 of their own
///   admm              in rounds of 200, with Newton's method and proximal iterations whenever the residual
///                     has fallen to 0.3; then the best point is the answer
///
/// With `warm` first five sweeps, Newton's method and 60 proximal steps.
double run_cone_tiers(const SparseConeOptions& options, SparseConeWorkspace& workspace,
                      SparseConeResult& result);

}  // namespace rigor
