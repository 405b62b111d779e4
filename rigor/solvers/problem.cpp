#include "rigor/solvers/problem.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <numeric>

#include "rigor/base/diagnostic.hpp"
#include "rigor/base/require.hpp"
#include "rigor/solvers/cone/cone_infeasible.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/contact_lcp/contact_auto.hpp"
#include "rigor/solvers/problems/answer_check.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kPlainAutoSize = 2000;  // above, auto for plain LCPs would pivot for minutes

LcpResult solve_contacts(const ContactLcpProblem& problem, const LcpMethod& method) {
  // the plain LCP has rounded numbers: what solves it is judged once more by those that were given
  const auto solve_plain = [&] {
    LcpResult result = solve(make_lcp(problem), method);
    if (!has_proof(result.status)) judge_answer(problem, get_tolerance(method), result);
    return result;
  };
  if (!std::holds_alternative<AutoOptions>(method)) return solve_plain();
  ContactAutoOptions options;
  options.tolerance = get_tolerance(method);
  LcpResult result = solve(problem, options);
  if (result.status == Status::kSolved || problem.size() > kPlainAutoSize) return result;
  LcpResult plain = solve_plain();
  if (plain.status != Status::kSolved && !has_proof(plain.status)) return result;
  plain.note = result.note + "; as a plain LCP: " + plain.note;
  return plain;
}

// After all methods failed: is there no solution? What is not decided is said to be so.
void ask_for_proof(const ConeProblem& problem, LcpResult& result) {
  result.proof = find_cone_proof(problem);
  if (result.proof) {
    result.status = result.proof->status();
    result.note =
        fmt::format("no admissible impulse keeps the rows with a weight in y from closing; {} gave up first",
                    result.solver);
    result.solver = "conic program";
    return;
  }
  result.note +=
      problem.q.size() > kLargestInfeasible
          ? fmt::format("; undecided: a proof that there is no solution is looked for up to {} rows",
                        kLargestInfeasible)
          : "; undecided: no proof was found that there is no solution";
}

// The answer to a problem without rows
LcpResult solve_nothing() {
  LcpResult result;
  result.status = Status::kSolved;
  result.residual = result.row_residual = 0.0;
  result.solver = "open";
  return result;
}

// By residuals of the problem as given, summed without rounding: what the method claims does not matter. An answer whose
// every block is off by the last digits of its own numbers is `rounding`.
void set_cone_status(const ConeCheck& check, double tolerance, Status claimed, LcpResult& result) {
  result.residual = check.residual;
  result.row_residual = check.row_residual;
  const double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  result.status = check.residual <= tolerance && check.row_residual <= row_tolerance(tolerance)
                      ? Status::kSolved
                  : check.row_residual <= rounding ? Status::kRounding
                  : claimed == Status::kSolved     ? Status::kNumericalTrouble
                                                   : claimed;
}

LcpResult solve_cones(const ConeProblem& problem, const LcpMethod& method) {
  require(std::holds_alternative<AutoOptions>(method),
          "Cone problem: this method is for LCPs. Use auto, or write the polyhedral problem instead.");
  problem.validate();
  if (problem.q.size() == 0) return solve_nothing();
  const double tolerance = get_tolerance(method), scale = problem.q.norm();
  ConeOptions options;
  options.tolerance = std::max(0.1 * tolerance * (scale > 0.0 ? scale : 1.0), 1e-300);
  ConeWorkspace workspace;
  ConeResult cone;
  const auto begin = std::chrono::steady_clock::now();
  solve_cone(problem, options, workspace, cone);
  LcpResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.z = cone.r;
  result.w = cone.u;
  set_cone_status(check_cone(problem, cone.r), tolerance, cone.status, result);
  result.iterations = cone.sweeps + cone.newton_steps;
  result.factorisations = cone.factorisations;
  result.solver = cone.method;
  const bool is_open = cone.force_freedom > 0;
  result.note = fmt::format(
      "{}velocity: {}",
      is_open ? fmt::format("forces are not unique, {} of freedom: those of equal compliance are given; ",
                            count_text(static_cast<std::size_t>(cone.force_freedom), "degree"))
              : "",
      describe(cone.velocity));
  if (result.status != Status::kSolved) ask_for_proof(problem, result);
  return result;
}

