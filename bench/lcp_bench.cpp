// Measurements of the complementarity solvers. One thread, CPU time, each line the least of several
// repetitions.
//
//   lcp_bench lemke            lemke against Siconos' Lemke on the same problems, cold start
//   lcp_bench block-pivot      block-pivot against lemke on P-matrices
//   lcp_bench friction [N]     how many of N random friction LCPs are solved to 1e-10 (default 3000)
//   lcp_bench pile             cannonball piles: method, pivots, residual, time
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "bench/siconos_peer.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/contact_lcp/contact_auto.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"

namespace rigor {
namespace {

// least CPU time of `repetitions` solves; the result of the last one stays in `result`
double measure(const LcpProblem& problem, const LcpMethod& method, LcpWorkspace& workspace, LcpResult& result,
               int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const double begin = thread_seconds();
    solve(problem, method, workspace, result);
    least = std::min(least, thread_seconds() - begin);
  }
  return least;
}

LcpProblem make_bench_problem(std::string_view kind, int n, std::uint64_t seed) {
  if (kind == "friction")  // contacts of six unknowns each; n = 10 is two of them
    return make_lcp(make_random_cluster(std::max(1, n / 12), (n + 3) / 6, 4, seed));
  return make_random_lcp(make_lcp_class(kind), n, seed);
}

void bench_lemke() {
  fmt::print("{:<12} {:>4} {:>12} {:>9} {:>12} {:>9} {:>6}\n", "class", "n", "rigor us", "residual",
             "siconos us", "residual", "ratio");
  LcpWorkspace workspace;
  LcpResult result;
  for (const std::string_view kind : {"p", "p-symmetric", "friction"})
    for (const int n : {6, 10, 50, 200, 500}) {
      double ours = 0.0, theirs = 0.0, residual = 0.0, their_residual = 0.0;
      int failed = 0;
      Eigen::Index size = 0;
      const int problems = n <= 50 ? 20 : 3;
      for (int k = 0; k < problems; ++k) {
        const LcpProblem problem = make_bench_problem(kind, n, static_cast<std::uint64_t>(k));
        size = problem.q.size();
        const int repetitions = n <= 50 ? 50 : 3;
        ours += measure(problem, LemkeOptions{}, workspace, result, repetitions);
        residual = std::max(residual, result.residual);
        if constexpr (!kHaveSiconos) continue;
        Eigen::VectorXd z;
        double least = std::numeric_limits<double>::infinity();
        for (int r = 0; r < repetitions; ++r) {
          const PeerAnswer answer = solve_with_siconos_lemke(problem, z);
          least = std::min(least, answer.seconds);
          if (r == 0 && answer.info != 0) ++failed;
        }
        theirs += least;
        their_residual = std::max(their_residual, natural_residual(problem, z));
      }
      fmt::print("{:<12} {:>4} {:>12.2f} {:>9.1e}", kind, size, 1e6 * ours / problems, residual);
      if (theirs > 0.0)
        fmt::print(" {:>12.2f} {:>9.1e} {:>6.2f}{}\n", 1e6 * theirs / problems, their_residual, theirs / ours,
                   failed > 0 ? fmt::format("  (siconos fails {} of {})", failed, problems) : "");
      else
        fmt::print(" {:>12}\n", "not here");
    }
}

// of lemke and block-pivot on the same problems
struct Duel {
  double lemke{0.0}, block{0.0};  // s, in all
  double lemke_residual{0.0}, block_residual{0.0}, least{std::numeric_limits<double>::infinity()};
  int problems{0}, factorisations{0};

  void add(double lemke_seconds, const LcpResult& by_lemke, double block_seconds, const LcpResult& by_block) {
    ++problems;
    lemke += lemke_seconds;
    block += block_seconds;
    least = std::min(least, lemke_seconds / block_seconds);
    lemke_residual = std::max(lemke_residual, by_lemke.residual);
    block_residual = std::max(block_residual, by_block.residual);
    factorisations = std::max(factorisations, by_block.factorisations);
  }

