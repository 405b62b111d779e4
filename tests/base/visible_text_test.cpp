#include "rigor/base/visible_text.hpp"

#include <gtest/gtest.h>

#include "rigor/base/diagnostic.hpp"

namespace rigor {
namespace {

TEST(VisibleText, LettersOfAllScriptsStayAsTheyAre) {
  for (const char* text : {"", "crate_7", "Würfel", "ящик", "箱", "صندوق", "📦", "5 µm ≤ x"})
    EXPECT_EQ(visible_text(text, false), text);
}

// What a terminal would obey: ESC, CSI as one character of the second block, BEL, backspace, delete.
TEST(VisibleText, CommandsToATerminalAreShown) {
  EXPECT_EQ(visible_text("\x1b[2J\x1b]0;owned\x07", false), "\\u001b[2J\\u001b]0;owned\\u0007");
  EXPECT_EQ(visible_text("a\xC2\x9B"
                         "31mX",
                         false),
            "a\\u009b31mX");
  EXPECT_EQ(visible_text("ab\b\x7F", false), "ab\\u0008\\u007f");
  EXPECT_EQ(visible_text(std::string_view("a\0b", 3), false), "a\\u0000b");
}

TEST(VisibleText, MarksThatTurnOrHideTextAreShown) {
  EXPECT_EQ(visible_text("exe\u202Egpj", false), "exe\\u202egpj");
  EXPECT_EQ(visible_text("\u2066a\u2069\u200F\u061C", false), "\\u2066a\\u2069\\u200f\\u061c");
  EXPECT_EQ(visible_text("a\u200Bb\uFEFF", false), "a\\u200bb\\ufeff");
  EXPECT_EQ(visible_text("\U000E0041", false), "\\U000e0041");
}

TEST(VisibleText, BytesThatAreNoCharactersAreShownOneByOne) {
  EXPECT_EQ(visible_text("\x9B"
                         "31m",
                         false),
            "\\x9b31m");
  EXPECT_EQ(visible_text("\xC0\xAF", false), "\\xc0\\xaf");           // written longer than need be
  EXPECT_EQ(visible_text("\xED\xA0\x80", false), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(visible_text("\xF4\x90\x80\x80", false), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(visible_text("\xE2\x82", false), "\\xe2\\x82");
}

TEST(VisibleText, LinesStayWhereTheyAreWanted) {
  EXPECT_EQ(visible_text("a\tb\nc\r\n", true), "a\tb\nc\\u000d\n");
  EXPECT_EQ(visible_text("a\nb", false), "a\\u000ab");
}

TEST(VisibleText, MessagesAboutAFileShowWhatItHides) {
  const Diagnostic diagnostic{.file = "\x1b[1m.json",
                              .line = 1,
                              .column = 2,
                              .path = "bodies.\u202Ex",
                              .value = "\x9B",
                              .rule = "must be \x07",
                              .remedy = "Did you mean \"\x1b\"?"};
  EXPECT_EQ(diagnostic.text(),
            "\\u001b[1m.json:1:2: bodies.\\u202ex = \\x9b, must be \\u0007. Did you mean \"\\u001b\"?");
  EXPECT_EQ(quote_for_message("a\u202E\"\x9B"), "\"a\\u202e\\\"\\x9b\"");
}

}  // namespace
}  // namespace rigor
