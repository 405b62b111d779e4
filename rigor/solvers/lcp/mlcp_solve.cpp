// Mixed and boxed LCPs: the way to the methods and back.
#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/lcp/polish.hpp"
#include "rigor/solvers/lcp/sparse_block_pivot.hpp"
#include "rigor/solvers/problems/answer_check.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Eigen::Index kMaxDense = 6000;  // unknowns of a sparse LCP that are still made dense: 288 MB

// The answer to a problem without unknowns
LcpResult solve_nothing(const LcpMethod& method) {
  LcpResult result;
  result.status = Status::kSolved;
  result.residual = result.row_residual = 0.0;
  result.solver = method_names()[method.index()];
  return result;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// the proof of the Schur complement, y on the complementary rows, extended to the equations: Kᵀ(a, y) = 0 at
// u
void lift_proof(const MlcpProblem& problem, LcpResult& result) {
  const Eigen::Index f = problem.free_count, m = problem.q.size() - f;
  const Eigen::MatrixXd K(problem.K);
  Eigen::VectorXd y(f + m);
  y.tail(m) = result.proof->y;
  if (f > 0)
    y.head(f) = -K.topLeftCorner(f, f).transpose().partialPivLu().solve(K.bottomLeftCorner(m, f).transpose() *
                                                                        y.tail(m));
  const ProofCheck check = check_infeasible(problem, y);
  if (check.holds) {
    result.proof = InfeasibilityProof{y, check.bound, check.exact};
    result.status = result.proof->status();
  } else {
    result.proof.reset();
    result.status = Status::kRay;
    result.note = "the proof for the Schur complement does not hold on the mixed problem";
  }
}

// by the Schur complement of the free variables; a small residual that elimination lost is polished back
LcpResult solve_by_schur(const MlcpProblem& problem, const LcpMethod& method) {
  LcpResult result;
  const SchurComplement schur = make_schur_complement(problem);
  if (schur.rcond == 0.0) {
    result.status = Status::kNumericalTrouble;
    result.z = Eigen::VectorXd::Zero(problem.q.size());
    result.solver = method_names()[method.index()];
    result.note = "the block of the free variables is singular: use newton or auto";
    return result;
  }
  result = solve(schur.lcp, method);
  result.z = schur.to_mixed(result.z);
  if (has_proof(result.status)) lift_proof(problem, result);
  if (result.status == Status::kSolved && natural_residual(problem, result.z) > 1e-13)
    polish(problem, {}, result.z);
  return result;
}

LcpProblem to_dense(const MlcpProblem& problem) {
  return {Eigen::MatrixXd(problem.K), problem.q};
}

LcpResult solve_directly(const MlcpProblem& problem, const LcpMethod& method) {
  LcpResult result;
  if (const auto* block = std::get_if<BlockPivotOptions>(&method)) {
    if (is_worth_sparse(problem.K)) {
      solve_sparse_block_pivot(problem, *block, result);
    } else {
      LcpWorkspace workspace;
      solve_block_pivot(to_dense(problem), problem.free_count, *block, workspace.block, workspace.lemke,
                        result);
    }
    if (result.status == Status::kSolved || !block->fall_back) return result;
    // the finite method
    const int rounds = result.iterations;
    LemkeOptions lemke;
    lemke.tolerance = block->tolerance;
    result = solve_by_schur(problem, lemke);
    result.solver = "block-pivot";
    result.note = fmt::format("block pivots stopped after {} rounds; lemke took over", rounds);
  } else if (const auto* newton = std::get_if<NewtonOptions>(&method)) {
    solve_newton(to_dense(problem), problem.free_count, *newton, result);
  } else if (const auto* interior = std::get_if<InteriorPointOptions>(&method)) {
    solve_interior_point(to_dense(problem), problem.free_count, *interior, result);
  } else {
    result = solve_by_schur(problem, method);
  }
  return result;
}

// Steps of Newton's method, in all: a count of what their factors cost, a second or two, never a clock.
int newton_budget(Eigen::Index size) {
  constexpr double kWork = 4e9;
  const auto n = static_cast<double>(std::max<Eigen::Index>(size, 1));
  return static_cast<int>(std::clamp(kWork / (n * n * n), 100.0, 10000.0));
}

// auto: the Schur complement, then newton from several starts (it needs no regular block)
LcpResult solve_auto_mixed(const MlcpProblem& problem, const AutoOptions& options) {
  std::string tried;
  LcpResult best;
  const auto attempt = [&](LcpResult result, const char* label) {
    judge_answer(problem, options.tolerance, result);
    tried += fmt::format("{}{}: {}", tried.empty() ? "" : "; ", label, to_string(result.status));
    const bool done = result.status == Status::kSolved || has_proof(result.status);
    if (done || best.z.size() != problem.q.size() || !(best.residual <= result.residual))
      best = std::move(result);
    return done;
  };
  bool done = attempt(solve_by_schur(problem, options), "Schur complement");
  int steps_left = newton_budget(problem.q.size());
  for (std::uint64_t seed = 0; seed < 20 && !done && steps_left > 0; ++seed) {
    NewtonOptions newton;
    newton.tolerance = options.tolerance;
    newton.seed = seed;
    newton.max_steps = std::min(500, steps_left);
    steps_left -= newton.max_steps;
    done = attempt(solve_directly(problem, newton), seed == 0 ? "newton" : "newton, random start");
  }
  best.note = tried;
  return best;
}

}  // namespace

