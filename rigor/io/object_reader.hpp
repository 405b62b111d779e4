#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rigor/io/json.hpp"
#include "rigor/io/scene_values.hpp"
#include "rigor/model/scene_fields.hpp"

namespace rigor {

/// The keys of a struct of the scene, those of every alternative of a variant among them; a visitor of
/// describe().
struct KeyList {
  std::vector<std::string_view> keys{};

  void shorthand(const char*) {}
  template <class T, class M>
  void operator()(const char* key, M T::*, const FieldInfo&) {
    keys.emplace_back(key);
  }
  template <class T, class Variant>
  void tagged(const char* key, Variant T::*, const FieldInfo&) {
    keys.emplace_back(key);
    add_alternatives(Kind<Variant>{});
  }
  template <class... Alternatives>
  void add_alternatives(Kind<std::variant<Alternatives...>>) {
    (describe(*this, Kind<Alternatives>{}), ...);
  }
};

/// Reads one JSON object into one struct of the scene, field by field, as scene_fields.hpp describes it. Keys
/// that the object does not give are looked up under "defaults"; unknown keys are reported with what was
/// perhaps meant.
class ObjectReader {
 public:
  explicit ObjectReader(SceneValues& values) : values_(values) {}

  /// "defaults" of the file that is being read; may be nullptr.
  const JsonValue* defaults{nullptr};

  template <Described T>
  void read_object(const JsonValue& node, T& object) {
    ShorthandFinder shorthand;
    describe(shorthand, Kind<T>{});
    if (shorthand.key && node.if_string()) {
      // "joint": "fixed" is {"type": "fixed"}
      JsonValue whole{JsonValue::Object{}};
      whole.where = node.where;
      whole.add(shorthand.key, node);
      return read_object(whole, object);
    }
    if (!node.if_object()) {
      values_.mark_broken(node);
      return values_.report_kind(node, shorthand.key ? "an object or a word" : "an object");
    }
    Fields<T> fields{*this, node, defaults ? defaults->find(kind_name(Kind<T>{})) : nullptr, object};
    describe(fields, Kind<T>{});
    if (fields.type_known)
      check_keys(node, fields.known, [](std::string_view key) { return TypeFinder(key).find(Kind<T>{}); });
    else
      values_.mark_broken(node);
  }

  /// Reports the keys of an object that are not among `known`. `find_type` names the type that has the key,
  /// or "".
  void check_keys(const JsonValue& node, const std::vector<std::string_view>& known, auto find_type) {
    for (const JsonMember& member : *node.if_object()) {
      if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
      const SceneValues::Step step(values_, member.key);
      const std::string similar = find_similar(member.key, {known.begin(), known.end()});
      const std::string type = find_type(member.key);
      std::string remedy = known.size() <= 30 ? fmt::format("Known: {}.", fmt::join(known, ", ")) : "";
      if (!type.empty()) remedy = fmt::format("It belongs to type \"{}\".", type);
      if (!similar.empty()) remedy = fmt::format("Did you mean \"{}\"?", similar);
      values_.report(member.key_where, values_.path_text(), "", "unknown key", remedy);
    }
  }
  void check_keys(const JsonValue& node, const std::vector<std::string_view>& known) {
    check_keys(node, known, [](std::string_view) { return std::string(); });
  }

  /// The visitor of describe(): reads the fields of one object.
  template <class T>
  struct Fields {
    ObjectReader& reader;
    const JsonValue& node;
    const JsonValue* standard;  // under "defaults"; may be nullptr
    T& object;
    std::vector<std::string_view> known{};
    bool type_known{true};  // otherwise nothing can be said of the other keys

    void shorthand(const char*) {}

    template <class M>
    void operator()(const char* key, M T::*member, const FieldInfo& info) {
      known.emplace_back(key);
      if (const JsonValue* value = find(key)) {
        const SceneValues::Step step(reader.values_, key);
        reader.read(*value, object.*member, info);
      } else if (info.required) {
        reader.values_.report_here(node, "", fmt::format("the key \"{}\" is missing", key),
                                   *info.unit ? fmt::format("{} Unit: {}.", info.doc, info.unit) : info.doc);
      }
    }

    template <class Variant>
    void tagged(const char* key, Variant T::*member, const FieldInfo&) {
      known.emplace_back(key);
      constexpr auto kNames = names_of(Kind<Variant>{});
      std::optional<std::size_t> chosen;
      if (const JsonValue* tag = find(key)) {
        const SceneValues::Step step(reader.values_, key);
        chosen = reader.values_.convert_word(*tag, kNames);
      } else {
        reader.values_.report_here(node, "", fmt::format("the key \"{}\" is missing", key),
                                   fmt::format("One of {}.", fmt::join(kNames, ", ")));
      }
      type_known = chosen.has_value();
      if (chosen) read_alternative(object.*member, *chosen);
    }

