#include "rigor/solvers/lcp/block_pivot.hpp"

#include "rigor/base/require.hpp"
#include "rigor/base/work.hpp"

namespace rigor {
namespace {

constexpr int kHopeless = 4;          // rounds without progress after which a large problem goes to Lemke
constexpr Eigen::Index kLarge = 100;  // unknowns

// the rounds of [JP94], to the end or to the limit
void run_rounds(Eigen::Index free_count, const BlockPivotOptions& options, BlockPivotWorkspace& ws,
                LcpResult& result) {
  const auto n = static_cast<Eigen::Index>(ws.positive.size());
  const int ample = static_cast<int>(options.fall_back ? 60 : 5 * n + 200);
  const int limit = options.max_rounds > 0 ? options.max_rounds : ample;
  const bool may_give_up = options.fall_back && free_count == 0 && n >= kLarge;
  std::size_t fewest = static_cast<std::size_t>(n) + 1;
  int patience = options.patience;
  const double turn = 2.0 * static_cast<double>(n) * static_cast<double>(n);
  while (result.iterations < limit && may_work(turn)) {
    if (!ws.set.solve(ws.positive, patience < 0)) {
      result.status = Status::kNumericalTrouble;
      return;
    }
    ++result.iterations;
    const std::vector<int>& bad = ws.set.bad();
    if (bad.empty()) {
      ws.set.refine();
      result.status = Status::kSolved;
      return;
    }
    // exchange them all while that helps, else only the last one
    if (bad.size() < fewest) {
      fewest = bad.size();
      patience = options.patience;
    } else {
      --patience;
    }
    if (may_give_up && patience <= options.patience - kHopeless) return;
    if (patience >= 0)
      for (const int i : bad) ws.positive[static_cast<std::size_t>(i)] ^= 1;
    else
      ws.positive[static_cast<std::size_t>(bad.back())] ^= 1;
  }
}

}  // namespace

void solve_block_pivot(const LcpProblem& problem, Eigen::Index free_count, const BlockPivotOptions& options,
                       BlockPivotWorkspace& ws, LemkeWorkspace& lemke, LcpResult& result) {
  require(options.patience >= 1, "BlockPivotOptions::patience = {}, must be ≥ 1.", options.patience);
  result.solver = "block-pivot";
  result.status = Status::kIterationLimit;
  const Eigen::Index n = problem.q.size();
  const bool single = free_count == 0 && n >= options.sweeps_from;
  ws.set.start(problem, free_count, options.equilibrate, single);
  ws.positive.assign(static_cast<std::size_t>(n), 0);
  if (!single || !ws.set.guess(options.max_sweeps, ws.positive))
    for (Eigen::Index i = 0; i < n; ++i)
      ws.positive[static_cast<std::size_t>(i)] = i < free_count || (free_count == 0 && ws.set.q()[i] < 0.0);
  run_rounds(free_count, options, ws, result);
  result.factorisations += ws.set.factorisations();
  ws.set.read_solution(result.z);
  if (result.status == Status::kSolved || !options.fall_back || free_count > 0) return;

  // the finite method: Lemke, cold, because the set reached need not be a basis
  const int rounds = result.iterations;
  LemkeOptions finite;
  finite.tolerance = options.tolerance;
  finite.equilibrate = options.equilibrate;
  solve_lemke(problem, finite, lemke, result);
  result.solver = "block-pivot";
  result.note = fmt::format("block pivots stopped after {} rounds; lemke took over", rounds);
}

}  // namespace rigor