  void print(std::string_view kind, Eigen::Index n) const {
    fmt::print("{:<12} {:>4} {:>12.1f} {:>9.1e} {:>12.1f} {:>9.1e} {:>7.1f} {:>7.1f} {:>15}\n", kind, n,
               1e6 * lemke / problems, lemke_residual, 1e6 * block / problems, block_residual, lemke / block,
               least, factorisations);
  }
};

// ten problems of each kind, mean times; the two take turns, so that what else the machine does meets both
void bench_block_pivot() {
  LcpWorkspace workspace;
  LcpResult by_lemke, by_block;
  constexpr double kNever = std::numeric_limits<double>::infinity();
  fmt::print("{:<12} {:>4} {:>12} {:>9} {:>12} {:>9} {:>7} {:>7} {:>15}\n", "class", "n", "lemke us",
             "residual", "block us", "residual", "ratio", "least", "factorisations");
  for (const std::string_view kind : {"p", "p-dominant", "p-symmetric"})
    for (const int n : {50, 200, 500}) {
      Duel duel;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const LcpProblem problem = make_bench_problem(kind, n, seed);
        double lemke = kNever, block = kNever;
        for (int turn = 0; turn < 4; ++turn) {
          lemke = std::min(lemke, measure(problem, LemkeOptions{}, workspace, by_lemke, 2));
          block = std::min(block, measure(problem, BlockPivotOptions{}, workspace, by_block, 4));
        }
        duel.add(lemke, by_lemke, block, by_block);
      }
      duel.print(kind, n);
    }
  for (const int side : {22, 32}) {
    const SparseLcpProblem problem = make_obstacle(side, 1);
    const LcpProblem dense{Eigen::MatrixXd(problem.M), problem.q};
    double lemke = kNever, block = kNever;
    for (int turn = 0; turn < 3; ++turn) {
      lemke = std::min(lemke, measure(dense, LemkeOptions{}, workspace, by_lemke, 1));
      for (int k = 0; k < 5; ++k) {
        const double begin = thread_seconds();
        by_block = solve(problem, BlockPivotOptions{});
        block = std::min(block, thread_seconds() - begin);
      }
    }
    Duel duel;
    duel.add(lemke, by_lemke, block, by_block);
    duel.print("obstacle", side * side);
  }
}

int bench_friction(int count) {
  LcpWorkspace workspace;
  LcpResult result;
  Random random(77);
  int solved = 0, peer = 0;
  for (int k = 0; k < count; ++k) {
    const LcpProblem problem = make_lcp(make_random_contacts(6 + random.below(75), random.next()));
    solve(problem, AutoOptions{}, workspace, result);
    if (result.status == Status::kSolved && check_solution(problem, result.z) <= 1.0001e-10) ++solved;
    if constexpr (kHaveSiconos) {
      Eigen::VectorXd z;
      if (solve_with_siconos_lemke(problem, z).info == 0 && natural_residual(problem, z) <= 1e-8) ++peer;
    }
  }
  fmt::print("auto {} of {} to 1e-10; Siconos' Lemke {}\n", solved, count,
             kHaveSiconos ? fmt::format("{} to 1e-8", peer) : "is not here");
  return solved == count ? 0 : 1;
}

void bench_pile() {
  for (const int rows : {4, 6, 8, 10, 20})
    for (const double mu : {0.0, 0.2, 0.8}) {
      const ContactLcpProblem pile = make_cannonball(rows, mu);
      const LcpProblem problem = make_lcp(pile);
      if (rows < 20 || mu == 0.0)
        for (const char* name : {"lemke", "auto"}) {
          const LcpResult result = solve(problem, make_method(name));
          fmt::print("rows {:>2} mu {:.1f} n {:>4} {:<10} {} by {}: {} pivots, residual {:.1e}, {:.4f} s\n",
                     rows, mu, problem.q.size(), name, to_string(result.status), result.solver,
                     result.iterations, result.residual, result.seconds);
        }
      const LcpResult result = solve(pile);
      fmt::print(
          "rows {:>2} mu {:.1f} n {:>4} structured {} by {}: {} iterations, residual {:.1e}, {:.4f} s\n",
          rows, mu, problem.q.size(), to_string(result.status), result.solver, result.iterations,
          result.residual, result.seconds);
    }
}

}  // namespace
}  // namespace rigor

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  if (what == "lemke") return rigor::bench_lemke(), 0;
  if (what == "block-pivot") return rigor::bench_block_pivot(), 0;
  if (what == "friction") return rigor::bench_friction(count > 0 ? count : 3000);
  if (what == "pile") return rigor::bench_pile(), 0;
  fmt::print(stderr, "usage: lcp_bench lemke | block-pivot | friction [N] | pile\n");
  return 2;
}
