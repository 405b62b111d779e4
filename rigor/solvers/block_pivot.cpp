#include "rigor/solvers/block_pivot.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/math/rank_one.hpp"

namespace rigor {
namespace {

constexpr double kNegative = 1e-12;     // of the largest value
constexpr int kHopeless = 4;            // rounds without progress after which a large problem goes to Lemke
constexpr Eigen::Index kLarge = 100;    // unknowns
constexpr double kTrusted = 1e-9;       // of the largest z: rows of F below it are solved
constexpr double kRefineAbove = 1e-13;  // a residual below is not worth another solve

// The first guess: sweeps of projected Gauss-Seidel until no pair changes sides. False, and
// nothing is changed, where M has no positive diagonal or many pairs go on changing, as they do for a matrix
// that is mostly skew.
bool guess_by_sweeps(const BlockPivotOptions& options, BlockPivotWorkspace& ws) {
  const Eigen::MatrixXd& M = *ws.M;
  const Eigen::VectorXd& q = ws.scaled.q;
  const Eigen::Index n = q.size();
  if (n < options.sweeps_from || options.max_sweeps == 0 || !(M.diagonal().minCoeff() > 0.0)) return false;
  ws.w = q;
  Eigen::Index fewest = n + 1;
  int stalled = 0;
  for (int sweep = 0; sweep < options.max_sweeps; ++sweep) {
    Eigen::Index changes = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double next = std::max(0.0, ws.z[i] - ws.w[i] / M(i, i)), step = next - ws.z[i];
      if (step == 0.0) continue;
      changes += (next > 0.0) != (ws.z[i] > 0.0);
      ws.z[i] = next;
      add_scaled(step, M.data() + i * n, ws.w.data(), n);
    }
    if (!std::isfinite(ws.z.sum())) return false;
    if (changes == 0) break;
    if (changes >= fewest && 20 * changes > n && ++stalled > 2) return false;
    fewest = std::min(fewest, changes);
  }
  for (Eigen::Index i = 0; i < n; ++i) ws.positive[static_cast<std::size_t>(i)] = ws.z[i] > ws.w[i];
  return true;
}

// w = M z + q, by the columns of F alone
void compute_image(BlockPivotWorkspace& ws) {
  const Eigen::MatrixXd& M = *ws.M;
  const Eigen::VectorXd& q = ws.scaled.q;
  ws.w = q;
  for (Eigen::Index j = 0; j < q.size(); ++j)
    if (ws.z[j] != 0.0) add_scaled(ws.z[j], M.data() + j * q.size(), ws.w.data(), q.size());
}

double largest_on_set(const BlockPivotWorkspace& ws) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < ws.w.size(); ++i)
    if (ws.positive[static_cast<std::size_t>(i)]) worst = std::max(worst, std::fabs(ws.w[i]));
  return worst;
}

// z_F = −K_FF⁻¹ q_F, w = K z + q outside F; false where K_FF is singular
bool solve_for_set(BlockPivotWorkspace& ws) {
  for (bool symmetric = ws.symmetric;; symmetric = false) {
    if (!ws.block.set(ws.positive)) return false;
    ws.z = -ws.scaled.q;
    ws.block.solve_in_place(ws.z);
    compute_image(ws);
    if (!ws.z.allFinite()) return false;
    if (!symmetric || largest_on_set(ws) <= kTrusted * std::max(1.0, ws.z.cwiseAbs().maxCoeff())) return true;
    // the two halves of M do not agree after all, or the block is nearly singular: LU from now on
    ws.symmetric = false;
    ws.block.start(*ws.M, false);
  }
}

// one correction of the last set against the data, where its rows are not yet zero
void refine(BlockPivotWorkspace& ws) {
  if (largest_on_set(ws) <= kRefineAbove * ws.scaled.q.cwiseAbs().maxCoeff()) return;
  ws.correction = -ws.w;
  ws.block.solve_in_place(ws.correction);
  if (ws.correction.allFinite()) ws.z += ws.correction;
}

// the pairs that came out negative
void find_bad(Eigen::Index free_count, BlockPivotWorkspace& ws) {
  const double z_zero = -kNegative * std::max(1.0, ws.z.cwiseAbs().maxCoeff());
  const double w_zero = -kNegative * std::max(1.0, ws.w.cwiseAbs().maxCoeff());
  ws.bad.clear();
  for (auto i = static_cast<int>(free_count); i < ws.z.size(); ++i)
    if (ws.positive[static_cast<std::size_t>(i)] ? ws.z[i] < z_zero : ws.w[i] < w_zero) ws.bad.push_back(i);
}

// the rounds of [JP94], to the end or to the limit
void run_rounds(Eigen::Index free_count, const BlockPivotOptions& options, BlockPivotWorkspace& ws,
                LcpResult& result) {
  const Eigen::Index n = ws.scaled.q.size();
  const int ample = static_cast<int>(options.fall_back ? 60 : 5 * n + 200);
  const int limit = options.max_rounds > 0 ? options.max_rounds : ample;
  const bool may_give_up = options.fall_back && free_count == 0 && n >= kLarge;
  std::size_t fewest = static_cast<std::size_t>(n) + 1;
  int patience = options.patience;
  while (result.iterations < limit) {
    if (!solve_for_set(ws)) {
      result.status = Status::kNumericalTrouble;
      return;
    }
    ++result.iterations;
    find_bad(free_count, ws);
    if (ws.bad.empty()) {
      refine(ws);
      result.status = Status::kSolved;
      return;
    }
    // exchange them all while that helps, else only the last one
    if (ws.bad.size() < fewest) {
      fewest = ws.bad.size();
      patience = options.patience;
    } else {
      --patience;
    }
    if (may_give_up && patience <= options.patience - kHopeless) return;
    if (patience >= 0)
      for (const int i : ws.bad) ws.positive[static_cast<std::size_t>(i)] ^= 1;
    else
      ws.positive[static_cast<std::size_t>(ws.bad.back())] ^= 1;
  }
}

}  // namespace

void solve_block_pivot(const LcpProblem& problem, Eigen::Index free_count, const BlockPivotOptions& options,
                       BlockPivotWorkspace& ws, LemkeWorkspace& lemke, LcpResult& result) {
  require(options.patience >= 1, "BlockPivotOptions::patience = {}, must be ≥ 1.", options.patience);
  result.solver = "block-pivot";
  result.status = Status::kIterationLimit;
  ws.scaling.compute(problem, options.equilibrate);
  ws.M = ws.scaling.is_identity ? &problem.M : &ws.scaled.M;
  if (ws.scaling.is_identity)
    ws.scaled.q = problem.q / ws.scaling.q_scale;
  else
    ws.scaling.apply(problem, ws.scaled);
  const Eigen::Index n = problem.q.size();
  const auto size = static_cast<std::size_t>(n);
  ws.bad.reserve(size);
  ws.positive.assign(size, 0);
  ws.z.setZero(n);
  if (free_count > 0 || !guess_by_sweeps(options, ws))
    for (Eigen::Index i = 0; i < n; ++i)
      ws.positive[static_cast<std::size_t>(i)] = i < free_count || (free_count == 0 && ws.scaled.q[i] < 0.0);
  ws.symmetric = looks_symmetric(*ws.M);
  ws.block.start(*ws.M, ws.symmetric);
  run_rounds(free_count, options, ws, result);
  result.factorisations += ws.block.factorisations();
  for (Eigen::Index i = free_count; i < n; ++i) ws.z[i] = std::max(0.0, ws.z[i]);
  ws.scaling.to_original(ws.z, result.z);
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
