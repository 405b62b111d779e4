#pragma once

#include <string>
#include <vector>

#include "rigor/io/recording_table.hpp"

namespace rigor {

/// Arrays as the bytes of a file that numpy.load() reads: a ZIP archive, not packed, of one .npy file each
/// (format 1.0, C order). Texts become arrays of fixed-width Unicode. Throws InvalidInput beyond 4 GB, which
/// the archive cannot say.
[[nodiscard]] std::string write_npz(const std::vector<NamedArray>& arrays);

}  // namespace rigor