// All sparse methods, and their certificate on the problem as it was given.
LcpResult solve_sparse_cones(const SparseConeProblem& problem, ConeMethod method, double tolerance,
                             FactorLibrary factors = FactorLibrary::kEigen) {
  require(tolerance > 0.0, "Sparse cone problem: tolerance = {}, must be > 0.", tolerance);
  problem.validate();
  if (problem.q.size() == 0) return solve_nothing();
  SparseConeOptions options;
  options.tolerance = tolerance;
  options.method = method;
  options.factors = factors;
  SparseConeWorkspace workspace;
  SparseConeResult cone;
  const auto begin = std::chrono::steady_clock::now();
  solve_cone(problem, options, workspace, cone);
  LcpResult result;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  Eigen::VectorXd u;
  compute_cone_velocity(problem, cone.r, u);
  result.z = drop_unused_rows(problem.sizes, cone.r);
  result.w = drop_unused_rows(problem.sizes, u);
  set_cone_status(check_cone(problem, cone.r), tolerance, cone.status, result);
  result.iterations = cone.sweeps + cone.newton_steps + cone.interior_point_steps + cone.admm_iterations;
  result.factorisations = cone.newton_steps + cone.interior_point_steps;
  result.solver = cone.path;
  result.note =
      fmt::format("{}, {}, {}, {}", count_text(static_cast<std::size_t>(cone.sweeps), "sweep"),
                  count_text(static_cast<std::size_t>(cone.newton_steps), "Newton step"),
                  count_text(static_cast<std::size_t>(cone.interior_point_steps), "interior-point step"),
                  count_text(static_cast<std::size_t>(cone.admm_iterations), "admm iteration"));
  if (method == ConeMethod::kAuto && result.status != Status::kSolved)
    ask_for_proof(make_dense_cone(problem), result);
  return result;
}

LcpResult solve_global_cones(const GlobalConeProblem& problem, ConeMethod method, double tolerance,
                             FactorLibrary factors = FactorLibrary::kEigen) {
  const GlobalConeReduction reduction(problem);
  LcpResult result = solve_sparse_cones(reduction.local(), method, tolerance, factors);
  const Eigen::VectorXd r = add_unused_rows(reduction.local().sizes, result.z);
  result.v = reduction.compute_velocity(r);
  // W and q of the local form are rounded: the answer must hold on the global one too
  result.residual = std::max(result.residual, relative_cone_residual(problem, r, result.v));
  if (result.status == Status::kSolved && !(result.residual <= tolerance))
    result.status = Status::kNumericalTrouble;
  return result;
}

// W, column by column
Eigen::MatrixXd make_dense(SparseConeProblem problem) {
  const Eigen::Index n = problem.q.size();
  problem.q.setZero();
  Eigen::MatrixXd W(n, n);
  Eigen::VectorXd unit = Eigen::VectorXd::Zero(n), column;
  for (Eigen::Index j = 0; j < n; ++j) {
    unit[j] = 1.0;
    compute_cone_velocity(problem, unit, column);
    W.col(j) = column;
    unit[j] = 0.0;
  }
  return W;
}

PlainForm make_identity(LcpProblem lcp) {
  const Eigen::Index n = lcp.q.size();
  return {std::move(lcp), Eigen::MatrixXd::Identity(n, n), Eigen::VectorXd::Zero(n)};
}

