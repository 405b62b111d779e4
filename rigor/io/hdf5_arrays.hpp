#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

/// HDF5 files as arrays of numbers. libhdf5 was not written for hostile files: it crashes over some, takes memory
/// that a file only claims to hold, and follows names in a file to any other file of the computer. So it reads in a
/// process of its own, which sends back plain numbers, and what leads out of the file is refused.
namespace rigor {

/// Datasets by their place ("/fclib_local/vectors/q"); groups have none, and are known by what is below them.
using Hdf5Arrays = std::map<std::string, Eigen::VectorXd>;

/// The datasets at those of `places` that are there, as doubles: 32-bit integers lose nothing.
///
/// Throws InvalidInput that names file and place: where it is no regular file, or no HDF5 file; where libhdf5
/// crashes over it or takes more than 60 s; where a place is reached by a soft or external link, lies in another
/// file (external storage, a virtual dataset), holds no numbers, was never written, or claims more entries than
/// the file has room for (bytes of the file, a hundred times as many where it is compressed).
[[nodiscard]] Hdf5Arrays read_hdf5_arrays(const std::filesystem::path& path,
                                          const std::vector<std::string>& places);

/// The bytes of an HDF5 file, made in memory: a full disk is then an error of writing bytes, which libhdf5 does not
/// see. `fill` gets the file (an hid_t) and answers whether all went well; where it did not, or libhdf5 refuses,
/// the text is empty.
[[nodiscard]] std::string make_hdf5_image(const std::function<bool(std::int64_t file)>& fill);

}  // namespace rigor
