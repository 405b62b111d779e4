// Ours against Siconos' best solver, problem by problem, one thread, CPU time of the solve alone, least of
// three or of as many as fit into kRepeatSeconds, for both alike.
//
//   fclib_bench TOLERANCE FILE…      FCLIB files; global ones are made local first
//
// A peer's answer counts where the residual of the literature, recomputed by us, meets the tolerance; where a
// solver misses it, because it stops by a laxer one, it is asked again for a hundredth. Each of its solves
// has a process of its own and ten seconds: some end with an abort.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "bench/siconos_cone_peer.hpp"
#include "bench/siconos_peer.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"

namespace rigor {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

#ifdef RIGOR_HAVE_SICONOS
// In a child that may die or run out of time.
ConePeerAnswer ask_peer(const SparseConeProblem& problem, const ConePeerSolver& solver, double tolerance) {
  ConePeerAnswer answer{kInfinity, kInfinity};
  int ends[2];
  if (pipe(ends) != 0) return answer;
  std::fflush(stdout);  // or the child prints it again
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{10, 11};
    setrlimit(RLIMIT_CPU, &limit);
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
    const ConePeerAnswer own = solve_with_siconos(problem, solver, tolerance);
    _exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &answer, sizeof answer) != sizeof answer) answer = {kInfinity, kInfinity};
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return answer;
}
#endif

struct Best {
  double seconds{kInfinity};
  const char* name{"none"};
};

Best find_best_peer([[maybe_unused]] const SparseConeProblem& problem, [[maybe_unused]] double tolerance) {
  Best best;
#ifdef RIGOR_HAVE_SICONOS
  for (const ConePeerSolver& solver : siconos_cone_solvers())
    for (const double asked : {tolerance, 0.01 * tolerance}) {
      const ConePeerAnswer answer = ask_peer(problem, solver, asked);
      if (!(answer.residual <= tolerance)) continue;
      if (answer.seconds < best.seconds) best = {answer.seconds, solver.name};
      break;
    }
#endif
  return best;
}

void compare(double tolerance, const std::vector<std::filesystem::path>& files) {
  if (!kHaveSiconos) fmt::print("Siconos is not installed: its column stays empty\n");
  fmt::print("{:<40} {:>5} {:>12} {:>9} {:>12} {:<11} {:>8}\n", "problem", "nc", "ours ms", "residual",
             "Siconos ms", "by", "ratio");
  SparseConeWorkspace workspace;
  SparseConeResult result;
  std::vector<double> ratios;
  const double clock = clock_seconds();  // taken off both
  int solved = 0, only_ours = 0;
  for (const std::filesystem::path& file : files) {
    const Problem read = read_problem(file);
    const auto* global = std::get_if<GlobalConeProblem>(&read);
    const SparseConeProblem problem =
        global ? GlobalConeReduction(*global).local() : std::get<SparseConeProblem>(read);
    double seconds = kInfinity;
    const double start = thread_seconds();
    for (int repeat = 0; repeat < 3 || thread_seconds() - start < kRepeatSeconds; ++repeat) {
      workspace.matrix.forget_factors();
      const double begin = thread_seconds();
      solve_cone(problem, {.tolerance = tolerance}, workspace, result);
      seconds = std::min(seconds, thread_seconds() - begin - clock);
    }
    const bool ours = relative_cone_residual(problem, result.r) <= tolerance;
    solved += ours;
    const Best best = find_best_peer(problem, tolerance);
    fmt::print("{:<40} {:>5} {:>12.4f} {:>9.1e} {:>12.4f} {:<11} {:>8.1f}\n",
               file.stem().string().substr(0, 40), problem.contacts(), 1e3 * seconds, result.residual,
               1e3 * best.seconds, best.name, best.seconds / seconds);
    std::fflush(stdout);
    if (ours && best.seconds < kInfinity) ratios.push_back(best.seconds / seconds);
    only_ours += ours && !(best.seconds < kInfinity);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto at_least = [&](double factor) {
    return std::count_if(ratios.begin(), ratios.end(), [&](double r) { return r >= factor; });
  };
  fmt::print("solved {} of {}, {} of them by us alone\n", solved, files.size(), only_ours);
  if (!ratios.empty())
    fmt::print("of {} compared: 5 times faster {}, twice {}, slower {}; median {:.1f}\n", ratios.size(),
               at_least(5.0), at_least(2.0), static_cast<std::ptrdiff_t>(ratios.size()) - at_least(1.0),
               ratios[ratios.size() / 2]);
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: fclib_bench TOLERANCE FILE…\n");
    return 2;
  }
  rigor::compare(std::atof(argv[1]), {argv + 2, argv + argc});
}
