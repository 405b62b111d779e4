#include "rigor/io/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rigor {

JsonValue::JsonValue() = default;
JsonValue::~JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::JsonValue(std::nullptr_t) {}
JsonValue::JsonValue(int value) : data(static_cast<double>(value)) {}
JsonValue::JsonValue(double value) : data(value) {}
JsonValue::JsonValue(const char* value) : data(std::string(value)) {}
JsonValue::JsonValue(std::string value) : data(std::move(value)) {}
JsonValue::JsonValue(Array value) : data(std::move(value)) {}
JsonValue::JsonValue(Object value) : data(std::move(value)) {}

bool operator==(const JsonValue& a, const JsonValue& b) {
  return a.data == b.data;
}
bool operator==(const JsonMember& a, const JsonMember& b) {
  return a.key == b.key && a.value == b.value;
}

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}

void append_utf8(std::uint32_t code, std::string& out) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0 | (code >> 6)), byte(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    byte(0xE0 | (code >> 12)), byte(0x80 | ((code >> 6) & 0x3F)), byte(0x80 | (code & 0x3F));
  } else {
    byte(0xF0 | (code >> 18)), byte(0x80 | ((code >> 12) & 0x3F)), byte(0x80 | ((code >> 6) & 0x3F)),
        byte(0x80 | (code & 0x3F));
  }
}

// The number of bytes of the valid UTF-8 character at `at`, or 0.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF && follows(1)) return 2;
  if ((first & 0xF0) == 0xE0 && follows(1) && follows(2)) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xF0 && first <= 0xF4 && follows(1) && follows(2) && follows(3)) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

// Recursive descent; the depth limit bounds the recursion. What does not recurse, messages above all, is kept
// out of the functions that do ([[gnu::noinline]]): a level of nesting costs less than 1 kB of stack, and
// 1000 fit under a sanitizer too.
class Parser {
  struct Part {
    const std::string* key;  // or nullptr: the index counts
    std::size_t index;
  };

 public:
  Parser(const Sources& sources, SourceId source, const JsonLimits& limits)
      : sources_(sources), source_(source), limits_(limits), text_(sources.text(source)) {}