    // Makes the chosen alternative and reads its fields from this same object.
    template <class... Alternatives>
    void read_alternative(std::variant<Alternatives...>& variant, std::size_t chosen) {
      std::size_t index = 0;
      const auto use = [&]<class Alternative>(Kind<Alternative> kind) {
        if (index++ != chosen) return;
        Alternative alternative{};
        Fields<Alternative> fields{reader, node, standard, alternative};
        describe(fields, kind);
        known.insert(known.end(), fields.known.begin(), fields.known.end());
        variant = std::move(alternative);
      };
      (use(Kind<Alternatives>{}), ...);
    }

    const JsonValue* find(const char* key) const {
      if (const JsonValue* value = node.find(key)) return value;
      return standard ? standard->find(key) : nullptr;
    }
  };

 private:
  // Which field a bare string stands for, if any.
  struct ShorthandFinder {
    const char* key{nullptr};
    void shorthand(const char* name) { key = name; }
    template <class T, class M>
    void operator()(const char*, M T::*, const FieldInfo&) {}
    template <class T, class M>
    void tagged(const char*, M T::*, const FieldInfo&) {}
  };

  // Which alternative of a variant has a key: "size" belongs to type "box".
  struct TypeFinder {
    std::string_view wanted;
    std::string type{};

    explicit TypeFinder(std::string_view key) : wanted(key) {}
    template <class T>
    std::string find(Kind<T> kind) {
      describe(*this, kind);
      return type;
    }
    void shorthand(const char*) {}
    template <class T, class M>
    void operator()(const char*, M T::*, const FieldInfo&) {}
    template <class T, class Variant>
    void tagged(const char*, Variant T::*, const FieldInfo&) {
      look_into(Kind<Variant>{});
    }
    template <class... Alternatives>
    void look_into(Kind<std::variant<Alternatives...>> variant) {
      std::size_t index = 0;
      const auto look = [&](auto alternative) {
        KeyList list;
        describe(list, alternative);
        if (type.empty() && std::find(list.keys.begin(), list.keys.end(), wanted) != list.keys.end())
          type = names_of(variant)[index];
        ++index;
      };
      (look(Kind<Alternatives>{}), ...);
    }
  };

  // --- values by type ---

  template <class T>
  void read(const JsonValue& value, T& out, const FieldInfo& info) {
    if constexpr (Described<T>) {
      read_object(value, out);
    } else if constexpr (std::is_enum_v<T>) {
      static constexpr auto kNames = names_of(Kind<T>{});
      if (const auto index = values_.convert_word(value, kNames)) out = static_cast<T>(*index);
    } else {
      values_.convert(value, out, info);
    }
  }

  template <class T>
  void read(const JsonValue& value, std::optional<T>& out, const FieldInfo& info) {
    if constexpr (std::is_same_v<T, Eigen::Vector3d>)
      out = Eigen::Vector3d::Zero();  // Eigen's own beginning is no value
    else
      out.emplace();
    read(value, *out, info);
  }

  template <class T>
  requires(!std::is_same_v<T, std::array<double, 2>>) void read(const JsonValue& value, std::vector<T>& out,
                                                                const FieldInfo& info) {
    const JsonValue::Array* items = value.if_array();
    if (!items) return values_.report_kind(value, "a list");
    out.reserve(items->size());
    for (std::size_t i = 0; i < items->size(); ++i) {
      const SceneValues::Step step(values_, i, &(*items)[i]);
      read((*items)[i], out.emplace_back(), info);
    }
  }

  template <std::size_t N>
  void read(const JsonValue& value, std::array<TimeFunction, N>& out, const FieldInfo& info) {
    const JsonValue::Array* items = value.if_array();
    if (!items || items->size() != N)
      return values_.report_here(value,
                                 items ? fmt::format("a list of {}", items->size()) : value.kind_name(),
                                 fmt::format("must be a list of {} numbers or functions of time", N));
    for (std::size_t i = 0; i < N; ++i) {
      const SceneValues::Step step(values_, i, nullptr);
      read((*items)[i], out[i], info);
    }
  }

  void read(const JsonValue& value, TimeFunction& out, const FieldInfo& info) {
    const JsonValue::Object* members = value.if_object();
    const std::string_view key = members && members->size() == 1 ? members->front().key : std::string_view();
    if (value.if_string())
      values_.convert_expression(value, out, info.variable);
    else if (const double* number = value.if_number())
      out = *number;
    else if (key == kind_name(Kind<SineFunction>{}))
      read_function(members->front(), out, SineFunction{});
    else if (key == kind_name(Kind<TableFunction>{}))
      read_function(members->front(), out, TableFunction{});
    else
      values_.report_here(value, value.kind_name(),
                          info.variable.name == std::string_view(kTime.name)
                              ? "must be a number, an expression in t, {\"sine\": {…}} or {\"table\": {…}}"
                              : fmt::format("must be a number, an expression in {} or {{\"table\": {{…}}}}",
                                            info.variable.name));
  }

  template <class Function>
  void read_function(const JsonMember& member, TimeFunction& out, Function function) {
    const SceneValues::Step step(values_, member.key);
    read_object(member.value, function);
    out = std::move(function);
  }

  SceneValues& values_;
};

}  // namespace rigor
