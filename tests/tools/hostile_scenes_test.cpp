// Scene files that must be refused: each with every line it must be told, within 2 s and 512 MB, never by a
// crash. The table is in tests/tools/hostile/*.txt; what cannot stand in a text file is made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/run_program.hpp"

namespace rigor {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::ProgramResult;
using testing_support::TemporaryFolder;

struct HostileScene {
  std::string name;
  std::string text;
  std::string expected;  // lines without the file's name
};

// Blocks: "=== name", the text, then the expected lines behind ">>> ".
std::vector<HostileScene> read_table(const std::filesystem::path& path) {
  std::vector<HostileScene> scenes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      scenes.push_back({line.substr(4), "", ""});
    } else if (scenes.empty()) {
      EXPECT_THAT(line, StartsWith("# ")) << path;
    } else if (line.starts_with(">>> ")) {
      scenes.back().expected += "scene.json:" + line.substr(4) + '\n';
    } else {
      scenes.back().text += (scenes.back().text.empty() ? "" : "\n") + line;
    }
  }
  return scenes;
}

void expect_cheap_refusal(const ProgramResult& result) {
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_LT(result.seconds, 2.0);
  EXPECT_LT(result.megabytes, 512.0);
}

class HostileScenes : public testing::Test {
 protected:
  ProgramResult check(const std::string& file = "scene.json") const {
    return testing_support::run_program({RIGOR_PROGRAM, "check", file}, folder_.path());
  }

  // A scene made by the test that must be refused with this as its first message.
  void expect_refused(const std::string& text, const std::string& message) const {
    folder_.write("scene.json", text);
    const ProgramResult result = check();
    expect_cheap_refusal(result);
    EXPECT_THAT(result.err, StartsWith("scene.json:" + message));
  }

  TemporaryFolder folder_;
};

class HostileTable : public HostileScenes, public testing::WithParamInterface<const char*> {};

TEST_P(HostileTable, EachIsRefusedWithItsMessages) {
  const auto scenes = read_table(std::filesystem::path(RIGOR_SOURCE) / "tests/tools/hostile" / GetParam());
  EXPECT_GT(scenes.size(), 50U);
  for (const HostileScene& scene : scenes) {
    SCOPED_TRACE(scene.name);
    folder_.write("scene.json", scene.text);
    const ProgramResult result = check();
    expect_cheap_refusal(result);
    EXPECT_EQ(result.err, scene.expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, HostileTable, testing::Values("syntax.txt", "fields.txt", "rules.txt"),
                         [](const auto& table) {
                           return std::filesystem::path(table.param).stem().string();
                         });

TEST_F(HostileScenes, BytesThatAreNoText) {
  expect_refused(std::string("{\"rigor\": 1\0}", 13), "1:12: holds a NUL byte, must be text.");
  expect_refused("\xFF\xFE{\0}\0", "1:1: is UTF-16, must be UTF-8.");
  expect_refused("{\"name\": \"\xC0\xAF\"}", "1:11: is not valid UTF-8 here.");
  expect_refused("{\"name\": \"\xED\xA0\x80\"}", "1:11: is not valid UTF-8 here.");
  expect_refused("{\"name\": \"\xF5\x80\x80\x80\"}", "1:11: is not valid UTF-8 here.");
  expect_refused("{\"name\": \"\xE2\x82", "1:11: is not valid UTF-8 here.");
  expect_refused(std::string("\x7F") + "ELF\x02\x01\x01", "1:1: expected a value");
}

TEST_F(HostileScenes, TooDeep) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '['); };
  // the key's object is level 1
  expect_refused("{\"bodies\": " + nested(1000), "1:1011: bodies[0]");
  expect_refused(nested(1'000'000), "1:1001: [0][0]");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  expect_refused(objects, "1:5001: a.a.a");
  expect_refused("{\"rigor\": 1, \"run\": {\"dt\": \"" + std::string(500, '(') + "\"}}", "1:129: run.dt = ");
  expect_refused("{\"rigor\": 1, \"run\": {\"dt\": \"" + std::string(3000, '-') + "1\"}}",
                 "1:129: run.dt = ");
}

