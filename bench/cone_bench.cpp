// Measurements of the cone solver. One thread, CPU time, each figure the mean over problems of the least of
// several repetitions.
//
//   cone_bench time        per solve: cold, and warm from the answer of a problem with other velocities, 1 %
//   cone_bench share [N]   how many of N random clusters of 1 to 40 contacts are solved to 1e-10 (3000)
//   cone_bench factors     W + 0.1 of bodies on a cubic lattice: our blocks, Eigen's Cholesky, CHOLMOD
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "bench/siconos_peer.hpp"
#include "rigor/math/random.hpp"
#include "rigor/math/sparse_cholesky.hpp"
#include "rigor/solvers/cone/cone_matrix.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/solvers/trials/generate_cone.hpp"

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

// n³ bodies of unit mass and inertia, a contact with random arms between neighbours.
SparseConeProblem make_lattice(int n) {
  Random random(1);
  GlobalConeProblem problem;
  std::vector<Eigen::Triplet<double>> H;
  int contacts = 0;
  const auto join = [&](int a, int b) {
    for (const int body : {a, b})
      for (int row = 0; row < 3; ++row)
        for (int k = 0; k < 6; ++k) H.emplace_back(6 * body + k, 3 * contacts + row, random.gaussian());
    ++contacts;
  };
  for (int i = 0; i < n * n * n; ++i) {
    if (i % n + 1 < n) join(i, i + 1);
    if (i / n % n + 1 < n) join(i, i + n);
    if (i / (n * n) + 1 < n) join(i, i + n * n);
  }
  problem.M.resize(6 * n * n * n, 6 * n * n * n);
  problem.M.setIdentity();
  problem.H.resize(6 * n * n * n, 3 * contacts);
  problem.H.setFromTriplets(H.begin(), H.end());
  problem.f.setZero(problem.M.rows());
  problem.w.setOnes(3 * contacts);
  problem.mu.setConstant(contacts, 0.5);
  return GlobalConeReduction(problem).local();
}

template <class Act>
double least_time(Act act) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 5; ++k) {
    const double begin = thread_seconds();
    act();
    least = std::min(least, thread_seconds() - begin);
  }
  return least;
}

// One numeric factor and one solve, the analysis kept, as admm has it.
void bench_factors() {
  fmt::print("{:>8} {:>12} {:>12} {:>12} {:>12}   factor / solve, ms\n", "contacts", "entries of W", "blocks",
             "eigen", "cholmod");
  for (const int n : {4, 6, 8, 10}) {
    const SparseConeProblem problem = make_lattice(n);
    BlockConeMatrix matrix;
    matrix.set(problem);
    Eigen::VectorXd x;
    std::string line = fmt::format("{:>8} {:>12}", problem.contacts(), 9 * problem.values.size());
    const auto measure_matrix = [&] {
      bool ok = matrix.factor_shifted(0.1);
      const double factor = least_time([&] { ok = matrix.factor_shifted(0.1) && ok; });
      const double solve = least_time([&] { matrix.solve_shifted(problem.q, x); });
      line += ok ? fmt::format(" {:>6.2f}/{:>5.2f}", 1e3 * factor, 1e3 * solve) : "        failed";
    };
    measure_matrix();
    // the same pattern by Eigen's Cholesky, unscaled W + 1, assembly left out: the others' times include it
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < problem.contacts(); ++i)
      for (int k = problem.pattern.begin[static_cast<std::size_t>(i)];
           k < problem.pattern.begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const int j = problem.pattern.column[static_cast<std::size_t>(k)];
        for (int c = 0; c < 3; ++c)
          for (int r = 0; r < 3; ++r)
            if (3 * i + r >= 3 * j + c)
              entries.emplace_back(
                  3 * i + r, 3 * j + c,
                  problem.values[static_cast<std::size_t>(k)](r, c) + (3 * i + r == 3 * j + c));
      }
    Eigen::SparseMatrix<double> lower(3 * problem.contacts(), 3 * problem.contacts());
    lower.setFromTriplets(entries.begin(), entries.end());
    SparseCholesky cholesky;
    bool ok = cholesky.factor(lower);
    const double factor = least_time([&] { ok = cholesky.factor(lower) && ok; });
    const double solve = least_time([&] { cholesky.solve(problem.q, x); });
    line += ok ? fmt::format(" {:>6.2f}/{:>5.2f}", 1e3 * factor, 1e3 * solve) : "        failed";
    if (has_cholmod()) {
      matrix.use(FactorLibrary::kCholmod);
      measure_matrix();
    } else {
      line += "  not in build";
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "time";
  if (what == "time")
    rigor::bench_time();
  else if (what == "share")
    rigor::bench_share(argc > 2 ? std::atoi(argv[2]) : 3000);
  else if (what == "factors")
    rigor::bench_factors();
  else
    fmt::print(stderr, "usage: cone_bench time | share [N] | factors\n");
  return what == "time" || what == "share" || what == "factors" ? 0 : 2;
}
