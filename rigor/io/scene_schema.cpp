#include "rigor/io/scene_schema.hpp"

#include "rigor/io/scene_to_json.hpp"
#include "rigor/model/scene_limits.hpp"

namespace rigor {
namespace {

using scene_json::to_value;

// {"a": 1, "b": 2} from pairs.
JsonValue object(std::initializer_list<std::pair<const char*, JsonValue>> members) {
  JsonValue value{JsonValue::Object{}};
  for (const auto& [key, member] : members) value.add(key, member);
  return value;
}

JsonValue strings(const auto& words) {
  JsonValue::Array list;
  for (const auto& word : words) list.push_back(std::string(word));
  return list;
}

JsonValue reference(const std::string& name) {
  return object({{"$ref", "#/definitions/" + name}});
}

// A number, or an expression in a string.
JsonValue number_schema(const char* type, const Range& range) {
  JsonValue value = object({{"type", JsonValue::Array{std::string(type), std::string("string")}}});
  if (range.min > Range{}.min) value.add(range.min_open ? "exclusiveMinimum" : "minimum", range.min);
  if (range.max < Range{}.max) value.add(range.max_open ? "exclusiveMaximum" : "maximum", range.max);
  return value;
}

JsonValue list_schema(JsonValue items, int least, int most) {
  JsonValue value = object({{"type", "array"}, {"items", std::move(items)}});
  if (least > 0) value.add("minItems", least);
  if (most < std::numeric_limits<int>::max()) value.add("maxItems", most);
  return value;
}

// Functions of time, and functions of a spring's elongation.
const char* function_name(const FunctionVariable& variable) {
  if (variable.name == std::string_view(kTime.name)) return "function";
  return variable.name == std::string_view(kElongation.name) ? "law" : "curve";
}

class SchemaMaker {
 public:
  JsonValue make() {
    define_pose();
    define_function();
    JsonValue root = object({{"$schema", "http://json-schema.org/draft-07/schema#"},
                             {"title", "Rigor scene, version 1"},
                             {"type", "object"}});
    JsonValue properties{JsonValue::Object{}};
    properties.add("$schema",
                   object({{"type", "string"}, {"description", "Where the editor finds this schema."}}));
    properties.add("rigor", object({{"const", 1}, {"description", "Version of the format."}}));
    ObjectMaker<Scene> scene{*this, properties};
    describe(scene, Kind<Scene>{});
    add_reader_keys(properties);
    root.add("properties", std::move(properties));
    root.add("required", strings(std::to_array<const char*>({"rigor"})));
    root.add("additionalProperties", false);
    root.add("definitions", std::move(definitions_));
    return root;
  }

 private:
  // The visitor of describe(): one property per field.
  template <class T>
  struct ObjectMaker {
    SchemaMaker& maker;
    JsonValue& properties;
    JsonValue required{JsonValue::Array{}};
    JsonValue branches{JsonValue::Array{}};  // if type is … then …
    const char* short_key{nullptr};

    void shorthand(const char* key) { short_key = key; }

    template <class M>
    void operator()(const char* key, M T::*member, const FieldInfo& info) {
      static const T kDefault{};
      properties.add(key, maker.field_schema(Kind<M>{}, info));
      JsonValue& property = *properties.find(key);
      const JsonValue standard = to_value(kDefault.*member);
      const bool plain = !standard.is_null() && !standard.if_object() &&
                         !(standard == JsonValue(std::string())) &&
                         !(standard == JsonValue(JsonValue::Array{}));
      // an object's default is that of its fields
      if (!info.required && plain && !Described<M>) property.add("default", standard);
      if (info.required && info.role == FieldRole::kName)
        std::get<JsonValue::Array>(required.data).push_back(std::string(key));
    }

    template <class Variant>
    void tagged(const char* key, Variant T::*, const FieldInfo& info) {
      properties.add(key, object({{"enum", strings(names_of(Kind<Variant>{}))}, {"description", info.doc}}));
      add_alternatives(key, Kind<Variant>{});
    }

    // Every key of every alternative is a property; for each alternative the keys of the others are not.
    template <class... Alternatives>
    void add_alternatives(const char* key, Kind<std::variant<Alternatives...>> kind) {
      const auto names = names_of(kind);
      std::vector<JsonValue> own;
      (own.push_back(maker.properties_of(Kind<Alternatives>{})), ...);
      for (const JsonValue& alternative : own)
        for (const JsonMember& member : *alternative.if_object()) merge(member);
      for (std::size_t i = 0; i < own.size(); ++i) {
        JsonValue then{JsonValue::Object{}};
        for (const JsonValue& other : own)
          for (const JsonMember& member : *other.if_object()) {
            if (then.find(member.key)) continue;
            const JsonValue* mine = own[i].find(member.key);
            then.add(member.key, mine ? *mine : JsonValue(false));
          }
        const JsonValue condition =
            object({{"properties", object({{key, object({{"const", std::string(names[i])}})}})},
                    {"required", strings(std::to_array<const char*>({key}))}});
        std::get<JsonValue::Array>(branches.data)
            .push_back(object({{"if", condition}, {"then", object({{"properties", std::move(then)}})}}));
      }
    }