LcpResult solve(const MlcpProblem& problem, const LcpMethod& method) {
  const Clock::time_point begin = Clock::now();
  problem.validate();
  if (problem.q.size() == 0) return solve_nothing(method);
  const auto* portfolio = std::get_if<AutoOptions>(&method);
  LcpResult result = portfolio ? solve_auto_mixed(problem, *portfolio) : solve_directly(problem, method);
  if (!portfolio) judge_answer(problem, get_tolerance(method), result);
  result.seconds = seconds_since(begin);
  return result;
}

LcpResult solve(const SparseLcpProblem& problem, const LcpMethod& method) {
  const Clock::time_point begin = Clock::now();
  problem.validate();
  const Eigen::Index n = problem.q.size();
  const bool portfolio = std::holds_alternative<AutoOptions>(method);
  const auto* block = std::get_if<BlockPivotOptions>(&method);
  const auto* pgs = std::get_if<PgsOptions>(&method);
  std::string tried;
  if (is_worth_sparse(problem.M) && (portfolio || block || pgs)) {
    const MlcpProblem mixed{0, problem.M, problem.q};
    LcpResult result;
    if (pgs) {
      solve_sparse_pgs(problem, *pgs, result);
    } else {
      BlockPivotOptions options = block ? *block : BlockPivotOptions{};
      options.tolerance = get_tolerance(method);
      solve_sparse_block_pivot(mixed, options, result);
    }
    judge_answer(mixed, get_tolerance(method), result);
    tried = fmt::format("sparse {}: {}", result.solver, to_string(result.status));
    if (portfolio) result.note = tried;
    result.seconds = seconds_since(begin);
    const bool dense_next = portfolio || (block && block->fall_back);
    if (result.status == Status::kSolved || !dense_next || n > kMaxDense) return result;
  }
  require(
      n <= kMaxDense,
      "sparse LCP: {} unknowns, {} works on the dense matrix and takes at most {}. Use block-pivot or pgs.",
      n, method_names()[method.index()], kMaxDense);
  LcpResult result = solve(LcpProblem{Eigen::MatrixXd(problem.M), problem.q}, method);
  if (!tried.empty()) result.note = result.note.empty() ? tried : tried + "; dense: " + result.note;
  result.seconds = seconds_since(begin);
  return result;
}

LcpResult solve(const BoxedLcpProblem& problem, const LcpMethod& method) {
  const Clock::time_point begin = Clock::now();
  problem.validate();
  if (problem.q.size() == 0) return solve_nothing(method);
  LcpResult result;
  if (const auto* dantzig = std::get_if<DantzigOptions>(&method)) {
    solve_dantzig(problem, *dantzig, result);
  } else if (const auto* pgs = std::get_if<PgsOptions>(&method)) {
    solve_pgs(problem, *pgs, result);
  } else {
    const BoxReduction reduction = reduce_to_mlcp(problem);
    result = solve(reduction.mlcp, method);
    result.z = reduction.to_box * result.z + reduction.offset;
  }
  judge_answer(problem, get_tolerance(method), result);
  result.seconds = seconds_since(begin);
  return result;
}

}  // namespace rigor
