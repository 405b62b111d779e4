#include "rigor/solvers/problem.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

#include "rigor/base/diagnostic.hpp"
#include "rigor/base/require.hpp"
#include "rigor/solvers/cone_solve.hpp"
#include "rigor/solvers/contact_auto.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kPlainAutoSize = 2000;  // above, auto for plain LCPs would pivot for minutes

LcpResult solve_contacts(const ContactLcpProblem& problem, const LcpMethod& method) {
  if (!std::holds_alternative<AutoOptions>(method)) return solve(make_lcp(problem), method);
  ContactAutoOptions options;
  options.tolerance = get_tolerance(method);
  LcpResult result = solve(problem, options);
  if (result.status == Status::kSolved || problem.size() > kPlainAutoSize) return result;
  LcpResult plain = solve(make_lcp(problem), method);
  if (plain.status != Status::kSolved && plain.status != Status::kInfeasible) return result;
  plain.note = result.note + "; as a plain LCP: " + plain.note;
  return plain;
}

LcpResult solve_cones(const ConeProblem& problem, const LcpMethod& method) {
  require(std::holds_alternative<AutoOptions>(method),
          "Cone problem: this method is for LCPs. Use auto, or write the polyhedral problem instead.");
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
  result.residual = relative_cone_residual(problem, cone.r);
  result.status = result.residual <= tolerance     ? Status::kSolved
                  : cone.status == Status::kSolved ? Status::kNumericalTrouble
                                                   : cone.status;
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
  return result;
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

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::string kind_name(const Problem& problem) {
  constexpr std::array<const char*, 6> kNames = {"lcp",       "sparse-lcp",  "mlcp",
                                                 "boxed-lcp", "contact-lcp", "cone"};
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
                   return fmt::format("{}cone problem, {} blocks, {} rows", p.associated ? "convex " : "",
                                      p.blocks.size(), p.q.size());
                 }},
      problem);
}

void validate(const Problem& problem) {
  std::visit([](const auto& p) { p.validate(); }, problem);
}

Eigen::Index size_of(const Problem& problem) {
  return std::visit(Overloaded{[](const ContactLcpProblem& p) { return p.size(); },
                               [](const auto& p) { return p.q.size(); }},
                    problem);
}

Eigen::MatrixXd get_lead_matrix(const Problem& problem) {
  return std::visit(Overloaded{[](const SparseLcpProblem& p) { return Eigen::MatrixXd(p.M); },
                               [](const MlcpProblem& p) { return Eigen::MatrixXd(p.K); },
                               [](const ContactLcpProblem& p) { return make_lcp(p).M; },
                               [](const ConeProblem& p) { return p.W; }, [](const auto& p) { return p.M; }},
                    problem);
}

LcpResult solve(const Problem& problem, const LcpMethod& method) {
  return std::visit(Overloaded{[&](const ContactLcpProblem& p) { return solve_contacts(p, method); },
                               [&](const ConeProblem& p) { return solve_cones(p, method); },
                               [&](const auto& p) { return solve(p, method); }},
                    problem);
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
                               [](const ConeProblem&) -> PlainForm {
                                 throw InvalidInput("A cone problem has no plain LCP to look at.");
                               }},
                    problem);
}

}  // namespace rigor
