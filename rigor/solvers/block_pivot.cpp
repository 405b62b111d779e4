#include "rigor/solvers/block_pivot.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

constexpr double kNegative = 1e-12;  // of the largest value

// z_F = −K_FF⁻¹ q_F, w = K z + q outside F; false where K_FF is singular
bool solve_for_set(BlockPivotWorkspace& ws, LcpResult& result) {
  const auto& [M, q] = ws.scaled;
  const Eigen::Index n = q.size();
  ws.members.clear();
  for (int i = 0; i < n; ++i)
    if (ws.positive[static_cast<std::size_t>(i)]) ws.members.push_back(i);
  const auto size = static_cast<Eigen::Index>(ws.members.size());
  ws.z.setZero(n);
  if (size > 0) {
    auto A = ws.lu.start(size);
    for (Eigen::Index b = 0; b < size; ++b) {
      const double* column =
          M.data() + static_cast<std::ptrdiff_t>(ws.members[static_cast<std::size_t>(b)]) * n;
      for (Eigen::Index a = 0; a < size; ++a) A(a, b) = column[ws.members[static_cast<std::size_t>(a)]];
    }
    ++result.factorisations;
    if (!ws.lu.factor() || ws.lu.pivot_ratio() < 1e-14) return false;
    auto rhs = ws.rhs.head(size);
    for (Eigen::Index a = 0; a < size; ++a) rhs[a] = -q[ws.members[static_cast<std::size_t>(a)]];
    ws.lu.solve_in_place(rhs);
    if (!rhs.allFinite()) return false;
    for (Eigen::Index a = 0; a < size; ++a) ws.z[ws.members[static_cast<std::size_t>(a)]] = rhs[a];
  }
  ws.w.noalias() = M * ws.z;
  ws.w += q;
  return true;
}

// one refinement of the last set against the data
void refine(BlockPivotWorkspace& ws) {
  const auto size = static_cast<Eigen::Index>(ws.members.size());
  auto rhs = ws.rhs.head(size);
  for (Eigen::Index a = 0; a < size; ++a) rhs[a] = -ws.w[ws.members[static_cast<std::size_t>(a)]];
  ws.lu.solve_in_place(rhs);
  if (!rhs.allFinite()) return;
  for (Eigen::Index a = 0; a < size; ++a) ws.z[ws.members[static_cast<std::size_t>(a)]] += rhs[a];
}

}  // namespace

void solve_block_pivot(const LcpProblem& problem, Eigen::Index free_count, const BlockPivotOptions& options,
                       BlockPivotWorkspace& ws, LemkeWorkspace& lemke, LcpResult& result) {
  require(options.patience >= 1, "BlockPivotOptions::patience = {}, must be ≥ 1.", options.patience);
  result.solver = "block-pivot";
  result.status = Status::kIterationLimit;
  ws.scaling.compute(problem, options.equilibrate);
  ws.scaling.apply(problem, ws.scaled);
  const Eigen::Index n = problem.q.size();
  const auto size = static_cast<std::size_t>(n);
  ws.rhs.resize(n);
  (void)ws.lu.start(n);  // room for the largest set
  ws.members.reserve(size);
  ws.bad.reserve(size);
  ws.positive.assign(size, 0);
  for (Eigen::Index i = 0; i < n; ++i)
    if (i < free_count || (free_count == 0 && ws.scaled.q[i] < 0.0))
      ws.positive[static_cast<std::size_t>(i)] = 1;

  const int ample = static_cast<int>(options.fall_back ? 60 : 5 * n + 200);
  const int limit = options.max_rounds > 0 ? options.max_rounds : ample;
  std::size_t fewest = size + 1;
  int patience = options.patience;
  while (result.iterations < limit) {
    if (!solve_for_set(ws, result)) {
      result.status = Status::kNumericalTrouble;
      break;
    }
    ++result.iterations;
    // which pairs came out negative?
    const double z_zero = -kNegative * std::max(1.0, ws.z.cwiseAbs().maxCoeff());
    const double w_zero = -kNegative * std::max(1.0, ws.w.cwiseAbs().maxCoeff());
    ws.bad.clear();
    for (auto i = static_cast<int>(free_count); i < n; ++i)
      if (ws.positive[static_cast<std::size_t>(i)] ? ws.z[i] < z_zero : ws.w[i] < w_zero) ws.bad.push_back(i);
    if (ws.bad.empty()) {
      refine(ws);
      result.status = Status::kSolved;
      break;
    }
    // exchange them all while that helps, else only the last one
    if (ws.bad.size() < fewest) {
      fewest = ws.bad.size();
      patience = options.patience;
    } else {
      --patience;
    }
    if (patience >= 0)
      for (const int i : ws.bad) ws.positive[static_cast<std::size_t>(i)] ^= 1;
    else
      ws.positive[static_cast<std::size_t>(ws.bad.back())] ^= 1;
  }
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
