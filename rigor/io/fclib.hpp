#pragma once

#include <filesystem>
#include <string>

#include "rigor/solvers/problem.hpp"

namespace rigor {

/// Friction problems in the HDF5 files of the FCLIB collection [ABH14]:
///
///     /fclib_local    W, q, mu:            u = W r + q                    read as a SparseConeProblem
///     /fclib_global   M, H, f, w, mu:      M v = H r + f, u = Hᵀ v + w    read as a GlobalConeProblem
///
/// with spacedim 2 or 3 rows per contact, normal first. Matrices are triplets (nz ≥ 0), compressed columns
/// (nz = −1) or compressed rows (nz = −2). In triplets p is the column and i the row, as the files have it
/// and fclib.h does not say; the other way round is taken where that does not fit. /solution and /guesses are
/// not read: in the collection they are zero or of another step.
///
/// [ABH14] Acary, Brémond, Koziara, Pérignon. FCLIB: a collection of discrete 3D frictional contact problems.
/// 2014.

/// Was this build given HDF5? If not, reading and writing throw InvalidInput with one sentence about it.
[[nodiscard]] bool has_fclib();

/// Throws InvalidDocument or InvalidInput that names the file, the dataset and what is wrong with it.
[[nodiscard]] Problem read_fclib(const std::filesystem::path& path);

struct FclibInfo {
  std::string title, description;
};

/// Cone problems, dense, sparse or global. Blocks must all have two rows, or all three; one-sided rows among
/// rows of three are written as contacts with mu = 0. Compressed rows (W) and columns (M, H), every double as
/// it is. Where r is not empty it is the /solution with its u.
void write_fclib(const Problem& problem, const FclibInfo& info, const Eigen::VectorXd& r,
                 const std::filesystem::path& path);

}  // namespace rigor