  JsonValue parse_document() {
    check_encoding();
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") at_ = 3;  // byte order mark
    skip_space();
    if (at_ == text_.size()) fail(at_, "is empty", "Write a JSON object: { … }.");
    JsonValue value = parse_value(0);
    skip_space();
    if (at_ < text_.size())
      fail(at_, "unexpected text after the end of the document", "Remove it, or check the braces before it.");
    if (!duplicates_.empty()) {
      std::stable_sort(duplicates_.begin(), duplicates_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::pair(a.line, a.column) < std::pair(b.line, b.column);
      });
      throw InvalidDocument(std::move(duplicates_));
    }
    return value;
  }

 private:
  [[noreturn, gnu::noinline]] void fail(std::size_t at, std::string_view rule,
                                        std::string_view remedy = "") const {
    throw InvalidDocument({make_diagnostic(span(at, at), "", std::string(rule), std::string(remedy))});
  }

  Diagnostic make_diagnostic(TextSpan where, std::string value, std::string rule, std::string remedy) const {
    Diagnostic diagnostic{
        .path = path_text(), .value = std::move(value), .rule = std::move(rule), .remedy = std::move(remedy)};
    sources_.locate(where, diagnostic);
    return diagnostic;
  }

  // Where we are: "bodies[3].mass"
  std::string path_text() const {
    std::string text;
    for (const Part& part : path_) {
      if (!part.key) {
        text += fmt::format("[{}]", part.index);
        continue;
      }
      // as it is, unless it is long or would command a terminal
      const std::string quoted = quote_for_message(*part.key);
      const bool plain = quoted == '"' + *part.key + '"';
      text += (text.empty() ? "" : ".") + (plain ? *part.key : quoted);
    }
    // the ends tell where it is; a thousand levels between them do not
    constexpr std::size_t kLongest = 300;
    return text.size() <= kLongest
               ? text
               : text.substr(0, kLongest / 2) + " … " + text.substr(text.size() - kLongest / 2);
  }

  TextSpan span(std::size_t begin, std::size_t end) const {
    return {source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }

  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void check_encoding() const {
    const std::string_view start = text_.substr(0, 2);
    if (start == "\xFF\xFE" || start == "\xFE\xFF") fail(0, "is UTF-16, must be UTF-8", "Save it as UTF-8.");
    for (std::size_t i = 0; i < text_.size();) {
      if (text_[i] == '\0') fail(i, "holds a NUL byte, must be text", "Is this a binary file?");
      const std::size_t length = utf8_length(text_, i);
      if (length == 0) fail(i, "is not valid UTF-8 here", "Save it as UTF-8.");
      i += length;
    }
  }

  void skip_space() {
    for (;;) {
      while (is_space(peek())) ++at_;
      if (peek() == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek() == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail(at_, "comment without end", "Close it with */.");
        at_ = end + 2;
      } else {
        return;
      }
    }
  }

  JsonValue parse_value(std::size_t depth) {
    if (++values_ > limits_.max_values) fail_too_many();
    const std::size_t begin = at_;
    JsonValue value;
    const char c = peek();
    if (c == '{' || c == '[') {
      if (depth >= limits_.max_depth) fail_too_deep();
      if (c == '{')
        value.data = parse_object(depth + 1);
      else
        value.data = parse_array(depth + 1);
    } else if (c == '"') {
      value.data = parse_string();
    } else if (c == '-' || is_digit(c)) {
      value.data = parse_number();
    } else {
      parse_word(value);
    }
    value.where = span(begin, at_);
    return value;
  }

  [[noreturn, gnu::noinline]] void fail_too_many() const {
    fail(at_, fmt::format("more than {} values in one file", limits_.max_values),
         std::string(limits_.remedy));
  }

  [[noreturn, gnu::noinline]] void fail_too_deep() const {
    fail(at_, fmt::format("nested deeper than {} levels", limits_.max_depth), "Flatten the document.");
  }

  JsonValue::Object parse_object(std::size_t depth) {
    JsonValue::Object members;
    const std::size_t open = at_++;
    skip_space();
    while (peek() != '}') {
      JsonMember member;
      const std::size_t begin = at_;
      if (peek() != '"') fail_at_key(open);
      member.key = parse_string();
      member.key_where = span(begin, at_);
      skip_space();
      if (peek() != ':') fail_after_key(member.key);
      ++at_;
      skip_space();
      path_.push_back({&member.key, 0});
      member.value = parse_value(depth);
      path_.pop_back();
      members.push_back(std::move(member));
      skip_space();
      if (peek() == ',') {
        const std::size_t comma = at_++;
        skip_space();
        if (peek() == '}') fail(comma, "comma before '}'", "Remove the comma.");
      } else if (peek() != '}') {
        fail_after_member(open);
      }
    }
    ++at_;
    if (members.size() > 1) note_duplicates(members);
    return members;
  }

  [[gnu::noinline]] void note_duplicates(const JsonValue::Object& members) {
    std::vector<const JsonMember*> sorted;
    sorted.reserve(members.size());
    for (const JsonMember& member : members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
    const JsonMember* first = sorted[0];  // of those with the same key
    for (std::size_t i = 1; i < sorted.size() && duplicates_.size() < 100; ++i) {
      if (sorted[i]->key != first->key) {
        first = sorted[i];
        continue;
      }
      Diagnostic earlier;
      sources_.locate(first->key_where, earlier);
      duplicates_.push_back(
          make_diagnostic(sorted[i]->key_where, "",
                          fmt::format("duplicate key {}, first given at line {}, column {}",
                                      quote_for_message(sorted[i]->key), earlier.line, earlier.column),
                          "Keep one of them."));
    }
  }

  [[noreturn, gnu::noinline]] void fail_at_key(std::size_t open) const {
    if (at_ == text_.size()) fail_at_end("object", open, '}');
    if (peek() == '\'') fail(at_, "single quotes", "Write strings in double quotes.");
    if (is_word(peek())) fail(at_, "expected a key in double quotes", "Write { \"key\": value }.");
    fail(at_, fmt::format("expected a key in double quotes, found {}", shown_character()));
  }

  [[noreturn, gnu::noinline]] void fail_after_key(const std::string& key) const {
    fail(at_, "expected ':' after the key " + quote_for_message(key));
  }

  [[noreturn, gnu::noinline]] void fail_after_member(std::size_t open) const {
    if (at_ == text_.size()) fail_at_end("object", open, '}');
    if (peek() == '"') fail(at_, "expected ',' or '}'", "Is a comma missing before this key?");
    fail(at_, fmt::format("expected ',' or '}}', found {}", shown_character()));
  }

  [[noreturn, gnu::noinline]] void fail_after_item(std::size_t open) const {
    if (at_ == text_.size()) fail_at_end("list", open, ']');
    fail(at_, fmt::format("expected ',' or ']', found {}", shown_character()), "Is a comma missing?");
  }

  [[noreturn, gnu::noinline]] void fail_at_end(std::string_view what, std::size_t open, char close) const {
    Diagnostic opened;
    sources_.locate(span(open, open), opened);
    fail(at_,
         fmt::format("the text ends inside the {} opened at line {}, column {}", what, opened.line,
                     opened.column),
         fmt::format("Close it with '{}'.", close));
  }

  JsonValue::Array parse_array(std::size_t depth) {
    JsonValue::Array items;
    const std::size_t open = at_++;
    skip_space();
    while (peek() != ']') {
      path_.push_back({nullptr, items.size()});
      items.push_back(parse_value(depth));
      path_.pop_back();
      skip_space();
      if (peek() == ',') {
        const std::size_t comma = at_++;
        skip_space();
        if (peek() == ']') fail(comma, "comma before ']'", "Remove the comma.");
      } else if (peek() != ']') {
        fail_after_item(open);
      }
    }
    ++at_;
    items.shrink_to_fit();
    return items;
  }

  [[gnu::noinline]] std::string parse_string() {
    const std::size_t open = at_++;
    std::string out;
    for (;;) {
      const std::size_t stop = text_.find_first_of("\"\\\n\r", at_);
      const std::size_t end = std::min(stop, text_.size());
      for (std::size_t i = at_; i < end; ++i)
        if (static_cast<unsigned char>(text_[i]) < 0x20)
          fail(i, "control character in a string", "Write it as \\u00XX or \\t.");
      out.append(text_, at_, end - at_);
      at_ = end;
      if (at_ == text_.size() || peek() == '\n' || peek() == '\r')
        fail(open, "string without end on its line", "Close it with \", or write line breaks as \\n.");
      if (peek() == '"') break;
      parse_escape(out);
    }
    ++at_;
    return out;
  }

  void parse_escape(std::string& out) {
    const std::size_t begin = at_++;
    const char c = peek();
    ++at_;
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const std::size_t i = kFrom.find(c); c != '\0' && i != std::string_view::npos) {
      out += kTo[i];
      return;
    }
    if (c != 'u')
      fail(begin, "unknown escape in a string", "Known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.");
    std::uint32_t code = parse_hex4(begin);
    if (code >= 0xD800 && code < 0xDC00 && peek() == '\\' && peek(1) == 'u') {
      at_ += 2;
      const std::uint32_t low = parse_hex4(begin);
      if (low >= 0xDC00 && low < 0xE000)
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      else
        fail(begin, "unpaired surrogate in a string", "Write the character itself.");
    }
    if (code >= 0xD800 && code < 0xE000)
      fail(begin, "unpaired surrogate in a string", "Write the character itself.");
    if (code == 0) fail(begin, "NUL in a string", "Remove \\u0000.");
    append_utf8(code, out);
  }

  std::uint32_t parse_hex4(std::size_t begin) {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc() || end != digits.data() + 4)
      fail(begin, "\\u must be followed by four hexadecimal digits");
    at_ += 4;
    return code;
  }

  [[gnu::noinline]] double parse_number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t start = at_;
      while (is_digit(peek())) ++at_;
      return at_ > start;
    };
    if (peek() == '-') ++at_;
    if (peek() == '0' && is_digit(peek(1))) fail(begin, "number with a leading zero", "Remove the zero.");
    bool good = digits();
    if (good && peek() == '.') ++at_, good = digits();
    if (good && (peek() == 'e' || peek() == 'E')) {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      good = digits();
    }
    if (!good || is_word(peek()) || peek() == '.') {
      while (is_word(peek()) || peek() == '.' || peek() == '+' || peek() == '-') ++at_;
      const std::string found(text_.substr(begin, at_ - begin));
      if (found.starts_with("-Inf") || found.starts_with("-inf") || found.starts_with("-nan") ||
          found.starts_with("-NaN"))
        fail(begin, quote_for_message(found) + " is not finite", "Numbers must be finite.");
      fail(begin, quote_for_message(found) + " is not a number", "Write it like 0.5 or -1.25e-3.");
    }
    double value = 0.0;
    const std::string_view number = text_.substr(begin, at_ - begin);
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range) {
      // from_chars says the same for too large and too small; only the former is an error
      const bool tiny = is_underflow(number);
      if (!tiny)
        fail(begin, quote_for_message(std::string(number), 20) + " is beyond the range of a double",
             "Numbers must be finite.");
      value = number[0] == '-' ? -0.0 : 0.0;
    }
    return value;
  }

  // Of a valid number outside the range of double: is it below it? The sign of the decimal exponent
  // of its first significant digit tells.
  static bool is_underflow(std::string_view number) {
    const std::size_t mark = number.find_first_of("eE");
    std::string_view mantissa = number.substr(0, mark);
    if (mantissa.starts_with('-')) mantissa.remove_prefix(1);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_of("123456789");
    if (first == std::string_view::npos) return true;
    double exponent = static_cast<double>(point) - static_cast<double>(first);
    if (mark != std::string_view::npos) {
      std::string_view digits = number.substr(mark + 1);
      const bool negative = digits.starts_with('-');
      if (negative || digits.starts_with('+')) digits.remove_prefix(1);
      double size = 0.0;
      for (const char c : digits) size = std::min(1e9, 10.0 * size + (c - '0'));
      exponent += negative ? -size : size;
    }
    return exponent < 0.0;
  }

  [[gnu::noinline]] void parse_word(JsonValue& value) {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "null") return;
    if (word == "true" || word == "false") {
      value.data = word == "true";
      return;
    }
    at_ = begin;
    if (at_ == text_.size()) fail(at_, "the text ends where a value is expected");
    if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf" || word == "Inf")
      fail(at_, quote_for_message(word) + " is not finite", "Numbers must be finite.");
    if (peek() == '\'') fail(at_, "single quotes", "Write strings in double quotes.");
    if (peek() == '+' || peek() == '.')
      fail(at_, fmt::format("a number cannot begin with '{}'", peek()), "Write it like 0.5.");
    if (word == "True" || word == "False" || word == "None")
      fail(at_, quote_for_message(word) + " is not a value", "Write true, false or null.");
    if (peek() == '#') fail(at_, "expected a value, found \"#\"", "Comments begin with //.");
    if (!word.empty())
      fail(at_, quote_for_message(word) + " is not a value", "Write strings in double quotes.");
    fail(at_, fmt::format("expected a value, found {}", shown_character()));
  }

  std::string shown_character() const {
    if (at_ >= text_.size()) return "the end of the text";
    return quote_for_message(std::string(text_.substr(at_, utf8_length(text_, at_))));
  }

  const Sources& sources_;
  SourceId source_;
  JsonLimits limits_;
  std::string_view text_;
  std::size_t at_{0};
  std::size_t values_{0};
  std::vector<Part> path_;
  std::vector<Diagnostic> duplicates_;
};

}  // namespace

JsonValue parse_json(const Sources& sources, SourceId source, const JsonLimits& limits) {
  return Parser(sources, source, limits).parse_document();
}

const JsonValue* JsonValue::find(std::string_view key) const {
  const Object* members = if_object();
  if (!members) return nullptr;
  const auto it = std::find_if(members->begin(), members->end(),
                               [&](const JsonMember& member) { return member.key == key; });
  return it == members->end() ? nullptr : &it->value;
}

JsonValue* JsonValue::find(std::string_view key) {
  return const_cast<JsonValue*>(std::as_const(*this).find(key));
}

JsonValue& JsonValue::add(std::string key, JsonValue value) {
  auto& members = std::get<Object>(data);
  members.push_back({std::move(key), std::move(value), {}});
  return members.back().value;
}

std::string JsonValue::kind_name() const {
  static constexpr const char* kNames[] = {"null",     "a boolean", "a number",
                                           "a string", "a list",    "an object"};
  return kNames[data.index()];
}

}  // namespace rigor