PlainForm eliminate_free(const MlcpProblem& problem) {
  SchurComplement schur = make_schur_complement(problem);
  require(schur.rcond > 0.0,
          "MLCP: the block of the {} free variables is singular, so that there is no plain LCP to look at.",
          problem.free_count);
  const Eigen::Index f = problem.free_count, m = problem.q.size() - f;
  PlainForm plain;
  plain.lcp = std::move(schur.lcp);
  if (m == 0) plain.lcp = {Eigen::MatrixXd(0, 0), Eigen::VectorXd(0)};
  plain.to_original = Eigen::MatrixXd::Zero(f + m, m);
  plain.to_original.topRows(f) = schur.to_free;
  plain.to_original.bottomRows(m).setIdentity();
  plain.offset = Eigen::VectorXd::Zero(f + m);
  if (f > 0) plain.offset.head(f) = schur.free_constant;
  return plain;
}

PlainForm eliminate_bounds(const BoxedLcpProblem& problem) {
  const BoxReduction reduction = reduce_to_mlcp(problem);
  PlainForm plain = eliminate_free(reduction.mlcp);
  plain.offset = reduction.to_box * plain.offset + reduction.offset;
  plain.to_original = reduction.to_box * plain.to_original;
  return plain;
}

// ", 2 contacts, 1 bilateral row, …": what is not there is not said
std::string count_blocks(const std::vector<ConeBlock>& blocks) {
  std::size_t contacts = 0, bilateral = 0, one_sided = 0, boxed = 0;
  for (const ConeBlock& block : blocks)
    ++(block.size > 1                ? contacts
       : block.bounds.is_bilateral() ? bilateral
       : block.bounds.is_one_sided() ? one_sided
                                     : boxed);
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += ", " + count_text(count, what);
  };
  add(contacts, "contact");
  add(bilateral, "bilateral row");
  add(one_sided, "one-sided row");
  add(boxed, "boxed row");
  return text.empty() ? ", nothing" : text;
}

std::vector<ConeBlock> list_blocks(const SparseConeProblem& problem) {
  std::vector<ConeBlock> blocks;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i)
    blocks.push_back({0, problem.sizes[i], 0.0, problem.bounds.empty() ? RowBounds{} : problem.bounds[i]});
  return blocks;
}

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::string kind_name(const Problem& problem) {
  constexpr std::array<const char*, 8> kNames = {"lcp",         "sparse-lcp", "mlcp",        "boxed-lcp",
                                                 "contact-lcp", "cone",       "sparse-cone", "global-cone"};
  return kNames[problem.index()];
}

std::string describe(const Problem& problem) {
  return std::visit(
      Overloaded{[](const LcpProblem& p) { return fmt::format("LCP, {} unknowns", p.q.size()); },
                 [](const SparseLcpProblem& p) {
                   return fmt::format("sparse LCP, {} unknowns, {} entries", p.q.size(), p.M.nonZeros());
                 },
                 [](const MlcpProblem& p) {
                   return fmt::format("mixed LCP, {} free and {} complementary unknowns", p.free_count,
                                      p.q.size() - p.free_count);
                 },
                 [](const BoxedLcpProblem& p) { return fmt::format("boxed LCP, {} unknowns", p.q.size()); },
                 [](const ContactLcpProblem& p) {
                   return fmt::format("contact LCP, {} contacts, {} directions, {} velocities, {} unknowns",
                                      p.contacts(), p.directions, p.dof(), p.size());
                 },
                 [](const ConeProblem& p) {
                   return fmt::format("{}cone problem{}, {} rows", p.associated ? "convex " : "",
                                      count_blocks(p.blocks), p.q.size());
                 },
                 [](const SparseConeProblem& p) {
                   return fmt::format("sparse cone problem{}, {} blocks of W", count_blocks(list_blocks(p)),
                                      p.values.size());
                 },
                 [](const GlobalConeProblem& p) {
                   return fmt::format("global cone problem, {} contacts, {}{} velocities", p.mu.size(),
                                      p.b.size() > 0 ? fmt::format("{} bilateral rows, ", p.b.size()) : "",
                                      p.f.size());
                 }},
      problem);
}

