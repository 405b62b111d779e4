#include "rigor/io/temporary_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <system_error>

#include "rigor/io/append_file.hpp"
#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

using testing_support::read_file;
using testing_support::TemporaryFolder;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  return names;
}

TEST(TemporaryFile, IsGoneUnlessItGetsItsName) {
  const TemporaryFolder folder;
  {
    const TemporaryFile file(folder.path());
    EXPECT_EQ(names_in(folder.path()).size(), 1u);
  }
  EXPECT_TRUE(names_in(folder.path()).empty());
  {
    TemporaryFile file(folder.path());
    ASSERT_EQ(::write(file.fd(), "all", 3), 3);
    file.rename_to(folder.path() / "a");
  }
  EXPECT_EQ(read_file(folder.path() / "a"), "all");
  EXPECT_THROW(TemporaryFile(folder.path() / "none"), std::system_error);
}

TEST(TemporaryFile, AreAllRemovedWhereASignalEndsTheProcess) {
  const TemporaryFolder folder;
  TemporaryFile kept(folder.path());
  kept.rename_to(folder.path() / "kept");
  {
    const TemporaryFile one(folder.path()), two(folder.path());
    EXPECT_EQ(names_in(folder.path()).size(), 3u);
    remove_temporary_files();
    EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"kept"});
  }
  remove_temporary_files();
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"kept"});
}

// Nobody can lay a link in its way: the names are as good as random, and say nothing of the process.
TEST(TemporaryFile, HasANameThatNobodyForetells) {
  const TemporaryFolder folder;
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const TemporaryFile file(folder.path());
    const std::string name = names_in(folder.path()).at(0);
    EXPECT_EQ(name.find(std::to_string(::getpid()) + "."), std::string::npos);
    names.insert(name);
  }
  EXPECT_EQ(names.size(), 100u);
}

// A recording was made at NAME.PID.new, through whatever link lay there.
TEST(TemporaryFile, ARecordingFollowsNoLinkThatLiesInItsWay) {
  const TemporaryFolder folder;
  folder.write("victim", "precious");
  std::filesystem::create_symlink(folder.path() / "victim",
                                  folder.path() / ("a.rec." + std::to_string(::getpid()) + ".new"));
  { const AppendFile file = AppendFile::create(folder.path() / "a.rec", "header"); }
  EXPECT_EQ(read_file(folder.path() / "victim"), "precious");
  EXPECT_EQ(read_file(folder.path() / "a.rec"), "header");
  EXPECT_FALSE(std::filesystem::is_symlink(folder.path() / "a.rec"));
}

}  // namespace
}  // namespace rigor