    // The same key may mean different things in two alternatives.
    void merge(const JsonMember& member) {
      JsonValue* known = properties.find(member.key);
      if (!known) {
        properties.add(member.key, member.value);
      } else if (!(*known == member.value)) {
        if (JsonValue* any = known->find("anyOf"))
          std::get<JsonValue::Array>(any->data).push_back(member.value);
        else
          *known = object({{"anyOf", JsonValue::Array{*known, member.value}}});
      }
    }
  };

  template <class T>
  JsonValue properties_of(Kind<T> kind) {
    JsonValue properties{JsonValue::Object{}};
    ObjectMaker<T> fields{*this, properties};
    describe(fields, kind);
    return properties;
  }

  template <Described T>
  void define(Kind<T> kind) {
    const std::string name = kind_name(kind);
    if (definitions_.find(name)) return;
    definitions_.add(name, {});  // its place in the order, before those it refers to
    JsonValue properties{JsonValue::Object{}};
    ObjectMaker<T> fields{*this, properties};
    describe(fields, kind);
    JsonValue whole =
        object({{"type", "object"}, {"properties", properties}, {"additionalProperties", false}});
    if (!fields.required.if_array()->empty()) whole.add("required", std::move(fields.required));
    if (!fields.branches.if_array()->empty()) whole.add("allOf", std::move(fields.branches));
    if (fields.short_key) {
      const JsonValue word = *properties.find(fields.short_key)->find("enum");
      whole = object({{"anyOf", JsonValue::Array{std::move(whole), object({{"enum", word}})}}});
    }
    *definitions_.find(name) = std::move(whole);
  }

  template <class T>
  JsonValue field_schema(Kind<T> kind, const FieldInfo& info) {
    JsonValue value = type_schema(kind, info);
    // draft-07 ignores what stands beside $ref; most editors show it all the same
    value.add("description", std::string(info.doc) + (info.required ? " Required." : ""));
    if (*info.unit != '\0') value.add("unit", info.unit);
    return value;
  }

  template <class T>
  JsonValue type_schema(Kind<T> kind, const FieldInfo& info) {
    if constexpr (std::is_same_v<T, double>) {
      return number_schema("number", info.range);
    } else if constexpr (std::is_same_v<T, int>) {
      return number_schema("integer", info.range);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return object({{"type", "string"}});
    } else if constexpr (std::is_enum_v<T>) {
      return object({{"enum", strings(names_of(kind))}});
    } else if constexpr (std::is_same_v<T, Mu>) {
      const JsonValue number = number_schema("number", info.range);
      return object({{"anyOf", JsonValue::Array{number, list_schema(number, 2, 2)}}});
    } else if constexpr (std::is_same_v<T, Pose>) {
      return reference("pose");
    } else if constexpr (std::is_same_v<T, TimeFunction>) {
      return reference(function_name(info.variable));
    } else {
      static_assert(Described<T>);
      define(kind);
      return reference(kind_name(kind));
    }
  }

  template <int N>
  JsonValue type_schema(Kind<Eigen::Matrix<double, N, 1>>, const FieldInfo& info) {
    return list_schema(number_schema("number", info.range), N, N);
  }

  template <class T>
  JsonValue type_schema(Kind<std::optional<T>>, const FieldInfo& info) {
    return type_schema(Kind<T>{}, info);
  }

  template <class T, std::size_t N>
  JsonValue type_schema(Kind<std::array<T, N>>, const FieldInfo& info) {
    return list_schema(type_schema(Kind<T>{}, info), static_cast<int>(N), static_cast<int>(N));
  }

  template <class T>
  JsonValue type_schema(Kind<std::vector<T>>, const FieldInfo& info) {
    return list_schema(type_schema(Kind<T>{}, info), info.min_items, info.max_items);
  }

  // Limits: pairs with null where there is none; one pair needs no outer list.
  JsonValue type_schema(Kind<std::vector<std::array<double, 2>>>, const FieldInfo& info) {
    JsonValue end = number_schema("number", info.range);
    std::get<JsonValue::Array>(end.find("type")->data).emplace_back("null");
    const JsonValue pair = list_schema(end, 2, 2);
    return object({{"anyOf", JsonValue::Array{list_schema(pair, 0, info.max_items), pair}}});
  }