TEST_F(HostileScenes, TooLarge) {
  // sparse: takes no disk
  folder_.write("scene.json", "{}");
  std::filesystem::resize_file(folder_.path() / "scene.json", (64ULL << 20U) + 1);
  ProgramResult result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, StartsWith("scene.json: has 67108865 bytes, the limit is 67108864."));
  std::filesystem::resize_file(folder_.path() / "scene.json", 1ULL << 40U);
  result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, StartsWith("scene.json: has 1099511627776 bytes"));

  std::string many = "{\"rigor\": 1, \"bodies\": [0";
  for (int i = 0; i < 1'100'000; ++i) many += ",0";
  expect_refused(many + "]}", "1:2000019: bodies[999997]: more than 1000000 values in one file.");

  expect_refused("{\"rigor\": 1, \"bodies\": [{\"name\": \"" + std::string(256, 'x') + "\", \"mass\": 1}]}",
                 "1:34: bodies." + std::string(256, 'x') +
                     ".name = \"xxxxxxxxxxxxxxxxxxxx…\", a name has at most 255 bytes, this one 256.");
  expect_refused("{\"rigor\": 1, \"run\": {\"dt\": \"" + std::string(5000, '1') + "\"}}", "1:29: run.dt = ");
}

TEST_F(HostileScenes, ThousandsOfErrorsAreCut) {
  std::string many = "{\"rigor\": 1, \"bodies\": [";
  for (int i = 0; i < 100'000; ++i) many += "{\"name\": \"" + std::to_string(i) + "\", \"mas\": -1},";
  folder_.write("scene.json", many + "{}]}");
  const ProgramResult result = check();
  expect_cheap_refusal(result);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 101);
  EXPECT_THAT(result.err, HasSubstr("only the first 100 errors are shown"));
}

TEST_F(HostileScenes, FilesThatAreNoFiles) {
  EXPECT_THAT(check("missing.json").err,
              StartsWith("missing.json: cannot be read (No such file or directory)."));
  EXPECT_THAT(check(".").err, StartsWith(".: is not a regular file."));
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  const ProgramResult pipe = check("pipe");
  expect_cheap_refusal(pipe);
  EXPECT_THAT(pipe.err, StartsWith("pipe: is not a regular file."));
}

// --- include ---

TEST_F(HostileScenes, IncludesThatCannotBeRead) {
  folder_.write("sub/ok.json", "{\"rigor\": 1}");
  const auto include = [](const std::string& entry) {
    return "{\"rigor\": 1, \"include\": [" + entry + "]}";
  };
  expect_refused(include("\"nothing.json\""), "1:26: include = \"nothing.json\", cannot be read");
  expect_refused(include("\"sub\""), "1:26: include = \"sub\", is not a regular file.");
  expect_refused(include("\"/etc/passwd\""), "1:26: include = \"/etc/passwd\", must be a relative path.");
  expect_refused(include("\"../x.json\""), "1:26: include = \"../x.json\", leaves the folder of the scene.");
  expect_refused(include("\"sub/../../x.json\""), "1:26: include = \"sub/../../x.json\", leaves the folder");
  expect_refused(include("\"\""), "1:26: include = \"\", must be a relative path.");
  expect_refused(include("3"), "1:26: include = a number, must be a file's name");
  expect_refused(include("{\"prefix\": \"x\"}"), "1:26: include = an object, must be a file's name");
  expect_refused(include("{\"file\": \"sub/ok.json\", \"prefx\": \"x\"}"),
                 "1:59: include = \"prefx\", unknown key");
  expect_refused(include("{\"file\": \"sub/ok.json\", \"prefix\": 3}"),
                 "1:60: include = a number, prefix must be");
  expect_refused("{\"rigor\": 1, \"include\": \"sub/ok.json\"}",
                 "1:25: include = a string, must be a list of files.");
  expect_refused(include("\"" + std::string(5000, 'x') + "\""), "1:26: include = ");
}