void validate(const Problem& problem) {
  std::visit([](const auto& p) { p.validate(); }, problem);
}

Eigen::Index size_of(const Problem& problem) {
  return std::visit(
      Overloaded{[](const ContactLcpProblem& p) { return p.size(); },
                 [](const SparseConeProblem& p) {
                   return static_cast<Eigen::Index>(std::accumulate(p.sizes.begin(), p.sizes.end(), 0));
                 },
                 [](const GlobalConeProblem& p) { return p.w.size() + p.b.size(); },
                 [](const auto& p) { return p.q.size(); }},
      problem);
}

Eigen::MatrixXd get_lead_matrix(const Problem& problem) {
  return std::visit(
      Overloaded{[](const SparseLcpProblem& p) { return Eigen::MatrixXd(p.M); },
                 [](const MlcpProblem& p) { return Eigen::MatrixXd(p.K); },
                 [](const ContactLcpProblem& p) { return make_lcp(p).M; },
                 [](const ConeProblem& p) { return p.W; },
                 [](const SparseConeProblem& p) { return make_dense(p); },
                 [](const GlobalConeProblem& p) { return make_dense(GlobalConeReduction(p).local()); },
                 [](const auto& p) { return p.M; }},
      problem);
}

LcpResult solve(const Problem& problem, const LcpMethod& method) {
  return std::visit(Overloaded{[&](const ContactLcpProblem& p) { return solve_contacts(p, method); },
                               [&](const ConeProblem& p) { return solve_cones(p, method); },
                               [&](const SparseConeProblem& p) {
                                 return solve_sparse_cones(p, ConeMethod::kAuto, get_tolerance(method));
                               },
                               [&](const GlobalConeProblem& p) {
                                 return solve_global_cones(p, ConeMethod::kAuto, get_tolerance(method));
                               },
                               [&](const auto& p) { return solve(p, method); }},
                    problem);
}

bool is_cone(const Problem& problem) {
  return std::holds_alternative<ConeProblem>(problem) || std::holds_alternative<SparseConeProblem>(problem) ||
         std::holds_alternative<GlobalConeProblem>(problem);
}

const std::vector<std::string_view>& solvers_for(const Problem& problem) {
  return is_cone(problem) ? cone_method_names() : method_names();
}

LcpResult solve(const Problem& problem, std::string_view solver, double tolerance, FactorLibrary factors) {
  const auto by_lcp_method = [&] {
    LcpMethod method = make_method(solver);
    set_tolerance(method, tolerance);
    return solve(problem, method);
  };
  if (!is_cone(problem)) return by_lcp_method();
  const ConeMethod method = make_cone_method(solver);
  if (const auto* global = std::get_if<GlobalConeProblem>(&problem))
    return solve_global_cones(*global, method, tolerance, factors);
  if (const auto* sparse = std::get_if<SparseConeProblem>(&problem))
    return solve_sparse_cones(*sparse, method, tolerance, factors);
  if (method == ConeMethod::kAuto) return by_lcp_method();
  return solve_sparse_cones(make_sparse_cone(std::get<ConeProblem>(problem)), method, tolerance, factors);
}

PlainForm make_plain(const Problem& problem) {
  validate(problem);
  return std::visit(Overloaded{[](const LcpProblem& p) { return make_identity(p); },
                               [](const SparseLcpProblem& p) {
                                 return make_identity({Eigen::MatrixXd(p.M), p.q});
                               },
                               [](const MlcpProblem& p) { return eliminate_free(p); },
                               [](const BoxedLcpProblem& p) { return eliminate_bounds(p); },
                               [](const ContactLcpProblem& p) { return make_identity(make_lcp(p)); },
                               [](const auto&) -> PlainForm {
                                 throw InvalidInput("A cone problem has no plain LCP to look at.");
                               }},
                    problem);
}

}  // namespace rigor
