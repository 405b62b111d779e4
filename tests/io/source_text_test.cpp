#include "rigor/io/source_text.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace rigor {
namespace {

namespace fs = std::filesystem;

// ---------------------------------------------------------------------------------------------- locate()

std::string place(const std::string& text, std::size_t offset) {
  Sources sources;
  const SourceId id = sources.add("a.json", text);
  Diagnostic diagnostic;
  sources.locate({id, static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(offset)}, diagnostic);
  EXPECT_EQ(diagnostic.file, "a.json");
  return fmt::format("{}:{}", diagnostic.line, diagnostic.column);
}

TEST(Sources, CountLinesAndColumnsFromOne) {
  const std::string text = "ab\n\ncd";
  EXPECT_EQ(place(text, 0), "1:1");
  EXPECT_EQ(place(text, 1), "1:2");
  EXPECT_EQ(place(text, 2), "1:3");  // the line break belongs to its line
  EXPECT_EQ(place(text, 3), "2:1");
  EXPECT_EQ(place(text, 4), "3:1");
  EXPECT_EQ(place(text, 6), "3:3");  // the end
  EXPECT_EQ(place("ab\n", 3), "2:1");
  EXPECT_EQ(place("", 0), "1:1");
}

TEST(Sources, CountCharactersNotBytes) {
  const std::string text = "ä€🧊x\nü!";
  EXPECT_EQ(place(text, 2), "1:2");  // after 2 bytes of ä
  EXPECT_EQ(place(text, 5), "1:3");  // and 3 of €
  EXPECT_EQ(place(text, 9), "1:4");  // and 4 of 🧊
  EXPECT_EQ(place(text, 11), "2:1");
  EXPECT_EQ(place(text, 13), "2:2");
}

TEST(Sources, CountTheLinesOfWindowsTheSame) {
  const std::string text = "a\r\nbc\r\nd";
  EXPECT_EQ(place(text, 3), "2:1");
  EXPECT_EQ(place(text, 4), "2:2");
  EXPECT_EQ(place(text, 7), "3:1");
}

TEST(Sources, DoNotCountTheByteOrderMark) {
  const std::string text = "\xEF\xBB\xBF{}\n{}";
  EXPECT_EQ(place(text, 0), "1:1");
  EXPECT_EQ(place(text, 3), "1:1");
  EXPECT_EQ(place(text, 4), "1:2");
  EXPECT_EQ(place(text, 7), "2:2");
}

// The judge counts from the beginning, every time.
TEST(Sources, LocateInLongTextsAsInShortOnes) {
  std::string text;
  for (int i = 0; text.size() < 20'000; ++i)
    text += i % 7 == 0 ? "ü" : i % 61 == 0 ? "\n" : i % 3000 == 1 ? "🧊" : "x";
  text += std::string(10'000, 'y');
  for (std::size_t offset = 0; offset <= text.size(); ++offset) {
    if (offset % 97 != 0 && offset % 4096 > 2 && offset != text.size()) continue;
    const std::string before = text.substr(0, offset);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::string in_line = before.substr(lines == 0 ? 0 : before.rfind('\n') + 1);
    const auto characters =
        std::count_if(in_line.begin(), in_line.end(), [](char c) { return (c & 0xC0) != 0x80; });
    ASSERT_EQ(place(text, offset), fmt::format("{}:{}", lines + 1, characters + 1)) << offset;
  }
}

// A thousand errors at the end of 32 MB: counting each from the beginning would take half a minute.
TEST(Sources, LocateInLittleTime) {
  Sources sources;
  const SourceId id = sources.add("a.json", std::string(32U << 20U, ' '));
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t at = (32U << 20U) - i;
    Diagnostic diagnostic;
    sources.locate({id, at, at}, diagnostic);
    ASSERT_EQ(diagnostic.column, static_cast<int>(at) + 1);
  }
}

TEST(Sources, KeepTextsApart) {
  Sources sources;
  const SourceId a = sources.add("a", "first"), b = sources.add("b", "second");
  EXPECT_EQ(sources.size(), 2U);
  EXPECT_EQ(sources.name(b), "b");
  EXPECT_EQ(sources.text(a), "first");
  EXPECT_EQ(sources.slice({b, 1, 4}), "eco");
}

}  // namespace
}  // namespace rigor