  void define_pose() {
    const auto numbers = [](int n) { return list_schema(number_schema("number", kCoordinate), n, n); };
    const auto described = [](JsonValue value, const char* doc, const char* unit) {
      value.add("description", doc);
      if (*unit != '\0') value.add("unit", unit);
      return value;
    };
    JsonValue pose = object(
        {{"type", "object"},
         {"properties",
          object({{"position", described(numbers(3), "Position.", "m")},
                  {"quaternion", described(numbers(4), "Orientation as w, x, y, z of unit length.", "")},
                  {"axis_angle", described(numbers(4), "Orientation as axis x, y, z and angle.", "rad")},
                  {"rpy", described(numbers(3), "Orientation as roll, pitch, yaw about the fixed x, y, z.",
                                    "rad")}})},
         {"additionalProperties", false}});
    definitions_.add("pose", object({{"anyOf", JsonValue::Array{std::move(pose), numbers(3)}}}));
  }

  void define_function() {
    definitions_.add(function_name(kTime), {});
    definitions_.add(function_name(kElongation), {});
    definitions_.add(function_name(kSlipSpeed), {});
    define(Kind<SineFunction>{});
    define(Kind<TableFunction>{});
    const auto only = [](const char* key) {
      return object({{"type", "object"},
                     {"properties", object({{key, reference(key)}})},
                     {"required", strings(std::to_array<const char*>({key}))},
                     {"additionalProperties", false}});
    };
    const JsonValue number = object({{"type", JsonValue::Array{"number", "string"}}});
    *definitions_.find(function_name(kTime)) = object(
        {{"anyOf", JsonValue::Array{number, only("sine"), only("table")}},
         {"description",
          "A number; an expression in the time `t` in a string; `{\"sine\": {…}}`; or `{\"table\": {…}}`."}});
    *definitions_.find(function_name(kElongation)) = object(
        {{"anyOf", JsonValue::Array{number, only("table")}},
         {"description",
          "A number; an expression in the elongation `x` in a string; or `{\"table\": {…}}`, whose `times` "
          "are elongations."}});
    *definitions_.find(function_name(kSlipSpeed)) = object(
        {{"anyOf", JsonValue::Array{number, only("table")}},
         {"description",
          "A number; an expression in the slip speed `s` in a string; or `{\"table\": {…}}`, whose `times` "
          "are speeds."}});
  }

  // Keys that are gone once a scene is read: see scene_reader.hpp.
  void add_reader_keys(JsonValue& properties) {
    const JsonValue any_number = object({{"type", JsonValue::Array{"number", "string"}}});
    const JsonValue parameters = object({{"type", "object"}, {"additionalProperties", any_number}});
    JsonValue documented = parameters;
    documented.add("description", "Names for expressions.");
    properties.add("parameters", std::move(documented));

    const JsonValue file = object({{"type", "string"}});
    const JsonValue placed =
        object({{"type", "object"},
                {"properties", object({{"file", file}, {"prefix", file}, {"parameters", parameters}})},
                {"required", strings(std::to_array<const char*>({"file"}))},
                {"additionalProperties", false}});
    JsonValue include = list_schema(object({{"anyOf", JsonValue::Array{file, placed}}}), 0, 100);
    include.add("description", "Files below the scene's folder whose lists are added, names with a prefix.");
    properties.add("include", std::move(include));

    DefaultsMaker defaults{*this};
    describe_lists(defaults);
    defaults.add(Kind<Joint>{});
    properties.add("defaults", object({{"type", "object"},
                                       {"properties", std::move(defaults.kinds)},
                                       {"additionalProperties", false},
                                       {"description", "Values for keys that are not given."}}));

    JsonValue lists{JsonValue::Object{}};
    ObjectMaker<Scene> maker{*this, lists};
    describe_lists(maker);
    const JsonValue loop = object(
        {{"type", "array"}, {"items", JsonValue::Array{file, any_number}}, {"minItems", 2}, {"maxItems", 2}});
    JsonValue loops = list_schema(loop, 1, 8);
    loops.add("description",
              "Pairs [index, count]; the last index runs fastest, counts may use earlier indices.");
    lists.add("for", std::move(loops));
    JsonValue repeat = list_schema(object({{"type", "object"},
                                           {"properties", std::move(lists)},
                                           {"required", strings(std::to_array<const char*>({"for"}))},
                                           {"additionalProperties", false}}),
                                   0, std::numeric_limits<int>::max());
    repeat.add("description", "Lists that are added for every index; names hold it in braces: crate_{i}.");
    properties.add("repeat", std::move(repeat));
  }

  // Objects under "defaults" have every key of their kind, none required.
  struct DefaultsMaker {
    SchemaMaker& maker;
    JsonValue kinds{JsonValue::Object{}};

    template <class T>
    void operator()(const char*, std::vector<T> Scene::*, const FieldInfo&) {
      add(Kind<T>{});
    }
    template <class T>
    void add(Kind<T> kind) {
      kinds.add(kind_name(kind), object({{"type", "object"},
                                         {"properties", maker.properties_of(kind)},
                                         {"additionalProperties", false}}));
    }
  };

  JsonValue definitions_{JsonValue::Object{}};
};

}  // namespace

JsonValue make_scene_schema() {
  return SchemaMaker().make();
}

}  // namespace rigor
