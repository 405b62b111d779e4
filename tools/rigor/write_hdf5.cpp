#include "tools/rigor/write_hdf5.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <stdexcept>

#include "rigor/io/hdf5_arrays.hpp"
#include "rigor/io/source_text.hpp"

namespace rigor {
namespace {

// A handle of the library that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5 refused");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void write_array(hid_t file, const NamedArray& array) {
  std::vector<hsize_t> shape(array.shape.begin(), array.shape.end());
  const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  const auto write = [&](hid_t type, const void* data) {
    const Handle set(H5Dcreate2(file, array.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
      throw std::runtime_error("HDF5 refused");
  };
  if (const auto* reals = std::get_if<std::vector<double>>(&array.values))
    return write(H5T_NATIVE_DOUBLE, reals->data());
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&array.values))
    return write(H5T_NATIVE_INT64, integers->data());
  std::vector<const char*> texts;
  for (const std::string& text : std::get<std::vector<std::string>>(array.values))
    texts.push_back(text.c_str());
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  write(type, texts.data());
}

}  // namespace

void write_hdf5(const std::string& path, const std::vector<NamedArray>& arrays) {
  const std::string image = make_hdf5_image([&](std::int64_t file) {
    try {
      for (const NamedArray& array : arrays) write_array(file, array);
      return true;
    } catch (const std::runtime_error&) {
      return false;
    }
  });
  if (image.empty()) throw std::runtime_error(fmt::format("{}: libhdf5 cannot write these arrays.", path));
  write_text_file(path, image);
}

}  // namespace rigor
