#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"

namespace rigor {

/// The truth test: `auto` solves random problems of known classes, and every claim is judged by the
/// checker, which shares no code with any solver, and by what is known of the class:
///
///   solved       the residual in exact arithmetic is at most 1e-10, and the class has solutions
///   infeasible   the proof holds without a tolerance, and the class has none
///   undecided    allowed for one problem in 10 000, never for P, PSD and copositive-plus up to n = 20
///
/// Plain LCPs with n ≤ 8 are compared with exact enumeration too: no solution below the bound of a proof, and
/// the solution of a P-matrix is the one that was found. Every fifth problem is posed as a mixed LCP.
enum class Claim { kSolved, kInfeasible, kUndecided };

struct TruthVerdict {
  LcpClass lcp_class{};
  bool mixed{false};
  Eigen::Index size{0};  // complementary variables
  Claim claim{Claim::kUndecided};
  bool must_be_decided{false};
  bool enumerated{false};  // compared with exact enumeration
  std::string wrong;       // what is wrong with the claim; empty where nothing is
};

/// Problem `index` of the test with that seed.
[[nodiscard]] TruthVerdict judge_truth(std::uint64_t seed, std::uint64_t index, LcpWorkspace& workspace,
                                       LcpResult& result);

/// Counts of many verdicts, by class.
struct TruthTally {
  struct Line {
    std::int64_t solved{0}, infeasible{0}, undecided{0}, wrong{0};
  };
  std::array<Line, 10> by_class{};  // in the order of LcpClass
  std::int64_t problems{0}, mixed{0}, enumerated{0}, undecided{0}, wrong{0};
  std::int64_t undecided_with_guarantee{0};  // n ≤ 20 and a class that leaves no excuse

  void add(const TruthVerdict& verdict);
  void add(const TruthTally& other);

  /// No wrong claim, at most one undecided in 10 000, none where a guarantee applies.
  [[nodiscard]] bool passes() const;
};

}  // namespace rigor
