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

// ------------------------------------------------------------------------------------------------- files

class TextFile : public testing::Test {
 protected:
  TextFile() {
    std::string name = (fs::temp_directory_path() / "rigor_test_XXXXXX").string();
    folder = ::mkdtemp(name.data());
  }
  ~TextFile() override {
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, ignored);
    fs::remove_all(folder, ignored);
  }

  fs::path put(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }

  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path().filename().string());
    std::sort(all.begin(), all.end());
    return all;
  }

  static std::string read_error(const fs::path& path, std::size_t limit = 1000) {
    try {
      (void)read_text_file(path, limit);
    } catch (const InvalidDocument& error) {
      return error.what();
    }
    return "read";
  }

  static std::string write_error(const fs::path& path, std::string_view text = "new") {
    try {
      write_text_file(path, text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "written";
  }

  fs::path folder;
};

TEST_F(TextFile, ReadsEveryByte) {
  const std::string text("a\0b\r\n\xFF", 6);
  EXPECT_EQ(read_text_file(put("a", text), 6), text);
  EXPECT_EQ(read_text_file(put("empty", ""), 0), "");
}

TEST_F(TextFile, RefusesWhatItCannotRead) {
  const fs::path missing = folder / "missing.json";
  EXPECT_EQ(read_error(missing),
            missing.string() + ": cannot be read (No such file or directory). Check the path.");
  EXPECT_EQ(read_error(""), "cannot be read (No such file or directory). Check the path.");
  EXPECT_EQ(read_error(put("a", "text") / "b"),
            (folder / "a" / "b").string() + ": cannot be read (Not a directory). Check the path.");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(
      read_error(folder / "loop"),
      (folder / "loop").string() + ": cannot be read (Too many levels of symbolic links). Check the path.");
}

TEST_F(TextFile, RefusesWhatIsNoRegularFileWithoutWaiting) {
  const std::string rule = ": is not a regular file. Give the path of a file.";
  EXPECT_EQ(read_error(folder), folder.string() + rule);
  EXPECT_EQ(read_error("/dev/null"), "/dev/null" + rule);
  EXPECT_EQ(read_error("/dev/zero"), "/dev/zero" + rule);
  EXPECT_EQ(read_error("/dev/full"), "/dev/full" + rule);
  const fs::path pipe = folder / "pipe";  // nobody writes to it: opening it must not wait
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(read_error(pipe), pipe.string() + rule);
}

TEST_F(TextFile, RefusesWhatIsTooLargeBeforeReadingIt) {
  const fs::path path = put("large.json", "12345");
  EXPECT_EQ(read_text_file(path, 5), "12345");
  EXPECT_EQ(read_error(path, 4), path.string() +
                                     ": has 5 bytes, the limit is 4. Use \"repeat\" for many equal parts, "
                                     "or split it by \"include\".");
  fs::resize_file(path, std::uintmax_t{1} << 40U);  // a hole of 1 TB
  EXPECT_NE(read_error(path, 4), "read");
}

TEST_F(TextFile, RefusesWhatItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const fs::path path = put("secret.json", "{}");
  fs::permissions(path, fs::perms::none);
  EXPECT_EQ(read_error(path), path.string() + ": cannot be read (Permission denied). Check the path.");
}

TEST_F(TextFile, WritesANewFileAndReplacesAnOldOne) {
  const fs::path path = folder / "a.json";
  write_text_file(path, "first");
  EXPECT_EQ(content(path), "first");
  write_text_file(path, "2nd");
  EXPECT_EQ(content(path), "2nd");
  write_text_file(path, "");
  EXPECT_EQ(content(path), "");
  EXPECT_THAT(names(), testing::ElementsAre("a.json"));
}

TEST_F(TextFile, WritesANameOfAnyLengthThatTheSystemTakes) {
  const fs::path path = folder / std::string(255, 'n');
  write_text_file(path, "text");
  EXPECT_EQ(content(path), "text");
  EXPECT_EQ(write_error(folder / std::string(256, 'n')),
            (folder / std::string(256, 'n')).string() +
                ": cannot be written (File name too long). Nothing was changed.");
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(TextFile, WritesRelativeToTheWorkingFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write_text_file("a.json", "text");
  fs::current_path(before);
  EXPECT_EQ(content(folder / "a.json"), "text");
  EXPECT_THAT(names(), testing::ElementsAre("a.json"));
}

TEST_F(TextFile, KeepsThePermissionsOfTheFileItReplaces) {
  for (const unsigned mode : {0600U, 0644U, 0755U, 0660U}) {
    const fs::path path = put("a.json", "old");
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    write_text_file(path, "new");
    struct stat info {};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777U, mode);
    EXPECT_EQ(content(path), "new");
  }
}

TEST_F(TextFile, GivesANewFileThePermissionsThatTheUserSetForNewFiles) {
  const ::mode_t before = ::umask(027);
  write_text_file(folder / "a.json", "new");
  ::umask(before);
  struct stat info {};
  ASSERT_EQ(::stat((folder / "a.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0640U);
}

TEST_F(TextFile, WritesTheFileBehindALinkAndLeavesTheLink) {
  fs::create_directory(folder / "data");
  const fs::path real = put("data/real.json", "old");
  fs::create_symlink("data/real.json", folder / "relative");
  fs::create_symlink(folder / "relative", folder / "absolute");
  write_text_file(folder / "absolute", "new");
  EXPECT_EQ(content(real), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "absolute"));
  EXPECT_TRUE(fs::is_symlink(folder / "relative"));
  EXPECT_FALSE(fs::is_symlink(real));
  EXPECT_THAT(names(), testing::ElementsAre("absolute", "data", "relative"));
}

TEST_F(TextFile, WritesTheFileThatALinkPromises) {
  fs::create_symlink("later.json", folder / "link");
  write_text_file(folder / "link", "new");
  EXPECT_EQ(content(folder / "later.json"), "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(write_error(folder / "loop"),
            (folder / "loop").string() +
                ": cannot be written (Too many levels of symbolic links). Nothing was changed.");
}

TEST_F(TextFile, NeverWritesThroughALinkInPlaceOfItsTemporaryFile) {
  const fs::path victim = put("victim", "precious");
  fs::create_symlink(victim, folder / fmt::format(".rigor.{}.0.tmp", ::getpid()));
  write_text_file(folder / "a.json", "new");
  EXPECT_EQ(content(victim), "precious");
  EXPECT_EQ(content(folder / "a.json"), "new");
}

TEST_F(TextFile, LeavesNothingBehindWhenTheFolderIsMissing) {
  const fs::path path = folder / "no" / "a.json";
  EXPECT_EQ(write_error(path),
            path.string() + ": cannot be written (No such file or directory). Nothing was changed.");
  EXPECT_TRUE(names().empty());
}

TEST_F(TextFile, DoesNotReplaceAFolder) {
  fs::create_directory(folder / "a");
  EXPECT_EQ(write_error(folder / "a"),
            (folder / "a").string() + ": cannot be written (Is a directory). Nothing was changed.");
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(TextFile, KeepsTheOldFileWhereItMayNotWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  const fs::path path = put("a.json", "old");
  const std::string message = path.string() + ": cannot be written (Permission denied). Nothing was changed.";

  fs::permissions(path, fs::perms::owner_read);
  EXPECT_EQ(write_error(path), message);
  EXPECT_EQ(content(path), "old");

  fs::permissions(path, fs::perms::owner_all);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(write_error(path), message);
  EXPECT_EQ(content(path), "old");
  EXPECT_THAT(names(), testing::ElementsAre("a.json"));
}

// A disk that is full, in small: no file of this process may grow beyond 4096 bytes.
TEST_F(TextFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const fs::path path = put("a.json", "old");
  const std::string message = path.string() + ": cannot be written (File too large). Nothing was changed.";
  const auto write_too_much = [&] {
    std::signal(SIGXFSZ, SIG_IGN);
    ::rlimit small{};
    small.rlim_cur = small.rlim_max = 4096;
    ::setrlimit(RLIMIT_FSIZE, &small);
    std::_Exit(write_error(path, std::string(100'000, 'x')) == message ? 7 : 8);
  };
  EXPECT_EXIT(write_too_much(), testing::ExitedWithCode(7), "");
  EXPECT_EQ(content(path), "old");
  EXPECT_THAT(names(), testing::ElementsAre("a.json"));
}

TEST_F(TextFile, WritesToDevicesAndPipes) {
  EXPECT_EQ(write_error("/dev/null"), "written");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(write_error("/dev/full"),
            "/dev/full: cannot be written (No space left on device). Nothing was changed.");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));

  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(write_error(fmt::format("/proc/self/fd/{}", ends[1]), "through"), "written");  // as /dev/stdout
  char buffer[16];
  EXPECT_EQ(::read(ends[0], buffer, sizeof buffer), 7);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(TextFile, IsWholeWhenManyThreadsWriteIt) {
  const fs::path path = folder / "a.json";
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c)
    threads.emplace_back([&path, c] {
      for (int i = 0; i < 5; ++i) write_text_file(path, std::string(10'000, c));
    });
  for (std::thread& thread : threads) thread.join();
  const std::string text = content(path);
  EXPECT_EQ(text, std::string(10'000, text.empty() ? '?' : text[0]));
  EXPECT_THAT(names(), testing::ElementsAre("a.json"));
}

}  // namespace
}  // namespace rigor
