#pragma once

#include <string>
#include <vector>

#include "rigor/io/recording_table.hpp"

namespace rigor {

/// Arrays as the datasets of an HDF5 file. Throws std::runtime_error naming the path. Only where
/// RIGOR_HAVE_HDF5 is defined.
void write_hdf5(const std::string& path, const std::vector<NamedArray>& arrays);

}  // namespace rigor
