#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/model/scene_fields.hpp"

/// Fields of a scene as JSON values, the inverse of the reader's conversions. Shared by the writer and by the
/// schema, which shows defaults.
namespace rigor::scene_json {

inline JsonValue to_value(double number) {
  return number;
}
inline JsonValue to_value(int number) {
  return number;
}
inline JsonValue to_value(const std::string& text) {
  return text;
}

template <class T>
requires std::is_enum_v<T> JsonValue to_value(T value) {
  return std::string(names_of(Kind<T>{})[static_cast<std::size_t>(value)]);
}

template <int N>
JsonValue to_value(const Eigen::Matrix<double, N, 1>& vector) {
  return JsonValue::Array(vector.begin(), vector.end());
}

template <Described T>
JsonValue to_value(const T& object);

JsonValue to_value(const Pose& pose);
JsonValue to_value(const Mu& mu);
JsonValue to_value(const TimeFunction& function);

template <class T, std::size_t N>
JsonValue to_value(const std::array<T, N>& items);
template <class T>
JsonValue to_value(const std::vector<T>& items);
template <class T>
JsonValue to_value(const std::optional<T>& value) {
  return value ? to_value(*value) : JsonValue{};
}

template <class Items>
JsonValue list_of(const Items& items) {
  JsonValue::Array list;
  list.reserve(items.size());
  for (const auto& item : items) list.push_back(to_value(item));
  return list;
}
template <class T, std::size_t N>
JsonValue to_value(const std::array<T, N>& items) {
  return list_of(items);
}
template <class T>
JsonValue to_value(const std::vector<T>& items) {
  return list_of(items);
}

/// The visitor of describe() that writes the fields which differ from their defaults.
template <class T>
struct FieldWriter {
  const T& object;
  JsonValue& out;
  const char* short_key{nullptr};

  void shorthand(const char* key) { short_key = key; }

  template <class M>
  void operator()(const char* key, M T::*member, const FieldInfo& info) {
    static const T kDefault{};
    if constexpr (Described<M>) {
      static const JsonValue kDefaultValue = to_value(kDefault.*member);
      if (JsonValue value = to_value(object.*member); !(value == kDefaultValue))
        out.add(key, std::move(value));
    } else if constexpr (requires { (object.*member).capacity(), (object.*member)[0].name; }) {
      if (!(object.*member).empty()) out.add(key, to_value(object.*member));  // a list of structs
    } else {
      if (info.required || !(object.*member == kDefault.*member)) out.add(key, to_value(object.*member));
    }
  }

  template <class Variant>
  void tagged(const char* key, Variant T::*member, const FieldInfo&) {
    out.add(key, std::string(names_of(Kind<Variant>{})[(object.*member).index()]));
    std::visit(
        [&]<class Alternative>(const Alternative& alternative) {
          FieldWriter<Alternative> fields{alternative, out};
          describe(fields, Kind<Alternative>{});
        },
        object.*member);
  }
};

template <Described T>
JsonValue to_value(const T& object) {
  JsonValue value{JsonValue::Object{}};
  FieldWriter<T> fields{object, value};
  describe(fields, Kind<T>{});
  // {"type": "fixed"} is written as "fixed"
  const JsonValue::Object& members = *value.if_object();
  if (fields.short_key && members.size() == 1 && members[0].key == fields.short_key) return members[0].value;
  return value;
}

}  // namespace rigor::scene_json
