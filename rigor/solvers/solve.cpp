#include "rigor/solvers/solve.hpp"

#include <chrono>

#include "rigor/base/require.hpp"
#include "rigor/solvers/check.hpp"

namespace rigor {
namespace {

using Clock = std::chrono::steady_clock;

void run(const LcpProblem& problem, const LemkeOptions& options, LcpWorkspace& workspace, LcpResult& result) {
  solve_lemke(problem, options, workspace.lemke, result);
}

}  // namespace

void certify(const LcpProblem& problem, double tolerance, LcpResult& result) {
  result.w.resize(problem.q.size());
  result.w.noalias() = problem.M * result.z;
  result.w += problem.q;
  result.residual = natural_residual(result.z, result.w, residual_scale(problem.q));

  // a good point is an answer whatever the method thought of it; a claim without one is trouble
  if (result.residual <= tolerance) {
    result.status = Status::kSolved;
    result.ray.resize(0);
    result.note.clear();
    return;
  }
  if (result.status == Status::kSolved) {
    result.status = Status::kNumericalTrouble;
    result.note = fmt::format("{} claims a solution, its residual is {:.2g}", result.solver, result.residual);
  }
  if (result.status != Status::kRay) return;

  const ProofCheck check = check_infeasible(problem, result.ray);
  if (check.holds) {
    result.status = Status::kInfeasible;
    result.proof = InfeasibilityProof{result.ray, check.bound, check.exact};
    result.note = check.exact ? "no solution: proved without rounding"
                              : fmt::format("no solution below ‖z‖₁ = {:.3g}", check.bound);
  } else {
    result.note =
        "secondary ray; it proves infeasibility for copositive-plus M only, and its proof does not hold here";
  }
}

void solve(const LcpProblem& problem, const LcpMethod& method, LcpWorkspace& workspace, LcpResult& result) {
  const Clock::time_point begin = Clock::now();
  problem.validate();
  result.status = Status::kIterationLimit;
  result.iterations = 0;
  result.factorisations = 0;
  result.note.clear();
  result.ray.resize(0);
  result.proof.reset();
  std::visit(
      [&](const auto& options) {
        require(options.tolerance > 0.0, "tolerance = {}, must be > 0.", options.tolerance);
        if (problem.q.size() == 0 || problem.q.minCoeff() >= 0.0) {
          result.z.setZero(problem.q.size());  // z = 0 solves; every method agrees
          result.status = Status::kSolved;
        } else {
          run(problem, options, workspace, result);
        }
        certify(problem, options.tolerance, result);
      },
      method);
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
}

LcpResult solve(const LcpProblem& problem, const LcpMethod& method) {
  LcpWorkspace workspace;
  LcpResult result;
  solve(problem, method, workspace, result);
  return result;
}

}  // namespace rigor
