#include "rigor/solvers/trials/truth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "rigor/math/random.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

constexpr double kTolerance = 1e-10;
constexpr double kJudged = 1.0001e-10;  // the solver stopped on a residual with rounding in its sums
constexpr Eigen::Index kEnumerated = 8;
constexpr Eigen::Index kGuaranteed = 20;

template <class Problem>
void judge_claim(const Problem& problem, const LcpResult& result, TruthVerdict& verdict) {
  const bool no_solution = verdict.lcp_class == LcpClass::kPsdInfeasible;
  if (result.status == Status::kSolved) {
    verdict.claim = Claim::kSolved;
    const double residual = check_solution(problem, result.z);
    if (residual > kJudged) verdict.wrong = fmt::format("solved, but the residual is {:.2g}", residual);
    if (no_solution) verdict.wrong = "solved, but the class has no solution";
  } else if (has_proof(result.status)) {
    verdict.claim = Claim::kInfeasible;
    const ProofCheck check = check_infeasible(problem, result.proof->y);
    if (!check.holds || check.bound != result.proof->bound) verdict.wrong = "the proof does not hold";
    if (check.exact != (result.status == Status::kInfeasible))
      verdict.wrong = "infeasible without an exact proof";
    if (!no_solution) verdict.wrong = "infeasible, but the class has solutions";
  }
}

// What rational arithmetic says about the given doubles. The rounding of a planted singular problem can leave
// the exact one without a solution, one unit in the last place away from having many: there "solved" is a
// statement about the residual, and the checker has judged that.
void compare_with_enumeration(const LcpProblem& problem, const LcpResult& result, TruthVerdict& verdict) {
  const std::vector<SolutionPiece> pieces = enumerate_exact(problem);
  verdict.enumerated = true;
  if (verdict.claim == Claim::kInfeasible) {
    for (const SolutionPiece& piece : pieces)
      if (piece.z.lpNorm<1>() < result.proof->bound) verdict.wrong = "a solution lies below the bound";
    return;
  }
  const LcpClass c = verdict.lcp_class;
  const bool singular = c == LcpClass::kPsdFeasible || c == LcpClass::kRedundant;
  if (pieces.empty() && !singular) verdict.wrong = "solved, but enumeration finds no solution";
  if (c != LcpClass::kP && c != LcpClass::kDegenerate) return;
  if (pieces.size() != 1) {
    verdict.wrong = fmt::format("a P-matrix, but enumeration finds {} solutions", pieces.size());
    return;
  }
  const double size = std::max(1.0, pieces[0].z.cwiseAbs().maxCoeff());
  if ((pieces[0].z - result.z).cwiseAbs().maxCoeff() > 1e-9 * size)
    verdict.wrong = "not the solution that enumeration finds";
}

}  // namespace

TruthVerdict judge_truth(std::uint64_t seed, std::uint64_t index, LcpWorkspace& workspace,
                         LcpResult& result) {
  const auto [lcp_class, problem] = make_truth_problem(seed, index);
  TruthVerdict verdict;
  verdict.lcp_class = lcp_class;
  verdict.mixed = index % 5 == 4;
  verdict.size = problem.q.size();
  // P, PSD, and copositive with a positive diagonal, which is strictly copositive: all have a guarantee
  verdict.must_be_decided = verdict.size <= kGuaranteed && lcp_class != LcpClass::kFriction;
  AutoOptions options;
  options.tolerance = kTolerance;
  if (verdict.mixed) {
    Random random(seed + index);
    const MlcpProblem mixed = embed_in_mlcp(problem, 1 + random.below(20), random.next());
    result = solve(mixed, options);
    judge_claim(mixed, result, verdict);
    return verdict;
  }
  solve(problem, options, workspace, result);
  judge_claim(problem, result, verdict);
  if (verdict.size <= kEnumerated && verdict.claim != Claim::kUndecided)
    compare_with_enumeration(problem, result, verdict);
  return verdict;
}

void TruthTally::add(const TruthVerdict& verdict) {
  Line& line = by_class.at(static_cast<std::size_t>(verdict.lcp_class));
  ++problems;
  mixed += verdict.mixed;
  enumerated += verdict.enumerated;
  line.solved += verdict.claim == Claim::kSolved;
  line.infeasible += verdict.claim == Claim::kInfeasible;
  if (verdict.claim == Claim::kUndecided) {
    ++line.undecided;
    ++undecided;
    undecided_with_guarantee += verdict.must_be_decided;
  }
  line.wrong += !verdict.wrong.empty();
  wrong += !verdict.wrong.empty();
}

void TruthTally::add(const TruthTally& other) {
  for (std::size_t k = 0; k < by_class.size(); ++k) {
    by_class[k].solved += other.by_class[k].solved;
    by_class[k].infeasible += other.by_class[k].infeasible;
    by_class[k].undecided += other.by_class[k].undecided;
    by_class[k].wrong += other.by_class[k].wrong;
  }
  problems += other.problems;
  mixed += other.mixed;
  enumerated += other.enumerated;
  undecided += other.undecided;
  wrong += other.wrong;
  undecided_with_guarantee += other.undecided_with_guarantee;
}

bool TruthTally::passes() const {
  return wrong == 0 && undecided_with_guarantee == 0 && 10000 * undecided <= problems;
}

}  // namespace rigor
