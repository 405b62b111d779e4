// Judges json.cpp and json_writer.cpp.
#include "rigor/io/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

using namespace std::string_literals;

JsonValue parse_text(const std::string& text, const JsonLimits& limits = {}) {
  Sources sources;
  const SourceId id = sources.add("a.json", text);
  return parse_json(sources, id, limits);
}

// "line:column: rule. remedy" of each error, one a line; "" when the text is accepted.
std::string json_errors(const std::string& text, const JsonLimits& limits = {}) {
  try {
    (void)parse_text(text, limits);
  } catch (const InvalidDocument& error) {
    std::string all;
    for (const Diagnostic& d : error.diagnostics()) {
      all += fmt::format("{}{}:{}: {}.{}{}", all.empty() ? "" : "\n", d.line, d.column, d.rule,
                         d.remedy.empty() ? "" : " ", d.remedy);
      EXPECT_EQ(d.file, "a.json");
    }
    return all;
  }
  return "";
}

std::string repeated(const std::string& text, std::size_t n) {
  std::string all;
  for (std::size_t i = 0; i < n; ++i) all += text;
  return all;
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

// ---------------------------------------------------------------------------------------- what is accepted

// Each text, and what it is in the form that write_json gives it.
TEST(Json, AcceptsWhatTheStandardAllows) {
  const std::pair<std::string, const char*> rows[] = {
      // a document is any value, with space around it
      {"null", "null"},
      {"true", "true"},
      {"false", "false"},
      {"0", "0"},
      {"\"\"", "\"\""},
      {"[]", "[]"},
      {"{}", "{}"},
      {" \t\r\n{ \t\r\n} \t\r\n", "{}"},
      {"\n[\n]\n", "[]"},
      {"{}\n", "{}"},
      {"\xEF\xBB\xBF{}", "{}"},
      {"\xEF\xBB\xBF 1", "1"},
      // lists and objects
      {"[1]", "[1]"},
      {"[1,2,3]", "[1,2,3]"},
      {"[ 1 , 2 ]", "[1,2]"},
      {"[[],[[]],{}]", "[[],[[]],{}]"},
      {"[null,true,false,\"a\",1,{},[]]", "[null,true,false,\"a\",1,{},[]]"},
      {"{\"a\":1}", "{\"a\":1}"},
      {"{ \"a\" : 1 , \"b\" : 2 }", "{\"a\":1,\"b\":2}"},
      {"{\"b\":1,\"a\":2}", "{\"b\":1,\"a\":2}"},  // the order is kept
      {"{\"\":0}", "{\"\":0}"},
      {"{\"a\":{\"a\":{\"a\":[]}}}", "{\"a\":{\"a\":{\"a\":[]}}}"},
      {"{\"a\":1,\"A\":2}", "{\"a\":1,\"A\":2}"},
      {"{\"\\u0061b\":1}", "{\"ab\":1}"},
      // numbers
      {"-0", "-0"},
      {"0.0", "0"},
      {"0e5", "0"},
      {"0e999999999999", "0"},
      {"-1", "-1"},
      {"1.5", "1.5"},
      {"-1.25e-3", "-0.00125"},
      {"1e5", "100000"},
      {"1E5", "100000"},
      {"1e+5", "100000"},
      {"1e-05", "1e-05"},
      {"1e00005", "100000"},
      {"10.00", "10"},
      {"123456789", "123456789"},
      {"1e-400", "0"},  // too small is zero, with its sign
      {"-1e-400", "-0"},
      {"0." + repeated("0", 400) + "1", "0"},
      {repeated("1", 400) + "e-900", "0"},
      {"1e-99999999999999999999", "0"},
      // strings
      {"\"a b\"", "\"a b\""},
      {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\u0008\u000c\n\u000d\t")"},
      {R"("\u0041\u00e9\u20ac")", "\"Aé€\""},
      {R"("\u00E9\u20AC")", "\"é€\""},
      {R"("\ud83e\uddca")", "\"🧊\""},
      {R"("\uD800\uDC00\uDBFF\uDFFF")", "\"𐀀\U0010FFFF\""},
      {R"("\u0001\u001f\u007f")", R"("\u0001\u001f\u007f")"},
      {R"("\\u0041")", R"("\\u0041")"},
      {R"("\uffff\ufdd0")", "\"\uffff\ufdd0\""},  // not characters, but allowed
      {"\"é€🧊\"", "\"é€🧊\""},
      {"\"\x7f\"", R"("\u007f")"},
      {"\"\u2028\u2029\"", R"("\u2028\u2029")"},  // what is not seen is escaped
      {"\"\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"",  // ends of each length
       "\"\\u0080\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\""},
      {"\"\xED\x9F\xBF\xEE\x80\x80\"", "\"\xED\x9F\xBF\xEE\x80\x80\""},  // around the surrogates
      {"\"// no comment /* */\"", "\"// no comment /* */\""},
      {"\"'\"", "\"'\""},
      {"\"\xEF\xBB\xBF\"", R"("\ufeff")"},
      {R"("\u001b[31m\u009b\u202e\udb40\udc41")", R"("\u001b[31m\u009b\u202e\udb40\udc41")"},
      // comments, our one extension
      {"// first\n{}", "{}"},
      {"{} // last", "{}"},
      {"{} // last\n", "{}"},
      {"/* a */ { /* b */ \"a\" /* c */ : /* d */ 1 /* e */ } /* f */", "{\"a\":1}"},
      {"[1, // one\n 2 /* two */]", "[1,2]"},
      {"/**/1", "1"},
      {"/***/1", "1"},
      {"/* // */1", "1"},
      {"/* two\nlines */1", "1"},
      {"// /* \n1", "1"},
      {"//\r\n1", "1"},
      {"// ünïcödé 🧊\n1", "1"},
      {"[1/**/,2]//", "[1,2]"},
      {"{/**/}", "{}"},
  };
  static_assert(std::size(rows) >= 70);
  for (const auto& [text, written] : rows) {
    ASSERT_EQ(json_errors(text), "") << text;
    EXPECT_EQ(write_json(parse_text(text), 0), written) << text;
  }
}

// ---------------------------------------------------------------------------------------- what is refused

TEST(Json, RefusesAllElseAndSaysWhere) {
  const std::string
      quotes = "Write strings in double quotes.",
      finite = "Numbers must be finite.", like = "Write it like 0.5 or -1.25e-3.", utf8 = "Save it as UTF-8.",
      escapes = "Known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.",
      hex = "\\u must be followed by four hexadecimal digits.",
      surrogate = "unpaired surrogate in a string. Write the character itself.",
      control = "control character in a string. Write it as \\u00XX or \\t.",
      open_string = "string without end on its line. Close it with \", or write line breaks as \\n.",
      after = "unexpected text after the end of the document. Remove it, or check the braces before it.",
      ends = "the text ends where a value is expected.", key = "expected a key in double quotes",
      write_key = ". Write { \"key\": value }.", comma = " Is a comma missing?";
  const std::pair<std::string, std::string> rows[] = {
      // nothing, or too much
      {"", "1:1: is empty. Write a JSON object: { … }."},
      {" \n ", "2:2: is empty. Write a JSON object: { … }."},
      {"// only a comment", "1:18: is empty. Write a JSON object: { … }."},
      {"\xEF\xBB\xBF", "1:1: is empty. Write a JSON object: { … }."},
      {"{} {}", "1:4: " + after},
      {"{}}", "1:3: " + after},
      {"[]]", "1:3: " + after},
      {"1 2", "1:3: " + after},
      {"1,", "1:2: " + after},
      {"\"a\"b", "1:4: " + after},
      {"{}\n\xEF\xBB\xBF", "2:1: " + after},
      {"{}/", "1:3: " + after},
      {"{}#", "1:3: " + after},
      // lists
      {"[", "1:2: " + ends},
      {"[1", "1:3: the text ends inside the list opened at line 1, column 1. Close it with ']'."},
      {"{\"a\":\n [1\n", "3:1: the text ends inside the list opened at line 2, column 2. Close it with ']'."},
      {"[1,", "1:4: " + ends},
      {"[1,]", "1:3: comma before ']'. Remove the comma."},
      {"[1\n, // no more\n]", "2:1: comma before ']'. Remove the comma."},
      {"[,1]", "1:2: expected a value, found \",\"."},
      {"[1,,2]", "1:4: expected a value, found \",\"."},
      {"[1 2]", "1:4: expected ',' or ']', found \"2\"." + comma},
      {"[\"a\" \"b\"]", "1:6: expected ',' or ']', found \"\\\"\"." + comma},
      {"[1:2]", "1:3: expected ',' or ']', found \":\"." + comma},
      {"[1}", "1:3: expected ',' or ']', found \"}\"." + comma},
      {"[}", "1:2: expected a value, found \"}\"."},
      {"]", "1:1: expected a value, found \"]\"."},
      {"[é]", "1:2: expected a value, found \"é\"."},
      {"[é🧊 1]", "1:2: expected a value, found \"é\"."},
      {"[\"é🧊\" 1]", "1:7: expected ',' or ']', found \"1\"." + comma},
      {"[1\f]", "1:3: expected ',' or ']', found \"\\u000c\"." + comma},
      {"[\u00a0]", "1:2: expected a value, found \"\u00a0\"."},  // a space, but not of JSON
      // objects
      {"{", "1:2: the text ends inside the object opened at line 1, column 1. Close it with '}'."},
      {"{\"a\":1", "1:7: the text ends inside the object opened at line 1, column 1. Close it with '}'."},
      {"{\"a\":1,\n", "2:1: the text ends inside the object opened at line 1, column 1. Close it with '}'."},
      {"{\"a\"", "1:5: expected ':' after the key \"a\"."},
      {"{\"a\"}", "1:5: expected ':' after the key \"a\"."},
      {"{\"a\" 1}", "1:6: expected ':' after the key \"a\"."},
      {"{\"a\",\"b\"}", "1:5: expected ':' after the key \"a\"."},
      {"{\"a\"=1}", "1:5: expected ':' after the key \"a\"."},
      {"{\"a\":", "1:6: " + ends},
      {"{\"a\":}", "1:6: expected a value, found \"}\"."},
      {"{\"a\"::1}", "1:6: expected a value, found \":\"."},
      {"{\"a\":1,}", "1:7: comma before '}'. Remove the comma."},
      {"{,}", "1:2: " + key + ", found \",\"."},
      {"{\"a\":1,,\"b\":2}", "1:8: " + key + ", found \",\"."},
      {"{\"a\":1 \"b\":2}", "1:8: expected ',' or '}'. Is a comma missing before this key?"},
      {"{\"a\":1 b:2}", "1:8: expected ',' or '}', found \"b\"."},
      {"{\"a\":1 2}", "1:8: expected ',' or '}', found \"2\"."},
      {"{\"a\":1]", "1:7: expected ',' or '}', found \"]\"."},
      {"{a:1}", "1:2: " + key + write_key},
      {"{1:1}", "1:2: " + key + write_key},
      {"{null:1}", "1:2: " + key + write_key},
      {"{\"a\":1, b:2}", "1:9: " + key + write_key},
      {"{[1]:2}", "1:2: " + key + ", found \"[\"."},
      {"{:1}", "1:2: " + key + ", found \":\"."},
      {"{ä:1}", "1:2: " + key + ", found \"ä\"."},
      {"{'a':1}", "1:2: single quotes. " + quotes},
      {"}", "1:1: expected a value, found \"}\"."},
      // words
      {"nul", "1:1: \"nul\" is not a value. " + quotes},
      {"nulll", "1:1: \"nulll\" is not a value. " + quotes},
      {"[TRUE]", "1:2: \"TRUE\" is not a value. " + quotes},
      {"undefined", "1:1: \"undefined\" is not a value. " + quotes},
      {"[a b]", "1:2: \"a\" is not a value. " + quotes},
      {"'a'", "1:1: single quotes. " + quotes},
      {"[1, 'a']", "1:5: single quotes. " + quotes},
      {repeated("x", 100), "1:1: \"" + repeated("x", 60) + "…\" is not a value. " + quotes},
      // numbers
      {"NaN", "1:1: \"NaN\" is not finite. " + finite},
      {"[nan]", "1:2: \"nan\" is not finite. " + finite},
      {"Infinity", "1:1: \"Infinity\" is not finite. " + finite},
      {"-Infinity", "1:1: \"-Infinity\" is not finite. " + finite},
      {"-inf", "1:1: \"-inf\" is not finite. " + finite},
      {"1e309", "1:1: \"1e309\" is beyond the range of a double. " + finite},
      {"-1e309", "1:1: \"-1e309\" is beyond the range of a double. " + finite},
      {"1.7976931348623159e308", "1:1: \"1.7976931348623159e3…\" is beyond the range of a double. " + finite},
      {"[\n  1e999999999999999999999]",
       "2:3: \"1e999999999999999999…\" is beyond the range of a double. " + finite},
      {repeated("9", 400), "1:1: \"99999999999999999999…\" is beyond the range of a double. " + finite},
      {"0." + repeated("0", 100) + "1e500",
       "1:1: \"0.000000000000000000…\" is beyond the range of a double. " + finite},
      {"01", "1:1: number with a leading zero. Remove the zero."},
      {"-012", "1:1: number with a leading zero. Remove the zero."},
      {"00", "1:1: number with a leading zero. Remove the zero."},
      {"-", "1:1: \"-\" is not a number. " + like},
      {"--1", "1:1: \"--1\" is not a number. " + like},
      {"-a", "1:1: \"-a\" is not a number. " + like},
      {"1.", "1:1: \"1.\" is not a number. " + like},
      {"[1.]", "1:2: \"1.\" is not a number. " + like},
      {"1.e5", "1:1: \"1.e5\" is not a number. " + like},
      {"-.5", "1:1: \"-.5\" is not a number. " + like},
      {"1e", "1:1: \"1e\" is not a number. " + like},
      {"1e+", "1:1: \"1e+\" is not a number. " + like},
      {"1e1.5", "1:1: \"1e1.5\" is not a number. " + like},
      {"1.2.3", "1:1: \"1.2.3\" is not a number. " + like},
      {"0x1F", "1:1: \"0x1F\" is not a number. " + like},
      {"1_000", "1:1: \"1_000\" is not a number. " + like},
      {"5kg", "1:1: \"5kg\" is not a number. " + like},
      {".5", "1:1: a number cannot begin with '.'. Write it like 0.5."},
      {"+1", "1:1: a number cannot begin with '+'. Write it like 0.5."},
      {"[1,+1]", "1:4: a number cannot begin with '+'. Write it like 0.5."},
      {"1 000", "1:3: " + after},
      {"１", "1:1: expected a value, found \"１\"."},  // a digit, but not of JSON
      // strings
      {"\"", "1:1: " + open_string},
      {"\"a", "1:1: " + open_string},
      {"[\"a]\n\"b\"]", "1:2: " + open_string},
      {"\"a\r\n\"", "1:1: " + open_string},
      {"\"\\\"", "1:1: " + open_string},
      {"{\"a:1}", "1:2: " + open_string},
      {"\"a\tb\"", "1:3: " + control},
      {"\"\x01\"", "1:2: " + control},
      {"\"é\x1f\"", "1:3: " + control},
      {"\"\\", "1:2: unknown escape in a string. " + escapes},
      {"\"\\x41\"", "1:2: unknown escape in a string. " + escapes},
      {"\"a\\'\"", "1:3: unknown escape in a string. " + escapes},
      {"\"\\U0041\"", "1:2: unknown escape in a string. " + escapes},
      {"\"\\\n\"", "1:2: unknown escape in a string. " + escapes},
      {"\"\\é\"", "1:2: unknown escape in a string. " + escapes},
      {"\"\\u\"", "1:2: " + hex},
      {"\"\\u12\"", "1:2: " + hex},
      {"\"\\u12g4\"", "1:2: " + hex},
      {"\"\\u-123\"", "1:2: " + hex},
      {"\"\\u+123\"", "1:2: " + hex},
      {"\"\\u 123\"", "1:2: " + hex},
      {"\"\\u0x1\"", "1:2: " + hex},
      {"\"\\u004", "1:2: " + hex},
      {"\"\\u", "1:2: " + hex},
      {"\"\\ud800\"", "1:2: " + surrogate},
      {"\"a\\udc00\"", "1:3: " + surrogate},
      {"\"\\ud800x\"", "1:2: " + surrogate},
      {"\"\\ud800\\n\"", "1:2: " + surrogate},
      {"\"\\ud800\\u0041\"", "1:2: " + surrogate},
      {"\"\\ud800\\ud800\"", "1:2: " + surrogate},
      {"\"\\udc00\\ud800\"", "1:2: " + surrogate},
      {"\"\\ud800\\u12\"", "1:2: " + hex},
      {"\"\\u0000\"", "1:2: NUL in a string. Remove \\u0000."},
      // comments
      {"/", "1:1: expected a value, found \"/\"."},
      {"/ /1", "1:1: expected a value, found \"/\"."},
      {"{}/*", "1:3: comment without end. Close it with */."},
      {"/*/", "1:1: comment without end. Close it with */."},
      {"[1\n/* 2]", "2:1: comment without end. Close it with */."},
      {"/* /* */ */1", "1:10: expected a value, found \"*\"."},
      {"[1//,2]", "1:8: the text ends inside the list opened at line 1, column 1. Close it with ']'."},
      // encodings
      {"{\0}"s, "1:2: holds a NUL byte, must be text. Is this a binary file?"},
      {"{}\n\0"s, "2:1: holds a NUL byte, must be text. Is this a binary file?"},
      {"\0{\0}"s, "1:1: holds a NUL byte, must be text. Is this a binary file?"},
      {"\xFF\xFE{\0}\0"s, "1:1: is UTF-16, must be UTF-8. " + utf8},
      {"\xFE\xFF\0{\0}"s, "1:1: is UTF-16, must be UTF-8. " + utf8},
      {"\"\x80\"", "1:2: is not valid UTF-8 here. " + utf8},              // continuation alone
      {"\"\xC3\"", "1:2: is not valid UTF-8 here. " + utf8},              // nothing follows
      {"\"caf\xE9\"", "1:5: is not valid UTF-8 here. " + utf8},           // Latin-1
      {"\"\xC0\xAF\"", "1:2: is not valid UTF-8 here. " + utf8},          // overlong
      {"\"\xC1\xBF\"", "1:2: is not valid UTF-8 here. " + utf8},          //
      {"\"\xE0\x9F\xBF\"", "1:2: is not valid UTF-8 here. " + utf8},      //
      {"\"\xF0\x8F\xBF\xBF\"", "1:2: is not valid UTF-8 here. " + utf8},  //
      {"\"\xED\xA0\x80\"", "1:2: is not valid UTF-8 here. " + utf8},      // surrogates
      {"\"\xED\xBF\xBF\"", "1:2: is not valid UTF-8 here. " + utf8},      //
      {"\"\xF4\x90\x80\x80\"", "1:2: is not valid UTF-8 here. " + utf8},  // beyond Unicode
      {"\"\xF5\x80\x80\x80\"", "1:2: is not valid UTF-8 here. " + utf8},  //
      {"\"\xF8\x88\x80\x80\x80\"", "1:2: is not valid UTF-8 here. " + utf8},
      {"\"\xFE\"", "1:2: is not valid UTF-8 here. " + utf8},
      {"\"\xE2\x82\"", "1:2: is not valid UTF-8 here. " + utf8},    // cut
      {"\"\xF0\x9F\xA7", "1:2: is not valid UTF-8 here. " + utf8},  // cut by the end
      {"{}\n// \xE9", "2:4: is not valid UTF-8 here. " + utf8},     // in a comment too
      {"[\"é\",\n \"\xFF\"]", "2:3: is not valid UTF-8 here. " + utf8},
  };
  static_assert(std::size(rows) >= 120);
  for (const auto& [text, expected] : rows) EXPECT_EQ(json_errors(text), expected) << text;
}

TEST(Json, RefusesDuplicateKeysAndNamesBothPlaces) {
  EXPECT_EQ(json_errors("{\"a\":1,\n \"b\":2,\n \"a\":3}"),
            "3:2: duplicate key \"a\", first given at line 1, column 2. Keep one of them.");
  EXPECT_EQ(json_errors("{\"a\":1,\"\\u0061\":2}"),
            "1:8: duplicate key \"a\", first given at line 1, column 2. Keep one of them.");
  EXPECT_EQ(json_errors("{\"a\":1,\"a\":2,\"a\":3}"),  // each with the first
            "1:8: duplicate key \"a\", first given at line 1, column 2. Keep one of them.\n"
            "1:14: duplicate key \"a\", first given at line 1, column 2. Keep one of them.");
  EXPECT_EQ(json_errors("[{\"x\":{\"\":1,\"\":2}},\n{\"y\":1,\"y\":2}]"),  // all of a document
            "1:13: duplicate key \"\", first given at line 1, column 8. Keep one of them.\n"
            "2:8: duplicate key \"y\", first given at line 2, column 2. Keep one of them.");
  EXPECT_EQ(json_errors("{\"a\":{\"a\":1},\"b\":{\"a\":1}}"), "");
  const std::string many = "{" + repeated("\"a\":1,", 10'000) + "\"a\":1}";
  const std::string messages = json_errors(many);
  EXPECT_EQ(std::count(messages.begin(), messages.end(), '\n'), 99);  // a hundred are enough
}

TEST(Json, NamesThePathOfAnErrorInPlainText) {
  const auto path_of = [](const std::string& text) {
    try {
      (void)parse_text(text);
    } catch (const InvalidDocument& error) {
      return error.diagnostics()[0].path;
    }
    return "accepted"s;
  };
  EXPECT_EQ(path_of("x"), "");
  EXPECT_EQ(path_of("{\"bodies\":[1,{\"mass\":x}]}"), "bodies[1].mass");
  EXPECT_EQ(path_of("[[1,2,x]]"), "[0][2]");
  EXPECT_EQ(path_of("{\"a b\":{\"é\":x}}"), "a b.é");
  EXPECT_EQ(path_of(R"({"a\n\u001b":{"\"":x}})"), R"("a\u000a\u001b"."\"")");
  EXPECT_EQ(path_of("{\"" + repeated("k", 63) + "\":x}"), "\"" + repeated("k", 60) + "…\"");
}

// ------------------------------------------------------------------------------------------------ limits

TEST(Json, NestsToItsLimitAndNoDeeper) {
  EXPECT_EQ(json_errors(repeated("[", 1000) + repeated("]", 1000)), "");
  EXPECT_EQ(json_errors(repeated("{\"a\":", 999) + "{}" + repeated("}", 999)), "");
  EXPECT_EQ(json_errors(repeated("[", 1001) + repeated("]", 1001)),
            "1:1001: nested deeper than 1000 levels. Flatten the document.");
  EXPECT_EQ(json_errors(repeated("[\n", 1'000'000)),
            "1001:1: nested deeper than 1000 levels. Flatten the document.");
  EXPECT_EQ(json_errors(repeated("{\"a\":", 1'000'000)),
            "1:5001: nested deeper than 1000 levels. Flatten the document.");

  const JsonLimits limits{.max_depth = 2};
  EXPECT_EQ(json_errors("[[1]]", limits), "");
  EXPECT_EQ(json_errors("[{\"a\":[]}]", limits), "1:7: nested deeper than 2 levels. Flatten the document.");
}

TEST(Json, CountsItsValues) {
  const JsonLimits limits{.max_values = 4};
  EXPECT_EQ(json_errors("[1,[2]]", limits), "");
  EXPECT_EQ(json_errors("{\"a\":1,\"b\":2,\"c\":3}", limits), "");
  EXPECT_EQ(json_errors("[1,2,3,4]", limits),
            "1:8: more than 4 values in one file. Use \"repeat\" for many equal parts, or "
            "split it by \"include\".");
}

// --------------------------------------------------------------------------------------------- numbers

TEST(Json, ReadsNumbersAsTheCompilerDoes) {
  const std::pair<const char*, double> rows[] = {
      {"0.1", 0.1},
      {"-0", -0.0},
      {"-0.0e7", -0.0},
      {"1e308", 1e308},
      {"1.7976931348623157e308", 1.7976931348623157e308},
      {"1.7976931348623158e308", 1.7976931348623158e308},  // rounds to the largest double
      {"2.2250738585072014e-308", 2.2250738585072014e-308},
      {"2.2250738585072011e-308", 2.2250738585072011e-308},  // the largest below the normal ones
      {"4.9406564584124654e-324", 4.9406564584124654e-324},
      {"5e-324", 5e-324},
      {"3e-324", 3e-324},
      {"12345678901234567890", 12345678901234567890.0},
      {"9007199254740993", 9007199254740993.0},  // halfway: to even
      {"9007199254740993.00000000000000000001", 9007199254740993.00000000000000000001},
      {"0.30000000000000004", 0.30000000000000004},
      {"3.14159265358979323846264338327950288", 3.14159265358979323846264338327950288},
      {"100000000000000000000000e-23", 1.0},
      {"0.00000000000000000000001e23", 1.0},
  };
  for (const auto& [text, value] : rows) EXPECT_EQ(bits(*parse_text(text).if_number()), bits(value)) << text;
  EXPECT_EQ(bits(*parse_text("2e-324").if_number()), bits(0.0));  // below half of the smallest
  EXPECT_EQ(bits(*parse_text("-2e-324").if_number()), bits(-0.0));
  EXPECT_EQ(*parse_text("1" + repeated("0", 308)).if_number(), 1e308);
  EXPECT_EQ(*parse_text("1" + repeated("0", 400) + "e-400").if_number(), 1.0);
  EXPECT_EQ(*parse_text("0." + repeated("3", 5000)).if_number(), 1.0 / 3.0);
}

TEST(Json, WritesTheShortestNumberThatReadsBackBitForBit) {
  const std::pair<double, const char*> rows[] = {
      {0.0, "0"},         {-0.0, "-0"},
      {0.1, "0.1"},       {1.0 / 3.0, "0.3333333333333333"},
      {100.0, "100"},     {1e22, "1e+22"},
      {5e-324, "5e-324"}, {1.7976931348623157e308, "1.7976931348623157e+308"},
  };
  for (const auto& [value, text] : rows) EXPECT_EQ(write_json(JsonValue(value)), text);

  std::mt19937_64 random(1);
  std::string text = "[";
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    values.push_back(value);
    text += (values.size() > 1 ? "," : "") + write_json(JsonValue(value));
  }
  const JsonValue read = parse_text(text + "]");
  ASSERT_EQ(read.if_array()->size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(bits(*(*read.if_array())[i].if_number()), bits(values[i])) << values[i];
}

TEST(Json, WritesNullForWhatIsNotFinite) {
  const JsonValue value(JsonValue::Array{JsonValue(kInfinity), JsonValue(-kInfinity),
                                         JsonValue(std::numeric_limits<double>::quiet_NaN())});
  EXPECT_EQ(write_json(value), "[null, null, null]");
}

// ------------------------------------------------------------------------------- positions and structure

TEST(Json, KnowsWhereEveryKeyAndValueStands) {
  Sources sources;
  sources.add("other", "x");
  const SourceId id = sources.add("a.json", "{ \"a\" : -1.5e3 /* c */, \"\\u0062\":[true,\n \"é\" , {} ] }");
  const JsonValue value = parse_json(sources, id);
  const auto text = [&](const TextSpan& span) { return std::string(sources.slice(span)); };

  EXPECT_EQ(value.where.source, id);
  EXPECT_EQ(text(value.where), sources.text(id));
  const JsonValue::Object& members = *value.if_object();
  EXPECT_EQ(text(members[0].key_where), "\"a\"");
  EXPECT_EQ(text(members[0].value.where), "-1.5e3");
  EXPECT_EQ(text(members[1].key_where), "\"\\u0062\"");
  EXPECT_EQ(text(members[1].value.where), "[true,\n \"é\" , {} ]");
  const JsonValue::Array& items = *members[1].value.if_array();
  EXPECT_EQ(text(items[0].where), "true");
  EXPECT_EQ(text(items[1].where), "\"é\"");
  EXPECT_EQ(text(items[2].where), "{}");
}

TEST(Json, FindsMembersAndNamesKinds) {
  JsonValue value = parse_text("{\"a\":1,\"b\":null,\"c\":[],\"d\":\"\",\"e\":true}");
  EXPECT_EQ(*value.find("a")->if_number(), 1.0);
  EXPECT_EQ(value.find("z"), nullptr);
  EXPECT_EQ(value.find("c")->find("a"), nullptr);
  EXPECT_EQ(value.kind_name(), "an object");
  EXPECT_EQ(value.find("a")->kind_name(), "a number");
  EXPECT_EQ(value.find("b")->kind_name(), "null");
  EXPECT_EQ(value.find("c")->kind_name(), "a list");
  EXPECT_EQ(value.find("d")->kind_name(), "a string");
  EXPECT_EQ(value.find("e")->kind_name(), "a boolean");
  value.add("f", "text");
  EXPECT_EQ(*value.find("f")->if_string(), "text");
}

TEST(Json, IsEqualWhereverItStands) {
  EXPECT_TRUE(parse_text("{\"a\":[1,2]}") == parse_text(" {\n\"a\" : [1, 2.0]}"));
  EXPECT_FALSE(parse_text("[1,2]") == parse_text("[2,1]"));
  EXPECT_FALSE(parse_text("{\"a\":1,\"b\":2}") == parse_text("{\"b\":2,\"a\":1}"));  // order is content
  EXPECT_FALSE(parse_text("0") == parse_text("false"));
}

// ------------------------------------------------------------------------------------------- round trips

std::string random_string(std::mt19937_64& random) {
  static constexpr std::array kPieces{"a",       "Z",    " ",    "\"", "\\", "/",    "\n",     "\t",
                                      "\x01",    "\x1f", "\x7f", "é",  "€",  "🧊", "\u2028", "\uffff",
                                      "\\u0041", "//",   "/*",   "\r", "'",  "{",    "]"};
  std::string text;
  for (std::uint64_t n = random() % 6; n > 0; --n) text += kPieces[random() % kPieces.size()];
  return text;
}

JsonValue random_value(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 7 : 4)) {
    case 0:
      return random() % 3 == 0 ? JsonValue() : JsonValue(random() % 2 == 0);
    case 1:
      return JsonValue(random_string(random));
    case 2:
      return JsonValue(static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 8);
    case 3: {
      const auto value = std::bit_cast<double>(random());
      return JsonValue(std::isfinite(value) ? value : -0.0);
    }
    case 4: {
      JsonValue::Array items;
      for (std::uint64_t n = random() % 5; n > 0; --n) items.push_back(random_value(random, depth - 1));
      return JsonValue(std::move(items));
    }
    default: {
      JsonValue object{JsonValue::Object()};
      for (std::uint64_t n = random() % 5; n > 0; --n) {
        const std::string key = random_string(random);
        if (!object.find(key)) object.add(key, random_value(random, depth - 1));
      }
      return object;
    }
  }
}

TEST(Json, RandomDocumentsReadBackAsTheyWereWritten) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 10'000; ++i) {
    const JsonValue value = random_value(random, 1 + i % 5);
    for (const int indent : {0, 2, 4}) {
      const std::string text = write_json(value, indent);
      ASSERT_EQ(json_errors(text), "") << text;
      const JsonValue read = parse_text(text);
      ASSERT_TRUE(read == value) << text;
      ASSERT_EQ(write_json(read, indent), text);
    }
  }
}

// Cutting a document anywhere, or changing any byte of it, is never more than an error with a place.
TEST(Json, EveryBrokenDocumentIsReadOrRefusedWithAPlace) {
  const std::string text =
      "{\"a\": [1.5e-3, true, null], /* ü */ \"b\\u00e9\\ud83e\\uddca\": {\"c\": \"🧊\"} // end\n}";
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const std::string error = json_errors(text.substr(0, cut));
    ASSERT_FALSE(error.empty()) << cut;
  }
  for (std::size_t at = 0; at < text.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      std::string broken = text;
      broken[at] = static_cast<char>(byte);
      const std::string error = json_errors(broken);
      ASSERT_TRUE(error.empty() || error.find_first_not_of("0123456789:") > 2) << error;
    }
}

}  // namespace
}  // namespace rigor
