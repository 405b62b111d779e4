#include <fmt/format.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "rigor/base/interruption.hpp"
#include "rigor/base/require.hpp"
#include "rigor/base/tier_log.hpp"
#include "rigor/base/work.hpp"
#include "rigor/io/fclib.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/io/source_text.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/embedded_scenes.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/solve_output.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

constexpr Eigen::Index kExactSize = 10;      // 2ⁿ rational systems: a second
constexpr double kAnnouncedSize = 1500;      // unknowns: seconds
constexpr Eigen::Index kEnumerateSize = 16;  // 2ⁿ systems of doubles: some seconds

bool is_answer(const LcpResult& result) {
  return result.status == Status::kSolved || result.status == Status::kInfeasible;
}

// Unknowns of a problem whose matrix is kept dense, or becomes dense on the way to a method; 0 for the others.
double dense_size(const Problem& problem) {
  const bool is_dense =
      std::holds_alternative<LcpProblem>(problem) || std::holds_alternative<BoxedLcpProblem>(problem) ||
      std::holds_alternative<ConeProblem>(problem) || std::holds_alternative<MlcpProblem>(problem) ||
      std::holds_alternative<ContactLcpProblem>(problem);
  return is_dense ? static_cast<double>(size_of(problem)) : 0.0;
}

// Bytes that this process may have: the computer's, or less where a limit says so.
double memory_limit() {
  double most = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min(most, static_cast<double>(limit.rlim_cur));
  return most;
}

// A large problem is announced before it is worked on, and refused where it cannot fit.
void announce_size(const Problem& problem, const std::string& file) {
  constexpr double kMatrices =
      4.0;  // the problem, its scaled copy, a tableau or factor, and what is on the way
  const double n = dense_size(problem), bytes = kMatrices * 8.0 * n * n, most = memory_limit();
  require(bytes <= most,
          "{}: {} unknowns in dense matrices take about {:.1f} GB, there are {:.1f} GB for it.", file, n,
          1e-9 * bytes, 1e-9 * most);
  if (n >= kAnnouncedSize)
    complain(
        "rigor: {}: {} unknowns in dense matrices, about {:.1f} GB; this may take minutes, Ctrl-C ends it.\n",
        file, n, 1e-9 * bytes);
}

// The answer within the request's budget of work, which `meter` counts: what a method has when that is spent.
LcpResult solve_within(const Problem& problem, std::string_view name, const SolveRequest& request,
                       WorkMeter& meter) {
  const FactorLibrary factors = make_factor_library(request.factors);
  const WorkScope scope(meter);
  LcpResult result = solve(problem, name, request.tolerance, factors);
  if (meter.is_spent() && !is_answer(result))
    result.note += fmt::format("{}ended by its budget of {:.3g} multiplications; --work {:.0e} goes on",
                               result.note.empty() ? "" : "; ", meter.limit(), 10.0 * meter.limit());
  return result;
}

// A method that cannot take this problem says so in its line; it ends nothing.
LcpResult try_method(const Problem& problem, std::string_view name, const SolveRequest& request) {
  LcpResult result;
  try {
    WorkMeter meter(request.work);
    result = solve_within(problem, name, request, meter);
  } catch (const InvalidInput& error) {
    result = {};
    result.status = Status::kNumericalTrouble;
    result.note = error.what();
  }
  result.solver = result.solver.empty() || name != "auto" ? std::string(name) : "auto: " + result.solver;
  return result;
}

int compare(const Problem& problem, const SolveRequest& request) {
  std::vector<LcpResult> results;
  ProgressLine progress("methods tried:");
  for (const std::string_view name : solvers_for(problem)) {
    if (was_interrupted()) break;
    progress.show(results.size());
    LcpResult result = try_method(problem, name, request);
    if (!was_interrupted()) results.push_back(std::move(result));
  }
  progress.clear();
  if (request.json) {
    JsonValue::Array list;
    for (const LcpResult& result : results) list.push_back(result_to_json(result, is_cone(problem)));
    JsonValue value{JsonValue::Object{}};
    value.add("methods", std::move(list));
    print_json(value);
  } else {
    say("{}: {}\n{}", request.file, describe(problem), comparison_table(results));
  }
  const bool whole = results.size() == solvers_for(problem).size();
  if (!whole) complain("rigor: interrupted; the methods above are those that ended.\n");
  return whole && std::any_of(results.begin(), results.end(), is_answer) ? kAnswered : kNotAnswered;
}

