// Measurements of the cone solver. One thread, CPU time, each figure the mean over problems of the least of
// several repetitions.
//
//   cone_bench time            per solve: cold, and warm from the answer of a problem with 1 % other
//   velocities cone_bench share [N]       how many of N random clusters of 1 to 40 contacts are solved to
//   1e-10 (default 3000)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "bench/siconos_peer.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/cone_solve.hpp"
#include "rigor/solvers/generate_cone.hpp"

namespace rigor {
namespace {

double measure(const ConeProblem& problem, bool warm, const Eigen::VectorXd& start, ConeWorkspace& workspace,
               ConeResult& result, int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    result.r = start;
    const double begin = thread_seconds();
    solve_cone(problem, {.warm = warm}, workspace, result);
    least = std::min(least, thread_seconds() - begin);
  }
  return least;
}

void bench_time() {
  fmt::print("{:<22} {:>8} {:>6} {:>9} {:>7} {:>9} {:>7} {:>7}\n", "law, contacts per body", "contacts",
             "dof", "cold us", "newton", "warm us", "newton", "solved");
  ConeWorkspace workspace;
  ConeResult result;
  for (const bool associated : {false, true})
    for (const int per_body : {1, 4})
      for (const int contacts : {1, 4, 8, 16, 32}) {
        if (contacts < per_body) continue;
        double cold = 0.0, warm = 0.0, cold_steps = 0.0, warm_steps = 0.0;
        int solved = 0;
        constexpr int kProblems = 40;
        for (int k = 0; k < kProblems; ++k) {
          ConeProblem problem = make_cone_cluster(
              {.contacts = contacts, .bodies = contacts / per_body, .mu_low = 0.2, .mu_high = 0.8},
              static_cast<std::uint64_t>(k));
          problem.associated = associated;
          const Eigen::VectorXd zero = Eigen::VectorXd::Zero(problem.q.size());
          cold += measure(problem, false, zero, workspace, result, 5);
          cold_steps += result.newton_steps;
          solved += result.status == Status::kSolved;
          const Eigen::VectorXd before = result.r;
          Random random(static_cast<std::uint64_t>(k));
          Eigen::VectorXd change(problem.q.size());
          for (double& c : change) c = 0.01 * random.gaussian();
          problem.q += problem.W * change / problem.W.diagonal().mean();
          warm += measure(problem, true, before, workspace, result, 5);
          warm_steps += result.newton_steps;
          solved += result.status == Status::kSolved;
        }
        fmt::print("{:<22} {:>8} {:>6} {:>9.1f} {:>7.1f} {:>9.1f} {:>7.1f} {:>3}/{}\n",
                   fmt::format("{}, {}", associated ? "associated" : "Coulomb", per_body), contacts,
                   6 * contacts / per_body, 1e6 * cold / kProblems, cold_steps / kProblems,
                   1e6 * warm / kProblems, warm_steps / kProblems, solved, 2 * kProblems);
      }
}

void bench_share(int count) {
  ConeWorkspace workspace;
  ConeResult result;
  std::map<std::string, int> by;
  int solved = 0;
  double seconds = 0.0;
  for (int k = 0; k < count; ++k) {
    Random random(static_cast<std::uint64_t>(k) + 1'000'000);
    ConeClusterOptions options;
    options.contacts = 1 + random.below(40);
    options.bodies = 1 + random.below(1 + options.contacts / (1 + random.below(4)));
    options.turned = random.uniform();
    options.one_sided = random.chance(0.3) ? 0.2 : 0.0;
    options.dimension = random.chance(0.2) ? 2 : 3;
    const ConeProblem problem = make_cone_cluster(options, static_cast<std::uint64_t>(k) + 1'000'000);
    const double begin = thread_seconds();
    solve_cone(problem, {}, workspace, result);
    seconds += thread_seconds() - begin;
    if (result.status != Status::kSolved) {
      fmt::print("number {}: {} contacts, {} bodies, residual {:.1e}\n", k, options.contacts, options.bodies,
                 result.residual);
      continue;
    }
    ++solved;
    ++by[std::string(result.method)];
  }
  fmt::print("{} of {} solved, {:.2f} ms each\n", solved, count, 1e3 * seconds / count);
  for (const auto& [method, times] : by) fmt::print("  {:<12} {}\n", method, times);
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "time";
  if (what == "time")
    rigor::bench_time();
  else if (what == "share")
    rigor::bench_share(argc > 2 ? std::atoi(argv[2]) : 3000);
  else
    fmt::print(stderr, "usage: cone_bench time | share [N]\n");
  return what == "time" || what == "share" ? 0 : 2;
}
