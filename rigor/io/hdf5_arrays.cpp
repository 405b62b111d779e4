#include "rigor/io/hdf5_arrays.hpp"

#include <hdf5.h>
#include <sys/stat.h>

#include <csignal>

#include "rigor/io/byte_stream.hpp"
#include "rigor/io/child_process.hpp"

namespace rigor {
namespace {

constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 27;  // of one dataset: a gigabyte of doubles
constexpr std::uint64_t kMostPacked = 100;                      // bytes of data per byte of a compressed file

/// An HDF5 handle that closes itself.
class Hdf5Id {
 public:
  Hdf5Id(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Hdf5Id() {
    if (id_ >= 0) close_(id_);
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: it is used as one everywhere
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// One open file. All of this runs in the child process.
class Hdf5File {
 public:
  Hdf5File(hid_t id, std::string name, std::uint64_t size) : id_(id), name_(std::move(name)), size_(size) {}

  // Whether there is something, every step on the way a name of this very file.
  [[nodiscard]] bool has(const std::string& place) const {
    for (std::size_t end = place.find('/', 1);; end = place.find('/', end + 1)) {
      const std::string step = place.substr(0, end);
      if (H5Lexists(id_, step.c_str(), H5P_DEFAULT) <= 0) return false;
      H5L_info_t link;
      const bool is_known = H5Lget_info(id_, step.c_str(), &link, H5P_DEFAULT) >= 0;
      require(is_known && link.type == H5L_TYPE_HARD,
              "{}: {} is a link, must be a part of the file itself. Copy the data into it.", name_, step);
      if (end == std::string::npos) return true;
    }
  }

  [[nodiscard]] Eigen::VectorXd read(const std::string& place) const {
    const Hdf5Id data(H5Dopen2(id_, place.c_str(), H5P_DEFAULT), H5Dclose);
    require(data.is_open(), "{}: {} cannot be opened as a dataset; is the file whole?", name_, place);
    const Hdf5Id type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
    const H5T_class_t kind = H5Tget_class(type);
    require(kind == H5T_INTEGER || kind == H5T_FLOAT, "{}: {} does not hold numbers.", name_, place);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    require(count >= 0 && static_cast<std::uint64_t>(count) <= kMostEntries,
            "{}: {} has {} entries, must have at most {}.", name_, place, count, kMostEntries);
    check_storage(place, data, static_cast<std::uint64_t>(count), H5Tget_size(type));
    Eigen::VectorXd values(count);
    if (count > 0)
      require(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0,
              "{}: {} cannot be read; is the file whole?", name_, place);
    return values;
  }

 private:
  // The data must lie in this file, all of them, before memory is taken for them.
  void check_storage(const std::string& place, hid_t data, std::uint64_t count, std::uint64_t entry) const {
    const Hdf5Id made(H5Dget_create_plist(data), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(made);
    require(layout == H5D_COMPACT || layout == H5D_CONTIGUOUS || layout == H5D_CHUNKED,
            "{}: {} is a virtual dataset, must lie in the file itself.", name_, place);
    require(H5Pget_external_count(made) == 0, "{}: {} lies in another file, must lie in the file itself.",
            name_, place);
    const std::uint64_t stored = H5Dget_storage_size(data);
    const bool is_packed = layout == H5D_CHUNKED && H5Pget_nfilters(made) > 0;
    require(stored <= size_ && count * entry <= (is_packed ? kMostPacked : 1) * stored,
            "{}: {} has {} entries of {} bytes, the file has room for {} bytes of them.", name_, place, count,
            entry, stored);
  }

  hid_t id_;
  std::string name_;
  std::uint64_t size_;
};

std::string read_as_bytes(const std::string& path, std::uint64_t size,
                          const std::vector<std::string>& places) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5PLset_loading_state(0);  // a filter that a file names is not to be loaded from anywhere
  const Hdf5Id id(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  require(id.is_open(), "{}: cannot be opened as an HDF5 file; is it there, and whole?", path);
  const Hdf5File file(id, path, size);
  std::string bytes;
  ByteWriter out(bytes);
  for (const std::string& place : places) {
    const bool is_there = file.has(place);
    out.put(static_cast<std::uint8_t>(is_there));
    if (!is_there) continue;
    const Eigen::VectorXd values = file.read(place);
    out.put(static_cast<std::uint64_t>(values.size()));
    out.put_bytes({reinterpret_cast<const char*>(values.data()),
                   static_cast<std::size_t>(values.size()) * sizeof(double)});
  }
  return bytes;
}

Hdf5Arrays unpack(std::string_view bytes, const std::vector<std::string>& places) {
  Hdf5Arrays arrays;
  ByteReader in(bytes);
  for (const std::string& place : places) {
    if (in.get<std::uint8_t>() == 0) continue;
    const auto count = in.get<std::uint64_t>();
    require(count <= in.left() / sizeof(double), "{} numbers where {} bytes are left.", count, in.left());
    Eigen::VectorXd values(static_cast<Eigen::Index>(count));
    const std::string_view numbers = in.get_bytes(static_cast<std::size_t>(count) * sizeof(double));
    if (count > 0) std::memcpy(values.data(), numbers.data(), numbers.size());
    arrays.emplace(place, std::move(values));
  }
  return arrays;
}

}  // namespace

Hdf5Arrays read_hdf5_arrays(const std::filesystem::path& path, const std::vector<std::string>& places) {
  const std::string name = path.string();
  struct stat info {};
  require(::stat(path.c_str(), &info) == 0, "{}: cannot be opened as an HDF5 file; is it there, and whole?",
          name);
  require(S_ISREG(info.st_mode), "{}: is not a regular file. Give the path of a file.", name);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const ChildLimits limits;
  const ChildResult result = run_in_child([&] { return read_as_bytes(name, size, places); }, limits);
  if (result.end == ChildResult::End::kThrew) throw InvalidInput(result.bytes);
  if (result.end == ChildResult::End::kDone) return unpack(result.bytes, places);
  require(result.signal != SIGXCPU && result.signal != SIGKILL, "{}: libhdf5 took more than {} s to read it.",
          name, limits.cpu_seconds);
  throw InvalidInput(
      fmt::format("{}: libhdf5 failed over it{}: the file is damaged, or asks for too much memory.", name,
                  result.signal > 0 ? fmt::format(" (signal {})", result.signal) : ""));
}

std::string make_hdf5_image(const std::function<bool(std::int64_t file)>& fill) {
  static_assert(sizeof(hid_t) == sizeof(std::int64_t));
  H5E_auto2_t print = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &print, &data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it must not print
  std::string image;
  {
    constexpr std::size_t kGrowth = 1u << 20;
    const Hdf5Id in_memory(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(in_memory, kGrowth, /*backing_store=*/0);
    const Hdf5Id file(H5Fcreate("rigor", H5F_ACC_TRUNC, H5P_DEFAULT, in_memory), H5Fclose);
    if (file.is_open() && fill(file) && H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0) {
      const ssize_t size = H5Fget_file_image(file, nullptr, 0);
      image.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
      if (H5Fget_file_image(file, image.data(), image.size()) != size) image.clear();
    }
  }
  H5Eset_auto2(H5E_DEFAULT, print, data);
  return image;
}

}  // namespace rigor
