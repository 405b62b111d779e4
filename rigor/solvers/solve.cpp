#include "rigor/solvers/solve.hpp"

#include <chrono>

#include "rigor/base/require.hpp"
#include "rigor/solvers/check.hpp"

namespace rigor {
namespace {

using Clock = std::chrono::steady_clock;

void run(const LcpProblem& problem, const AutoOptions& options, LcpWorkspace& workspace, LcpResult& result) {
  solve_auto(problem, options, workspace, result);
}

void run(const LcpProblem& problem, const LemkeOptions& options, LcpWorkspace& workspace, LcpResult& result) {
  solve_lemke(problem, options, workspace.lemke, result);
}

void run(const LcpProblem& problem, const MurtyOptions& options, LcpWorkspace& workspace, LcpResult& result) {
  solve_murty(problem, options, workspace.table, result);
}

void run(const LcpProblem& problem, const PrincipalPivotOptions& options, LcpWorkspace& workspace,
         LcpResult& result) {
  solve_principal_pivot(problem, options, workspace.table, result);
}

void run(const LcpProblem& problem, const BlockPivotOptions& options, LcpWorkspace& workspace,
         LcpResult& result) {
  solve_block_pivot(problem, 0, options, workspace.block, workspace.lemke, result);
}

void run(const LcpProblem& problem, const DantzigOptions& options, LcpWorkspace&, LcpResult& result) {
  solve_dantzig(to_boxed(problem), options, result);
}

void run(const LcpProblem& problem, const PgsOptions& options, LcpWorkspace&, LcpResult& result) {
  solve_pgs(to_boxed(problem), options, result);
}

void run(const LcpProblem& problem, const NewtonOptions& options, LcpWorkspace&, LcpResult& result) {
  solve_newton(problem, 0, options, result);
}

void run(const LcpProblem& problem, const InteriorPointOptions& options, LcpWorkspace&, LcpResult& result) {
  solve_interior_point(problem, 0, options, result);
}

void run(const LcpProblem& problem, const EnumerateOptions& options, LcpWorkspace&, LcpResult& result) {
  solve_enumerate(problem, options, result);
}

// in the order of LcpMethod
const std::vector<std::string_view> kMethodNames = {"auto",           "lemke",    "murty", "principal-pivot",
                                                    "block-pivot",    "dantzig",  "pgs",   "newton",
                                                    "interior-point", "enumerate"};

template <std::size_t index = 0>
LcpMethod method_at(std::size_t wanted) {
  if constexpr (index < std::variant_size_v<LcpMethod>) {
    if (wanted == index) return LcpMethod(std::in_place_index<index>);
    return method_at<index + 1>(wanted);
  }
  return {};
}

}  // namespace

void certify(const LcpProblem& problem, double tolerance, LcpResult& result) {
  result.w.resize(problem.q.size());
  result.w.noalias() = problem.M * result.z;
  result.w += problem.q;
  result.residual = natural_residual(result.z, result.w, residual_scale(problem.q));

  // a good point is an answer whatever the method thought of it; a claim without one is trouble
  if (result.residual <= tolerance) {
    if (result.status != Status::kSolved) result.note.clear();
    result.status = Status::kSolved;
    result.ray.resize(0);
    result.proof.reset();
    return;
  }
  if (result.status == Status::kInfeasible) return;  // certified by the method that `auto` called
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
          result.solver = kMethodNames[method.index()];
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

LcpMethod make_method(std::string_view name) {
  for (std::size_t index = 0; index < kMethodNames.size(); ++index)
    if (kMethodNames[index] == name) return method_at(index);
  require(false, "solver \"{}\" is unknown. Known: {}.", name, fmt::join(kMethodNames, ", "));
  return {};
}

const std::vector<std::string_view>& method_names() {
  return kMethodNames;
}

void set_tolerance(LcpMethod& method, double tolerance) {
  std::visit([&](auto& options) { options.tolerance = tolerance; }, method);
}

double get_tolerance(const LcpMethod& method) {
  return std::visit([](const auto& options) { return options.tolerance; }, method);
}

}  // namespace rigor
