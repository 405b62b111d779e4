#include "rigor/base/diagnostic.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(Diagnostic, ShowsAllItsPartsInOneLine) {
  const Diagnostic diagnostic{.file = "crates.json",
                              .line = 41,
                              .column = 15,
                              .path = "bodies.crate_7.mass",
                              .value = "-2 kg",
                              .rule = "must be >= 0",
                              .remedy = "Use \"joint\": \"fixed\"."};
  EXPECT_EQ(diagnostic.text(),
            "crates.json:41:15: bodies.crate_7.mass = -2 kg, must be >= 0. Use \"joint\": \"fixed\".");
}

TEST(Diagnostic, LeavesOutWhatItDoesNotKnow) {
  using D = Diagnostic;
  EXPECT_EQ((D{.rule = "must be set"}).text(), "must be set.");
  EXPECT_EQ((D{.rule = "must be set", .remedy = "Set it."}).text(), "must be set. Set it.");
  EXPECT_EQ((D{.file = "a.json", .rule = "is empty"}).text(), "a.json: is empty.");
  EXPECT_EQ((D{.file = "a.json", .line = 2, .column = 1, .rule = "is empty"}).text(),
            "a.json:2:1: is empty.");
  EXPECT_EQ((D{.path = "run.dt", .rule = "is missing"}).text(), "run.dt: is missing.");
  EXPECT_EQ((D{.value = "\"x\"", .rule = "unknown key"}).text(), "\"x\", unknown key.");
  EXPECT_EQ((D{.path = "run.dt", .value = "0 s", .rule = "must be > 0"}).text(),
            "run.dt = 0 s, must be > 0.");
  EXPECT_EQ((D{.file = "a.json", .path = "run", .rule = "is missing"}).text(), "a.json: run: is missing.");
}

TEST(InvalidDocument, TellsAllErrorsOneALine) {
  const InvalidDocument error(
      {{.file = "a.json", .line = 1, .column = 2, .rule = "first"},
       {.file = "a.json", .line = 3, .column = 4, .rule = "second", .remedy = "Mend it."}});
  EXPECT_STREQ(error.what(), "a.json:1:2: first.\na.json:3:4: second. Mend it.");
  ASSERT_EQ(error.diagnostics().size(), 2U);
  EXPECT_EQ(error.diagnostics()[1].line, 3);
}

TEST(FindSimilar, MendsSlipsOfTheFingers) {
  const std::vector<std::string> known{"position", "rotation", "mass", "density", "shapes", "dt"};
  EXPECT_EQ(find_similar("positon", known), "position");    // a letter left out
  EXPECT_EQ(find_similar("posiition", known), "position");  // one too many
  EXPECT_EQ(find_similar("pasition", known), "position");   // a wrong one
  EXPECT_EQ(find_similar("posiiton", known), "position");   // two swapped
  EXPECT_EQ(find_similar("msas", known), "mass");           // a swap counts as one slip
  EXPECT_EQ(find_similar("shape", known), "shapes");
  EXPECT_EQ(find_similar("td", known), "dt");
  EXPECT_EQ(find_similar("mass", known), "mass");
}

TEST(FindSimilar, IgnoresCase) {
  EXPECT_EQ(find_similar("MASS", {"mass"}), "mass");
  EXPECT_EQ(find_similar("Mas", {"mass"}), "mass");
  EXPECT_EQ(find_similar("dT", {"dt", "dT2"}), "dt");
}

TEST(FindSimilar, TakesTheClosestAndAmongEqualsTheFirst) {
  EXPECT_EQ(find_similar("springs", {"strings", "spring", "springs"}), "springs");
  EXPECT_EQ(find_similar("bat", {"cat", "hat"}), "cat");
}

TEST(FindSimilar, IsSilentWhereNothingIsClose) {
  const std::vector<std::string> known{"position", "rotation", "mass", "a"};
  EXPECT_EQ(find_similar("colour", known), "");
  EXPECT_EQ(find_similar("prsotcin", known), "");  // four slips in eight letters
  EXPECT_EQ(find_similar("", known), "");
  EXPECT_EQ(find_similar("b", known), "");  // would replace the whole word
  EXPECT_EQ(find_similar("mass", {}), "");
  EXPECT_EQ(find_similar(std::string(100'000, 'm'), known), "");  // and costs nothing
}

TEST(QuoteForMessage, KeepsPlainText) {
  EXPECT_EQ(quote_for_message(""), "\"\"");
  EXPECT_EQ(quote_for_message("crate 7"), "\"crate 7\"");
  EXPECT_EQ(quote_for_message("Kühlschrank 冷蔵庫 🧊"), "\"Kühlschrank 冷蔵庫 🧊\"");
}

TEST(QuoteForMessage, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(quote_for_message("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quote_for_message("two\nlines\t\r"), R"("two\u000alines\u0009\u000d")");
  EXPECT_EQ(quote_for_message("\x1b[31m\x7f"), R"("\u001b[31m\u007f")");
  EXPECT_EQ(quote_for_message(std::string("a\0b", 3)), R"("a\u0000b")");
  // U+0080 to U+009F are control characters too: U+009B begins a terminal's command as ESC [ does
  EXPECT_EQ(quote_for_message("\u0080\u009b31m\u009f"), R"("\u0080\u009b31m\u009f")");
  EXPECT_EQ(quote_for_message("\u00a0\u00e9"), "\"\u00a0\u00e9\"");
}

TEST(QuoteForMessage, CutsBetweenCharacters) {
  EXPECT_EQ(quote_for_message("abcde", 5), "\"abcde\"");
  EXPECT_EQ(quote_for_message("abcdef", 5), "\"abcde…\"");
  EXPECT_EQ(quote_for_message("äöüß", 3), "\"äöü…\"");
  EXPECT_EQ(quote_for_message("äöü", 3), "\"äöü\"");
  EXPECT_EQ(quote_for_message("🧊🧊🧊", 2), "\"🧊🧊…\"");
  EXPECT_EQ(quote_for_message("a\nb\n", 3), "\"a\\u000ab…\"");
  EXPECT_EQ(quote_for_message("x", 0), "\"…\"");
  EXPECT_EQ(quote_for_message(std::string(61, 'x')), "\"" + std::string(60, 'x') + "…\"");
}

}  // namespace
}  // namespace rigor
