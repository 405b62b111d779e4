#include "rigor/solvers/lcp/auto.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <string>

#include "rigor/solvers/lcp/lcp_solve.hpp"

namespace rigor {
namespace {

bool is_definite(const Eigen::MatrixXd& M) {
  const Eigen::MatrixXd S = 0.5 * (M + M.transpose());
  return Eigen::LLT<Eigen::MatrixXd>(S).info() == Eigen::Success;
}

}  // namespace

void solve_auto(const LcpProblem& problem, const AutoOptions& options, LcpWorkspace& workspace,
                LcpResult& result) {
  const Eigen::Index n = problem.q.size();
  std::string tried;
  int iterations = 0, factorisations = 0;
  LcpResult best;

  // runs a method and certifies it; true where that ends the search
  const auto attempt = [&](const LcpMethod& method, const char* label) {
    solve(problem, method, workspace, result);
    iterations += result.iterations;
    factorisations += result.factorisations;
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", label, to_string(result.status));
    if (result.status == Status::kSolved || result.status == Status::kInfeasible) return true;
    if (best.z.size() != n || !(best.residual <= result.residual)) best = result;
    return false;
  };

  bool done = false;
  if (n >= options.block_pivot_from && is_definite(problem.M)) {
    BlockPivotOptions block;
    block.tolerance = options.tolerance;
    block.fall_back = false;
    block.max_rounds = 20;  // a matrix that is mostly skew can take hundreds; lemke is then faster
    done = attempt(block, "definite, block-pivot");
  }
  LemkeOptions lemke;
  lemke.tolerance = options.tolerance;
  done = done || attempt(lemke, "lemke");
  lemke.random_cover = true;
  for (std::uint64_t seed = 2; seed <= 4 && !done; ++seed) {
    lemke.seed = seed;
    done = attempt(lemke, "lemke, random cover");
  }
  if (!done) {
    InteriorPointOptions interior;
    interior.tolerance = options.tolerance;
    done = attempt(interior, "interior-point");
  }
  for (std::uint64_t seed = 0; seed <= 2 && !done; ++seed) {
    NewtonOptions newton;
    newton.tolerance = options.tolerance;
    newton.seed = seed;
    done = attempt(newton, seed == 0 ? "newton" : "newton, random start");
  }
  if (!done && n <= 12) {
    EnumerateOptions all;
    all.tolerance = options.tolerance;
    done = attempt(all, "enumerate");
  }
  if (!done) result = std::move(best);
  result.iterations = iterations;
  result.factorisations = factorisations;
  result.note = tried;
}

}  // namespace rigor