TEST_F(HostileScenes, IncludesThatLeaveByALink) {
  const TemporaryFolder outside;
  outside.write("secret.json", "{\"rigor\": 1}");
  std::filesystem::create_symlink(outside.path() / "secret.json", folder_.path() / "link.json");
  std::filesystem::create_directory_symlink(outside.path(), folder_.path() / "door");
  expect_refused("{\"rigor\": 1, \"include\": [\"link.json\"]}",
                 "1:26: include = \"link.json\", leaves the folder");
  expect_refused("{\"rigor\": 1, \"include\": [\"door/secret.json\"]}",
                 "1:26: include = \"door/secret.json\", leaves");
}

TEST_F(HostileScenes, IncludesThatLoop) {
  expect_refused("{\"rigor\": 1, \"include\": [\"scene.json\"]}",
                 "1:26: include = \"scene.json\", includes itself");
  folder_.write("a.json", "{\"rigor\": 1, \"include\": [\"b.json\"]}");
  folder_.write("b.json", "{\"rigor\": 1, \"include\": [\"./sub/../a.json\"]}");
  std::filesystem::create_directory(folder_.path() / "sub");
  folder_.write("scene.json", "{\"rigor\": 1, \"include\": [\"a.json\"]}");
  const ProgramResult result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, StartsWith("b.json:1:26: include = \"./sub/../a.json\", includes itself"));
}

TEST_F(HostileScenes, IncludesThatGoOnForEver) {
  for (int i = 0; i < 20; ++i)
    folder_.write("d" + std::to_string(i) + ".json",
                  "{\"rigor\": 1, \"include\": [\"d" + std::to_string(i + 1) + ".json\"]}");
  folder_.write("scene.json", "{\"rigor\": 1, \"include\": [\"d0.json\"]}");
  ProgramResult result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, HasSubstr("includes nested deeper than 16."));

  // every file includes the next one ten times: 10^9 files
  for (int i = 0; i < 9; ++i) {
    std::string ten;
    for (int k = 0; k < 10; ++k) ten += (k ? ",\"w" : "\"w") + std::to_string(i + 1) + ".json\"";
    folder_.write("w" + std::to_string(i) + ".json", "{\"rigor\": 1, \"include\": [" + ten + "]}");
  }
  folder_.write("w9.json", "{\"rigor\": 1}");
  folder_.write("scene.json", "{\"rigor\": 1, \"include\": [\"w0.json\"]}");
  result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, HasSubstr("more than 100 files in one scene."));
}

TEST_F(HostileScenes, ErrorsInIncludedFilesNameThem) {
  folder_.write("parts/wheel.json", "{\"rigor\": 1,\n \"bodies\": [{\"name\": \"rim\", \"mass\": -1}]}");
  folder_.write("scene.json", "{\"rigor\": 1, \"include\": [\"parts/wheel.json\"]}");
  ProgramResult result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, StartsWith("parts/wheel.json:2:37: bodies.rim.mass = -1 kg, must be >= 0."));

  folder_.write("parts/wheel.json", "{\"rigor\": 1,");
  result = check();
  expect_cheap_refusal(result);
  EXPECT_THAT(result.err, StartsWith("parts/wheel.json:1:13: the text ends inside the object"));

  folder_.write("parts/wheel.json", "{\"rigor\": 1, \"planar\": \"xz\"}");
  EXPECT_THAT(check().err, StartsWith("parts/wheel.json:1:24: planar: an included file moves in a plane"));

  folder_.write("parts/wheel.json", "{\"rigor\": 1, \"parameters\": {\"r\": 1}}");
  folder_.write(
      "scene.json",
      "{\"rigor\": 1, \"include\": [{\"file\": \"parts/wheel.json\", \"parameters\": {\"R\": 2}}]}");
  EXPECT_THAT(check().err, StartsWith("scene.json:1:70: parameters.R: unknown key. Did you mean \"r\"?"));
}

}  // namespace
}  // namespace rigor
