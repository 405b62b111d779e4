#include "rigor/io/npz.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "rigor/io/byte_stream.hpp"

namespace rigor {
namespace {

constexpr std::uint64_t kMaxZip = std::numeric_limits<std::uint32_t>::max();

// Code points of UTF-8 that the JSON reader has checked.
std::u32string decode(const std::string& text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80 && !points.empty())
      points.back() = points.back() << 6 | (byte & 0x3Fu);
    else
      points.push_back(byte < 0x80 ? byte : byte & (byte < 0xE0 ? 0x1Fu : byte < 0xF0 ? 0x0Fu : 0x07u));
  }
  return points;
}

// A file of the format .npy: mark, version, length, a Python dictionary padded to a multiple of 64 bytes,
// numbers.
std::string write_npy(const NamedArray& array) {
  std::string type, data;
  ByteWriter out(data);
  if (const auto* reals = std::get_if<std::vector<double>>(&array.values)) {
    type = "<f8";
    out.put_bytes({reinterpret_cast<const char*>(reals->data()), reals->size() * sizeof(double)});
  } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&array.values)) {
    type = "<i8";
    out.put_bytes({reinterpret_cast<const char*>(integers->data()), integers->size() * sizeof(std::int64_t)});
  } else {
    std::vector<std::u32string> texts;
    std::size_t width = 1;
    for (const std::string& text : std::get<std::vector<std::string>>(array.values)) {
      texts.push_back(decode(text));
      width = std::max(width, texts.back().size());
    }
    type = fmt::format("<U{}", width);
    for (std::u32string& text : texts) {
      text.resize(width, U'\0');
      out.put_bytes({reinterpret_cast<const char*>(text.data()), width * sizeof(char32_t)});
    }
  }
  std::string shape;
  for (const std::size_t extent : array.shape) shape += fmt::format("{},", extent);
  std::string head = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  constexpr std::size_t kBefore = 10;  // bytes before the dictionary
  head.append(63 - (kBefore + head.size()) % 64, ' ');
  head += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  ByteWriter(file).put(static_cast<std::uint16_t>(head.size()));
  return file + head + data;
}

// What a local header and an entry of the directory share, from the version needed to the name's length.
void put_entry(ByteWriter& out, const std::string& name, std::uint32_t sum, std::size_t size) {
  constexpr std::uint16_t kVersion = 20, kStored = 0, kTime = 0,
                          kDate = 0x0021;  // 1 January 1980: equal runs, equal files
  out.put(kVersion);
  out.put(std::uint16_t{0});
  out.put(kStored);
  out.put(kTime);
  out.put(kDate);
  out.put(sum);
  out.put(static_cast<std::uint32_t>(size));
  out.put(static_cast<std::uint32_t>(size));
  out.put(static_cast<std::uint16_t>(name.size()));
}

}  // namespace

std::string write_npz(const std::vector<NamedArray>& arrays) {
  std::string file, directory;
  ByteWriter out(file), list(directory);
  for (const NamedArray& array : arrays) {
    const std::string content = write_npy(array), name = array.name + ".npy";
    require(file.size() + content.size() < kMaxZip,
            "array \"{}\": the file would have more than 4 GB, which .npz cannot hold. Export to .h5, or "
            "record fewer frames.",
            array.name);
    const auto sum = static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const auto offset = static_cast<std::uint32_t>(file.size());
    out.put(std::uint32_t{0x04034b50});
    put_entry(out, name, sum, content.size());
    out.put(std::uint16_t{0});
    out.put_bytes(name);
    out.put_bytes(content);

    list.put(std::uint32_t{0x02014b50});
    list.put(std::uint16_t{20});
    put_entry(list, name, sum, content.size());
    for (int i = 0; i < 4; ++i) list.put(std::uint16_t{0});  // extra, comment, disk, attributes
    list.put(std::uint32_t{0});
    list.put(offset);
    list.put_bytes(name);
  }
  const std::size_t begin = file.size();
  out.put_bytes(directory);
  out.put(std::uint32_t{0x06054b50});
  out.put(std::uint32_t{0});
  out.put(static_cast<std::uint16_t>(arrays.size()));
  out.put(static_cast<std::uint16_t>(arrays.size()));
  out.put(static_cast<std::uint32_t>(directory.size()));
  out.put(static_cast<std::uint32_t>(begin));
  out.put(std::uint16_t{0});
  return file;
}

}  // namespace rigor
