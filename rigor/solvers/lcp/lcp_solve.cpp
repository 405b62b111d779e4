#include "rigor/solvers/lcp/lcp_solve.hpp"

#include <Eigen/SVD>
#include <chrono>

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"
#include "rigor/solvers/lcp/secondary_ray.hpp"
#include "rigor/solvers/problems/answer_check.hpp"
#include "rigor/solvers/problems/check.hpp"

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

constexpr double kSvdWork = 30.0;     // of a decomposition, over rows times columns²
constexpr double kSharpenWork = 1e9;  // n³ of all decompositions: a second or two

// A ray carries the rounding of its path, the more where the last basis was nearly singular: then an index
// with a tiny y_k is missing. So y is projected on the null space of M on its support, and on its support
// with one index more; the checker judges each. Returns what it accepts, or the last guess.
Eigen::VectorXd sharpen_proof(const LcpProblem& problem, const Eigen::VectorXd& y) {
  const Eigen::VectorXd slope = problem.M.transpose() * y, size = problem.M.cwiseAbs().transpose() * y;
  std::vector<Eigen::Index> support, outside, vanishing;  // vanishing: entries of Mᵀy that should be zero
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    (y[i] > 1e-9 * y.maxCoeff() ? support : outside).push_back(i);
    if (slope[i] > -1e-5 * size[i]) vanishing.push_back(i);
  }
  Eigen::VectorXd sharp = y;
  const std::size_t base = support.size();
  const auto n = static_cast<double>(y.size());
  const std::size_t last = std::min(outside.size(), static_cast<std::size_t>(kSharpenWork / (n * n * n)));
  for (std::size_t candidate = 0; candidate <= last && !vanishing.empty(); ++candidate) {
    support.resize(base);
    if (candidate > 0) support.push_back(outside[candidate - 1]);
    if (support.empty()) continue;  // a ray whose numbers are none: nothing to project
    const Eigen::MatrixXd A = problem.M(support, vanishing).transpose();
    const auto longer = static_cast<double>(A.rows()), shorter = static_cast<double>(A.cols());
    if (!may_work(kSvdWork * longer * shorter * shorter)) break;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
    Eigen::VectorXd part = y(support);
    for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k)
      if (svd.singularValues()[k] > 1e-11 * svd.singularValues()[0])
        part -= svd.matrixV().col(k) * svd.matrixV().col(k).dot(part);
    sharp.setZero();
    sharp(support) = part.cwiseMax(0.0);
    if (check_infeasible(problem, sharp).holds) break;
  }
  return sharp;
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
  // a good point is an answer whatever the method thought of it; a claim without one is trouble
  judge_answer(problem, tolerance, result);
  if (result.status != Status::kRay) return;  // `auto` has certified what is infeasible

  Eigen::VectorXd y = result.ray;
  ProofCheck check = check_infeasible(problem, y);
  if (!check.holds) {
    y = sharpen_proof(problem, y);
    check = check_infeasible(problem, y);
  }
  if (check.holds) {
    result.proof = InfeasibilityProof{y, check.bound, check.exact};
    result.status = result.proof->status();
    result.note = check.exact ? "no solution: proved without rounding"
                              : fmt::format("no solution below ‖z‖₁ = {:.3g}", check.bound);
  } else {
    result.note = describe_ray(problem, result.ray);
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