// every solution: over the rationals where the problem is a small LCP as given, else in floating point
SolutionList find_all(const Problem& problem, double tolerance) {
  const PlainForm plain = make_plain(problem);
  const Eigen::Index n = plain.lcp.q.size();
  require(
      n <= kEnumerateSize,
      "--all: {} complementary unknowns, must be ≤ {} (2ⁿ sets are looked at). Without --all one solution "
      "is found at any size.",
      n, kEnumerateSize);
  SolutionList list;
  list.exact = n <= kExactSize && std::holds_alternative<LcpProblem>(problem);
  EnumerateOptions options;
  options.tolerance = tolerance;
  list.pieces = list.exact ? enumerate_exact(plain.lcp, kExactSize) : enumerate_all(plain.lcp, options);
  for (SolutionPiece& piece : list.pieces) piece.z = plain.to_original * piece.z + plain.offset;
  return list;
}

// The problem, in FCLIB with the answer beside it.
void write_answer(const Problem& problem, const LcpResult& result, const std::string& file) {
  const std::filesystem::path path(file);
  if (is_fclib_name(path))
    write_fclib(problem,
                {path.stem().string(), fmt::format("{} by {}: residual {:.3g}", to_string(result.status),
                                                   result.solver, result.residual)},
                result.status == Status::kSolved ? result.z : Eigen::VectorXd(), path);
  else
    write_text_file(path, to_file_text(problem, path));
}

}  // namespace

int run_solve(const SolveRequest& request) {
  Problem problem = load_problem(request.file);
  if (request.plain && std::holds_alternative<ContactLcpProblem>(problem))
    problem = make_lcp(std::get<ContactLcpProblem>(problem));
  announce_size(problem, request.file);
  require(request.output.empty() || !request.compare, "-o: writes one answer, must not come with --compare.");
  require(!request.explain || is_cone(problem),
          "--explain: {} is not a cone problem, and one method answers it: the one that is named in the "
          "answer. Leave "
          "--explain out.",
          request.file);
  if (request.compare) return compare(problem, request);

  WorkMeter meter(request.work);
  TierLog log;
  const LcpResult result = [&] {
    if (!request.explain) return solve_within(problem, request.solver, request, meter);
    const TierLogScope scope(log);
    return solve_within(problem, request.solver, request, meter);
  }();
  if (was_interrupted()) throw Cancelled();  // methods end with what they have then: no answer
  JsonValue value = result_to_json(result, is_cone(problem));
  JsonValue work{JsonValue::Object{}};
  work.add("spent", meter.spent());
  work.add("limit", meter.limit());
  value.add("work", std::move(work));
  std::string text = fmt::format("{}: {}\n{}", request.file, describe(problem),
                                 describe_result(result, request.tolerance, is_cone(problem)));
  if (request.explain) {
    value.add("tiers", tiers_to_json(log));
    text += describe_tiers(log);
  }
  if (request.classes) {
    const MatrixClass matrix_class = classify(make_plain(problem).lcp.M);
    value.add("matrix", matrix_class_to_json(matrix_class));
    text += describe_matrix_class(matrix_class);
  }
  if (request.all) {
    const SolutionList list = find_all(problem, request.tolerance);
    value.add("all", solutions_to_json(list));
    text += describe_solutions(list);
  }
  if (!request.output.empty()) write_answer(problem, result, request.output);
  if (request.json)
    print_json(value);
  else
    say("{}", text);
  return is_answer(result) ? kAnswered : kNotAnswered;
}

}  // namespace rigor
