#include "rigor/solvers/lcp/auto.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <string>

#include "rigor/solvers/lcp/lcp_solve.hpp"

namespace rigor {
namespace {

// Counts of what pivots and factors cost, a second or two each, never a clock
constexpr double kPivotWork = 4e9;        // entries of the table that all pivots of one path may touch
constexpr double kFactorWork = 4e9;       // n³ of all factors of one run of Newton's method
constexpr Eigen::Index kMorePaths = 500;  // unknowns up to which lemke is tried along other paths

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
    if (result.status == Status::kSolved || has_proof(result.status)) return true;
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
  const auto size = static_cast<double>(std::max<Eigen::Index>(n, 1));
  lemke.max_pivots =
      static_cast<int>(std::clamp(kPivotWork / (size * size), 2.0 * size, 50.0 * size + 1000.0));
  done = done || attempt(lemke, "lemke");
  lemke.random_cover = true;
  for (std::uint64_t seed = 2; seed <= 4 && !done && n <= kMorePaths; ++seed) {
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
    newton.max_steps = static_cast<int>(
        std::min<double>(newton.max_steps, std::max(20.0, kFactorWork / (size * size * size))));
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
