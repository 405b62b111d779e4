#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "rigor/io/source_text.hpp"

/// JSON with comments (RFC 8259 plus // and /* */), read strictly and with the position of every key and
/// value, so that whoever interprets a document can point at the character that is wrong.
///
/// The order of keys is kept. Two equal keys in one object, numbers beyond double, text that is not
/// UTF-8, control characters in strings, unpaired surrogates and \u0000 are errors; numbers too small for
/// double are 0. Why we do not use a library: docs/adr/0001-own-json-reader.md.
namespace rigor {

struct JsonMember;

struct JsonValue {
  using Array = std::vector<JsonValue>;
  using Object = std::vector<JsonMember>;

  std::variant<std::nullptr_t, bool, double, std::string, Array, Object> data;  // null at first
  TextSpan where{};

  // Compiled once, in json.cpp: most of what a source that uses JSON took to compile was these.
  JsonValue();
  ~JsonValue();
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;

  // NOLINTBEGIN(google-explicit-constructor): a value is written where one is wanted
  JsonValue(std::nullptr_t);
  template <std::same_as<bool> Bool>  // and not what merely converts, as pointers do
  JsonValue(Bool value) : data(value) {}
  JsonValue(int value);
  JsonValue(double value);
  JsonValue(const char* value);
  JsonValue(std::string value);
  JsonValue(Array value);
  JsonValue(Object value);
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(data); }
  [[nodiscard]] const bool* if_bool() const { return std::get_if<bool>(&data); }
  [[nodiscard]] const double* if_number() const { return std::get_if<double>(&data); }
  [[nodiscard]] const std::string* if_string() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] const Array* if_array() const { return std::get_if<Array>(&data); }
  [[nodiscard]] const Object* if_object() const { return std::get_if<Object>(&data); }

  /// The member's value, or nullptr when this is no object or has no such key.
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  [[nodiscard]] JsonValue* find(std::string_view key);

  /// Appends a member; for objects that are being built. The key must be new.
  JsonValue& add(std::string key, JsonValue value);

  /// Equal content, wherever it stands in a text.
  friend bool operator==(const JsonValue& a, const JsonValue& b);

  /// "an object", "a number", …: what a message calls this value.
  [[nodiscard]] std::string kind_name() const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
  TextSpan key_where{};

  friend bool operator==(const JsonMember& a, const JsonMember& b);
};

/// What a document may cost. Checked while reading, before the memory is taken.
struct JsonLimits {
  std::size_t max_depth{1000};        // nested arrays and objects
  std::size_t max_values{1'000'000};  // values in the whole document; one costs about 60 bytes
  // what to do about too many of them
  std::string_view remedy{"Use \"repeat\" for many equal parts, or split it by \"include\"."};
};

/// For files of problems: a dense matrix of 2200 rows, 300 MB.
inline constexpr JsonLimits kProblemLimits{
    .max_values = 5'000'000,
    .remedy = "Write its matrices sparse (docs/guide/problems.md), or take FCLIB's HDF5."};

/// Reads the text with index `source` of `sources`. Throws InvalidDocument at the first syntax error;
/// duplicate keys are collected and thrown together at the end.
[[nodiscard]] JsonValue parse_json(const Sources& sources, SourceId source, const JsonLimits& limits = {});

/// Writes a value. Numbers are the shortest that read back to the same double; NaN and infinities become
/// null. `indent` > 0 breaks lines, arrays of plain values stay on one; 0 writes a single line.
[[nodiscard]] std::string write_json(const JsonValue& value, int indent = 2);

}  // namespace rigor
