#include <algorithm>

#include "rigor/io/scene_schema.hpp"
#include "rigor/model/scene_limits.hpp"
#include "rigor/model/scene_words.hpp"

namespace rigor {
namespace {

const std::string* text_of(const JsonValue& schema, const char* key) {
  const JsonValue* value = schema.find(key);
  return value ? value->if_string() : nullptr;
}

// What a reader of the page calls the type: "number", "3 numbers", "list of shape", "one of a, b".
std::string type_text(const JsonValue& schema) {
  if (const std::string* target = text_of(schema, "$ref")) {
    const std::string name = target->substr(target->rfind('/') + 1);
    return fmt::format("[{}](#{})", name, name);
  }
  if (const JsonValue* words = schema.find("enum")) {
    std::string text = "one of";
    for (const JsonValue& word : *words->if_array())
      text += (text == "one of" ? " `" : ", `") + *word.if_string() + '`';
    return text;
  }
  if (const JsonValue* any = schema.find("anyOf")) {
    std::string text;
    for (const JsonValue& one : *any->if_array()) text += (text.empty() ? "" : ", or ") + type_text(one);
    return text;
  }
  if (schema.find("const")) return write_json(*schema.find("const"), 0);
  const JsonValue* type = schema.find("type");
  if (const std::string* name = text_of(schema, "type"); name && *name == "array") {
    const JsonValue* items = schema.find("items");
    const JsonValue* least = schema.find("minItems");
    const JsonValue* most = schema.find("maxItems");
    if (items->if_array()) return "pair";
    if (least && most && *least == *most)
      return fmt::format("{} of {}", *least->if_number(), type_text(*items));
    return "list of " + type_text(*items);
  }
  const std::string* name = type->if_array() ? (*type->if_array())[0].if_string() : type->if_string();
  const bool nullable = type->if_array() && type->if_array()->size() == 3;
  return nullable ? *name + " or null" : *name;
}

std::string range_text(const JsonValue& schema) {
  const JsonValue* at = &schema;  // of a list, that of its items
  while (at->find("items") && at->find("items")->if_object()) at = at->find("items");
  std::string text;
  for (const auto& [key, symbol] : {std::pair{"minimum", "≥ "},
                                    {"exclusiveMinimum", "> "},
                                    {"maximum", "≤ "},
                                    {"exclusiveMaximum", "< "}})
    if (const JsonValue* bound = at->find(key))
      text += (text.empty() ? "" : ", ") + std::string(symbol) + write_json(*bound, 0);
  return text;
}

std::string field_row(const JsonMember& field) {
  const JsonValue& schema = field.value;
  const std::string* unit = text_of(schema, "unit");
  const std::string* doc = text_of(schema, "description");
  const JsonValue* standard = schema.find("default");
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field.key, type_text(schema), unit ? *unit : "",
                     range_text(schema), standard ? '`' + write_json(*standard, 0) + '`' : "",
                     doc ? *doc : "");
}

constexpr const char* kHead =
    "| key | type | unit | range | default | meaning |\n| --- | --- | --- | --- | --- | --- |\n";

std::string object_section(const std::string& name, const JsonValue& schema) {
  std::string text = fmt::format("\n## {}\n\n", name);
  const JsonValue* whole = &schema;
  if (const JsonValue* any = schema.find("anyOf")) {
    const auto& forms = *any->if_array();
    const auto form = std::find_if(forms.begin(), forms.end(), [](const JsonValue& one) {
      const JsonValue* properties = one.find("properties");
      return properties && properties->if_object()->size() > 1;
    });
    if (form == forms.end()) return text + *text_of(schema, "description") + '\n';  // of functions
    text += fmt::format("{}.\n\n", type_text(schema));
    whole = &*form;
  }
  // keys of one alternative only stand in a table of their own
  const JsonValue* branches = whole->find("allOf");
  const auto is_special = [&](const std::string& key) {
    return branches && branches->if_array()->front().find("then")->find("properties")->find(key) != nullptr;
  };
  text += kHead;
  for (const JsonMember& field : *whole->find("properties")->if_object())
    if (!is_special(field.key)) text += field_row(field);
  if (!branches) return text;
  for (const JsonValue& branch : *branches->if_array()) {
    const JsonMember& tag = branch.find("if")->find("properties")->if_object()->front();
    std::string rows;
    for (const JsonMember& field : *branch.find("then")->find("properties")->if_object())
      if (field.value.if_object()) rows += field_row(field);
    text += fmt::format("\nWith `\"{}\": {}`{}\n", tag.key, write_json(*tag.value.find("const"), 0),
                        rows.empty() ? " there are no more keys." : ":\n\n" + std::string(kHead) + rows);
  }
  return text;
}

std::string joints_section() {
  std::string text =
      "\n## Coordinates of joints\n\n"
      "F is the joint frame fixed in the parent, and `axis`, `axis2` are in its axes at q = 0.\n\n"
      "| type | coordinates `q` | speeds `v` |\n| --- | --- | --- |\n";
  const auto names = names_of(Kind<JointType>{});
  const auto coordinates = coordinates_of(Kind<JointType>{});
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("| `{}` | {} | {} |\n", names[i], coordinates[i].q, coordinates[i].v);
  return text;
}

std::string limits_section() {
  const SceneLimits limits;
  return fmt::format(
      "\n## Limits\n\n| what | at most |\n| --- | --- |\n| bytes in one file | {} |\n| JSON values in one "
      "file | {} |\n"
      "| nested lists and objects | {} |\n| files in one scene | {} |\n| includes within includes | {} |\n"
      "| elements of each list, after repeat and include | {} |\n| bytes of a name | {} |\n",
      limits.max_file_bytes, limits.max_values, limits.max_depth, limits.max_files, limits.max_include_depth,
      limits.max_elements, limits.max_name_bytes);
}

}  // namespace

std::string make_scene_reference() {
  const JsonValue schema = make_scene_schema();
  std::string text =
      "# Scene reference\n\n"
      "Written by `rigor schema --markdown`, from the table that the reader uses. How to write scenes: "
      "[scenes.md](scenes.md).\n\n"
      "Any number may be an expression in a string, such as `\"2*pi/n\"`, over the scene's parameters and "
      "the indices "
      "of repeat.\n";
  text += object_section("scene", schema);
  for (const JsonMember& definition : *schema.find("definitions")->if_object())
    text += object_section(definition.key, definition.value);
  return text + joints_section() + limits_section();
}

}  // namespace rigor
