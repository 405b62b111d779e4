#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// Classes of random LCPs on which the solvers are judged. All but kPsdInfeasible are solvable by
/// construction.
enum class LcpClass {
  kP,              // B Bᵀ/n + skew + 0.01 I: positive definite, unsymmetric
  kPSymmetric,     // B Bᵀ/n + 0.01 I
  kPsdFeasible,    // rank n/2, every third with a skew part, solution planted
  kPsdInfeasible,  // rank n/2 with a planted y ≥ 0: Mᵀy = 0 up to rounding, qᵀy < 0
  kCopositive,     // entries ≥ 0, three in ten of the off-diagonal ones 0
  kDegenerate,     // P with a planted solution, half of the pairs (0, 0)
  kRedundant,      // each row four times, rank ≤ 6, solution planted
  kFriction,       // Stewart-Trinkle LCPs with 4 or 8 directions: boxes and random clusters, also redundant
  kBadlyScaled,    // P with rows and columns scaled by 10^U(−8, 8)
  kDominant,       // gaussian off the diagonal, which is 1.05 times the sum of its row: P, unsymmetric
};

/// "p", "p-symmetric", "psd-feasible", … and back; make_lcp_class throws InvalidInput on an unknown name.
[[nodiscard]] std::string_view to_string(LcpClass lcp_class);
[[nodiscard]] LcpClass make_lcp_class(std::string_view name);
[[nodiscard]] const std::vector<LcpClass>& all_lcp_classes();

/// A random LCP of the class: the same seed gives the same problem on every machine. `size` is exact except
/// for kFriction, whose size is that of the largest scene that fits (at least one contact with four
/// directions: 6).
[[nodiscard]] LcpProblem make_random_lcp(LcpClass lcp_class, int size, std::uint64_t seed);

/// Problem number `index` of the truth test: classes in the shares of the test plan (P 20 %, PSD feasible 20
/// %, PSD infeasible 15 %, copositive, degenerate, redundant and friction 10 % each, badly scaled 5 %), size
/// 1 to `max_size`.
struct TruthProblem {
  LcpClass lcp_class;
  LcpProblem problem;
};
[[nodiscard]] TruthProblem make_truth_problem(std::uint64_t seed, std::uint64_t index, int max_size = 40);

/// The obstacle problem: a membrane on a grid of side x side points, pushed on an obstacle by a random load.
/// M is the five-point Laplacian, a sparse symmetric positive definite M-matrix.
[[nodiscard]] SparseLcpProblem make_obstacle(int side, std::uint64_t seed);

/// A mixed LCP with `free_count` free variables whose Schur complement is M and q of `lcp` up to rounding:
///
///     K = [ A  C ; D  M + D A⁻¹ C ],    q' = (a, q + D A⁻¹ a),    A random with a dominant diagonal,
///
/// C and D in the units of the columns and rows of M. So it has the solutions of `lcp`, or none where `lcp`
/// has none.
[[nodiscard]] MlcpProblem embed_in_mlcp(const LcpProblem& lcp, int free_count, std::uint64_t seed);

}  // namespace rigor
