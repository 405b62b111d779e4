#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "rigor/base/require.hpp"

/// Numbers as bytes, lowest byte first, and back with every length checked.
namespace rigor {

static_assert(std::endian::native == std::endian::little, "files are little-endian, and numbers are copied");

/// Appends to a string.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(T value) {
    put_bytes({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void put_bytes(std::string_view bytes) { out_.append(bytes); }

 private:
  std::string& out_;
};

/// Reads from bytes that must outlive it. Throws InvalidInput beyond their end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) [[nodiscard]] T get() {
    T value;
    std::memcpy(&value, get_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::string_view get_bytes(std::size_t count) {
    require(count <= rest_.size(), "{} bytes are wanted where {} are left.", count, rest_.size());
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

}  // namespace rigor
