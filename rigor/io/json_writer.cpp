#include <algorithm>
#include <charconv>
#include <cmath>

#include "rigor/base/visible_text.hpp"
#include "rigor/io/json.hpp"

namespace rigor {
namespace {

// As JSON has it; beyond 16 bits two halves. A byte that is no character becomes U+FFFD, which stands for one.
void append_hidden(char32_t code, std::string& out) {
  auto number = static_cast<std::uint32_t>(code);
  if (code == Character::kNoCharacter) number = 0xFFFD;
  if (number > 0xFFFF) {
    out += fmt::format("\\u{:04x}", 0xD800u + ((number - 0x10000u) >> 10));
    number = 0xDC00u + ((number - 0x10000u) & 0x3FFu);
  }
  out += fmt::format("\\u{:04x}", number);
}

// What a terminal would obey, or what turns or hides text, is escaped too: whoever prints a document is safe.
void append_string(const std::string& text, std::string& out) {
  out += '"';
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = read_character(rest);
    const char32_t code = character.code;
    if (code == '"' || code == '\\') {
      out += '\\';
      out += rest.front();
    } else if (code == '\n') {
      out += "\\n";
    } else if (code == '\t') {
      out += "\\t";
    } else if (is_hidden(code)) {
      append_hidden(code, out);
    } else {
      out += rest.substr(0, character.bytes);
    }
    rest.remove_prefix(character.bytes);
  }
  out += '"';
}

void append_number(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  // whole numbers as people write them: 100000, not 1e+05
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    out += fmt::format("{:.0f}", value);
    return;
  }
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  out.append(buffer, end);
}

bool is_container(const JsonValue& value) {
  return value.if_array() || value.if_object();
}

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const JsonValue& value, int depth) {
    if (value.is_null()) {
      out_ += "null";
    } else if (const bool* flag = value.if_bool()) {
      out_ += *flag ? "true" : "false";
    } else if (const double* number = value.if_number()) {
      append_number(*number, out_);
    } else if (const std::string* text = value.if_string()) {
      append_string(*text, out_);
    } else if (const JsonValue::Array* items = value.if_array()) {
      write_array(*items, depth);
    } else {
      write_object(*value.if_object(), depth);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void write_array(const JsonValue::Array& items, int depth) {
    write_list('[', ']', items, one_line(items, depth), depth,
               [&](const JsonValue& item) { write(item, depth + 1); });
  }

  void write_object(const JsonValue::Object& members, int depth) {
    write_list('{', '}', members, one_line(members, depth), depth, [&](const JsonMember& member) {
      append_string(member.key, out_);
      out_ += indent_ == 0 ? ":" : ": ";
      write(member.value, depth + 1);
    });
  }

  // Lists of plain values stay on one line; so does what is short, except the document itself.
  bool one_line(const auto& items, int depth) const {
    if (indent_ == 0 || items.empty()) return true;
    if constexpr (requires { items[0].if_number(); })
      if (std::none_of(items.begin(), items.end(), is_container)) return true;
    return depth > 0 && width_of(items, kLineWidth) <= kLineWidth - depth * indent_;
  }

  // Characters that a value takes on one line; gives up beyond `limit`.
  static int width_of(const JsonValue& value, int limit) {
    if (const auto* items = value.if_array()) return width_of(*items, limit);
    if (const auto* members = value.if_object()) return width_of(*members, limit);
    if (const auto* text = value.if_string())
      return static_cast<int>(std::min<std::size_t>(text->size(), 1000)) + 2;
    return static_cast<int>(write_json(value, 0).size());
  }
  static int width_of(const JsonMember& member, int limit) {
    return static_cast<int>(member.key.size()) + 4 + width_of(member.value, limit);
  }
  template <class Item>
  static int width_of(const std::vector<Item>& items, int limit) {
    int width = 2;
    for (const Item& item : items)
      if ((width += 2 + width_of(item, limit - width)) > limit) return width;
    return width;
  }

  template <class Items, class WriteItem>
  void write_list(char open, char close, const Items& items, bool one_line, int depth, WriteItem write_item) {
    out_ += open;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += one_line && indent_ > 0 ? ", " : ",";
      first = false;
      if (!one_line) new_line(depth + 1);
      write_item(item);
    }
    if (!one_line && !items.empty()) new_line(depth);
    out_ += close;
  }

  void new_line(int depth) {
    out_ += '\n';
    out_.append(static_cast<std::size_t>(depth * indent_), ' ');
  }

  static constexpr int kLineWidth = 110;
  int indent_;
  std::string out_;
};

}  // namespace

std::string write_json(const JsonValue& value, int indent) {
  JsonWriter writer(indent);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace rigor
