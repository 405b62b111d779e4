#pragma once

#include <filesystem>
#include <string>

#include "rigor/solvers/problem.hpp"

namespace rigor {

/// Friction problems in the HDF5 files of the FCLIB collection [ABH14]:
///
///     /fclib_local    W, V, R, q, s, mu:      u = W r + V λ + q,  Vᵀ r + R λ + s = 0
///     /fclib_global   M, H, G, f, w, b, mu:   M v = H r + G λ + f,  u = Hᵀ v + w,  Gᵀ v + b = 0
///
/// read as a SparseConeProblem, the rows of λ bilateral and last, and as a GlobalConeProblem. V, R, s and G,
/// b come together or not at all. There are spacedim 2 or 3 rows per contact, normal first. Matrices are
/// triplets (nz ≥ 0), compressed columns (nz = −1) or compressed rows (nz = −2). In triplets p is the column
/// and i the row, as the files have it and fclib.h does not say; the other way round is taken where that does
/// not fit. /solution and /guesses are not read: in the collection they are zero or of another step.
///
/// [ABH14] Acary, Brémond, Koziara, Pérignon. FCLIB: a collection of discrete 3D frictional contact problems.
///         2014.

/// Was this build given HDF5? If not, reading and writing throw InvalidInput with one sentence about it.
[[nodiscard]] bool has_fclib();

/// Throws InvalidDocument or InvalidInput that names the file, the dataset and what is wrong with it.
[[nodiscard]] Problem read_fclib(const std::filesystem::path& path);

struct FclibInfo {
  std::string title, description;
};

/// Cone problems, dense, sparse or global. Contacts that do not all have two rows, or all three, are written
/// with three; one-sided rows become contacts with mu = 0, bilateral rows V, R and s, which needs a W that is
/// symmetric there. Throws InvalidInput for boxed rows, which FCLIB has no place for. Compressed rows (W, V,
/// R) and columns (M, H, G), every double as it is. Where r is not empty it is the /solution, as LcpResult::z
/// has it, with its u, l and v.
void write_fclib(const Problem& problem, const FclibInfo& info, const Eigen::VectorXd& r,
                 const std::filesystem::path& path);

}  // namespace rigor
