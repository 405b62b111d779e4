#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/trials/perturb_cone.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/say.hpp"
#include "tools/rigor/terminal.hpp"

namespace rigor {
namespace {

struct Named {
  std::string name;
  SparseConeProblem problem;
};

struct Measurement {
  std::string name;
  int contacts{0};
  double tolerance{0.0};
  SparseConeResult result;
  double seconds{0.0};  // of this thread
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Files as they are given, folders by the names of the .hdf5 files in them.
std::vector<std::filesystem::path> list_files(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    std::vector<std::filesystem::path> inside;
    for (const auto& entry : std::filesystem::directory_iterator(path))
      if (is_fclib_name(entry.path())) inside.push_back(entry.path());
    std::sort(inside.begin(), inside.end());
    require(!inside.empty(), "{}: the folder holds no .hdf5 files, must hold FCLIB problems.", path);
    files.insert(files.end(), inside.begin(), inside.end());
  }
  require(!files.empty(),
          "rigor bench problems: no files are given. Name files or folders of FCLIB problems.");
  return files;
}

SparseConeProblem to_sparse(const Problem& problem, const std::string& name) {
  if (const auto* sparse = std::get_if<SparseConeProblem>(&problem)) return *sparse;
  if (const auto* global = std::get_if<GlobalConeProblem>(&problem))
    return GlobalConeReduction(*global).local();
  require(std::holds_alternative<ConeProblem>(problem), "{}: a {}, must be a cone problem.", name,
          kind_name(problem));
  return make_sparse_cone(std::get<ConeProblem>(problem));
}

// The file itself, then copies: another mu, other velocities, another seed each time.
std::vector<Named> load(const std::filesystem::path& file, int copies, std::uint64_t seed) {
  constexpr double kMu[] = {1.0, 0.7, 1.4, 0.5, 2.0}, kNoise[] = {0.03, 0.3, 0.1, 1.0};
  std::vector<Named> problems;
  problems.push_back({file.stem().string(), to_sparse(read_problem(file), file.string())});
  for (int k = 0; k < copies; ++k) {
    const double mu = kMu[k % 5], noise = kNoise[k % 4];
    problems.push_back({fmt::format("{} mu x{} noise {} seed {}", problems[0].name, mu, noise,
                                    seed + static_cast<std::uint64_t>(k)),
                        perturb_cone(problems[0].problem, mu, noise, seed + static_cast<std::uint64_t>(k))});
  }
  return problems;
}

Measurement measure(const Named& named, double tolerance, const BenchRequest& request,
                    SparseConeWorkspace& workspace) {
  Measurement measurement{
      named.name, named.problem.contacts(), tolerance, {}, std::numeric_limits<double>::infinity()};
  SparseConeOptions options;
  options.tolerance = tolerance;
  options.method = make_cone_method(request.solver);
  for (int k = 0; k < request.repeat; ++k) {
    workspace.matrix.forget_factors();  // cold: the symbolic factors are part of it
    const double begin = thread_seconds();
    solve_cone(named.problem, options, workspace, measurement.result);
    measurement.seconds = std::min(measurement.seconds, thread_seconds() - begin);
    if (measurement.seconds > 0.3) break;
  }
  // judged on the data of the file
  measurement.result.residual = relative_cone_residual(named.problem, measurement.result.r);
  return measurement;
}

bool is_solved(const Measurement& measurement) {
  return measurement.result.residual <= measurement.tolerance;
}

void print_measurement(const Measurement& m) {
  say("{:<52} {:>5} {:>7.0e} {:>12.4f} {:>9.1e} {:>6} {:>6} {:>5} {:>6}  {}{}\n", m.name.substr(0, 52),
      m.contacts, m.tolerance, 1e3 * m.seconds, m.result.residual, m.result.sweeps, m.result.newton_steps,
      m.result.interior_point_steps, m.result.admm_iterations, m.result.path,
      is_solved(m) ? "" : "  NOT SOLVED");
  std::fflush(stdout);
}

JsonValue to_json(const Measurement& m) {
  JsonValue item{JsonValue::Object{}};
  item.add("name", m.name);
  item.add("contacts", m.contacts);
  item.add("tolerance", m.tolerance);
  item.add("solved", is_solved(m));
  item.add("residual", m.result.residual);
  item.add("seconds", m.seconds);
  item.add("solver", std::string(m.result.path));
  item.add("sweeps", m.result.sweeps);
  item.add("newton_steps", m.result.newton_steps);
  item.add("interior_point_steps", m.result.interior_point_steps);
  item.add("admm_iterations", m.result.admm_iterations);
  return item;
}

}  // namespace

int run_bench_problems(const BenchRequest& request) {
  require(request.repeat >= 1, "--repeat {}, must be ≥ 1.", request.repeat);
  require(request.perturb >= 0, "--perturb {}, must be ≥ 0.", request.perturb);
  for (const double tolerance : request.tolerances)
    require(tolerance > 0.0, "--tolerance {}, must be > 0.", tolerance);
  (void)make_cone_method(request.solver);
  const std::vector<std::filesystem::path> files = list_files(request.paths);
  if (!request.json)
    say("{:<52} {:>5} {:>7} {:>12} {:>9} {:>6} {:>6} {:>5} {:>6}  {}\n", "problem", "nc", "tol", "ms",
        "residual", "sweeps", "newton", "ipm", "admm", "path");
  std::vector<int> solved(request.tolerances.size(), 0);
  std::vector<double> seconds(request.tolerances.size(), 0.0);
  JsonValue::Array measurements;
  int count = 0;
  SparseConeWorkspace workspace;
  for (const std::filesystem::path& file : files)
    for (const Named& named : load(file, request.perturb, request.seed)) {
      if (was_interrupted()) break;
      ++count;
      for (std::size_t k = 0; k < request.tolerances.size(); ++k) {
        const Measurement measurement = measure(named, request.tolerances[k], request, workspace);
        solved[k] += is_solved(measurement);
        seconds[k] += measurement.seconds;
        if (request.json)
          measurements.push_back(to_json(measurement));
        else if (request.perturb == 0 || !is_solved(measurement))
          print_measurement(measurement);
      }
    }
  bool all = true;
  JsonValue::Array totals;
  for (std::size_t k = 0; k < request.tolerances.size(); ++k) {
    all = all && solved[k] == count;
    if (!request.json)
      say("tolerance {:.0e}: {} of {} solved, {:.2f} ms in all\n", request.tolerances[k], solved[k], count,
          1e3 * seconds[k]);
    JsonValue total{JsonValue::Object{}};
    total.add("tolerance", request.tolerances[k]);
    total.add("solved", solved[k]);
    total.add("problems", count);
    total.add("seconds", seconds[k]);
    totals.push_back(std::move(total));
  }
  if (request.json) {
    JsonValue value{JsonValue::Object{}};
    value.add("problems", std::move(measurements));
    value.add("totals", std::move(totals));
    print_json(value);
  }
  if (was_interrupted()) {
    complain("rigor: interrupted after {} problems; the counts are those.\n", count);
    return kNotAnswered;
  }
  return all ? kAnswered : kNotAnswered;
}

}  // namespace rigor
