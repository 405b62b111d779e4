#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// The text formats of Siconos for complementarity problems (`*.dat`), numbers separated by white space:
///
///   matrix   storage, rows, columns, then
///            storage 0 (dense): rows and columns again, all entries column after column
///            storage 1 (sparse blocks): number of blocks, block rows, block columns, cumulated row ends,
///            cumulated column ends, filled1, filled2, filled1 row starts, filled2 block columns, then the
///            blocks column after column
///   LCP      n, matrix, q:   0 ≤ w = M z + q ⊥ z ≥ 0
///   MLCP     st1, st2, n, m, then
///            if st1: block starts 0 … n + m, a flag per block (0 equality, 1 complementarity), matrix, q
///            if st2: A (n x n), B (m x m), C (n x m), D (m x n) row after row, a, b:
///                    A u + C v + a = 0,   0 ≤ D u + B v + b ⊥ v ≥ 0
///
/// What follows the last number is a comment. Where an MLCP holds both forms the first counts, unless its
/// matrix is rectangular. A bad file throws InvalidDocument with file, line and reason.
[[nodiscard]] LcpProblem parse_lcp(std::string_view text, const std::string& name);
[[nodiscard]] MlcpProblem parse_mlcp(std::string_view text, const std::string& name);

[[nodiscard]] LcpProblem read_lcp(const std::filesystem::path& path);
[[nodiscard]] MlcpProblem read_mlcp(const std::filesystem::path& path);

/// Back to text, every double with the digits that give the same double again. LCPs dense, MLCPs in the first
/// form.
[[nodiscard]] std::string to_text(const LcpProblem& problem);
[[nodiscard]] std::string to_text(const MlcpProblem& problem);

}  // namespace rigor
